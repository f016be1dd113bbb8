//! Documents as they were: listed, read and compared on the command line and over HTTP, by those who may.

use std::sync::Arc;

use serde_json::{Value, json};
use vouch_adapters::{
    embedded::EmbedderCheck,
    files::{self, FileError, Links, Reading},
    system_clock::SystemClock,
};
use vouch_app::{progress::Bar, settings, wiring};
use vouch_domain::{Role, document::Labels, ports::Clock};
use vouch_engine::ingest::{Ingest, IngestReport, IngestRun, UnreadableSource};
use vouch_formats::FileParser;
use vouch_testkit::fakes::StoppedClock;

use crate::support::{Place, Ran, callers, replies, server::Server};

const FIRST: &str = "---\nversion: '1.0'\ndate: 2026-01-05\n---\n# Mast\n\n## Size\n\nThe mast is 3 m tall.\n\nIt is red.\n\n- Oil it.\n- Dry it.\n";

/// A folder with a document in three versions.
fn three_versions() -> Place {
    let place = Place::new();
    let second = FIRST.replace("1.0", "2.0").replace("3 m", "4 m").replace("It is red.\n\n", "");
    let third = second.replace("2.0", "3.0").replace("- Oil it.\n- Dry it.", "- Dry it.\n- Oil it.\n- Paint it.");
    for text in [FIRST, second.as_str(), third.as_str()] {
        place.write("docs/mast.md", text);
        let ran = place.run(&["ingest", "docs"]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
    }
    place
}

fn show(place: &Place, words: &[&str]) -> Ran {
    place.run(&[&["show", "mast.md"], words].concat())
}

fn told(ran: &Ran) -> Vec<String> {
    let value = replies::json(ran);
    let side = |one: &Value, name: &str| one.get(name).and_then(Value::as_str).unwrap_or("-").to_owned();
    let changes = value.get("changes").and_then(Value::as_array).cloned().unwrap_or_default();
    changes
        .iter()
        .map(|one| format!("{}: {} → {}", side(one, "kind"), side(one, "before"), side(one, "after")))
        .collect()
}

#[test]
fn every_version_of_a_document_can_be_listed_read_and_compared() {
    let place = three_versions();
    let list = replies::json(&show(&place, &["--versions", "--json"]));
    let versions = list["versions"].as_array().expect("versions").clone();
    let told_of: Vec<(&Value, &Value, &Value)> =
        versions.iter().map(|one| (&one["number"], &one["version"], &one["current"])).collect();
    let wanted =
        [(3, "3.0", true), (2, "2.0", false), (1, "1.0", false)].map(|(a, b, c)| (json!(a), json!(b), json!(c)));
    assert_eq!(told_of, wanted.iter().map(|(a, b, c)| (a, b, c)).collect::<Vec<_>>());
    let lines = show(&place, &["--versions"]).out;
    assert!(lines.starts_with("version 3  current  labelled 3.0  2026-01-05"), "{lines}");
    let first = replies::json(&show(&place, &["--version", "1", "--json"]));
    assert!(
        first["text"].as_str().is_some_and(|text| text.contains("3 m tall") && text.contains("It is red.")),
        "{first}"
    );
    assert!(show(&place, &["--version", "1"]).out.contains("version 1 (labelled 1.0, 2026-01-05, taken in "));
    let (whole, last) = (show(&place, &["--changes", "1..3", "--json"]), show(&place, &["--changes", "--json"]));
    let expected =
        ["changed: The mast is 3 m tall. → The mast is 4 m tall.", "removed: It is red. → -", "added: - → Paint it."];
    assert_eq!(told(&whole), expected);
    assert_eq!(told(&last), ["added: - → Paint it."], "what only moved is no change");
    let words = show(&place, &["--changes", "..2"]).out;
    for line in
        ["from version 1 (labelled 1.0", "\nchanged in Mast › Size\n  - The mast is 3 m", "  + The mast is 4 m tall."]
    {
        assert!(words.contains(line), "{line} in {words}");
    }
    assert!(show(&place, &["--changes", "..1"]).out.contains("there is no version before version 1"));
    for words in [&["--version", "4"][..], &["--version", "0"], &["--changes", "1..9"], &["--changes", "1-3"]] {
        let ran = show(&place, words);
        assert_eq!(ran.code, Some(2), "{words:?}: {}{}", ran.out, ran.err);
    }
}

#[test]
fn over_http_a_version_is_read_by_those_who_may_read_the_document_now_and_could_then() {
    let place = Place::new();
    place.write("docs/leave.md", "# Leave\n\nStaff have 26 days of leave.\n");
    assert_eq!(place.run(&["ingest", "docs"]).code, Some(0));
    let admin = callers::key(&place, "default", Role::Admin, None);
    let (board, staff) = (
        callers::key(&place, "default", Role::Reader, Some(&["board"])),
        callers::key(&place, "default", Role::Reader, Some(&["staff"])),
    );
    let other = callers::key(&place, "fell", Role::Admin, None);
    let server = Server::over(place);
    for (text, tags) in
        [("The codeword is saltworks.", "board"), ("The codeword is open.", "staff"), ("All is said.", "staff")]
    {
        let body = json!({"id": "plans/a b", "title": "Plans", "text": text, "tags": [tags], "open": true});
        assert_eq!(server.post("/v1/documents", &body.to_string(), &admin).status, 200);
    }
    let numbers = |key: &str| {
        let reply = server.get_with("/v1/versions?id=plans%2Fa%20b", key);
        let list = (reply.status == 200).then(|| reply.json())?;
        Some(list["versions"].as_array()?.iter().filter_map(|one| one["number"].as_u64()).collect::<Vec<_>>())
    };
    assert_eq!(numbers(&admin), Some(vec![3, 2, 1]));
    assert_eq!(numbers(&staff), Some(vec![3, 2]), "the first was not for them");
    assert_eq!((numbers(&board), numbers(&other)), (None, None), "the document is not for them any more");
    let status = |path: &str, key: &str| server.get_with(path, key).status;
    for (path, admins, staffs) in [
        ("/v1/versions/1?id=plans/a%20b", 200, 404),
        ("/v1/versions/2?id=plans/a%20b", 200, 200),
        ("/v1/versions/9?id=plans/a%20b", 404, 404),
        ("/v1/versions/x?id=plans/a%20b", 404, 404),
        ("/v1/versions/1?id=nothing", 404, 404),
        ("/v1/versions/1", 400, 400),
        ("/v1/versions", 400, 400),
        ("/v1/changes?id=plans/a%20b", 200, 200),
        ("/v1/changes?id=plans/a%20b&from=1", 200, 404),
        ("/v1/changes?id=plans/a%20b&from=one", 400, 400),
        ("/v1/changes?id=%20", 404, 404),
    ] {
        assert_eq!((status(path, &admin), status(path, &staff)), (admins, staffs), "{path}");
        assert!([404, 400].contains(&status(path, &board)), "{path}");
    }
    let changed = server.get_with("/v1/changes?id=plans/a%20b&from=1&to=2", &admin).json();
    assert_eq!(changed["changes"][0]["after"], "The codeword is open.");
    let oldest = server.get_with("/v1/changes?id=plans/a%20b&to=2", &staff);
    assert!(!oldest.body.contains("saltworks") && oldest.json()["from"].is_null(), "{}", oldest.body);
    assert_eq!(status("/v1/versions?id=docs/leave.md", ""), 401);
}

#[test]
fn a_store_is_compacted_as_its_settings_say_and_never_by_looking() {
    let place = three_versions();
    let compact = |words: &[&str]| place.run(&[&["store", "compact"], words].concat());
    let ran = compact(&[]);
    assert!(
        ran.out
            .starts_with("nothing was removed, because every version is kept: store.keep_versions_days is not set\n"),
        "{}{}",
        ran.out,
        ran.err
    );
    place.write("vouch.yaml", "store: {keep_versions_days: 30}\n");
    let looked = replies::json(&compact(&["--dry-run", "--json"]));
    assert_eq!((&looked["versions"], &looked["dry_run"]), (&json!(0), &json!(true)), "all were current a moment ago");
    let done = compact(&[]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(
        done.out.contains("0 versions with 0 passages removed") && done.out.contains("bytes and have"),
        "{}",
        done.out
    );
    assert_eq!(replies::json(&show(&place, &["--versions", "--json"]))["versions"].as_array().map(Vec::len), Some(3));
    assert_eq!(place.run(&["doctor"]).code, Some(0));
    place.write("vouch.yaml", "store: {keep_versions_days: 0}\n");
    assert_eq!(compact(&[]).code, Some(2));
    place.write("vouch.yaml", "");
    let server = Server::over(place);
    let held = server.place.run(&["store", "compact"]);
    assert!(held.code != Some(0) && held.err.contains("is in use by"), "{}", held.err);
}

/// Takes a folder in as it would have been so many days ago.
fn ingested_days_ago(place: &Place, days: u64) -> anyhow::Result<IngestReport> {
    let loaded = settings::parse_text("test", "")?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let app = wiring::build(&loaded, &place.path(".vouch"), EmbedderCheck::Enforce)?;
        let then = SystemClock::start().now_ms() - days * 86_400_000;
        let ingest = Ingest {
            clock: Arc::new(StoppedClock::at(then)),
            // A test is no program that reads files in a process of its own.
            parser: Arc::new(FileParser::default()),
            ..app.ingest.clone()
        };
        let reading = Reading {
            bytes_max: 10_000,
            links: Links::Within,
            labels: Labels { tenant: "default".to_owned(), ..Labels::default() },
            foreign: Vec::new(),
        };
        let folder = place.path("docs");
        let (roots, bar) = ([files::source_name(&folder)], Bar::start(0));
        let run =
            IngestRun { sees_all: true, tenant: "default", roots: &roots, source_exists: &|_| true, progress: &bar };
        let unread = |FileError { source, path, sentence }| UnreadableSource { source, shown: path, sentence };
        let documents = files::read_all(&[folder], &reading).map(|read| read.map_err(unread));
        Ok(ingest.ingest(documents, &run).await?)
    })
}

