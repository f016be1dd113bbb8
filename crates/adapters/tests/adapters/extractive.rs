//! Which sentences of the evidence the extractive writer answers with.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use vouch_adapters::extractive::Extractive;
use vouch_domain::{
    CharSpan,
    ports::{Brief, BriefPiece, Generator, Purpose, Reading, SentenceRole, WrittenSentence},
};

fn piece(marker: u32, document: u32, ordinal: u32, text: &str) -> BriefPiece {
    BriefPiece {
        marker,
        document,
        ordinal,
        heading: Vec::new(),
        text: text.to_owned(),
        relevance: 0.8,
        reading: None,
        part: 0,
        may_answer: true,
    }
}

/// A piece of which the judge is so certain, seeing the answer in these words.
fn read(marker: u32, text: &str, (answerable, answer): (f32, &str)) -> BriefPiece {
    let start = text.split(answer).next().map(|before| before.chars().count()).expect("a beginning");
    let span = CharSpan { start, end: start + answer.chars().count() };
    let reading = Some(Reading { answerable, relevant: answerable, span: Some(span) });
    BriefPiece { reading, may_answer: answerable >= 0.3, ..piece(marker, marker, 0, text) }
}

/// Everything that is shown.
async fn shown(question: &str, pieces: Vec<BriefPiece>) -> Vec<WrittenSentence> {
    shown_for(Purpose::Answer, question, pieces).await
}

async fn shown_for(purpose: Purpose, question: &str, pieces: Vec<BriefPiece>) -> Vec<WrittenSentence> {
    let brief = Brief { question: question.to_owned(), background: None, purpose, parts: 1, pieces, sentences_max: 8 };
    let manuscript = Extractive.write(brief).await.expect("the writer needs nothing that can fail");
    assert_eq!(manuscript.model, "extractive");
    manuscript.sentences
}

/// The sentences that answer.
async fn written(question: &str, pieces: Vec<BriefPiece>) -> Vec<(String, Vec<u32>)> {
    let answers = shown(question, pieces).await.into_iter().filter(|one| one.role == SentenceRole::Answer);
    answers.map(|sentence| (sentence.text, sentence.markers)).collect()
}

async fn texts(question: &str, text: &str) -> Vec<String> {
    written(question, vec![piece(1, 1, 0, text)]).await.into_iter().map(|(text, _)| text).collect()
}

/// The expected sentence is the answer wherever it stands among the other two.
async fn check(question: &str, expected: &str, others: [&str; 2]) {
    let [one, two] = others;
    for order in [[expected, one, two], [one, expected, two], [one, two, expected]] {
        let said = texts(question, &order.join(" ")).await;
        assert_eq!(said, [expected], "{question} among {order:?}");
    }
}

#[tokio::test]
async fn when_is_answered_with_the_date() {
    let others = ["The bridge was opened by the mayor.", "The bridge was opened for trams and people."];
    check("When was the bridge opened?", "The bridge was opened in 1932 for traffic.", others).await;
    check("When was the bridge opened?", "The bridge was opened in late October.", others).await;
    check("In what year was the bridge opened?", "The bridge was opened in 1932 for traffic.", others).await;
}

#[tokio::test]
async fn how_many_is_answered_with_the_number() {
    let others = ["The station sensors are grey and round.", "The station sensors come from abroad."];
    check("How many sensors has the station?", "The station sensors number 14 in all.", others).await;
    check("How many sensors has the station?", "The station sensors come in twelve boxes.", others).await;
}

#[tokio::test]
async fn who_is_answered_with_the_name() {
    let others = ["The mast was designed with great care.", "The mast was designed for strong winds."];
    check("Who designed the mast?", "The mast was designed by Ada Lovelace.", others).await;
}

#[tokio::test]
async fn why_is_answered_with_the_reason() {
    let others = ["The valve was closed at the north end.", "The valve was closed with a large wrench."];
    check("Why was the valve closed?", "The valve was closed because the pipe leaked.", others).await;
    check("Why was the valve closed?", "The valve was closed to avoid a flood.", others).await;
}

