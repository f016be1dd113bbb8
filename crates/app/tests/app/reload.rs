//! The models of a running server are exchanged by an admin's call or by SIGHUP; what else has changed waits, and wrong
//! settings change nothing.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{
    process::Command,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::support::{
    model::{Manner, ModelServer},
    server::Server,
};

const TRUE: &str = "Staff have 26 days of paid annual leave a year [^1].";
const ASKED: &str = "How many days of paid annual leave do staff have?";

fn model() -> ModelServer {
    ModelServer::start(Manner::Says(vec![TRUE.to_owned()]))
}

fn asked(server: &ModelServer) -> usize {
    server.asked.lock().expect("a lock").len()
}

fn ask(server: &Server) -> Value {
    server.post("/v1/ask", &json!({ "query": ASKED }).to_string(), "").json()
}

#[test]
fn an_admin_exchanges_the_models_and_the_next_question_goes_to_the_new_one() {
    let (first, second) = (model(), model());
    let server = Server::start(&first.settings(""));
    assert_eq!(ask(&server)["model_used"], "tiny:1b");
    assert_eq!((asked(&first), asked(&second)), (1, 0));
    server.place.write("vouch.yaml", second.settings("judge: { passages_max: 4 }\n"));
    let told = server.post("/v1/reload", "{}", "");
    assert_eq!(told.status, 200, "{}", told.body);
    let told = told.json();
    assert_eq!((&told["models"], &told["restart_needed"]), (&json!({"answer": "tiny:1b"}), &json!(["judge"])));
    ask(&server);
    assert_eq!((asked(&first), asked(&second)), (1, 1));
    server.place.write("vouch.yaml", "models: { answer: { server: nowhere, model: tiny } }\n");
    let refused = server.post("/v1/reload", "{}", "");
    assert_eq!(refused.status, 400, "{}", refused.body);
    assert!(refused.body.contains("Nothing was changed") && refused.body.contains("nowhere"), "{}", refused.body);
    ask(&server);
    assert_eq!((asked(&first), asked(&second)), (1, 2));
    server.place.write("vouch.yaml", "profile: plain\n");
    assert_eq!(server.post("/v1/reload", "{}", "").status, 200);
    assert_eq!(ask(&server)["model_used"], "extractive");
}

#[cfg(unix)]
#[test]
fn a_hang_up_reads_the_settings_again_and_ends_nothing() {
    let (first, second) = (model(), model());
    let server = Server::start(&first.settings(""));
    server.place.write("vouch.yaml", second.settings(""));
    let sent = Command::new("kill").args(["-HUP", &server.child.id().to_string()]).status().expect("kill");
    assert!(sent.success());
    let since = Instant::now();
    while !server.said().contains("models_reloaded") {
        assert!(since.elapsed() < Duration::from_secs(60), "{}", server.said());
        std::thread::sleep(Duration::from_millis(10));
    }
    ask(&server);
    assert_eq!((asked(&first), asked(&second)), (0, 1));
}

#[cfg(unix)]
#[test]
fn a_certificate_that_is_asked_for_beside_a_server_is_of_the_models_in_use() {
    let (first, second) = (model(), model());
    let server = Server::start(&first.settings(""));
    let certified = || {
        let ran = server.place.run(&["ask", ASKED, "--certificate", "answer.json"]);
        assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
        let text = std::fs::read_to_string(server.place.path("answer.json")).expect("a certificate");
        let certificate: Value = serde_json::from_str(&text).expect("JSON");
        certificate["circumstances"]["settings"].as_str().expect("a digest").to_owned()
    };
    let exchange = |model: &ModelServer| {
        server.place.write("vouch.yaml", model.settings(""));
        assert_eq!(server.post("/v1/reload", "{}", "").status, 200);
    };
    let at_first = certified();
    exchange(&second);
    assert_ne!(certified(), at_first, "other settings are in force");
    exchange(&first);
    assert_eq!(certified(), at_first);
}
