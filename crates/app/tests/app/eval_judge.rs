//! Two versions of the answers compared: blind, in both orders, by a model that wrote neither.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use serde_json::{Value, json};

use crate::support::{
    Place, Ran,
    model::{Manner, ModelServer},
    replies,
};

const PAIRS: usize = 8;

fn reply(id: usize, answer: &str, model: &str) -> Value {
    json!({
        "id": format!("q{id}"), "query": format!("How tall is mast {id}?"), "answer": format!("{answer} [^1]."), "refused": false,
        "citations": [{
            "marker": 1, "snippet_full": format!("Mast {id} stands. It is 3 m tall."), "snippet_start": 0,
            "quote": { "start": 15, "end": 30 }
        }],
        "claims": [{ "markers": [1] }], "model_used": model
    })
}

fn lines(replies: impl IntoIterator<Item = Value>) -> String {
    replies.into_iter().map(|reply| format!("{reply}\n")).collect()
}

/// Two files, of which the second has the better answers.
fn place(server: &ModelServer) -> Place {
    let place = Place::new();
    place.write("vouch.yaml", server.settings("  pairwise: { server: here, model: \"tiny:1b\", temperature: 1.5 }\n"));
    place.write("old.jsonl", lines((0..PAIRS).map(|id| reply(id, "It is tall", "writer-x"))));
    place.write("fresh.jsonl", lines((0..PAIRS).map(|id| reply(id, "It is 3 m tall", "extractive"))));
    place
}

fn judge(place: &Place, words: &[&str]) -> Ran {
    place.run(&[&["eval", "judge", "--a", "old.jsonl", "--b", "fresh.jsonl"], words].concat())
}

fn verdict(better: &str) -> String {
    let scores = |own: &str| {
        let score = if own == better { 5 } else { 2 };
        json!({ "faithfulness": 5, "completeness": score, "structure": 4, "balance": 3 })
    };
    json!({ "first": scores("first"), "second": scores("second"), "better": better }).to_string()
}

/// Prefers the answer that has the figure.
fn fair(instructions: &str) -> String {
    let first = instructions.split("The first answer:").nth(1).and_then(|rest| rest.split("</note>").next());
    verdict(if first.is_some_and(|first| first.contains("3 m")) { "first" } else { "second" })
}

fn asked(server: &ModelServer) -> Vec<Value> {
    let bodies = server.asked.lock().expect("a lock");
    bodies.iter().map(|body| serde_json::from_str(body).expect("JSON")).collect()
}

fn instructions(body: &Value) -> &str {
    body.pointer("/messages/0/content").and_then(Value::as_str).unwrap_or_default()
}

#[test]
fn a_judge_that_goes_by_position_gives_nobody_a_win() {
    let server = ModelServer::start(Manner::Judges(|_| verdict("first")));
    let place = place(&server);
    let report = replies::json(&judge(&place, &["--json"]));
    let counts = ["wins_a", "wins_b", "ties", "position_decided", "difference_shown"].map(|key| report[key].clone());
    assert_eq!(counts, [json!(0), json!(0), json!(0), json!(PAIRS), json!(false)]);
    assert_eq!((&report["agreement"]["share"], &report["sign_test_p"]), (&json!(0.0), &json!(1.0)));
    let told = judge(&place, &[]).out;
    assert!(told.contains("No difference is shown") && told.contains("changed with the order"), "{told}");
}

#[test]
fn a_judge_that_prefers_what_is_said_wins_in_both_orders() {
    let server = ModelServer::start(Manner::Judges(fair));
    let place = place(&server);
    let ran = judge(&place, &["--json"]);
    let report = replies::json(&ran);
    assert_eq!((&report["wins_b"], &report["wins_a"]), (&json!(PAIRS), &json!(0)), "{}", ran.out);
    assert_eq!((&report["difference_shown"], &report["judge"]), (&json!(true), &json!("tiny:1b")));
    assert!(report["sign_test_p"].as_f64().is_some_and(|p| (p - 2.0 / 256.0).abs() < 1e-9), "{}", ran.out);
    assert_eq!((&report["scores_a"]["completeness"], &report["scores_b"]["completeness"]), (&json!(2.0), &json!(5.0)));
    let first_shown = |order: usize| -> Vec<String> {
        let questions = report["questions"].as_array().cloned().unwrap_or_default();
        questions.iter().map(|line| line["verdicts"][order]["shown_first"].to_string()).collect()
    };
    assert_eq!(asked(&server).len(), 2 * PAIRS, "each pair twice");
    for side in ["\"a\"", "\"b\""] {
        assert!(first_shown(0).iter().any(|first| first == side), "{side} is never shown first");
    }
    assert!(first_shown(0).iter().zip(first_shown(1)).all(|(one, other)| *one != other), "the order is swapped");
    let told = judge(&place, &[]).out;
    assert!(told.contains("A difference is shown: b is preferred on 8 of 8 decided pairs"), "{told}");
}

