//! The table of the documents' examples names tests and decisions that there are.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{collections::BTreeSet, fs, path::Path};

fn sources(folder: &Path, found: &mut String) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push_str(&fs::read_to_string(&path).expect("a file"));
        }
    }
}

#[test]
fn every_test_and_decision_that_the_table_names_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let table = fs::read_to_string(root.join("docs/examples.md")).expect("the table");
    let mut code = String::new();
    sources(&root.join("crates"), &mut code);
    let named: BTreeSet<&str> =
        table.split('`').skip(1).step_by(2).filter_map(|word| word.split_once("::")).map(|(_, test)| test).collect();
    assert!(named.len() > 100, "{}", named.len());
    let missing: Vec<&&str> = named.iter().filter(|test| !code.contains(&format!("fn {test}("))).collect();
    assert!(missing.is_empty(), "{missing:?}");
    let decisions: Vec<String> = fs::read_dir(root.join("docs/decisions"))
        .expect("a folder")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    for number in table.split("decision ").skip(1).filter_map(|rest| rest.get(..4)) {
        let is_number = number.chars().all(|c| c.is_ascii_digit());
        assert!(!is_number || decisions.iter().any(|file| file.starts_with(number)), "decision {number}");
    }
}