#[test]
fn what_is_older_than_the_settings_keep_is_removed_and_nothing_else() {
    let place = Place::new();
    for (height, days) in [(3, 100), (4, 90), (5, 10)] {
        place.write("docs/mast.md", FIRST.replace("3 m", &format!("{height} m")));
        let report = ingested_days_ago(&place, days).expect("an ingest");
        assert_eq!((report.added + report.updated, report.failed), (1, 0), "{report:?}");
    }
    place.write("docs/mast.md", FIRST.replace("3 m", "6 m"));
    let ran = place.run(&["ingest", "docs"]);
    assert!(ran.out.starts_with("added 0, updated 1"), "it is the document of before: {}{}", ran.out, ran.err);
    let numbers = |place: &Place| {
        let list = replies::json(&show(place, &["--versions", "--json"]));
        let listed = list["versions"].as_array().cloned().unwrap_or_default();
        listed.iter().filter_map(|one| one["number"].as_u64()).collect::<Vec<_>>()
    };
    assert_eq!(numbers(&place), [4, 3, 2, 1]);
    // The first version ended 90 days ago, the second 10 and the third a moment ago.
    place.write("vouch.yaml", "store: {keep_versions_days: 95}\n");
    let early = replies::json(&place.run(&["store", "compact", "--json"]));
    assert_eq!(early["versions"], 0, "{early}");
    place.write("vouch.yaml", "store: {keep_versions_days: 30}\n");
    let looked = replies::json(&place.run(&["store", "compact", "--dry-run", "--json"]));
    assert_eq!((&looked["versions"], numbers(&place).len()), (&json!(1), 4), "{looked}");
    let done = replies::json(&place.run(&["store", "compact", "--json"]));
    assert_eq!(done["versions"], 1, "{done}");
    assert_eq!(numbers(&place), [4, 3, 2]);
    let gone = show(&place, &["--version", "1"]);
    assert!(gone.code != Some(0) && !gone.out.contains("3 m tall"), "{}{}", gone.out, gone.err);
    assert!(show(&place, &["--version", "2"]).out.contains("4 m tall"));
    let found = replies::json(&place.run(&["ask", "How tall is the mast?", "--json"]));
    assert!(found["answer"].as_str().is_some_and(|answer| answer.contains("6 m tall")), "{found}");
    assert_eq!(place.run(&["doctor"]).code, Some(0));
}
