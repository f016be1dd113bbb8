//! Commands beside a server on the same data folder: it runs them, and they print and end as if they had the folder to themselves.
#![cfg(unix)]

use std::{
    io::{BufRead, BufReader, Read, Write},
    os::unix::{fs::PermissionsExt, net::UnixStream},
    process::{Child, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::support::{
    Place, Ran,
    replies::ask,
    server::{LEAVE, Server},
};

const LEAVE_DAYS: &str = "How many days of paid annual leave do staff have?";
const TERMS: &str = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n\
    <https://tarnside.example/terms/spindle> a skos:Concept ; skos:prefLabel \"spindle valve\"@en ;\n\
    skos:definition \"A valve that a threaded rod opens and closes.\"@en .\n";
const PINNED: &str = "- id: leave-form\n  kind: pinned\n  questions: [\"Which form carries leave over?\"]\n  \
                      references: [\"docs/leave.md\"]\n";

const NEW_PEOPLE: &str =
    "tenants:\n  default:\n    people:\n      - { id: jonas, email: jonas@tarnside.example, tags: [staff] }\n";

fn server() -> Server {
    Server::start("")
}

fn done(ran: &Ran) -> &str {
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    &ran.out
}

/// Waits for something that another process does in its own time.
fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(120), "it never came to be that {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn people_are_added_listed_and_removed_while_a_server_runs() {
    let server = server();
    let place = &server.place;
    done(&place.run(&["user", "add", "mira", "--email", "mira@tarnside.example", "--tags", "staff,hr"]));
    assert!(done(&place.run(&["user", "list"])).contains("mira <mira@tarnside.example>: hr, staff"));
    place.write("people/new.yaml", NEW_PEOPLE);
    done(&place.run(&["user", "import", "people/new.yaml"]));
    done(&place.run(&["user", "remove", "mira"]));
    let left: Value = serde_json::from_str(done(&place.run(&["user", "list", "--json"]))).expect("JSON");
    assert_eq!(left, json!([{"id": "jonas", "email": "jonas@tarnside.example", "tags": ["staff"]}]));
}

#[test]
fn documents_are_taken_in_beside_a_server_and_answered_from_by_it() {
    let server = server();
    server.place.write("more/boat.md", "# The Ferry\n\nThe ferry Aldis carries 48 passengers.\n");
    let ran = server.place.run(&["ingest", "more"]);
    assert_eq!(done(&ran), "added 1, updated 0, unchanged 0, removed 0, failed 0\n");
    let reply = server
        .post("/v1/ask", &json!({"query": "How many passengers does the ferry Aldis carry?"}).to_string(), "")
        .json();
    assert_eq!(reply["outcome"], "answered", "{reply}");
    std::fs::remove_file(server.place.path("more/boat.md")).expect("our own file");
    let ran = server.place.run(&["ingest", "more", "--prune-many"]);
    assert_eq!(done(&ran), "added 0, updated 0, unchanged 0, removed 1, failed 0\n");
    // The same files are the same documents whoever takes them in.
    let place = server.stop();
    assert_eq!(done(&place.run(&["ingest", "docs"])), "added 0, updated 0, unchanged 1, removed 0, failed 0\n");
}

#[test]
fn a_file_that_cannot_be_taken_in_is_told_where_the_command_was_given() {
    let server = server();
    server.place.write("more/boat.pdf", "no pdf at all");
    let ran = server.place.run(&["ingest", "more"]);
    assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("failed:") && ran.err.contains("boat.pdf"), "{}", ran.err);
}