#[test]
fn the_judge_is_blind_and_at_temperature_zero() {
    let server = ModelServer::start(Manner::Judges(fair));
    let place = place(&server);
    place.write(
        "golden.jsonl",
        "{\"id\":\"q1\",\"query\":\"How tall is mast 1?\",\"gold_answers\":[\"about 3 metres\"]}\n",
    );
    assert_eq!(judge(&place, &["--golden", "golden.jsonl"]).code, Some(0));
    let bodies = asked(&server);
    for body in &bodies {
        assert_eq!((&body["temperature"], &body["model"]), (&json!(0.0), &json!("tiny:1b")));
        let text = body["messages"].to_string();
        for word in ["old.jsonl", "fresh.jsonl", "writer-x", "extractive", "\\\"a\\\"", "\\\"b\\\""] {
            assert!(!text.contains(word), "{word}: {text}");
        }
        assert!(instructions(body).contains("How tall is mast") && instructions(body).contains("(^1) It is 3 m tall."));
    }
    let known = bodies.iter().filter(|body| instructions(body).contains("about 3 metres")).count();
    assert_eq!(known, 2, "what is known of a question is told in both orders");
}

#[test]
fn two_runs_say_the_same_byte_for_byte() {
    let server = ModelServer::start(Manner::Judges(fair));
    let place = place(&server);
    for words in [&["--json"][..], &[]] {
        let (one, two) = (judge(&place, words), judge(&place, words));
        assert_eq!((one.code, &one.out), (Some(0), &two.out));
    }
    let mut prompts: Vec<String> = asked(&server).iter().map(|body| instructions(body).to_owned()).collect();
    prompts.sort();
    prompts.dedup();
    assert_eq!(prompts.len(), 2 * PAIRS, "every run shows the same");
}

#[test]
fn a_model_does_not_judge_what_it_wrote() {
    let server = ModelServer::start(Manner::Judges(fair));
    let place = place(&server);
    for (file, writer) in [("old.jsonl", "tiny:1b"), ("fresh.jsonl", "library/TINY")] {
        let kept = std::fs::read_to_string(place.path(file)).expect("a file");
        place.write(file, format!("{kept}{}", lines([reply(99, "It is tall", writer)])));
        let ran = judge(&place, &[]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{writer}");
        assert!(ran.err.contains("must not judge its own output") && ran.err.contains(file), "{}", ran.err);
        place.write(file, kept);
    }
    assert!(asked(&server).is_empty());
    place.write("vouch.yaml", server.settings(""));
    let ran = judge(&place, &[]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("set `models.pairwise`") && ran.err.contains("--heuristic"), "{}", ran.err);
}

#[test]
fn what_is_no_verdict_is_not_judged_and_never_guessed() {
    let server =
        ModelServer::start(Manner::Judges(|_| "The second answer is better: {\"better\": \"second\"}".to_owned()));
    let ran = judge(&place(&server), &["--json"]);
    let report = replies::json(&ran);
    assert_eq!((ran.code, &report["not_judged"]), (Some(1), &json!({ "unreadable": PAIRS })));
    assert_eq!((&report["wins_b"], &report["agreement"]["of"]), (&json!(0), &json!(0)));
    assert!(ran.err.contains("no pair could be judged"), "{}", ran.err);
    // One pair that cannot be read does not spoil the others.
    let partly = ModelServer::start(Manner::Judges(|instructions| {
        if instructions.contains("mast 3?") { "second".to_owned() } else { fair(instructions) }
    }));
    let place = place(&partly);
    place.write(
        "fresh.jsonl",
        lines((0..PAIRS).map(|id| reply(id, &"long ".repeat(if id == 4 { 9_000 } else { 0 }), "x"))),
    );
    let report = replies::json(&judge(&place, &["--json"]));
    assert_eq!(report["not_judged"], json!({ "unreadable": 1, "too_long": 1 }));
    assert_eq!(report["agreement"]["of"], json!(PAIRS - 2));
}

#[test]
fn a_judge_that_is_not_there_is_told_at_once() {
    let server = ModelServer::start(Manner::Judges(fair));
    let place = place(&server);
    let gone = "models:\n  servers: { here: { kind: openai, url: \"http://127.0.0.1:9/v1\" } }\n  allowed: { tiny: { context_window: \
                4096, max_response: 64 } }\n  pairwise: { server: here, model: tiny }\n";
    place.write("vouch.yaml", gone);
    let ran = judge(&place, &[]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(3), ""), "{}", ran.err);
    // A server that breaks off while it judges costs the pair, and is no verdict.
    let broken = ModelServer::start(Manner::Sends(
        b"HTTP/1.1 500 No\r\nConnection: close\r\nContent-Length: 0\r\n\r\n".to_vec(),
    ));
    place.write("vouch.yaml", broken.settings("  pairwise: { server: here, model: \"tiny:1b\" }\n"));
    let ran = judge(&place, &["--json"]);
    assert_eq!((ran.code, &replies::json(&ran)["not_judged"]), (Some(1), &json!({ "failed": PAIRS })));
}

