//! The page in a real browser: `tests/browser` says what is done on it and what must be so.
#![cfg(unix)]

use std::{path::Path, process::Command};

use serde_json::Value;
use vouch_domain::Role;
use vouch_testkit::{browser, skip};

use crate::{
    support::{
        Place, Ran, callers, finish,
        issuer::Issuer,
        model::{Manner, ModelServer},
        replies,
        server::Server,
    },
    support_desk::desk,
};

const PACKAGES: &[&str] = &["playwright-core@1.65.1", "axe-core@4.14.0"];

/// A document with a heading of each sort, a table, code, signs beyond the first plane, and HTML that must stay text.
const LEAVE: &str = "# Leave\n\n## Annual leave\n\nEvery employee has 26 days of annual leave a year. Unused days may be carried over \
                     until 31 March \u{1f98a} of the next year.\n\n| Class | Days |\n|---|---|\n| Part time | 13 days |\n| Full time | 26 days \
                     |\n\n## Sick leave\n\nCall your manager before 9:00 on the first day. **A doctor's note is needed from the third day \
                     on.**\n\n```sh\nvouch ask \"How many days of leave do I have?\"\n```\n\n<script>window.hacked = true</script> <img src=x \
                     onerror=\"window.hacked = true\"> The <b>bold</b> rule is that documents are text.\n";

/// One that is answered and one that is not.
const GOLDEN: &str = r#"{"id":"g1","query":"How many days of annual leave does every employee have?","category":"fact","split":"test","gold_answers":["26 days"]}
{"id":"g2","query":"What does a submarine cost?","category":"miss","split":"test","answerable":false}
"#;

const ADDRESSES: &str = "understand:\n  addresses:\n    - kind: ADR\n      pattern: '(?i)\\bADR[-. ]?(?P<number>\\d+)\\b'\n      \
                         normal: 'ADR-{number:4}'\n      lead_section: Decision\n";

const TERMS: &str = r#"@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix t: <https://terms.test/> .
t:equipment a skos:Concept ; skos:prefLabel "equipment"@en ; skos:narrower t:busbar .
t:busbar a skos:Concept ; skos:prefLabel "busbar"@en ; skos:altLabel "bus bar"@en ;
  skos:definition "A conductor that joins several circuits."@en .
t:model a skos:Concept ; skos:prefLabel "Common Information Model"@en ; skos:altLabel "CIM"@en ;
  skos:definition "A model that utilities share."@en .
t:module a skos:Concept ; skos:prefLabel "Customer Interface Module"@en ; skos:altLabel "CIM"@en ;
  skos:definition "A part of a meter."@en .
"#;

const PEOPLE: &str = "tenants:\n  default:\n    people:\n      - {id: mira, email: mira@tarnside.example, tags: [hr]}\n      - {id: kees, \
                      email: kees@tarnside.example, tags: [it]}\n    topics: [{tag: hr, owner: mira}]\n";