#[test]
fn questions_are_answered_beside_a_server_as_without_one() {
    let server = server();
    let beside = ask(&server.place, LEAVE_DAYS, &[]);
    let shown = server.place.run(&["ask", LEAVE_DAYS]);
    let streamed = server.place.run(&["ask", LEAVE_DAYS, "--stream"]);
    let certified = server.place.run(&["ask", LEAVE_DAYS, "--certificate", "leave.json"]);
    done(&certified);
    done(&server.place.run(&["verify", "leave.json"]));
    server.place.write("asked.jsonl", format!("{}\n", json!({"id": 1, "query": LEAVE_DAYS})));
    let batch: Value =
        serde_json::from_str(done(&server.place.run(&["ask", "--batch", "asked.jsonl", "--json"]))).expect("JSON");
    assert_eq!(batch["outcome"], "answered");
    let place = server.stop();
    let alone = ask(&place, LEAVE_DAYS, &[]);
    assert_eq!((&beside["outcome"], &beside["answer"]), (&alone["outcome"], &alone["answer"]));
    assert_eq!(done(&shown), done(&place.run(&["ask", LEAVE_DAYS])));
    assert_eq!(done(&streamed), done(&place.run(&["ask", LEAVE_DAYS, "--stream"])));
}

#[test]
fn looking_things_up_works_beside_a_server() {
    let server = server();
    for words in [
        &["search", "annual leave"] as &[&str],
        &["list"],
        &["show", "Annual Leave"],
        &["review"],
        &["doctor"],
        &["audit", "list"],
        &["tag", "list"],
        &["key", "list"],
        &["memory", "list"],
    ] {
        done(&server.place.run(words));
    }
}

#[test]
fn what_editors_prepare_takes_effect_at_once() {
    let server = server();
    server.place.write("pinned.yaml", PINNED);
    done(&server.place.run(&["memory", "import", "pinned.yaml"]));
    let reply = server.post("/v1/ask", &json!({"query": "Which form carries leave over?"}).to_string(), "").json();
    assert!(reply["notices"].to_string().contains("An editor chose these sources"), "{reply}");
}

#[test]
fn a_first_vocabulary_defines_terms_at_once_and_a_later_one_in_its_place() {
    let server = server();
    let defined =
        || server.post("/v1/ask", &json!({"query": "What is a spindle valve?"}).to_string(), "").json().to_string();
    assert!(!defined().contains("threaded rod"));
    server.place.write("terms.ttl", TERMS);
    done(&server.place.run(&["vocab", "import", "terms.ttl"]));
    assert!(defined().contains("A valve that a threaded rod opens and closes."), "{}", defined());
    server.place.write("terms.ttl", TERMS.replace("a threaded rod", "a screw"));
    done(&server.place.run(&["vocab", "import", "terms.ttl"]));
    assert!(defined().contains("A valve that a screw opens and closes."), "{}", defined());
}

#[test]
fn a_command_that_makes_no_sense_ends_with_two_and_tells_why() {
    let server = server();
    let ran = server.place.run(&["user", "add", "mira", "--email", "nowhere"]);
    assert_eq!(ran.code, Some(2), "{}{}", ran.out, ran.err);
    assert!(ran.err.starts_with("vouch: "), "{}", ran.err);
}

#[test]
fn what_needs_the_folder_alone_is_told_who_holds_it() {
    let server = server();
    for words in [&["reembed"] as &[&str], &["store", "compact"], &["chat"]] {
        let ran = server.place.run(words);
        assert_eq!((ran.code, ran.err.contains("is in use by")), (Some(1), true), "{}{}", ran.out, ran.err);
    }
}

#[test]
fn settings_that_are_not_the_servers_are_told_of() {
    let server = server();
    server.place.write("other.yaml", "verify: {support_at_least: 0.6}\n");
    let ran = server.place.run(&["ask", LEAVE_DAYS, "--config", "other.yaml"]);
    done(&ran);
    assert!(ran.err.contains("uses its own settings"), "{}", ran.err);
    assert!(!server.place.run(&["ask", LEAVE_DAYS]).err.contains("uses its own settings"));
}

#[test]
fn a_command_that_is_ended_leaves_the_server_as_it_was() {
    let mut server = server();
    let watching = server.place.vouch(&["ingest", "docs", "--watch"]).stderr(Stdio::piped()).spawn();
    let mut watching = watching.expect("the binary starts");
    let mut lines = BufReader::new(watching.stderr.take().expect("piped")).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.contains("Watching")), "the command watches");
    server.place.write("docs/boat.md", "# The Ferry\n\nThe ferry Aldis carries 48 passengers.\n");
    let knows = || server.place.run(&["search", "ferry", "--json"]).out.contains("Aldis");
    wait_until("the new file is found", knows);
    watching.kill().expect("our own child");
    watching.wait().expect("an end");
    done(&server.place.run(&["ingest", "docs"]));
    assert!(server.child.try_wait().expect("our own child").is_none(), "the server runs");
}