#[test]
fn files_that_do_not_fit_are_usage_errors() {
    let server = ModelServer::start(Manner::Judges(fair));
    let place = place(&server);
    let good = || lines([reply(1, "x", "y")]);
    let mut other = reply(1, "x", "y");
    other["query"] = json!("How wide is it?");
    let mut silent = reply(2, "x", "y");
    silent["query"] = Value::Null;
    for (a, b, said) in [
        (good(), format!("{}nonsense\n", good()), "fresh.jsonl: line 2 is not a reply"),
        (good(), "{\"id\":\"q1\",\"answer\":\"x\"}\n".to_owned(), "line 1 is not a reply"),
        (good(), good() + &good(), "line 2: the id \"q1\" appears twice"),
        (good(), lines([other]), "is used for two questions"),
        (lines([silent.clone()]), lines([silent]), "give the questions with --golden"),
        (good(), lines([reply(7, "x", "y")]), "no question has a reply in both files"),
        (good(), String::new(), "no question has a reply in both files"),
    ] {
        place.write("old.jsonl", a);
        place.write("fresh.jsonl", b);
        let ran = judge(&place, &["--heuristic"]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{said}");
        assert!(ran.err.contains(said), "{said}: {}", ran.err);
    }
    let ran = place.run(&["eval", "judge", "--a", "nowhere.jsonl", "--b", "old.jsonl", "--heuristic"]);
    assert_eq!((ran.code, ran.err.contains("cannot read nowhere.jsonl")), (Some(2), true), "{}", ran.err);
    place.write("old.jsonl", [0xff, 0xfe]);
    assert_eq!(judge(&place, &["--heuristic"]).code, Some(2));
}

#[test]
fn batches_are_compared_as_they_were_printed() {
    let place = Place::new();
    place.write("docs/mast.md", "# The mast\n\nThe mast is 10 metres tall. It stands on the quay.\n");
    place.write("strict.yaml", "decide: { confidence_at_least: 100 }\n");
    place.write(
        "golden.jsonl",
        "{\"id\":\"m1\",\"query\":\"How tall is the mast?\",\"gold_answers\":[\"10 metres\"]}\n{\"id\":\"m2\",\"query\":\"What does a \
         submarine cost?\",\"answerable\":false}\n{\"id\":\"m3\",\"query\":\"\"}\n",
    );
    assert_eq!(place.run(&["ingest", "docs"]).code, Some(0));
    let batch = |words: &[&str]| place.run(&[&["ask", "--batch", "golden.jsonl", "--json"], words].concat()).out;
    place.write("old.jsonl", batch(&["--config", "strict.yaml"]));
    place.write("fresh.jsonl", batch(&[]) + &lines([reply(9, "x", "y")]));
    let report = replies::json(&judge(&place, &["--heuristic", "--golden", "golden.jsonl", "--json"]));
    assert_eq!((&report["pairs"], &report["wins_b"], &report["ties"]), (&json!(2), &json!(1), &json!(1)), "{report}");
    assert_eq!((&report["a"]["failed"], &report["b"]["without_partner"]), (&json!(1), &json!(1)));
    assert_eq!(report["is_heuristic"], json!(true));
    let told = judge(&place, &["--heuristic"]).out;
    assert!(told.contains("does not measure quality") && told.contains("judge: built-in heuristic"), "{told}");
    assert!(told.contains("b: fresh.jsonl") && told.contains("1 without a partner; 1 that failed"), "{told}");
}

#[test]
fn who_compares_answers_is_no_part_of_what_they_depend_on() {
    let server = ModelServer::start(Manner::Judges(fair));
    let place = Place::new();
    place.write("docs/mast.md", "# The mast\n\nThe mast is 10 metres tall.\n");
    place.write("golden.jsonl", "{\"id\":\"m1\",\"query\":\"What does a submarine cost?\",\"answerable\":false}\n");
    assert_eq!(place.run(&["ingest", "docs"]).code, Some(0));
    let settings_digest = |rest: &str| {
        let settings = server.settings(rest);
        place.write("vouch.yaml", &settings);
        let report = replies::json(&place.run(&["eval", "run", "--golden", "golden.jsonl", "--json"]));
        report.pointer("/meta/config_hash").and_then(Value::as_str).map(str::to_owned)
    };
    let without = settings_digest("");
    assert!(without.is_some());
    assert_eq!(settings_digest("  pairwise: { server: here, model: \"tiny:1b\" }\n"), without);
    assert_ne!(settings_digest("  judge: { server: here, model: \"tiny:1b\" }\n"), without);
}