#[tokio::test]
async fn a_definition_is_answered_with_what_the_thing_is() {
    let others = ["Send every gauge back to the depot.", "Clean the gauge with warm water."];
    check("What is a gauge?", "A gauge is a device that measures rain.", others).await;
    check("What does gauge mean?", "The word gauge means a measuring device.", others).await;
}

#[tokio::test]
async fn a_month_is_not_seen_in_a_helping_verb() {
    let others = ["The mast may be painted with a brush.", "The mast may be painted by two people."];
    check("When may the mast be painted?", "The mast may be painted in October alone.", others).await;
}

#[tokio::test]
async fn a_sentence_that_ends_with_a_colon_brings_its_list() {
    let text = "Work is dangerous.\n\nBring these tools for the mast:\n\n- a long rope\n- a bright lamp\n1. a map\n\nThen go home.";
    let said = shown("Which tools for the mast?", vec![piece(1, 1, 0, text)]).await;
    let before = WrittenSentence::context("Work is dangerous.", vec![1]);
    let answer = WrittenSentence::answer("Bring these tools for the mast:", vec![1]);
    let after = WrittenSentence::context("a long rope\n- a bright lamp\n1. a map\n\nThen go home.", vec![1]);
    assert_eq!(said, [before, answer, after]);
}

#[tokio::test]
async fn the_passage_that_the_judge_is_surest_of_is_quoted_and_none_it_found_no_answer_in() {
    let pieces = vec![
        read(1, "The tools for the mast are kept in the shed.", (0.2, "shed")),
        read(2, "The tools for the mast are old.", (0.5, "old")),
        read(3, "Ropes and lamps hang there.", (0.9, "Ropes and lamps")),
    ];
    let said = written("Which tools for the mast?", pieces).await;
    assert_eq!(said, [("Ropes and lamps hang there.".to_owned(), vec![3])]);
}

#[tokio::test]
async fn a_second_passage_is_quoted_only_where_the_judge_is_nearly_as_sure_of_it() {
    let sure = read(1, "Ropes hang there.", (0.95, "Ropes"));
    for (certainty, units) in [(0.7, 2), (0.69, 1)] {
        let pieces = vec![sure.clone(), read(2, "Lamps stand here.", (certainty, "Lamps"))];
        assert_eq!(written("Which tools for the mast?", pieces).await.len(), units, "{certainty}");
    }
}

#[tokio::test]
async fn a_sentence_without_a_colon_brings_no_list() {
    let said = texts("Which tools for the mast?", "Bring these tools for the mast.\n\n- a rope\n- a lamp").await;
    assert_eq!(said, ["Bring these tools for the mast."]);
}

#[tokio::test]
async fn sentences_are_read_in_the_order_of_their_document() {
    let pieces = vec![
        piece(1, 1, 4, "The pump needs a clean filter to run."),
        piece(2, 1, 1, "Nothing here. The valve needs a dry seal to close."),
    ];
    let said = written("What do the pump and the valve need, filter or seal?", pieces).await;
    let expected = [("The valve needs a dry seal to close.", 2u32), ("The pump needs a clean filter to run.", 1)];
    let said: Vec<(&str, u32)> = said.iter().map(|(text, markers)| (text.as_str(), markers[0])).collect();
    assert_eq!(said, expected);
}

const BANDS: &str = "Band: B1; Role: Assistant; From: 28000\n\nBand: B2; Role: Officer; From: 34000\n\nBand: B3; Role: Manager; From: 52000";
const PEOPLE: &str = "Name: Tom Reed; Subject: Leave; Phone: 143\n\nName: Mira Holt; Subject: Payroll; Phone: 142";