#[test]
fn no_more_commands_run_at_once_than_the_server_can_bear() {
    let server = server();
    // So many that nobody comes to the end of them.
    server.place.write("asked.jsonl", format!("{}\n", json!({"id": 1, "query": LEAVE_DAYS})).repeat(20_000));
    let mut asking = Vec::new();
    for _ in 0..4 {
        let mut command = server.place.vouch(&["ask", "--batch", "asked.jsonl", "--json"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("a command");
        let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines().map_while(Result::ok);
        assert!(lines.next().is_some(), "the command answers");
        asking.push((child, lines));
    }
    let ran = server.place.run(&["user", "list"]);
    assert_eq!((ran.code, ran.err.contains("try again")), (Some(1), true), "{}{}", ran.out, ran.err);
    for (child, _) in &mut asking {
        child.kill().expect("our own child");
        child.wait().expect("an end");
    }
    wait_until("there is room again", || server.place.run(&["user", "list"]).code == Some(0));
}

/// A command that watches the documents, with what it says from then on; none where it is turned away.
fn watch(place: &Place) -> Option<(Child, impl Iterator<Item = String> + use<>)> {
    let mut child = place.vouch(&["ingest", "docs", "--watch"]).stderr(Stdio::piped()).spawn().ok()?;
    let mut lines = BufReader::new(child.stderr.take()?).lines().map_while(Result::ok);
    if lines.any(|line| line.contains("Watching")) {
        return Some((child, lines));
    }
    child.wait().ok()?;
    None
}

#[test]
fn commands_that_watch_leave_room_for_those_that_end() {
    let server = server();
    let mut watching: Vec<_> = (0..2).map(|_| watch(&server.place).expect("there is room for two")).collect();
    let ran = server.place.run(&["ingest", "docs", "--watch"]);
    assert_eq!((ran.code, ran.err.contains("end one of them")), (Some(1), true), "{}{}", ran.out, ran.err);
    done(&server.place.run(&["user", "list"]));
    done(&server.place.run(&["ingest", "docs"]));
    for (child, _) in &mut watching {
        child.kill().expect("our own child");
        child.wait().expect("an end");
    }
    wait_until("there is room again", || {
        watch(&server.place).is_some_and(|(mut child, _lines)| child.kill().is_ok() && child.wait().is_ok())
    });
}

#[test]
fn a_server_that_is_told_to_stop_ends_what_it_runs_for_others() {
    let mut server = server();
    let mut child =
        server.place.vouch(&["ingest", "docs", "--watch"]).stderr(Stdio::piped()).spawn().expect("a command");
    let mut lines = BufReader::new(child.stderr.take().expect("piped")).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.contains("Watching")), "the command watches");
    let told = std::process::Command::new("kill").arg(server.child.id().to_string()).status().expect("kill runs");
    assert!(told.success());
    assert_eq!(server.child.wait().expect("an end").code(), Some(0));
    assert_eq!(child.wait().expect("an end").code(), Some(1));
    assert!(lines.any(|line| line.contains("the server stopped before this command had finished")));
    assert!(!server.place.path(".vouch/socket").exists(), "the socket went with the server");
}

