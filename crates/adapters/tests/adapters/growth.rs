//! The extractive writer's work is linear in what it reads, whatever that is.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use vouch_adapters::extractive::Extractive;
use vouch_domain::{
    CharSpan,
    ports::{Brief, BriefPiece, Generator, Purpose, Reading},
};
use vouch_testkit::growth::{Subject, assert_linear};

const QUESTION: &str = "How high is the mast of Ness, and what are the steps to build it?";
const PROSE: &str = "The mast of Ness is 27 metres high. To build it:\n\n1. Dig.\n2. Lift.\n";

const WRITER: &[Subject] = &[
    Subject { name: "extractive, as passage", bytes: 2_000, work: |text| write(QUESTION, text, "Masts") },
    Subject { name: "extractive, as heading", bytes: 2_000, work: |text| write(QUESTION, &PROSE.repeat(20), text) },
    Subject { name: "extractive, as question", bytes: 2_000, work: |text| write(text, PROSE, "Masts") },
];

fn write(question: &str, text: &str, heading: &str) {
    let span = CharSpan { start: 3, end: 9 };
    let piece = BriefPiece {
        marker: 1,
        document: 1,
        ordinal: 0,
        heading: vec![heading.to_owned()],
        text: text.to_owned(),
        relevance: 0.8,
        reading: Some(Reading { answerable: 0.9, relevant: 0.9, span: Some(span) }),
        part: 0,
        may_answer: true,
    };
    let brief = Brief {
        question: question.to_owned(),
        background: None,
        purpose: Purpose::Answer,
        parts: 1,
        pieces: vec![piece],
        sentences_max: 8,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let written = runtime.block_on(Extractive.write(brief)).expect("the writer needs nothing that can fail");
    assert!(written.sentences.len() <= 8);
}

#[test]
fn writing_without_a_model_is_linear() {
    assert_linear(WRITER);
}
