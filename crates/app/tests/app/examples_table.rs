//! The table of the documents' examples: its tests, decisions and files exist, and its rows and sums are those of `docs/examples.jsonl`.
//!
//! What its rows say of replies is checked by `scripts/examples.py`, which asks them of a running server and writes the table.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

const JUDGEMENTS: [&str; 4] = ["as the document", "decided otherwise", "differs", "not covered"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn table() -> String {
    fs::read_to_string(root().join("docs/examples.md")).expect("the table")
}

/// The cells of every row below the heading of a document, under its name.
fn rows(table: &str) -> Vec<(String, Vec<String>)> {
    let mut document = None;
    let mut rows = Vec::new();
    for line in table.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            document = heading.split('`').nth(1).map(str::to_owned);
        } else if let (Some(document), Some(row)) = (&document, line.strip_prefix("| "))
            && !row.starts_with("id |")
        {
            let cells = row.trim_end_matches(" |").split(" | ").map(str::to_owned).collect();
            rows.push((document.clone(), cells));
        }
    }
    rows
}

/// Every function of the crates with the names it may be called by: its file's and its folder's.
fn functions(folder: &Path, found: &mut BTreeMap<String, BTreeSet<String>>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            functions(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = fs::read_to_string(&path).expect("a file");
            let names = [path.file_stem(), path.parent().and_then(Path::file_name)];
            for name in text.split("fn ").skip(1).filter_map(|rest| rest.split_once('(').map(|(name, _)| name)) {
                let names = names.iter().flatten().map(|name| name.to_string_lossy().into_owned());
                found.entry(name.to_owned()).or_default().extend(names);
            }
        }
    }
}

#[test]
fn every_test_and_decision_that_the_table_names_exists() {
    let table = table();
    let mut functions_by_name = BTreeMap::new();
    functions(&root().join("crates"), &mut functions_by_name);
    let named: BTreeSet<(&str, &str)> =
        table.split('`').skip(1).step_by(2).filter_map(|word| word.split_once("::")).collect();
    assert!(named.len() > 100, "{}", named.len());
    let is_missing =
        |(file, test): &&(&str, &str)| functions_by_name.get(*test).is_none_or(|files| !files.contains(*file));
    let missing: Vec<_> = named.iter().filter(is_missing).collect();
    assert!(missing.is_empty(), "{missing:?}");
    let decisions: Vec<String> = fs::read_dir(root().join("docs/decisions"))
        .expect("a folder")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    for number in table.split("decision ").skip(1).filter_map(|rest| rest.get(..4)) {
        let is_number = number.chars().all(|c| c.is_ascii_digit());
        assert!(!is_number || decisions.iter().any(|file| file.starts_with(number)), "decision {number}");
    }
}

#[test]
fn the_sums_of_the_table_are_those_of_its_rows() {
    let table = table();
    let mut sums: BTreeMap<String, [usize; 4]> = BTreeMap::new();
    for (document, cells) in rows(&table) {
        let judgement = cells.get(3).map(|cell| cell.trim_matches('*')).expect("a judgement");
        let at = JUDGEMENTS.iter().position(|one| *one == judgement).expect("one of the four judgements");
        let examples = cells.first().map_or(0, |ids| ids.split(", ").count());
        *sums.entry(document).or_default().get_mut(at).expect("four sums") += examples;
    }
    assert_eq!(sums.len(), 5, "{sums:?}");
    for (document, sums) in sums {
        let told = sums.map(|sum| sum.to_string()).join(" | ");
        assert!(table.contains(&format!("(`{document}`) | {told} |")), "{document}: {told}");
    }
}

#[test]
fn the_table_has_the_rows_of_its_source() {
    let source = fs::read_to_string(root().join("docs/examples.jsonl")).expect("the rows");
    let source = source.lines().map(|line| serde_json::from_str::<Value>(line).expect("a JSON object"));
    let ids = |row: &Value| {
        row["ids"].as_array().map(|ids| ids.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "))
    };
    let expected: Vec<String> = source.filter_map(|row| ids(&row)).collect();
    let told: Vec<String> = rows(&table()).into_iter().filter_map(|(_, cells)| cells.into_iter().next()).collect();
    assert_eq!(told, expected, "run scripts/examples.py BINARY --write");
}
