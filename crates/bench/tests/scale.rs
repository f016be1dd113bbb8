//! The page on scale has the tables that the simulation prints, and its costs can be changed by a file.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::process::Command;

fn scale(words: &[&str]) -> String {
    let ran = Command::new(env!("CARGO_BIN_EXE_vouch-bench")).arg("scale").args(words).output().expect("it runs");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).expect("text")
}

#[test]
fn the_page_has_the_tables_of_the_simulation() {
    let page = include_str!("../../../docs/scale.md");
    let printed = scale(&[]);
    let rows: Vec<&str> = printed.lines().filter(|line| line.starts_with('|')).collect();
    assert!(rows.len() > 20, "{printed}");
    for row in rows {
        assert!(page.contains(row), "docs/scale.md lacks this row of `vouch-bench scale`:\n{row}");
    }
}

#[test]
fn costs_of_a_file_take_the_place_of_those_that_are_known() {
    let folder = tempfile::tempdir().expect("a folder");
    let costs = folder.path().join("costs.json");
    std::fs::write(&costs, r#"{ "scan_ns_per_row": 780.0 }"#).expect("written");
    let words = ["--millions", "10", "--questions", "500"];
    let file = costs.display().to_string();
    assert_ne!(scale(&words), scale(&[&words[..], &["--measured", &file]].concat()));
}
