//! Replies as values: asking, searching, and comparing what two runs said.

#![expect(clippy::expect_used, reason = "a reply that is no JSON fails the test")]

use serde_json::Value;

use crate::support::{Place, Ran};

/// A command's only line, which is JSON.
pub fn json(ran: &Ran) -> Value {
    serde_json::from_str(&ran.out).expect("one line of JSON on standard output")
}

/// Asks one question with further words and answers the reply.
pub fn ask(place: &Place, question: &str, words: &[&str]) -> Value {
    json(&place.run(&[&["ask", question, "--json"], words].concat()))
}