#[test]
fn the_socket_is_for_its_own_user_and_bears_whatever_is_written_to_it() {
    let server = server();
    let socket = server.place.path(".vouch/socket");
    let mode = std::fs::metadata(&socket).expect("a socket").permissions().mode();
    assert_eq!(mode & 0o077, 0, "{mode:o}");
    let asked = |line: &str| {
        let mut stream = UnixStream::connect(&socket).expect("somebody listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a deadline");
        stream.write_all(line.as_bytes()).expect("somebody reads");
        stream.shutdown(std::net::Shutdown::Write).expect("our own end");
        let mut said = String::new();
        let _ = stream.read_to_string(&mut said);
        said
    };
    let long = "x".repeat(9 << 20);
    for line in ["", "\n", "{}\n", "no JSON\n", "{\"version\": 1}\n"] {
        assert!(asked(line).contains("could not be read"), "{line}: {}", asked(line));
    }
    // Whoever writes without end is cut off and told, or finds the other end gone; how far it came is no matter.
    let mut stream = UnixStream::connect(&socket).expect("somebody listens");
    stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a deadline");
    let _ = stream.write_all(long.as_bytes());
    let end = stream.read_to_string(&mut String::new());
    assert!(!matches!(&end, Err(error) if error.kind() == std::io::ErrorKind::WouldBlock), "{end:?}");
    let words = |version: &str, words: &[&str]| {
        let terminal = json!({"screen": null, "bar_columns": null, "has_json_messages": false});
        let line = json!({"version": version, "words": words, "folder": "/", "settings": "", "terminal": terminal});
        asked(&format!("{line}\n"))
    };
    assert!(words("0.0.1 of another day", &["vouch", "list"]).contains("this command is vouch 0.0.1"));
    let own = server.place.run(&["--version"]).out.trim().trim_start_matches("vouch ").to_owned();
    assert!(words(&own, &["vouch", "reembed"]).contains("does not run this command on behalf"));
    assert!(words(&own, &["vouch", "no-such-command"]).contains("refused"));
    assert!(done(&server.place.run(&["list"])).contains("document"), "the server goes on");
}

#[test]
fn a_data_folder_deep_down_is_reached_too() {
    let place = Place::new();
    let deep = format!("{}/data", "a-folder-with-a-long-name/".repeat(6));
    place.write("docs/leave.md", LEAVE);
    done(&place.run(&["ingest", "docs", "--data", &deep]));
    let command = place.vouch(&["serve", "--listen", "127.0.0.1:0", "--data", &deep]);
    let server = Server::started(place, command);
    assert!(done(&server.place.run(&["list", "--data", &deep])).contains("document"));
}

#[test]
fn a_path_that_is_another_thing_for_the_server_is_refused() {
    let server = server();
    server.place.write("asked.jsonl", format!("{}\n", json!({"id": 1, "query": LEAVE_DAYS})));
    let questions = std::fs::File::open(server.place.path("asked.jsonl")).expect("our own file");
    let ran =
        server.place.vouch(&["ask", "--batch", "/dev/stdin", "--json"]).stdin(questions).output().expect("it runs");
    let told = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert!(ran.status.code() == Some(2) && told.contains("name a file"), "{:?} {told}", ran.status);
    let ran = server.place.run(&["memory", "propose", "--output", "/dev/stdout"]);
    assert!(ran.code == Some(2) && ran.err.contains("name a file"), "{:?} {}", ran.code, ran.err);
}

#[test]
fn what_an_ended_ingest_has_kept_is_found() {
    let server = server();
    for number in 0..400 {
        let text = format!("# Pier {number}\n\nPier {number} has {} bollards and a lamp.\n", number * 7 + 3);
        server.place.write(&format!("piers/pier-{number}.md"), text);
    }
    let mut taking = server.place.vouch(&["ingest", "piers"]).stderr(Stdio::null()).spawn().expect("a command");
    let kept = || -> u64 {
        let listed: Value = serde_json::from_str(done(&server.place.run(&["list", "--json"]))).expect("JSON");
        listed["kinds"].as_array().expect("kinds").iter().filter_map(|kind| kind["documents"].as_u64()).sum()
    };
    wait_until("something is kept", || kept() > 1);
    taking.kill().expect("our own child");
    taking.wait().expect("an end");
    let before = kept();
    let found = server.place.run(&["search", "bollards", "--lane", "lexical", "-k", "1000", "--json"]);
    let found: Value = serde_json::from_str(done(&found)).expect("JSON");
    // One document was there before, and says nothing of bollards.
    let hits = found.as_array().expect("passages").len() as u64;
    assert!(hits + 1 >= before, "{hits} of {before} are found");
}
