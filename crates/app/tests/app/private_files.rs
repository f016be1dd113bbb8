//! What holds documents, questions and keys is read by its owner alone; and the proxy sample lets through what the server takes.
#![cfg(unix)]
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use crate::support::Place;

const PROXY: &str = include_str!("../../../../deploy/README.md");
const SETTINGS: &str = include_str!("../../src/settings/default.yaml");

fn run(place: &Place, words: &[&str]) {
    let ran = place.run(words);
    assert_eq!(ran.code, Some(0), "{words:?}: {}{}", ran.out, ran.err);
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("it is there").permissions().mode() & 0o777
}

/// The databases of a folder and their logs.
fn databases(folder: &Path) -> Vec<PathBuf> {
    let entries = folder.read_dir().expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut found: Vec<PathBuf> = entries.filter(|path| path.to_string_lossy().contains(".sqlite")).collect();
    found.sort();
    assert!(found.len() >= 2, "{found:?}");
    found
}

fn assert_private(folder: &Path) {
    assert_eq!(mode(folder), 0o700, "{}", folder.display());
    for file in databases(folder) {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
}

#[test]
fn data_folder_trail_and_backups_are_read_by_their_owner_alone() {
    let place = Place::new();
    place.write("docs/leave.md", "# Leave\n\nStaff have 26 days of paid annual leave a year.\n");
    run(&place, &["ingest", "docs"]);
    run(&place, &["ask", "How many days of leave do staff have?"]);
    run(&place, &["key", "add", "intranet"]);
    let data = place.path(".vouch");
    assert_private(&data);
    run(&place, &["store", "backup", "backup"]);
    assert_private(&place.path("backup"));
    // As an earlier version has left it.
    fs::set_permissions(&data, Permissions::from_mode(0o755)).expect("set");
    for file in databases(&data) {
        fs::set_permissions(&file, Permissions::from_mode(0o644)).expect("set");
    }
    run(&place, &["ingest", "docs"]);
    assert_private(&data);
}

#[test]
fn the_proxy_sample_lets_files_through_that_the_server_takes() {
    let allowed = PROXY.split_once("client_max_body_size ").expect("a limit").1.split_once("m;").expect("megabytes").0;
    let allowed: u64 = allowed.parse().expect("a number");
    let serve = SETTINGS.split_once("\nserve:").expect("settings of the server").1;
    let taken = serve.split_once("file_bytes_max: ").expect("a limit").1.split_whitespace().next().expect("a number");
    assert!(
        allowed << 20 >= taken.parse().expect("a number"),
        "the proxy allows {allowed} MiB, the server {taken} bytes"
    );
}
