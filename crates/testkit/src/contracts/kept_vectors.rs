//! The contract of `KeptVectors`.

use vouch_domain::{Embedding, ports::KeptVectors};

/// Vectors of one width.
#[must_use]
pub fn vectors(seeds: &[f32]) -> Vec<Embedding> {
    let vector = |seed: &f32| Embedding::normalised(vec![*seed, 0.3, -0.7]).expect("a vector");
    seeds.iter().map(vector).collect()
}

/// Runs every clause on one that keeps nothing yet.
pub async fn check(kept: &dyn KeptVectors) {
    assert_eq!(kept.load("one").await.expect("an answer"), None, "nothing is kept yet");
    let first = vectors(&[0.1, 0.2]);
    kept.save("one", &first).await.expect("to keep");
    assert_eq!(kept.load("one").await.expect("an answer"), Some(first), "the same values come back");
    assert_eq!(kept.load("two").await.expect("an answer"), None, "of another digest there are none");
    let second = vectors(&[0.5, 0.6, 0.7]);
    kept.save("two", &second).await.expect("to keep");
    assert_eq!(kept.load("two").await.expect("an answer"), Some(second));
    assert_eq!(kept.load("one").await.expect("an answer"), None, "the last takes the place of those before");
}
