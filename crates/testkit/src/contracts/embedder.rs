//! The contract of `Embedder`.

use vouch_domain::ports::Embedder;

/// Runs every clause.
pub async fn check(embedder: &dyn Embedder) {
    let texts = ["A mast stands here.", "Rain falls into the gauge.", "A mast stands here.", "é ünï — 漢字", "x"];
    let owned: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    let together = embedder.embed(owned.clone()).await.expect("embed");
    assert_eq!(together.len(), texts.len());
    for (text, vector) in owned.into_iter().zip(&together) {
        assert_eq!(vector.values().len(), embedder.identity().dimensions);
        let length: f32 = vector.values().iter().map(|value| value * value).sum();
        assert!((length - 1.0).abs() < 1e-4, "{length}");
        let alone = embedder.embed(vec![text]).await.expect("embed");
        assert_eq!(alone.first(), Some(vector), "a vector must not depend on its neighbours");
    }
    assert_eq!(together.first(), together.get(2));
    assert_ne!(together.first(), together.get(1));
    assert!(embedder.embed(Vec::new()).await.expect("embed").is_empty());
    let long = "word ".repeat(5_000);
    assert_eq!(embedder.embed(vec![long, String::new()]).await.expect("embed").len(), 2);
    let map = embedder.relevance_map();
    let readings: Vec<f32> = (0..=100u8).map(|step| map.relevance(f32::from(step) / 100.0)).collect();
    assert!(readings.is_sorted() && readings.iter().all(|reading| (0.0..=1.0).contains(reading)));
}
