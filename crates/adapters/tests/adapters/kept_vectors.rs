//! Vectors kept in a data folder: the same come back, and what is damaged counts as none.

use vouch_adapters::embedded::EmbeddedVectors;
use vouch_domain::ports::KeptVectors;
use vouch_testkit::contracts::kept_vectors::{check, vectors};

#[tokio::test]
async fn embedded_vectors_are_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    check(&EmbeddedVectors::new(&folder.path().join("new"))).await;
}

#[tokio::test]
async fn a_file_that_is_cut_or_altered_counts_as_none_and_is_replaced() {
    let folder = tempfile::tempdir().expect("a folder");
    let kept = EmbeddedVectors::new(folder.path());
    let own = vectors(&[0.1, 0.9, 0.4]);
    kept.save("one", &own).await.expect("kept");
    let path = folder.path().join("examples.vectors");
    let whole = std::fs::read(&path).expect("a file");
    let mut altered = whole.clone();
    *altered.last_mut().expect("a byte") ^= 1;
    for damaged in [Vec::new(), vec![0; 40], whole.get(..whole.len() - 4).expect("a part").to_vec(), altered] {
        std::fs::write(&path, &damaged).expect("written");
        assert_eq!(kept.load("one").await.expect("an answer"), None, "{} bytes", damaged.len());
    }
    kept.save("one", &own).await.expect("kept");
    assert_eq!(kept.load("one").await.expect("an answer"), Some(own));
}