/// The sheets of a workbook, as the judge reads them: it is surest of the person, and nearly as sure of the bands.
fn sheets(bands: &str) -> Vec<BriefPiece> {
    let people = BriefPiece {
        document: 1,
        ordinal: 1,
        heading: vec!["staff".to_owned(), "Contacts".to_owned()],
        ..read(1, PEOPLE, (0.98, "Mira Holt"))
    };
    let bands = BriefPiece {
        document: 1,
        heading: vec!["staff".to_owned(), "Bands".to_owned()],
        ..read(2, bands, (0.75, "Role: Assistant"))
    };
    vec![people, bands]
}

#[tokio::test]
async fn of_a_workbook_the_row_that_is_asked_for_is_shown_and_no_other() {
    let row = WrittenSentence::answer("Name: Mira Holt; Subject: Payroll; Phone: 142", vec![1]);
    assert_eq!(shown("Who do I call about payroll?", sheets(BANDS)).await, std::slice::from_ref(&row));
    // A sheet that speaks of what is asked for comes behind the one that answers, wherever it stands in the workbook.
    let of_payroll = BANDS.replace("Role: Assistant", "Role: Assistant to payroll");
    let said = shown("Who do I call about payroll?", sheets(&of_payroll)).await;
    assert_eq!((said.first(), said.get(1).map(|one| &one.markers)), (Some(&row), Some(&vec![2])), "{said:?}");
}

#[tokio::test]
async fn rows_that_nothing_tells_apart_are_shown_together() {
    let said = shown("Which bands are there?", vec![read(1, BANDS, (0.9, "Band: B1"))]).await;
    let whole: Vec<&str> = said.iter().map(|sentence| sentence.text.as_str()).collect();
    assert_eq!(whole.join("\n\n"), BANDS);
}

#[tokio::test]
async fn a_title_is_not_cited_and_what_stands_below_it_is() {
    for (title, below) in [
        ("## What you need", "A badge and a laptop."),
        ("**What you need**", "A badge and a laptop."),
        ("**What you need:**", "A badge and a laptop."),
    ] {
        let text = format!("{title}\n\n{below} Bring both.\n\nThe desk opens at nine.");
        let answers = written("What do you need?", vec![read(1, &text, (0.9, "What you need"))]).await;
        assert_eq!(answers, [(below.to_owned(), vec![1])], "{title}");
    }
    let list = "**Requirements**\n\n- a badge\n- a laptop";
    let said = shown("What are the requirements?", vec![read(1, list, (0.9, "Requirements"))]).await;
    let told: Vec<(&str, SentenceRole)> = said.iter().map(|one| (one.text.as_str(), one.role)).collect();
    let expected = [
        ("**Requirements**", SentenceRole::Context),
        ("a badge", SentenceRole::Answer),
        ("a laptop", SentenceRole::Context),
    ];
    assert_eq!(told, expected);
    let alone =
        written("What are the requirements?", vec![read(1, "**Requirements: a badge**", (0.9, "a badge"))]).await;
    assert_eq!(alone.len(), 1, "words with nothing below them are all there is");
}

#[tokio::test]
async fn what_comes_nearest_comes_first_wherever_it_stands() {
    let (pump, valve) = ("The pump needs a clean filter.", "The valve needs a dry seal.");
    let pieces = || {
        let later = BriefPiece { document: 1, ordinal: 4, ..read(1, pump, (0.4, pump)) };
        vec![later, BriefPiece { document: 1, ordinal: 1, ..read(2, valve, (0.35, valve)) }]
    };
    let near = shown_for(Purpose::Nearest, "What does the pump need?", pieces()).await;
    assert_eq!(near.iter().map(|one| one.text.as_str()).collect::<Vec<_>>(), [pump, valve]);
}

#[tokio::test]
async fn a_question_with_no_shared_word_gives_nothing() {
    assert!(texts("Where do penguins sleep?", "The mast is tall. The lamp is red. The rope is long.").await.is_empty());
    assert!(written("Where do penguins sleep?", Vec::new()).await.is_empty());
}