fn handbook() -> Place {
    let place = Place::new();
    place.write("docs/leave.md", LEAVE);
    let ran = place.run(&["ingest", "docs"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    place
}

/// The same beside a long document whose answer stands behind much that is taller than any guess: tables and code.
fn library() -> Place {
    let place = handbook();
    let chapter = |number: usize| {
        let rows: String =
            (0..12).map(|row| format!("| Berth {row} of quay {number} | {} m |\n", row + number)).collect();
        format!(
            "## Quay {number}\n\nQuay {number} was built in stone.\n\n| Berth | Depth |\n|---|---|\n{rows}\n```\nquay {number}\n```\n\n"
        )
    };
    let (before, after): (String, String) = ((0..40).map(chapter).collect(), (40..60).map(chapter).collect());
    let crane = "## Crane\n\nThe crane of the old harbour is 17 metres tall and was last painted in red.\n\n";
    place.write("docs/harbour.md", format!("# Harbour\n\n{before}{crane}{after}"));
    let ran = place.run(&["ingest", "docs"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    place
}

/// What a key was made with.
fn secret(made: &Ran) -> String {
    let made = replies::json(made);
    made.get("secret").and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Runs a script on the page of a server over a folder, with these keys in its environment.
fn run(script: &str, place: Place, keys: &[(&str, String)]) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("browser");
    let chromium = browser::packages(&folder, PACKAGES).and_then(|()| browser::chromium(&folder));
    let Ok(chromium) = chromium.map_err(|reason| skip("the page in a real browser", &reason)) else { return };
    let pictures = place.path("");
    let server = Server::over(place);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser").join(script);
    let mut command = Command::new("node");
    command.arg(script).arg(format!("http://{}", server.address)).arg(chromium).arg(pictures).current_dir(&folder);
    command.envs(keys.iter().map(|(name, key)| (name, key)));
    let ran = finish(command);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert!(ran.out.ends_with("all is well\n"), "{}", ran.out);
}

#[test]
fn the_page_answers_and_opens_sources() {
    run("ask.mjs", library(), &[]);
}

#[test]
fn the_page_lists_and_adds_documents_and_tells_how_the_service_does() {
    run("views.mjs", handbook(), &[]);
}

#[test]
fn the_page_of_an_empty_server_says_that_it_is_empty() {
    run("empty.mjs", Place::new(), &[]);
}

#[test]
fn the_page_shows_what_no_longer_stands_and_documents_as_they_were() {
    run("past.mjs", handbook(), &[]);
}

#[test]
fn the_page_draws_how_it_went_finds_questions_and_tries_thresholds() {
    let place = handbook();
    place.write("golden.jsonl", GOLDEN);
    let ran = place.run(&["eval", "run", "--golden", "golden.jsonl"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    run("operate.mjs", place, &[]);
}

#[test]
fn the_page_helps_with_names_and_shows_the_vocabulary() {
    let place = Place::new();
    place.write("vouch.yaml", ADDRESSES);
    for (number, title, extra, decision) in [
        (9, "Old Exchange", "superseded_by: ADR-0012\n", "Models travel as files."),
        (12, "CIM Standard", "", "Every busbar is modelled in CIM."),
    ] {
        let head = format!("---\ntitle: {title}\nkind: ADR\naddress: ADR-{number:04}\n{extra}---\n# {title}\n\n");
        place.write(&format!("docs/{number}.md"), format!("{head}## Decision\n\n{decision}\n"));
    }
    place.write("terms.ttl", TERMS);
    place.write(
        "memory.yaml",
        "- id: standard\n  kind: pinned\n  questions: [\"Which standard do models use?\"]\n  references: [ADR-0012]\n",
    );
    for words in
        [["ingest", "docs"].as_slice(), &["vocab", "import", "terms.ttl"], &["memory", "import", "memory.yaml"]]
    {
        let ran = place.run(words);
        assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    }
    run("names.mjs", place, &[]);
}

#[test]
fn the_page_shows_what_is_verified_while_the_rest_is_waited_for() {
    let said = "Every employee has 26 days of annual leave a year [^1]. Unused days";
    let model = ModelServer::start(Manner::Hangs(said.to_owned()));
    let place = handbook();
    place.write("vouch.yaml", model.settings_within(600_000, "serve: { timeout_ms: 600000 }\n"));
    run("stream.mjs", place, &[]);
}

#[test]
fn the_page_takes_a_refused_question_to_its_owner_and_back() {
    let place = Place::new();
    place.write("docs/leave.md", "---\naccess: [hr]\n---\n# Leave\n\nStaff have 26 days of annual leave a year.\n");
    place.write("people.yaml", PEOPLE);
    for words in [["ingest", "docs"].as_slice(), &["user", "import", "people.yaml"]] {
        let ran = place.run(words);
        assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    }
    let own = |user: &str| secret(&place.run(&["key", "add", user, "--user", user, "--json"]));
    let admin = secret(&place.run(&["key", "add", "admin", "--role", "admin", "--json"]));
    let keys = [("ADMIN_KEY", admin), ("OWNER_KEY", own("mira")), ("OTHER_KEY", own("kees"))];
    run("owners.mjs", place, &keys);
}

#[test]
fn the_page_asks_for_a_key_and_shows_what_its_role_may_use() {
    let place = handbook();
    let secret = |role: Role| {
        let header = callers::key(&place, "default", role, None);
        header.trim().trim_start_matches("Authorization: Bearer ").to_owned()
    };
    let keys = [("READER_KEY", secret(Role::Reader)), ("ADMIN_KEY", secret(Role::Admin))];
    run("keys.mjs", place, &keys);
}

#[test]
fn the_page_signs_people_in_with_an_issuer() {
    let (place, issuer) = (handbook(), Issuer::like_keycloak());
    place.write("vouch.yaml", issuer.settings_with("audience: vouch, client_id: page"));
    let header = callers::key(&place, "default", Role::Reader, None);
    let key = header.trim().trim_start_matches("Authorization: Bearer ").to_owned();
    run("sign-in.mjs", place, &[("ISSUER", issuer.name), ("READER_KEY", key)]);
}

#[test]
fn the_page_does_what_a_tool_shows_after_a_click_on_yes() {
    let place = desk();
    let key = secret(&place.run(&["key", "add", "marta", "--user", "u-1007", "--json"]));
    run("desk.mjs", place, &[("USER_KEY", key)]);
}

#[test]
fn the_page_shows_documents_that_contradict_each_other() {
    let place = Place::new();
    for (name, date, title, days) in
        [("policy", "2025-03-01", "Leave policy", 28), ("handbook", "2026-01-15", "Starter handbook", 30)]
    {
        let sentence = format!("Full-time employees receive {days} days of annual leave per calendar year.");
        place.write(&format!("docs/{name}.md"), format!("---\ndate: {date}\n---\n# {title}\n\n{sentence}\n"));
    }
    let ran = place.run(&["ingest", "docs"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    run("findings.mjs", place, &[]);
}

#[test]
fn the_page_shows_what_is_done_in_the_background() {
    let place = Place::new();
    place.write("docs/leave.md", LEAVE);
    place.write("vouch.yaml", "sources:\n  - {name: handbook, folder: docs}\n  - {name: missing, folder: not-there}\n");
    run("jobs.mjs", place, &[]);
}
