//! A model that writes, through the binary: what it says is shown where it was verified; what goes wrong ends in a quotation
//! that says so, or in a clear error, and in time.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use serde_json::Value;

use crate::support::{
    Place, Ran, finish,
    model::{Manner, ModelServer},
};

const LEAVE: &str =
    "# Annual Leave\n\nStaff have 26 days of paid annual leave a year. Unused leave is carried over with form P-04.\n";
const ASKED: &str = "How many days of paid annual leave do staff have?";
const TRUE: &str = "Staff have 26 days of paid annual leave a year [^1].";

fn place(settings: &str) -> Place {
    let place = Place::new();
    place.write("docs/leave.md", LEAVE);
    place.write("vouch.yaml", settings);
    let ran = place.run(&["ingest", "docs"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    place
}

fn says(text: &str) -> ModelServer {
    ModelServer::start(Manner::Says(vec![text.to_owned()]))
}

fn reply(ran: &Ran) -> Value {
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    serde_json::from_str(ran.out.lines().last().expect("a line")).expect("JSON")
}

#[test]
fn a_model_writes_and_only_what_is_verified_is_shown() {
    let server = says(&format!("{TRUE} Staff have 30 days of paid leave in a leap year [^1]. Pets are welcome [^7]."));
    let place = place(&server.settings(""));
    let reply = reply(&place.run(&["ask", ASKED, "--json", "--explain"]));
    let answer = reply["answer"].as_str().unwrap_or_default();
    assert!(answer.starts_with("Staff have 26 days of paid annual leave a year."), "{answer}");
    assert!(!answer.contains("30 days") && !answer.contains("Pets"), "{answer}");
    assert_eq!((&reply["model_used"], &reply["fallback_mode"]), (&"tiny:1b".into(), &false.into()));
    let writer = &reply["trace"]["writer"];
    let count = |list: &Value| list.as_array().map_or(0, Vec::len);
    assert_eq!(count(&writer["left_out"]) + count(&writer["replaced"]), 2, "{writer}");
    assert_eq!(reply["trace"]["writer"]["drops"]["never_minted"], 1);
    assert!(reply["warnings"].to_string().contains("never_minted"), "{}", reply["warnings"]);
    let asked = server.asked.lock().expect("a lock").concat();
    assert!(asked.contains("26 days") && asked.contains(ASKED), "{asked}");
}

#[test]
fn sentences_are_streamed_and_join_to_the_answer() {
    let pieces = TRUE.chars().chain(" Unused leave is carried over with form P-04.".chars());
    let server = ModelServer::start(Manner::Says(pieces.map(String::from).collect()));
    let place = place(&server.settings(""));
    let ran = place.run(&["ask", ASKED, "--json", "--stream"]);
    let events: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let kinds: Vec<&str> = events.iter().filter_map(|event| event["event"].as_str()).collect();
    assert_eq!(kinds, ["start", "citation", "sentence", "sentence", "done"]);
    let told: String = events.iter().filter_map(|event| event["text"].as_str()).collect();
    let done = &events.last().expect("an event")["reply"];
    assert_eq!(done["answer"], told.as_str());
    let plain = place.run(&["ask", ASKED, "--stream"]);
    assert!(plain.out.starts_with(&told), "{}", plain.out);
    assert!(plain.out.contains("[^1] Annual Leave"), "{}", plain.out);
}

#[test]
fn a_server_that_fails_is_stood_in_for_and_the_reply_says_so() {
    let garbage =
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\ndata: {\"nonsense\n\n"
            .to_vec();
    let error = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\ndata: {\"error\":{\"message\":\"no memory\"}}\n\n";
    let half = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\ndata: {\"choices\":[{\"delta\":{\"content\":\"\xc3";
    for manner in [
        Manner::Sends(garbage),
        Manner::Sends(error.to_vec()),
        Manner::Sends(half.to_vec()),
        Manner::Sends(b"HTTP/1.1 500 No\r\nConnection: close\r\nContent-Length: 0\r\n\r\n".to_vec()),
        Manner::Hangs("Staff have".to_owned()),
    ] {
        let server = ModelServer::start(manner.clone());
        let quoting = place(&server.settings(""));
        let reply = reply(&quoting.run(&["ask", ASKED, "--json"]));
        assert_eq!((&reply["outcome"], &reply["fallback_mode"]), (&"answered".into(), &true.into()), "{reply}");
        assert_eq!(reply["model_used"], "extractive");
        assert!(reply["notices"].to_string().contains("quoted instead"), "{}", reply["notices"]);
        let failing = place(&server.settings("compose: { on_failure: fail }\n"));
        let ran = failing.run(&["ask", ASKED, "--json"]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(3), ""), "{}", ran.err);
        assert!(ran.err.starts_with("vouch: "), "{}", ran.err);
    }
}

#[test]
fn a_server_that_is_not_there_is_stood_in_for_and_the_doctor_says_so() {
    let gone = "models:\n  servers: { here: { kind: ollama, url: \"http://127.0.0.1:9\" } }\n  allowed: { tiny: { context_window: 4096, \
                max_response: 64 } }\n  answer: { server: here, model: tiny }\n";
    let place = place(gone);
    assert_eq!(reply(&place.run(&["ask", ASKED, "--json"]))["fallback_mode"], true);
    let doctor = place.run(&["doctor"]);
    assert_eq!(doctor.code, Some(3), "{}", doctor.out);
    assert!(
        doctor.out.contains("model for answer") && doctor.out.contains("the model server failed"),
        "{}",
        doctor.out
    );
}

#[test]
fn another_model_writes_where_the_first_is_not_there_and_the_reply_says_so() {
    let server = says(TRUE);
    let gone = "gone: { kind: openai, url: \"http://127.0.0.1:9/v1\" }\n    here:";
    let settings = server.settings("  stand_in: { server: here, model: \"tiny:1b\" }\n").replace("here:", gone);
    let settings = settings.replace("  answer: { server: here", "  answer: { server: gone");
    let reply = reply(&place(&settings).run(&["ask", ASKED, "--json", "--explain"]));
    assert_eq!((&reply["model_used"], &reply["fallback_mode"]), (&"tiny:1b".into(), &true.into()), "{reply}");
    assert_eq!(reply["trace"]["fallbacks"], serde_json::json!(["stand_in"]));
    assert!(reply["notices"].to_string().contains("in place of tiny:1b ("), "{}", reply["notices"]);
    assert!(!reply.to_string().contains("127.0.0.1"), "where a server is concerns nobody who asks: {reply}");
    assert!(reply["trace"]["writer"]["instead_of"].is_string(), "{}", reply["trace"]["writer"]);
}

#[test]
fn the_model_that_writes_plans_too_where_the_profile_says_so() {
    let server = says(TRUE);
    let place = place(&server.settings("  answer_also: [planning, outline]\n"));
    reply(&place.run(&["ask", ASKED, "--json"]));
    let (planned, outlined, written) = {
        let asked = server.asked.lock().expect("a lock");
        let holds = |word: &str| asked.iter().any(|body| body.to_lowercase().contains(word));
        (holds("other questions"), holds("thesis"), asked.len())
    };
    assert!(planned && outlined && written == 3, "{planned} {outlined} {written}");
    let without = self::place("models: { answer_also: [planning, outline] }\n");
    assert_eq!(reply(&without.run(&["ask", ASKED, "--json"]))["model_used"], "extractive");
}

#[test]
fn an_external_reranker_puts_passages_in_order_and_its_failure_is_a_flag() {
    let body = r#"{"results":[{"index":0,"relevance_score":0.9}]}"#;
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length:";
    let scores = format!("{head} {}\r\n\r\n{body}", body.len());
    let broken = "HTTP/1.1 500 No\r\nConnection: close\r\nContent-Length: 0\r\n\r\n".to_owned();
    for (sent, flags) in [(scores, serde_json::json!([])), (broken, serde_json::json!(["not_reranked"]))] {
        let server = ModelServer::start(Manner::Sends(sent.into_bytes()));
        let settings = server.settings("  reranker: { server: here, model: order-1 }\njudge: { order: reranked }\n");
        let answer = settings.find("  answer:").expect("a model that writes");
        let rest = settings.get(answer..).and_then(|rest| rest.split_once('\n')).expect("a line").1;
        let place = place(&format!("{}{rest}", settings.get(..answer).expect("what is before")));
        let reply = reply(&place.run(&["ask", ASKED, "--json", "--explain"]));
        let reranker = &reply["trace"]["reranker"];
        assert_eq!((&reranker["name"], &reranker["given"]), (&"order-1".into(), &1.into()), "{reply}");
        assert_eq!((&reply["trace"]["fallbacks"], &reply["outcome"]), (&flags, &"answered".into()), "{reply}");
        let asked = server.asked.lock().expect("a lock").concat();
        assert!(asked.contains("\"documents\"") && asked.contains("26 days"), "{asked}");
    }
    let wrong = Place::new();
    wrong.write("vouch.yaml", "models: { reranker: { server: local, model: order-1 } }\n");
    let ran = wrong.run(&["ask", ASKED]);
    assert!(ran.code == Some(2) && ran.err.contains("models.reranker"), "{:?} {}", ran.code, ran.err);
}

#[test]
fn a_model_can_be_asked_for_by_name_and_one_that_is_not_allowed_cannot() {
    let server = says(TRUE);
    let place = place(&server.settings(""));
    assert_eq!(reply(&place.run(&["ask", ASKED, "--json", "--model", "tiny:1b"]))["model_used"], "tiny:1b");
    assert_eq!(reply(&place.run(&["ask", ASKED, "--json", "--model", "extractive"]))["model_used"], "extractive");
    let ran = place.run(&["ask", ASKED, "--model", "gpt-9"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("'gpt-9' is not allowed") && ran.err.contains("tiny:1b"), "{}", ran.err);
    assert_eq!(server.asked.lock().expect("a lock").len(), 1);
}

#[test]
fn a_question_that_does_not_fit_is_an_error_and_not_a_quotation() {
    let server = says(TRUE);
    let settings = server.settings("  system_tokens_reserved: 3900\n");
    let ran = place(&settings).run(&["ask", ASKED]);
    assert_eq!(ran.code, Some(2), "{}", ran.out);
    assert!(ran.err.contains("tokens"), "{}", ran.err);
}

#[test]
fn the_service_s_own_variables_choose_server_and_model() {
    let place = place("models:\n  allowed: { tiny: { context_window: 4096, max_response: 64 } }\n");
    let mut command = place.vouch(&["ask", ASKED, "--json", "--explain"]);
    command.env("CHAT_MODEL", "tiny").env("OLLAMA_BASE_URL", "http://127.0.0.1:9").env("RAG_TIMEOUT_SECONDS", "1");
    let reply = reply(&finish(command));
    assert_eq!((&reply["fallback_mode"], &reply["trace"]["writer"]["model"]), (&true.into(), &"tiny".into()));
}

#[test]
fn settings_that_name_what_is_not_there_are_told_with_their_line() {
    for (settings, key) in [
        ("models:\n  answer: { server: nowhere, model: llama3.2 }\n", "models.answer"),
        ("models:\n  answer: { server: local, model: gpt-9 }\n", "models.answer"),
        ("models:\n  temperature: 9\n", "models.temperature"),
        ("decide:\n  route_below: 60\n", "decide.admin_email"),
        ("models:\n  out_of_corpus: { server: local, model: llama3.2 }\n", "compose.out_of_corpus_disclaimer"),
        ("verify:\n  ask_judge_model: true\n", "verify.ask_judge_model"),
        (
            "models:\n  answer: &one { server: local, model: llama3.2 }\n  judge: *one\nverify:\n  ask_judge_model: true\n",
            "verify.ask_judge_model",
        ),
    ] {
        let place = Place::new();
        place.write("vouch.yaml", settings);
        let ran = place.run(&["ask", ASKED]);
        assert_eq!(ran.code, Some(2), "{settings}");
        assert!(ran.err.contains(key), "{settings}: {}", ran.err);
    }
}

#[test]
fn a_judge_that_also_writes_is_warned_of() {
    let server = says(TRUE);
    let place = place(&server.settings("  judge: { server: here, model: \"tiny:1b\" }\n"));
    let ran = place.run(&["ask", ASKED]);
    assert!(ran.err.contains("should not judge its own output"), "{}", ran.err);
}
