//! The contract of `PassageJudge`.
//!
//! A judge that remembers must not have seen these texts before; and since memory hides what neighbours do to a reading,
//! its own tests compare two fresh ones.

use std::time::Duration;

use vouch_domain::ports::{JudgedPassage, PassageJudge, Reading};

use super::hostile;

const AMPLE: Duration = Duration::from_secs(600);
const QUESTION: &str = "How tall is the mast?";
const ANSWER: &str = "The mast is 2.4 metres tall.";

/// Runs every clause.
pub async fn check(judge: &dyn PassageJudge) {
    assert!(!judge.name().trim().is_empty());
    without_time_there_is_no_reading_and_no_error(judge).await;
    every_passage_is_read_in_order_whatever_is_beside_it(judge).await;
    an_answer_reads_higher_than_another_subject(judge).await;
    the_span_counts_from_the_text_and_not_from_the_heading(judge).await;
    where_there_is_no_text_there_is_no_answer(judge).await;
    hostile_texts_have_a_reading(judge).await;
    hostile_questions_and_headings_have_a_reading(judge).await;
}

fn passage(heading: &str, text: &str) -> JudgedPassage {
    JudgedPassage { heading: heading.to_owned(), text: text.to_owned() }
}

fn plain() -> Vec<JudgedPassage> {
    vec![
        passage("Masts", "The mast is 2.4 metres tall and stands on a base of concrete."),
        passage("Rain gauges", "The rain gauge is emptied every morning. Leaves are taken out of its funnel."),
        passage("", "Masts are painted white; the paint lasts six years."),
        passage("Masts", "The mast is 2.4 metres tall and stands on a base of concrete."),
        passage("Höhe", "Der Mast — 2,4 m — trägt eine Wetterhütte."),
    ]
}

/// Every passage's reading, given time enough.
async fn read(judge: &dyn PassageJudge, question: &str, passages: Vec<JudgedPassage>) -> Vec<Reading> {
    let asked = passages.len();
    let readings = judge.read(question, passages, AMPLE).await.expect("read");
    assert_eq!(readings.len(), asked, "one reading a passage");
    readings.into_iter().map(|reading| reading.expect("a reading within ten minutes")).collect()
}

fn check_reading(reading: &Reading, text: &str, name: &str) {
    assert!((0.0..=1.0).contains(&reading.answerable), "{name}: {reading:?}");
    assert!((0.0..=1.0).contains(&reading.relevant), "{name}: {reading:?}");
    if let Some(span) = reading.span {
        assert!(span.start < span.end && span.end <= text.chars().count(), "{name}: {reading:?}");
    }
}

async fn without_time_there_is_no_reading_and_no_error(judge: &dyn PassageJudge) {
    let passages = vec![
        passage("Screens", "The screen on the mast is cleaned in spring."),
        passage("", "A second mast was put up behind the hut."),
    ];
    let question = "When is the screen on the mast cleaned?";
    let readings = judge.read(question, passages.clone(), Duration::ZERO).await.expect("read");
    assert_eq!(readings, vec![None, None]);
    assert!(judge.read(question, Vec::new(), Duration::ZERO).await.expect("read").is_empty());
    assert_eq!(read(judge, question, passages).await.len(), 2, "a reading missed once can still be had");
}

async fn every_passage_is_read_in_order_whatever_is_beside_it(judge: &dyn PassageJudge) {
    let together = read(judge, QUESTION, plain()).await;
    for (passage, reading) in plain().into_iter().zip(&together) {
        check_reading(reading, &passage.text, &passage.text);
        let alone = read(judge, QUESTION, vec![passage]).await;
        assert_eq!(alone.first(), Some(reading), "a reading must not depend on its neighbours");
    }
    assert_eq!(together.first(), together.get(3), "the same passage twice");
    assert_ne!(together.first(), together.get(1), "readings tell passages apart");
    assert_eq!(together, read(judge, QUESTION, plain()).await, "asked again");
    let backwards = read(judge, QUESTION, plain().into_iter().rev().collect()).await;
    assert_eq!(together, backwards.into_iter().rev().collect::<Vec<_>>(), "readings follow the order of the passages");
    assert!(read(judge, QUESTION, Vec::new()).await.is_empty());
}

async fn an_answer_reads_higher_than_another_subject(judge: &dyn PassageJudge) {
    let other = "The rain gauge is emptied every morning at nine, and leaves are taken out of its funnel.";
    let readings = read(judge, QUESTION, vec![passage("", ANSWER), passage("", other)]).await;
    let (answer, other) = (readings.first().expect("a reading"), readings.get(1).expect("a reading"));
    assert!(answer.answerable > other.answerable, "{answer:?} {other:?}");
    assert!(answer.relevant > other.relevant, "{answer:?} {other:?}");
}

async fn the_span_counts_from_the_text_and_not_from_the_heading(judge: &dyn PassageJudge) {
    let before = "Rain falls into the gauge — é 漢 🗼 — by day. ";
    let text = format!("{before}{ANSWER} Leaves are taken out of the funnel in autumn.");
    let heading = "What the station has: a hut, a fence, a gauge for the rain, two benches, a mast";
    for heading in ["", heading] {
        let readings = read(judge, QUESTION, vec![passage(heading, &text)]).await;
        let span = readings.first().and_then(|reading| reading.span).expect("a span where there is an answer");
        let (from, to) = (before.chars().count(), before.chars().count() + ANSWER.chars().count());
        assert!(span.start < to && span.end > from, "{span:?} is beside the answer at {from}..{to} under {heading:?}");
    }
    for text in ["See above.", "x"] {
        let readings = read(judge, QUESTION, vec![passage(ANSWER, text)]).await;
        readings.iter().for_each(|reading| check_reading(reading, text, "the answer stands in the heading"));
    }
}

async fn where_there_is_no_text_there_is_no_answer(judge: &dyn PassageJudge) {
    let none = Reading { answerable: 0.0, relevant: 0.0, span: None };
    for (question, text) in [(QUESTION, ""), (QUESTION, " \n\t"), ("", ANSWER), (" ", ANSWER), ("", "")] {
        let readings = read(judge, question, vec![passage("The mast is tall", text)]).await;
        assert_eq!(readings, vec![none], "{question:?} {text:?}");
    }
}

async fn hostile_texts_have_a_reading(judge: &dyn PassageJudge) {
    let texts = hostile::texts();
    let passages: Vec<JudgedPassage> = texts.iter().map(|(_, text)| passage("Masts", text)).collect();
    let together = read(judge, QUESTION, passages.clone()).await;
    for (((name, text), passage), reading) in texts.iter().zip(passages).zip(&together) {
        check_reading(reading, text, name);
        assert_eq!(read(judge, QUESTION, vec![passage]).await.first(), Some(reading), "{name}");
    }
}

async fn hostile_questions_and_headings_have_a_reading(judge: &dyn PassageJudge) {
    for (name, hostile) in hostile::texts() {
        let asked = read(judge, &hostile, vec![passage("Masts", ANSWER)]).await;
        asked.iter().for_each(|reading| check_reading(reading, ANSWER, name));
        let headed = read(judge, QUESTION, vec![passage(&hostile, ANSWER)]).await;
        headed.iter().for_each(|reading| check_reading(reading, ANSWER, name));
    }
}
