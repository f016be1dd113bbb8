//! A greeting or thanks → a word back and nothing searched: "thanks" is no question to the documents.

use super::{
    engine::{Engine, Response},
    question_kind::QuestionKind,
    trace::StopWatch,
};
use crate::{
    decide::{Clarification, Decision},
    understand::Understanding,
};

const THANKS: &[&str] = &["thank", "thx", "cheers"];
const ABOUT_ITSELF: &[&str] = &["are you", "can you do", "do you have"];
const PARTINGS: &[&str] = &["bye", "goodbye", "see you"];

impl Engine {
    /// Answers a greeting as one. It asks back, since an answer needs a source and this has none.
    pub(super) fn greet(&self, understanding: &Understanding, mut watch: StopWatch<'_>) -> Response {
        let said = understanding.asked().to_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| said.contains(word));
        let reply = if has(THANKS) {
            "You are welcome. What else would you like to know?"
        } else if has(PARTINGS) {
            "Goodbye. The documents are here when you need them."
        } else if has(ABOUT_ITSELF) {
            "I answer from the documents I have been given, in their own words and with their sources, or say that \
             they do not contain the answer. What would you like to know from them?"
        } else {
            "Hello. What would you like to know from these documents?"
        };
        let clarification =
            Clarification { question: reply.to_owned(), text: None, options: Vec::new(), is_no_context: false };
        self.unsearched(Decision::Clarify(clarification), (understanding, QuestionKind::Greeting), &mut watch)
    }
}
