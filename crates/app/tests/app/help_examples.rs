//! Every example of every help text runs, in one folder that has what the examples name, in the order of the help texts.
#![cfg(unix)]
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::process::Command;

use crate::support::{Place, finish, server::Server};

/// Examples that cannot end by themselves, or need a model, a database, another machine or a large golden set; other tests run
/// the first seven.
const ELSEWHERE: &[&str] = &[
    "vouch demo",
    "vouch serve",
    "vouch eval calibrate",
    "vouch eval verify-certificate",
    "vouch memory translate",
    "vouch store copy",
    "vouch store migrate",
    "vouch store snapshot",
    "vouch review dismiss",
    "after.jsonl --golden golden.jsonl",
    "https://vouch.example",
];

const TERMS: &str = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n<https://t.example/1> a skos:Concept ;\n  \
                     skos:prefLabel \"voltage regulation\"@en ;\n  \
                     skos:definition \"Keeping the voltage within its limits.\"@en .\n";
const EXCHANGE: &str = "<?xml version=\"1.0\"?>\n<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" \
                        xmlns:skos=\"http://www.w3.org/2004/02/skos/core#\">\n<skos:Concept \
                        rdf:about=\"https://t.example/2\"><skos:prefLabel \
                        xml:lang=\"en\">exchange</skos:prefLabel></skos:Concept>\n</rdf:RDF>\n";

fn scene() -> Place {
    let place = Place::new();
    let golden = "{\"id\": \"g1\", \"query\": \"How tall is the mast?\", \"category\": \"fact\", \"split\": \"test\", \
                  \"gold_answers\": [\"3 m tall\"], \"expected\": {\"must_contain\": [\"3\"]}}\n";
    for (name, text) in [
        ("docs/mast.md", "# Mast\n\nThe mast is 3 m tall. The battery replacement takes an hour.\n"),
        ("docs/adr.md", "---\nkind: ADR\naddress: ADR-0012\n---\n# One Gateway\n\nAll calls pass the gateway.\n"),
        ("docs/principle.md", "---\nkind: principle\n---\n# Least Access\n\nSecurity begins with least access.\n"),
        (
            "docs/water.md",
            "---\naddress: CV 2.4\n---\n# First Turn\n\nThe upper field drinks first. The lower field may be watered after noon.\n",
        ),
        ("docs/dry.md", "---\naddress: CB 9.1\n---\n# Dry Years\n\nIn a dry year the order is drawn by lot.\n"),
        ("policies.jsonl", "{\"id\": \"travel\", \"text\": \"Travel is approved by the head of department.\"}\n"),
        ("questions.jsonl", "{\"id\": \"q1\", \"query\": \"How tall is the mast?\"}\n"),
        (
            "claims.jsonl",
            "{\"id\": \"c1\", \"claim\": \"The mast is 3 m tall.\", \"evidence\": [\"The mast is 3 m tall.\"]}\n",
        ),
        ("mast.txt", "The mast is 3 m tall.\n"),
        ("terms.ttl", TERMS),
        ("grid.ttl", TERMS),
        ("exchange.rdf", EXCHANGE),
        ("memory.yaml", "- {id: m1, kind: pinned, questions: [Who approves travel?], references: [ADR-0012]}\n"),
        ("people.yaml", "tenants:\n  tarn:\n    people: [{id: mira, email: mira@tarnside.example, tags: [staff]}]\n"),
        ("vouch.yaml", "sources: [{name: handbook, folder: docs}]\n"),
        ("golden.jsonl", golden),
        ("profiles/book/golden.jsonl", golden),
    ] {
        place.write(name, text);
    }
    let bin = place.path("bin");
    std::fs::create_dir(&bin).expect("a folder");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_vouch"), bin.join("vouch")).expect("a link");
    for words in [
        &["ingest", "docs", "policies.jsonl"][..],
        &["vocab", "import", "terms.ttl"],
        &["user", "add", "mira", "--email", "mira@tarnside.example", "--tenant", "tarn"],
        &["user", "add", "mira", "--email", "mira@tarnside.example"],
        &["ask", "How tall is the mast?"],
    ] {
        let ran = place.run(words);
        assert_eq!(ran.code, Some(0), "{words:?}: {}{}", ran.out, ran.err);
    }
    place
}

