//! The built-in embedder keeps its contract and stays near its float original.

use serde::Deserialize;
use vouch_domain::{Embedding, ports::Embedder};
use vouch_models::GteSmall;
use vouch_testkit::contracts;

#[derive(Deserialize)]
struct Reference {
    sentences: Vec<String>,
    vectors: Vec<Vec<f32>>,
}

#[tokio::test]
async fn gte_small_is_an_embedder() {
    contracts::embedder::check(&GteSmall::load(2).expect("the weights load")).await;
}

#[tokio::test]
async fn bytes_stay_near_the_float_original() {
    let text = include_str!("../../../../models/gte-small/reference.json");
    let reference: Reference = serde_json::from_str(text).expect("the reference is JSON");
    let embedder = GteSmall::load(2).expect("the weights load");
    let vectors = embedder.embed(reference.sentences).await.expect("embed");
    for (own, float) in vectors.iter().zip(reference.vectors) {
        let float = Embedding::normalised(float).expect("a vector");
        assert!(own.cosine(&float) > 0.995, "{}", own.cosine(&float));
    }
}

#[tokio::test]
async fn the_number_of_threads_changes_no_vector() {
    let texts: Vec<String> = (0..6).map(|n| format!("Sentence number {n} about masts.")).collect();
    let one = GteSmall::load(1).expect("the weights load").embed(texts.clone()).await.expect("embed");
    let two = GteSmall::load(2).expect("the weights load").embed(texts).await.expect("embed");
    assert_eq!(one, two);
}
