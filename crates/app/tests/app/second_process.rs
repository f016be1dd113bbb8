//! One process a data folder: a second one is turned away with the name of the first, which goes on undisturbed.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Stdio},
};

use serde_json::Value;

use crate::support::{Place, replies::ask};

const DEEP: &str = "How deep is the old well?";

/// A chat that holds the store.
struct Chat {
    child: Child,
    questions: Option<ChildStdin>,
    replies: BufReader<ChildStdout>,
}

impl Chat {
    fn start(place: &Place) -> Option<Self> {
        let mut command = place.vouch(&["chat", "--json"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
        let (questions, replies) = (child.stdin.take(), BufReader::new(child.stdout.take()?));
        Some(Self { child, questions, replies })
    }

    /// The outcome of one question; by the time it is there the store is open.
    fn outcome(&mut self, question: &str) -> Option<String> {
        writeln!(self.questions.as_mut()?, "{question}").ok()?;
        let mut line = String::new();
        self.replies.read_line(&mut line).ok()?;
        let reply: Value = serde_json::from_str(&line).ok()?;
        reply.get("outcome")?.as_str().map(str::to_owned)
    }

    /// Closes its input and waits for it to leave.
    fn end(mut self) -> Option<i32> {
        self.questions.take();
        self.child.wait().ok()?.code()
    }
}

#[expect(clippy::expect_used, reason = "without a chat there is nothing to test")]
fn held() -> (Place, Chat) {
    let place = Place::new();
    place.write("well.md", "# The Old Well\n\nThe old well in the orchard is 23 metres deep.\n");
    place.run(&["ingest", "well.md"]);
    let mut chat = Chat::start(&place).expect("the chat starts");
    assert_eq!(chat.outcome(DEEP).as_deref(), Some("answered"));
    (place, chat)
}

#[test]
fn a_second_process_ends_with_code_one() {
    let (place, chat) = held();
    let ran = place.run(&["ask", DEEP]);
    chat.end();
    assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
}

#[test]
fn a_second_process_is_told_who_holds_the_store() {
    let (place, chat) = held();
    let ran = place.run(&["ask", DEEP]);
    let holder = format!("process {} ", chat.child.id());
    chat.end();
    assert!(ran.err.contains(&holder), "{}", ran.err);
}

#[test]
fn a_second_process_that_would_write_is_turned_away_too() {
    let (place, chat) = held();
    let ran = place.run(&["ingest", "well.md"]);
    chat.end();
    assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
}

#[test]
fn the_first_process_goes_on_answering() {
    let (place, mut chat) = held();
    place.run(&["ask", DEEP]);
    let outcome = chat.outcome(DEEP);
    chat.end();
    assert_eq!(outcome.as_deref(), Some("answered"));
}

#[test]
fn once_the_first_has_left_the_second_is_answered() {
    let (place, chat) = held();
    place.run(&["ask", DEEP]);
    chat.end();
    assert_eq!(ask(&place, DEEP, &[])["outcome"], "answered");
}

#[test]
fn a_holder_that_was_killed_leaves_the_store_free() {
    let (place, mut chat) = held();
    chat.child.kill().expect("our own child");
    chat.end();
    assert_eq!(ask(&place, DEEP, &[])["outcome"], "answered");
}

#[test]
fn a_chat_whose_input_ends_leaves_with_code_zero() {
    let (_place, chat) = held();
    assert_eq!(chat.end(), Some(0));
}

#[test]
fn removing_the_lock_file_lets_no_second_process_in() {
    let (place, chat) = held();
    std::fs::remove_file(place.path(".vouch/lock")).expect("the lock's file is there");
    let ran = place.run(&["ingest", "well.md"]);
    chat.end();
    assert_eq!((ran.code, ran.err.contains("is in use by")), (Some(1), true), "{}{}", ran.out, ran.err);
}

#[test]
fn the_doctor_looks_at_a_store_that_somebody_holds() {
    let (place, chat) = held();
    let (told, json) = (place.run(&["doctor"]), place.run(&["doctor", "--json"]));
    chat.end();
    assert_eq!(told.code, Some(0), "{}{}", told.out, told.err);
    assert!(told.out.contains("sound, as far as can be checked while another process uses it"), "{}", told.out);
    let json: Value = serde_json::from_str(&json.out).unwrap_or_default();
    assert_eq!(
        (json.get("sound"), json.get("generation")),
        (Some(&Value::from(true)), Some(&Value::from(1))),
        "{json}"
    );
    assert!(json.get("held").and_then(Value::as_str).is_some_and(|who| who.contains("chat")), "{json}");
}