/// The examples of a command and of those below it.
fn examples(place: &Place, path: &[String], found: &mut Vec<String>) {
    let words: Vec<&str> = path.iter().map(String::as_str).chain(["--help"]).collect();
    let help = place.run(&words).out;
    let below = help.split("\nCommands:\n").nth(1).map(|rest| rest.split("\n\n").next().unwrap_or_default());
    let is_command =
        |line: &&str| line.starts_with("  vouch ") || line.starts_with("  VOUCH_KEY=") || line.starts_with("  curl ");
    let own = help.split("\nExample").nth(1).unwrap_or_default();
    found.extend(own.lines().filter(is_command).map(|line| line.trim().to_owned()));
    for line in below.unwrap_or_default().lines() {
        // A description that goes on is set in further.
        let name =
            line.strip_prefix("  ").filter(|rest| !rest.starts_with(' ')).and_then(|rest| rest.split(' ').next());
        if let Some(name) = name.filter(|name| *name != "help") {
            examples(place, &[path, &[name.to_owned()]].concat(), found);
        }
    }
}

/// The example with ids that exist.
fn with_ids(place: &Place, example: &str) -> String {
    // The first text of a JSON output that follows a field of this name.
    let id_of = |words: &[&str], field: &str| {
        let out = place.run(words).out;
        let after = out.split_once(&format!("\"{field}\":\"")).map(|(_, after)| after.to_owned());
        after.and_then(|after| after.split('"').next().map(str::to_owned)).expect("an id")
    };
    match example {
        text if text.contains("req-19a8c3f21b0-1f4-0") => {
            let id = id_of(&["audit", "list", "--limit", "1", "--json"], "request_id");
            text.replace("req-19a8c3f21b0-1f4-0", &id)
        }
        text if text.contains("0f3a9c1d22b4") => {
            text.replace("0f3a9c1d22b4", &id_of(&["key", "add", "spare", "--json"], "id"))
        }
        text if text.contains("9d41c07be2a5") => {
            text.replace("9d41c07be2a5", &id_of(&["ingest", "docs", "--background", "--json"], "id"))
        }
        text => text.to_owned(),
    }
}

/// What an example needs that one before it may have taken away.
fn set_right(place: &Place, example: &str) {
    if example.contains("mira") {
        place.run(&["user", "add", "mira", "--email", "mira@tarnside.example"]);
    }
    if example.contains("store backup") {
        let _ = std::fs::remove_dir_all(place.path("backups"));
    }
    if example.contains("eval check") {
        let (golden, report) = ("profiles/book/golden.jsonl", "report.json");
        place.run(&[
            "eval",
            "run",
            "--golden",
            golden,
            "--output",
            report,
            "--write-baseline",
            "profiles/book/baseline.json",
        ]);
    }
    if example.contains("eval judge") {
        place.write("after.jsonl", place.run(&["ask", "--batch", "questions.jsonl", "--json"]).out);
    }
    if example.contains("store restore") {
        place.run(&["store", "backup", "backups/2026-05-21"]);
    }
}

#[test]
fn every_example_of_every_help_text_runs() {
    let place = scene();
    let mut found = Vec::new();
    examples(&place, &[], &mut found);
    assert!(found.len() > 40, "only {} examples were found", found.len());
    let mut faults = Vec::new();
    for example in
        found.iter().filter(|one| !ELSEWHERE.iter().any(|apart| one.contains(apart)) && !one.starts_with("curl"))
    {
        set_right(&place, example);
        let mut command = Command::new("sh");
        let tools = std::env::var("PATH").unwrap_or_default();
        let path = format!("{}:{tools}", place.path("bin").display());
        command.args(["-c", &with_ids(&place, example)]).current_dir(place.path("")).env("PATH", path);
        command.stdin(std::process::Stdio::null());
        let ran = finish(command);
        if ran.code != Some(0) {
            faults.push(format!("{example}: {:?}\n{}{}", ran.code, ran.out, ran.err));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_request_in_the_help_of_serve_is_answered() {
    let place = Place::new();
    let help = place.run(&["serve", "--help"]).out;
    let request = help.lines().find(|line| line.trim().starts_with("curl ")).expect("a request").trim();
    let body = request.split('\'').nth(1).expect("a body");
    let server = Server::start("");
    let reply = server.post("/v1/ask", body, "");
    assert_eq!(reply.status, 200, "{}", reply.body);
}
