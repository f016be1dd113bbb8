//! A folder of hostile files among good ones: every file is a document or a sentence, within limits, and the rest goes on.
#![cfg(target_os = "linux")]

mod broken;
mod bombs;
mod packed;
mod sound;

use std::{collections::BTreeSet, process::Command, time::Duration};

use serde_json::Value;

use crate::support::{Place, Ran, finish_within, replies::json};

/// How many hostile files there are at least.
const HOSTILE_MIN: usize = 200;
/// What the process that takes them in may use of addresses, in KiB: the models and the store, and no file as a whole.
const MEMORY_KIB: u64 = 4 << 20;
/// What reading one file may take; far less than the bombs would.
const SETTINGS: &str = "ingest:\n  parse_timeout_ms: 20000\n  parse_memory_bytes_max: 536870912\n";
/// There are hundreds of files, and some of them take all of that time.
const ENDS_WITHIN: Duration = Duration::from_secs(3_600);
/// A sentence that a person reads.
const SENTENCE_CHARS_MAX: usize = 500;

/// A file under its name.
struct File {
    name: String,
    bytes: Vec<u8>,
}

impl File {
    fn new(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { name: name.into(), bytes: bytes.into() }
    }
}

fn ingest(place: &Place) -> Ran {
    let mut shell = Command::new("sh");
    shell.current_dir(place.path("")).env_clear().args([
        "-c",
        &format!("ulimit -v {MEMORY_KIB}; exec \"$0\" \"$@\""),
        env!("CARGO_BIN_EXE_vouch"),
        "ingest",
        "docs",
        "--json",
        "--config",
        "vouch.yaml",
    ]);
    finish_within(shell, ENDS_WITHIN)
}

/// The names of the files that a list of the report is about.
fn named(report: &Value, list: &str) -> Vec<(String, String)> {
    let lines = report.get(list).and_then(Value::as_array).cloned().unwrap_or_default();
    let text = |line: &Value, field: &str| line.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
    let name = |source: String| source.rsplit('/').next().unwrap_or_default().to_owned();
    lines.iter().map(|line| (name(text(line, "source")), text(line, "reason"))).collect()
}

#[test]
fn every_hostile_file_is_a_document_or_a_sentence_and_the_rest_goes_on() {
    let place = Place::new();
    place.write("vouch.yaml", SETTINGS);
    let sound = sound::files();
    let hostile: Vec<File> = broken::files(&sound).into_iter().chain(bombs::files()).collect();
    assert!(hostile.len() >= HOSTILE_MIN, "{} files", hostile.len());
    for file in sound.iter().chain(&hostile) {
        place.write(&format!("docs/{}", file.name), &file.bytes);
    }
    let ran = ingest(&place);
    assert_eq!(ran.code, Some(1), "some could not be read: {}", ran.err);
    let report = json(&ran);
    let faults: Vec<(String, String)> =
        ["failures", "skipped_files"].iter().flat_map(|list| named(&report, list)).collect();
    for (name, sentence) in &faults {
        let is_readable = !sentence.trim().is_empty()
            && sentence.chars().count() <= SENTENCE_CHARS_MAX
            && !sentence.chars().any(char::is_control);
        assert!(is_readable, "{name}: {sentence:?}");
    }
    let told: BTreeSet<&String> = faults.iter().map(|(name, _)| name).collect();
    for file in &sound {
        assert!(!told.contains(&file.name), "{} is sound and was not kept: {faults:?}", file.name);
        assert_eq!(place.run(&["show", &format!("docs/{}", file.name)]).code, Some(0), "{}", file.name);
    }
    let added = report.get("added").and_then(Value::as_u64);
    let silent: Vec<&str> =
        sound.iter().chain(&hostile).filter(|file| !told.contains(&file.name)).map(|file| file.name.as_str()).collect();
    assert_eq!(added, Some(silent.len() as u64), "each of these is a document, and nothing else: {silent:?}");
    let bombs: BTreeSet<String> = bombs::files().into_iter().map(|bomb| bomb.name).collect();
    println!("{} sound and {} hostile files, {} sentences", sound.len(), hostile.len(), faults.len());
    for (name, sentence) in faults.iter().filter(|(name, _)| bombs.contains(name)) {
        println!("{name}: {sentence}");
    }
}
