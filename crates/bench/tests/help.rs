//! Every measurement says how it is run, and one without its data says what is missing.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::process::{Command, Output};

fn bench(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_vouch-bench")).args(words).output().expect("it runs")
}

#[test]
fn every_measurement_has_an_example() {
    let parts = [
        "retrieval",
        "speed",
        "scan",
        "contradictions",
        "judge",
        "quotes",
        "names",
        "hostile",
        "stream",
        "serve",
        "scale",
        "fit-relevance",
    ];
    for part in parts {
        let ran = bench(&[part, "--help"]);
        let told = String::from_utf8_lossy(&ran.stdout).into_owned();
        assert!(ran.status.success() && told.contains("Example:\n  vouch-bench "), "{part}: {told}");
    }
    for part in ["throughput", "kills", "outage"] {
        let ran = bench(&["nodes", part, "--help"]);
        let told = String::from_utf8_lossy(&ran.stdout).into_owned();
        assert!(ran.status.success() && told.contains("Example:\n  vouch-bench nodes "), "{part}: {told}");
    }
}

#[test]
fn data_that_is_not_there_is_a_usage_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("nowhere").display().to_string();
    let ran = bench(&["retrieval", "--data", &data, "--sets", "scifact"]);
    let told = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert!(ran.status.code() == Some(2) && told.contains("no folder of data sets"), "{:?}: {told}", ran.status);
}
