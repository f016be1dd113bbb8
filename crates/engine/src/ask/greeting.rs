//! A greeting or thanks → a word back and nothing searched: "thanks" is no question to the documents.

use super::{
    engine::{Engine, Response},
    material::{Author, Material},
    outcome::Outcome,
    question_kind::QuestionKind,
    trace::{StopWatch, trace},
};
use crate::{
    decide::{Clarification, Decision},
    judge::Evidence,
    trace::Stage,
    understand::Understanding,
    verify::Rows,
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
            "I answer from the documents that were taken in, in their own words and with the source of each, or say that they do \
             not hold it. What would you like to know from them?"
        } else {
            "Hello. What would you like to know from these documents?"
        };
        let clarification = Clarification { question: reply.to_owned(), text: None, options: Vec::new() };
        let nothing = Material::looked_up(understanding, Evidence::empty(), Author::Catalogue(Rows::new(Vec::new())));
        let outcome = Outcome { decision: Decision::Clarify(clarification), material: nothing, writer: None };
        watch.lap(Stage::Decide);
        let trace = trace(&outcome, &watch, &self.policies.decide);
        let Outcome { decision, material, .. } = outcome;
        let intent = QuestionKind::Greeting;
        Response { decision, intent, evidence: material.evidence, trace, elapsed_ms: watch.total_ms() }
    }
}
