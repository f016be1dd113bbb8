//! Files are read in processes of their own: limits hold, what dies takes nobody along, and the site's own programs help.

use std::{path::PathBuf, process::Command, time::Duration};

use serde_json::Value;
use vouch_domain::{
    RawDocument, SourceFormat,
    document::Labels,
    ports::{ParseError, Parser},
};
use vouch_formats::worker::{WorkerLimits, WorkerParser};
use vouch_testkit::contracts;

use crate::support::{Place, replies::json};

fn workers(limits: WorkerLimits) -> WorkerParser {
    WorkerParser::of(PathBuf::from(env!("CARGO_BIN_EXE_vouch")), limits, Vec::new())
}

fn text(bytes: Vec<u8>) -> RawDocument {
    RawDocument {
        source: "/docs/input".to_owned(),
        fallback_id: "input".to_owned(),
        url: None,
        format: SourceFormat::PlainText,
        bytes,
        labels: Labels { tenant: "acme".to_owned(), ..Labels::default() },
    }
}

fn sentence(parsed: &[Result<vouch_domain::Document, ParseError>]) -> String {
    let fault = parsed.first().and_then(|outcome| outcome.as_ref().err());
    fault.map(|fault| fault.sentence.clone()).unwrap_or_default()
}

#[test]
fn a_parser_in_workers_is_a_parser() {
    contracts::parser::check(&workers(WorkerLimits::default()));
}

#[test]
fn what_takes_too_long_is_ended_and_the_next_is_read() {
    let parser = workers(WorkerLimits { time: Duration::from_millis(1), ..WorkerLimits::default() });
    let late = sentence(&parser.parse(text(b"One line.".repeat(1_000_000))));
    assert_eq!(late, "reading it took longer than 0.001 s (ingest.parse_timeout_ms)");
    let patient = workers(WorkerLimits::default());
    assert!(patient.parse(text(b"One line.".to_vec())).iter().all(Result::is_ok));
}

#[test]
fn what_takes_too_much_memory_is_ended_and_the_next_is_read() {
    let parser = workers(WorkerLimits { memory_bytes: 400 << 20, ..WorkerLimits::default() });
    assert!(parser.parse(text(b"One line.".to_vec())).iter().all(Result::is_ok));
    let large = sentence(&parser.parse(text(b"One more line. ".repeat(8 << 20))));
    assert_eq!(large, "reading it takes more than 400 MiB of memory (ingest.parse_memory_bytes_max)");
    assert!(parser.parse(text(b"One line.".to_vec())).iter().all(Result::is_ok));
}

#[test]
fn a_worker_that_was_killed_while_it_waited_costs_nobody_a_document() {
    let place = Place::new();
    place.write("docs/one.md", "# One\n\nThe first gauge is emptied at nine.\n");
    let parser = workers(WorkerLimits { memory_bytes: 3 << 30, ..WorkerLimits::default() });
    assert!(parser.parse(text(b"One line.".to_vec())).iter().all(Result::is_ok));
    // The limit is in the worker's arguments, so that this finds it and no other.
    let marked = format!("parse-worker 60000 {}", 3u64 << 30);
    let killed = Command::new("pkill").args(["-KILL", "-f", &marked]).status().expect("pkill");
    assert!(killed.success(), "a worker waits");
    assert!(parser.parse(text(b"One line.".to_vec())).iter().all(Result::is_ok));
}

#[test]
fn a_program_that_is_no_worker_is_a_fault_of_the_source_and_ends_in_time() {
    for (program, arguments_say) in [("/bin/true", "ended"), ("/bin/cat", "fit"), ("/nowhere/vouch", "no process")] {
        let limits = WorkerLimits { time: Duration::from_secs(2), ..WorkerLimits::default() };
        let parser = WorkerParser::of(PathBuf::from(program), limits, Vec::new());
        let told = sentence(&parser.parse(text(b"One line.".to_vec())));
        assert!(told.contains(arguments_say) || told.contains("ended without an answer"), "{program}: {told}");
    }
}

#[test]
fn files_of_other_forms_are_read_by_the_sites_own_program() {
    let place = Place::new();
    place.write(
        "vouch.yaml",
        "ingest:\n  convert:\n    - endings: [scan]\n      command: [\"tr\", \"a-z\", \"A-Z\"]\n    \
         - endings: [bad]\n      command: [\"sh\", \"-c\", \"echo no ink >&2; exit 3\"]\n    \
         - endings: [slow]\n      command: [\"sh\", \"-c\", \"sleep 60 & sleep 60\"]\n      timeout_ms: 300\n    \
         - endings: [copy]\n      command: [\"cat\", \"{file}\"]\n",
    );
    place.write("docs/gauge.scan", "# gauge\n\nthe gauge is emptied at nine.\n");
    place.write("docs/pages.copy", "# Pages\n\nThe mast is 12 m high.\u{c}\n\nThe hut is 3 m high.\n");
    place.write("docs/torn.bad", "x");
    place.write("docs/long.slow", "x");
    let ran = place.run(&["ingest", "docs", "--json"]);
    let report = json(&ran);
    assert_eq!(
        (ran.code, &report["added"], &report["failed"]),
        (Some(1), &Value::from(2), &Value::from(2)),
        "{report}"
    );
    let failures = report["failures"].to_string();
    assert!(failures.contains("its converter sh failed (exit status: 3): no ink"), "{failures}");
    assert!(failures.contains("its converter sh took longer than 0.3 s"), "{failures}");
    let reply = json(&place.run(&["ask", "How high is the hut?", "--json"]));
    assert_eq!(reply["citations"][0]["page_number"], Value::from(2), "{reply}");
    assert_eq!(reply["citations"][0]["locator"], "p. 2", "{reply}");
}
