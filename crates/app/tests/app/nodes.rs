//! Several servers on one PostgreSQL database, through the binary: what one takes in all of them answer, and who may call one may
//! call all.
#![cfg(unix)]
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]
#![expect(clippy::indexing_slicing, reason = "what a JSON value does not have is null")]

mod limit;
mod silence;

use std::{
    collections::BTreeMap,
    path::Path,
    process::Stdio,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use vouch_testkit::postgres::Postgres;

use crate::support::{
    Place, replies,
    server::{HttpReply, LEAVE, Server},
};

const PATIENCE: Duration = Duration::from_secs(300);

/// A database server; none, told once, where this machine can have none.
fn database() -> Option<Postgres> {
    let started = Postgres::start(Path::new(env!("CARGO_TARGET_TMPDIR")));
    started.inspect_err(|reason| vouch_testkit::skip("several servers on one database", reason)).ok()
}

/// A place whose data folder is to be a copy of the database.
fn place(postgres: &Postgres) -> Place {
    let place = Place::new();
    let url = postgres.address("postgres");
    place.write("vouch.yaml", format!("store: {{ postgres: {{ url: \"{url}\" }} }}\n"));
    place
}

fn run(place: &Place, words: &[&str]) -> String {
    let ran = place.run(words);
    assert_eq!(ran.code, Some(0), "{words:?}: {}{}", ran.out, ran.err);
    ran.out
}

fn ask(server: &Server, question: &str, key: &str) -> HttpReply {
    let bearer = format!("Authorization: Bearer {key}\r\n");
    server.post("/v1/ask", &json!({ "query": question }).to_string(), &bearer)
}

fn asked(server: &Server, question: &str, key: &str) -> Value {
    let mut reply = ask(server, question, key).json();
    for own in ["request_id", "timings", "elapsed_ms", "audit_id"] {
        reply.as_object_mut().expect("a reply").remove(own);
    }
    reply
}

/// Asks until a server answers in these words.
fn wait_for(server: &Server, question: &str, words: &str, key: &str) -> Value {
    let began = Instant::now();
    loop {
        let reply = asked(server, question, key);
        if reply["answer"].as_str().is_some_and(|answer| answer.contains(words)) {
            return reply;
        }
        assert!(began.elapsed() < PATIENCE, "{reply}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Waits for what becomes so.
fn wait(what: &str, within: Duration, is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < within, "never: {what}");
        std::thread::sleep(Duration::from_millis(200));
    }
}

#[test]
fn servers_on_one_database_answer_alike_from_what_any_of_them_takes_in() {
    let Some(postgres) = database() else { return };
    let writer = place(&postgres);
    assert!(run(&writer, &["store", "migrate"]).contains("of this version"));
    writer.write("docs/leave.md", LEAVE);
    run(&writer, &["ingest", "docs"]);
    let key = run(&writer, &["key", "add", "laptop"]);
    let key = key.trim();
    let servers = [Server::over(place(&postgres)), Server::over(place(&postgres))];
    let question = "How many days of annual leave do staff have?";
    let [one, other] = servers.each_ref().map(|server| wait_for(server, question, "26 days", key));
    assert_eq!(one["answer"], other["answer"]);
    assert_eq!(one["citations"], other["citations"]);
    // What is taken in elsewhere is answered, without a restart.
    writer.write("docs/leave.md", LEAVE.replace("26 days", "31 days"));
    run(&writer, &["ingest", "docs"]);
    for server in &servers {
        wait_for(server, question, "31 days", key);
    }
    // A job that is asked for anywhere is done by one of them, once.
    writer.write("more/lamp.md", "# Lamp\n\nThe harbour lamp is lit at 18:40 in winter.\n");
    let path = writer.path("more").display().to_string();
    let id = replies::json(&writer.run(&["ingest", &path, "--background", "--json"]))[0]["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    for server in &servers {
        wait_for(server, "When is the harbour lamp lit in winter?", "18:40", key);
    }
    let job = || replies::json(&writer.run(&["jobs", "show", &id, "--json"]));
    wait("the job is done", PATIENCE, || job()["state"] == "done");
    assert_eq!(job()["attempts"], 1);
    // A key that is revoked opens no server any more; one that is kept waiting by the database believes it for a moment.
    let listed = replies::json(&writer.run(&["key", "list", "--json"]));
    run(&writer, &["key", "revoke", listed[0]["id"].as_str().expect("an id")]);
    for server in &servers {
        wait("the key is refused", Duration::from_secs(20), || ask(server, question, key).status == 401);
    }
}

#[test]
fn while_the_database_is_away_a_server_answers_says_so_where_it_is_asked_and_changes_nothing() {
    let Some(postgres) = database() else { return };
    let writer = place(&postgres);
    writer.write("docs/leave.md", LEAVE);
    run(&writer, &["ingest", "docs"]);
    let key = run(&writer, &["key", "add", "laptop"]);
    let server = Server::over(place(&postgres));
    let question = "How many days of annual leave do staff have?";
    wait_for(&server, question, "26 days", key.trim());
    let state = || {
        let ready = server.get("/readyz");
        let dependencies = ready.json()["dependencies"].as_array().expect("dependencies").clone();
        let database = dependencies.into_iter().find(|one| one["name"] == "database").expect("the database");
        (ready.status, database["state"].clone())
    };
    wait("the database is there", PATIENCE, || state() == (200, "up".into()));
    let marked = |reply: &Value| reply["notices"].to_string().contains("The database cannot be reached");
    let before = asked(&server, question, key.trim());
    assert!(!marked(&before), "{before}");
    drop(postgres);
    let began = Instant::now();
    while state().1 == "up" {
        assert!(began.elapsed() < PATIENCE, "nothing was noticed");
        std::thread::sleep(Duration::from_millis(200));
    }
    assert_eq!(state(), (200, "down".into()), "it is ready: questions are answered");
    let copy = server.get("/readyz").json()["copy"].clone();
    assert_eq!((&copy["reached"], &copy["changes_behind"]), (&false.into(), &0.into()), "{copy}");
    let reply = wait_for(&server, question, "26 days", key.trim());
    assert!(marked(&reply), "{reply}");
    assert_eq!(reply["generation"], before["generation"]);
    let ran = writer.run(&["ingest", "docs", "--reread"]);
    assert!(ran.code != Some(0) && ran.err.contains("the database cannot be reached"), "{:?} {}", ran.code, ran.err);
}

#[test]
fn while_documents_change_every_reply_is_right_for_the_generation_it_names() {
    let Some(postgres) = database() else { return };
    let writer = place(&postgres);
    writer.write("docs/leave.md", LEAVE);
    run(&writer, &["ingest", "docs"]);
    let key = run(&writer, &["key", "add", "laptop"]);
    let key = key.trim();
    let servers = [Server::over(place(&postgres)), Server::over(place(&postgres))];
    let question = "How many days of annual leave do staff have?";
    servers.iter().for_each(|server| drop(wait_for(server, question, "26 days", key)));
    let is_over = AtomicBool::new(false);
    let (said, replies) = std::thread::scope(|scope| {
        let asking = servers.each_ref().map(|server| {
            scope.spawn(|| {
                let mut replies = Vec::new();
                while !is_over.load(Ordering::Relaxed) {
                    replies.push(ask(server, question, key).json());
                }
                replies
            })
        });
        let mut said = BTreeMap::new();
        for days in 30..36 {
            writer.write("docs/leave.md", LEAVE.replace("26 days", &format!("{days} days")));
            run(&writer, &["ingest", "docs"]);
            let own = replies::json(&writer.run(&["ask", question, "--json"]));
            said.insert(own["generation"].as_u64().expect("a generation"), format!("{days} days"));
        }
        is_over.store(true, Ordering::Relaxed);
        (said, asking.map(|one| one.join().expect("an asker")).concat())
    });
    let mut right = 0;
    for reply in &replies {
        assert_eq!(reply["outcome"], "answered", "both states answer it: {reply}");
        // Nobody looked at what the generations in between say.
        let named = reply["generation"].as_u64().and_then(|generation| said.get(&generation));
        if let Some(days) = named {
            assert!(reply["answer"].as_str().is_some_and(|answer| answer.contains(days)), "{days}: {reply}");
            right += 1;
        }
    }
    assert!(said.len() == 6 && right > 0, "{said:?}: {right} of {} replies", replies.len());
}

/// The ids of the newest entries of the trail, as a folder shows it.
fn entries(place: &Place) -> Vec<String> {
    let listed = replies::json(&place.run(&["audit", "list", "--limit", "100", "--json"]));
    let entries = listed["entries"].as_array().expect("entries").clone();
    entries.iter().map(|entry| entry["request_id"].as_str().expect("an id").to_owned()).collect()
}

#[test]
fn every_server_shows_one_trail_also_of_a_server_that_was_killed() {
    let Some(postgres) = database() else { return };
    let writer = place(&postgres);
    writer.write("docs/leave.md", LEAVE);
    run(&writer, &["ingest", "docs"]);
    let key = run(&writer, &["key", "add", "admin", "--role", "admin"]);
    let key = key.trim();
    let mut servers = [Server::over(place(&postgres)), Server::over(place(&postgres))];
    let question = "How many days of annual leave do staff have?";
    let (mut told, mut generations) = (Vec::new(), Vec::new());
    for round in 0..6 {
        let reply = ask(&servers[round % 2], question, key).json();
        told.push(reply["request_id"].as_str().expect("an id").to_owned());
        generations.push(reply["generation"].as_u64().expect("a generation"));
    }
    assert_eq!(generations, [generations[0]; 6], "the same documents on every server");
    // One is killed right after a reply, and one goes on.
    servers[1].child.kill().expect("killed");
    servers[1].child.wait().expect("ended");
    let of_killed = entries(&servers[1].place);
    let mut all = told.clone();
    all.sort();
    for shown in [of_killed, entries(&writer), entries(&servers[0].place)] {
        let mut shown = shown;
        shown.sort();
        assert_eq!(shown, all, "every entry once, whoever shows it");
    }
    // Anybody's entry is shown and commented on anywhere.
    let bearer = format!("Authorization: Bearer {key}\r\n");
    for id in &told {
        let said = json!({ "request_id": id, "thumb": "up" }).to_string();
        let kept = servers[0].post("/v1/feedback", &said, &bearer);
        assert_eq!(kept.status, 200, "{}", kept.body);
        let shown = replies::json(&writer.run(&["audit", "show", id, "--json"]));
        assert_eq!(shown["feedback"][0]["helpful"], true, "{shown}");
        assert_eq!(shown["corpus"]["generation_before"], generations[0], "{shown}");
    }
}

#[test]
fn a_store_moves_to_a_database_and_back_as_it_was() {
    let Some(postgres) = database() else { return };
    let place = place(&postgres);
    place.write("alone.yaml", "{}\n");
    place.write("docs/leave.md", LEAVE);
    run(&place, &["--config", "alone.yaml", "--data", "own", "ingest", "docs"]);
    let question = "How many days of annual leave do staff have?";
    let before = replies::json(&place.run(&["--config", "alone.yaml", "--data", "own", "ask", question, "--json"]));
    let there = replies::json(&place.run(&["store", "copy", "--from", "own", "--to", "postgres", "--json"]));
    assert!(there["rows"]["passages"].as_u64() > Some(0), "{there}");
    let twice = place.run(&["store", "copy", "--from", "own", "--to", "postgres"]);
    assert!(twice.err.contains("already contains a store"), "{}", twice.err);
    let node = replies::json(&place.run(&["--data", "node", "ask", question, "--json"]));
    let anew = place.run(&["store", "copy", "--from", "postgres", "--to", "copy", "--start-over"]);
    assert!(anew.code == Some(2) && anew.err.contains("--start-over is for a copy to `postgres`"), "{}", anew.err);
    let back = replies::json(&place.run(&["store", "copy", "--from", "postgres", "--to", "copy", "--json"]));
    assert_eq!(back["digest"], there["digest"]);
    let after = replies::json(&place.run(&["--config", "alone.yaml", "--data", "copy", "ask", question, "--json"]));
    for reply in [&node, &after] {
        for field in ["answer", "citations", "confidence"] {
            assert_eq!(reply[field], before[field], "{field}");
        }
    }
    let lost = place.run(&["--config", "alone.yaml", "--data", "node", "ask", question]);
    assert!(lost.code != Some(0) && lost.err.contains("is a copy of a database"), "{}", lost.err);
}

#[test]
fn a_copy_that_is_killed_at_any_moment_goes_on_and_ends_as_if_it_had_not_been() {
    let Some(postgres) = database() else { return };
    let place = place(&postgres);
    place.write("alone.yaml", "{}\n");
    for number in 0..60 {
        let text = format!("# Barn {number}\n\nThe roof of barn {number} has {} beams.\n", number + 3);
        place.write(&format!("docs/{number}.md"), text);
    }
    run(&place, &["--config", "alone.yaml", "--data", "own", "ingest", "docs"]);
    let wanted = replies::json(&place.run(&["--data", "own", "store", "digest", "--json"]))["digest"].clone();
    for copy in [["--from", "own", "--to", "postgres"], ["--from", "postgres", "--to", "back"]] {
        let words = [&["store", "copy", "--json"][..], &copy].concat();
        // Each attempt is killed a little later than the one before, until one ends by itself.
        let ended = (0..200).find_map(|attempt: u64| {
            let mut child =
                place.vouch(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
            std::thread::sleep(Duration::from_millis(20 * attempt));
            child.kill().expect("our own child");
            let ended = child.wait_with_output().expect("an end");
            ended.status.code().is_some().then_some(ended)
        });
        let ended = ended.expect("a copy ends");
        let told = String::from_utf8_lossy(&ended.stderr).into_owned();
        match ended.status.success() {
            true => {
                assert_eq!(serde_json::from_slice::<Value>(&ended.stdout).expect("JSON")["digest"], wanted, "{copy:?}")
            }
            // The one before was killed when it had done everything and not said so.
            false => assert!(told.contains("already contains a store"), "{copy:?}: {told}"),
        }
    }
    assert_eq!(replies::json(&place.run(&["--data", "back", "store", "digest", "--json"]))["digest"], wanted);
    let question = "How many beams has the roof of barn 41?";
    let reply = replies::json(&place.run(&["--config", "alone.yaml", "--data", "back", "ask", question, "--json"]));
    assert!(reply["answer"].as_str().is_some_and(|answer| answer.contains("44")), "{reply}");
}

#[test]
fn a_server_starts_from_a_snapshot_that_another_wrote_and_a_kill_while_one_is_written_costs_none() {
    let Some(postgres) = database() else { return };
    let writer = place(&postgres);
    let settings = |folder: &Path| {
        let (url, folder) = (postgres.address("postgres"), folder.display());
        format!("store: {{ postgres: {{ url: \"{url}\" }}, snapshots: {{ folder: \"{folder}\", keep: 2 }} }}\n")
    };
    let snapshots = writer.path("snapshots");
    writer.write("vouch.yaml", settings(&snapshots));
    writer.write("docs/leave.md", LEAVE);
    run(&writer, &["ingest", "docs"]);
    let key = run(&writer, &["key", "add", "laptop"]);
    run(&writer, &["store", "snapshot"]);
    for delay_ms in [1, 10, 30, 60, 90] {
        writer.write("docs/more.md", format!("# More\n\nThe lamp is lit for {delay_ms} minutes.\n"));
        run(&writer, &["ingest", "docs"]);
        let mut child = writer.vouch(&["store", "snapshot"]).stdout(Stdio::null()).spawn().expect("it starts");
        std::thread::sleep(Duration::from_millis(delay_ms));
        child.kill().expect("our own child");
        child.wait().expect("an end");
        let node = Place::new();
        node.write("vouch.yaml", settings(&snapshots));
        let ran = node.run(&["--log", "text", "store", "digest"]);
        assert!(ran.err.contains("there is no store"), "{}", ran.err);
        let reply = node.run(&["ask", "How many minutes is the lamp lit for?"]);
        assert!(reply.out.contains(&delay_ms.to_string()), "{}{}", reply.out, reply.err);
        assert!(!reply.err.contains("passed over"), "{}", reply.err);
        assert_eq!(run(&node, &["store", "digest"]), run(&writer, &["store", "digest"]));
    }
    let told = writer.run(&["store", "backup", "own"]);
    assert!(told.code == Some(0) && told.err.contains("pg_dump --enable-row-security"), "{}", told.err);
    let refused = writer.run(&["store", "backup", "then", "--generation", "1"]);
    assert!(refused.code != Some(0) && refused.err.contains("--from postgres"), "{}", refused.err);
    let node = Place::new();
    node.write("vouch.yaml", settings(&snapshots));
    let server = Server::over(node);
    wait_for(&server, "How many days of annual leave do staff have?", "26 days", key.trim());
}

#[test]
fn snapshots_need_a_folder_and_a_database_in_the_settings() {
    let place = Place::new();
    let missing = place.run(&["store", "snapshot"]);
    assert!(
        missing.code == Some(2) && missing.err.contains("set store.snapshots"),
        "{:?} {}",
        missing.code,
        missing.err
    );
    let database = "postgres: { url: \"postgresql://localhost/none\" }";
    for (settings, told) in [
        ("snapshots: { folder: s }".to_owned(), "store.snapshots needs store.postgres"),
        (format!("{database}, snapshots: {{ folder: s, keep: 0 }}"), "store.snapshots.keep"),
        (format!("{database}, snapshots: {{ folder: s, every_hours: 0 }}"), "store.snapshots.every_hours"),
        (format!("{database}, snapshots: {{ keep: 2 }}"), "folder"),
    ] {
        place.write("vouch.yaml", format!("store: {{ {settings} }}\n"));
        let ran = place.run(&["store", "snapshot"]);
        assert!(ran.code != Some(0) && ran.err.contains(told), "{settings}: {}", ran.err);
    }
}