#[tokio::test]
async fn a_word_that_only_the_heading_shares_is_not_enough() {
    let mut headed = piece(1, 1, 0, "It stands on the roof.");
    headed.heading = vec!["Penguins".to_owned()];
    assert!(written("Where do penguins sleep?", vec![headed]).await.is_empty());
}

#[tokio::test]
async fn a_sentence_found_twice_is_said_once() {
    let text = "The mast is two metres tall.";
    let said = written("How tall is the mast?", vec![piece(1, 1, 0, text), piece(2, 2, 0, text)]).await;
    assert_eq!(said, [(text.to_owned(), vec![1])]);
}

#[tokio::test]
async fn every_sentence_said_stands_in_the_piece_it_cites() {
    let pieces = vec![
        piece(3, 1, 0, "Größe “5 µm”. The mast — naïve 日本 — is tall. | a | b |"),
        piece(7, 2, 0, "The mast:\n- 🌧 rain\n- snow\n```\ncode mast\n```\n"),
    ];
    for question in ["How tall is the mast?", "mast", "What is the mast?", "🌧", "…"] {
        for WrittenSentence { text, markers, .. } in shown(question, pieces.clone()).await {
            let cited = pieces.iter().find(|piece| markers == [piece.marker]).expect("a piece that was given");
            assert!(cited.text.contains(&text), "{question}: {text:?}");
        }
    }
}

const PUMP: &str = "Which animal drives the pump of the old mill in dry summers?";
const SHARES_MORE: &str = "The pump of the mill is painted green.";
const HOLDS_THE_ANSWER: &str = "A donkey walks round the pump — day and night.";

/// Both sentences in one passage; the judge, if it has read it, sees the answer in the donkey.
async fn said_of_the_pump(answerable: Option<f32>) -> Vec<String> {
    let opening = "Über alles: 🌧.";
    let mut read = piece(1, 1, 0, &format!("{opening} {SHARES_MORE} {HOLDS_THE_ANSWER}"));
    let start = opening.chars().count() + SHARES_MORE.chars().count() + 2;
    let span = CharSpan { start, end: start + "A donkey".chars().count() };
    read.reading = answerable.map(|answerable| Reading { answerable, relevant: answerable, span: Some(span) });
    written(PUMP, vec![read]).await.into_iter().map(|(text, _)| text).collect()
}

#[tokio::test]
async fn the_sentence_in_which_the_judge_sees_the_answer_is_chosen_over_one_that_shares_more_words() {
    assert_eq!(said_of_the_pump(Some(0.95)).await, [HOLDS_THE_ANSWER]);
    assert_eq!(said_of_the_pump(Some(0.05)).await, [SHARES_MORE], "a judge that is sure of nothing");
}

#[tokio::test]
async fn without_a_reading_the_words_alone_choose() {
    assert_eq!(said_of_the_pump(None).await, [SHARES_MORE]);
    let without_span = |text: &str| {
        let mut read = piece(1, 1, 0, text);
        read.reading = Some(Reading { answerable: 0.95, relevant: 0.95, span: None });
        read
    };
    let text = format!("{SHARES_MORE} {HOLDS_THE_ANSWER}");
    let plain = written(PUMP, vec![piece(1, 1, 0, &text)]).await;
    assert_eq!(written(PUMP, vec![without_span(&text)]).await, plain, "a reading without a span");
}

#[tokio::test]
async fn a_sentence_without_a_word_of_the_question_is_said_where_the_judge_is_sure_of_it() {
    let text = "Carp live there.";
    for (answerable, expected) in [(0.2, vec![text]), (0.19, Vec::new())] {
        let mut read = piece(1, 1, 0, text);
        let span = Some(CharSpan { start: 0, end: text.len() });
        read.reading = Some(Reading { answerable, relevant: answerable, span });
        let said = written("Which fish swim in the pond?", vec![read]).await;
        assert_eq!(said.iter().map(|(text, _)| text.as_str()).collect::<Vec<_>>(), expected, "{answerable}");
    }
}
