//! While a model writes: others have the data folder, who listens is told what is waited for, and `vouch doctor` says how long it takes.

use std::{
    process::Stdio,
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::support::{
    Place, finish,
    model::{Manner, ModelServer},
};

const LEAVE: &str =
    "# Annual Leave\n\nStaff have 26 days of paid annual leave a year. Unused leave is carried over with form P-04.\n";
const ASKED: &str = "How many days of paid annual leave do staff have?";

fn place(settings: &str) -> Place {
    let place = Place::new();
    place.write("docs/leave.md", LEAVE);
    place.write("vouch.yaml", settings);
    assert_eq!(place.run(&["ingest", "docs"]).code, Some(0));
    place
}

#[test]
fn others_have_the_folder_while_a_model_writes() {
    // It says a word and no more until it is let go.
    let server = ModelServer::start(Manner::Hangs("Staff".to_owned()));
    let place = place(&server.settings_within(600_000, ""));
    let mut asking = place.vouch(&["ask", ASKED, "--json"]).stdout(Stdio::piped()).spawn().expect("it starts");
    let began = Instant::now();
    while server.asked.lock().expect("a lock").is_empty() {
        assert!(began.elapsed() < Duration::from_secs(120), "the model was never asked");
        std::thread::sleep(Duration::from_millis(20));
    }
    place.write("docs/pets.md", "# Pets\n\nDogs are welcome on Fridays.\n");
    let ran = place.run(&["ingest", "docs"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(asking.try_wait().expect("our own child").is_none(), "the model is still waited for");
    server.let_go();
    let output = asking.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0));
    let reply: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(reply["answer"].as_str().is_some_and(|answer| answer.contains("26 days")), "{reply}");
    // The trail and the store are whole, and both know what happened meanwhile.
    let place_is_whole = place.run(&["doctor", "--json"]);
    assert!(place_is_whole.out.contains("\"sound\":true"), "{}", place_is_whole.out);
    assert!(place.run(&["search", "dogs on Fridays", "--json"]).out.contains("Dogs are welcome"));
}

#[test]
fn who_listens_is_told_that_an_answer_is_checked_first() {
    let server = ModelServer::start(Manner::Says(vec!["Unused leave is carried over with form P-04 [^1].".to_owned()]));
    let place = place(&server.settings("decide: { confidence_at_least: 1 }\n"));
    let ran = place.run(&["ask", ASKED, "--json", "--stream"]);
    let events: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let kinds: Vec<&str> = events.iter().filter_map(|event| event["event"].as_str()).collect();
    assert_eq!(kinds.get(..2), Some(&["start", "checking"][..]), "{kinds:?}");
    // What the documents answer by themselves comes first, and what was told is the answer.
    let told: String =
        events.iter().filter(|event| event["event"] == "sentence").filter_map(|event| event["text"].as_str()).collect();
    let reply = &events.last().expect("an event")["reply"];
    assert_eq!(reply["answer"], told.trim_start());
    assert!(told.contains("26 days") && told.contains("P-04"), "{told}");
}

#[test]
fn the_doctor_says_how_long_an_answer_takes() {
    let words = (1..20).map(|at| format!("box {at}, ")).collect();
    let server = ModelServer::start(Manner::Says(words));
    let place = place(&server.settings(""));
    let ran = finish(place.vouch(&["doctor"]));
    assert!(ran.out.contains("tokens per second") && ran.out.contains("an answer begins after about"), "{}", ran.out);
    let health: Value = serde_json::from_str(&place.run(&["doctor", "--json"]).out).expect("JSON");
    let speed = &health["models"][0]["speed"];
    assert!(speed["reads_tokens_per_s"].as_f64().is_some_and(|rate| rate > 0.0), "{health}");
    assert!(speed["writes_tokens_per_s"].as_f64().is_some_and(|rate| rate > 0.0), "{health}");
}

#[test]
fn a_setting_that_moved_is_told_where_it_is() {
    let place = Place::new();
    place.write("vouch.yaml", "verify: { unsupported: drop }\n");
    let ran = place.run(&["list"]);
    assert!(ran.err.contains("unsupported is now compose.on_unsupported"), "{}", ran.err);
}
