//! Whatever a writer says, only words that stand in the passage it cites are shown.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::sync::Arc;

use vouch_domain::{
    CharSpan, DocumentId, Question,
    ports::{Catalogue, KeptDocument},
};
use vouch_engine::{
    ask::{Engine, Response},
    decide::{Decision, RefusalReason, VerifiedAnswer},
    policy::Policies,
};
use vouch_testkit::{
    contracts::everyone,
    corpus::{card, kept},
    fakes::{MemoryStore, ScriptedGenerator},
};

use crate::support::engines::{engine_over, filled};

const TRUE: &str = "The mast height is two metres.";
const QUESTION: &str = "What is the mast height?";

type Lines<'a> = &'a [(&'a str, &'a [u32])];

async fn ask(documents: Vec<KeptDocument>, lines: Lines<'_>) -> (Response, Arc<MemoryStore>) {
    let store = filled(documents).await;
    let mut policies = Policies::default();
    policies.judge.relevance_floor = 0.0;
    policies.judge.gates = Vec::new();
    let engine = Engine { writer: Arc::new(ScriptedGenerator::saying(lines)), policies, ..engine_over(&store) };
    let reader = everyone();
    let question = Question::new(QUESTION, reader);
    (engine.ask(&question).await.expect("the question is walked"), store)
}

fn mast() -> Vec<KeptDocument> {
    vec![kept(card("mast", &[]), &[TRUE])]
}

fn answer(response: &Response) -> &VerifiedAnswer {
    let answer = match &response.decision {
        Decision::Answer(answer) => Some(answer),
        Decision::Refuse(_) | Decision::Clarify(_) | Decision::Refer(_) | Decision::General(_) | Decision::Tool(_) => {
            None
        }
    };
    answer.expect("an answer")
}

/// Why each sentence was refused; nothing at all where something was shown.
fn refused(response: &Response) -> Vec<(String, String)> {
    let Decision::Refuse(refusal) = &response.decision else { return Vec::new() };
    let RefusalReason::NothingVerified(claims) = &refusal.reason else { return Vec::new() };
    claims.iter().map(|claim| (claim.text.clone(), claim.reason.clone())).collect()
}

/// What is said alone is refused for this reason; said beside a true sentence it is left out and counted.
async fn check(text: &str, markers: &[u32], expected: &'static str) {
    let (alone, _) = ask(mast(), &[(text, markers)]).await;
    assert_eq!(refused(&alone), [(text.to_owned(), expected.to_owned())], "{text:?} alone: {:?}", alone.decision);
    let (beside, _) = ask(mast(), &[(text, markers), (TRUE, &[1])]).await;
    let shown = answer(&beside);
    let claims: Vec<&str> = shown.text().claims().iter().map(|claim| claim.text()).collect();
    assert_eq!(claims, [TRUE], "{text:?} beside a true sentence");
    assert_eq!(shown.notices(), ["1 sentence(s) could not be verified and were left out."]);
    assert_eq!(shown.text().with_markers(), format!("{TRUE} [^1]"));
}

#[tokio::test]
async fn an_invented_sentence_is_not_shown() {
    check("The mast is painted blue.", &[1], "its words are not in the passage it cites").await;
}

#[tokio::test]
async fn a_number_that_was_never_given_supports_nothing() {
    for marker in [0, 2, u32::MAX] {
        check(TRUE, &[marker], "it cites a number that was never given").await;
    }
}

#[tokio::test]
async fn a_sentence_that_cites_nothing_is_not_shown() {
    check(TRUE, &[], "it cites nothing").await;
}

#[tokio::test]
async fn one_changed_character_is_one_too_many() {
    let changed = [
        "The mast height is two metres!",
        "the mast height is two metres.",
        "The mast height is ten metres.",
        "The mast height  is two metres.",
        "The mast he\u{131}ght is two metres.",
        "The mast height is two metres.\u{200b}",
    ];
    for text in changed {
        check(text, &[1], "its words are not in the passage it cites").await;
    }
}

#[tokio::test]
async fn an_empty_sentence_is_not_shown() {
    for text in ["", " ", "\n\t"] {
        check(text, &[1], "it is empty").await;
    }
}

#[tokio::test]
async fn the_second_half_of_a_very_long_sentence_is_not_shown() {
    let half = "would ever believe that the mast is safe to climb in a gale.";
    let text = format!("Nobody who has read {}{half}", "the report of the engineers and ".repeat(40));
    let ranges = vouch_domain::language::sentence_ranges(&text);
    assert_eq!(ranges.len(), 2, "the splitter cuts it for its length");
    for range in ranges {
        let part = text.get(range).expect("a part of the text");
        let (response, _) = ask(vec![kept(card("mast", &[]), &[&text])], &[(part, &[1])]).await;
        assert!(matches!(response.decision, Decision::Refuse(_)), "{part}");
    }
}

#[tokio::test]
async fn words_cut_out_of_a_longer_sentence_are_not_shown() {
    let text = "Nobody may say that the mast is safe. It is false that the mast height is ten metres.";
    for cut in ["the mast is safe.", "the mast height is ten metres.", "mast", "."] {
        let (response, _) = ask(vec![kept(card("mast", &[]), &[text])], &[(cut, &[1])]).await;
        assert_eq!(refused(&response).len(), 1, "{cut:?} was shown");
    }
}

#[tokio::test]
async fn nothing_left_refuses_with_nothing_verified_and_counts_the_rest() {
    let lines: Lines<'_> = &[("Invented.", &[1]), (TRUE, &[]), ("", &[1]), (TRUE, &[7])];
    let (response, _) = ask(mast(), lines).await;
    let Decision::Refuse(refusal) = &response.decision else { panic!("answered") };
    assert_eq!(refusal.reason.as_str(), "nothing_verified");
    assert_eq!(refusal.reason.sentence(), "gate claims: 0 of 4 sentences could be verified");
    assert!(!refusal.suggestions.is_empty());
}

#[tokio::test]
async fn a_silent_writer_refuses_with_nothing_to_say() {
    let (response, _) = ask(mast(), &[]).await;
    let Decision::Refuse(refusal) = &response.decision else { panic!("answered") };
    assert_eq!(refusal.reason.as_str(), "nothing_to_say");
}

#[tokio::test]
async fn sentences_beyond_the_limit_are_not_shown() {
    let lines = vec![(TRUE, &[1u32][..]); 50];
    let (response, _) = ask(mast(), &lines).await;
    assert_eq!(answer(&response).text().claims().len(), Policies::default().compose.sentences_max);
}

#[tokio::test]
async fn a_true_sentence_stays_among_false_ones_and_the_notice_counts_them() {
    let lines: Lines<'_> = &[("Invented.", &[1]), (TRUE, &[9, 1]), ("Invented too.", &[1]), ("", &[])];
    let (response, _) = ask(mast(), lines).await;
    let shown = answer(&response);
    assert_eq!(shown.text().with_markers(), format!("{TRUE} [^1]"));
    assert_eq!(shown.notices(), ["3 sentence(s) could not be verified and were left out."]);
    let claim = shown.text().claims().first().expect("a claim");
    assert_eq!((claim.markers(), claim.checks()), (&[1u32][..], &["verbatim"][..]));
}

#[tokio::test]
async fn words_of_another_passage_are_not_shown_under_this_one() {
    let documents = vec![kept(card("mast", &[]), &[TRUE]), kept(card("lamp", &[]), &["The lamp height is one foot."])];
    let (response, _) = ask(documents, &[(TRUE, &[2]), ("The lamp height is one foot.", &[1])]).await;
    assert_eq!(refused(&response).len(), 2);
}

#[tokio::test]
async fn markers_are_renumbered_from_one_in_the_order_of_appearance() {
    let lines = ["The mast height.", "The mast height of boats.", "The mast height of boats and cranes."];
    let documents = ["a", "b", "c"].iter().zip(lines).map(|(id, line)| kept(card(id, &[]), &[line])).collect();
    let said: Lines<'_> = &[(lines[2], &[3]), ("Invented.", &[2]), (lines[0], &[1]), (lines[2], &[3])];
    let (response, _) = ask(documents, said).await;
    let given: Vec<String> = response.evidence.pieces().iter().map(|piece| piece.passage.source_id()).collect();
    assert_eq!(given, ["a:0", "b:0", "c:0"], "the order the writer was given");
    let text = answer(&response).text();
    let markers: Vec<&[u32]> = text.claims().iter().map(|claim| claim.markers()).collect();
    assert_eq!(markers, [[1], [2], [1]]);
    let cited: Vec<(u32, String)> = text.citations().iter().map(|cited| (cited.marker(), cited.source_id())).collect();
    assert_eq!(cited, [(1, "c:0".to_owned()), (2, "a:0".to_owned())]);
}

#[tokio::test]
async fn the_quote_cut_from_the_stored_document_is_the_sentence() {
    let lines = ["Größe: 5 µm — naïve café 日本語 🌧.", "Überall: “The mast height is two metres.” Ja — 🌧."];
    let sentence = "Überall: “The mast height is two metres.”";
    let document = kept(card("mast", &[]), &lines);
    let (probe, _) = ask(vec![document.clone()], &[]).await;
    let marker = probe.evidence.pieces().iter().find(|piece| piece.passage.passage.ordinal == 1);
    let marker = marker.expect("the second line is evidence").marker;
    let (response, store) = ask(vec![document], &[(sentence, &[marker])]).await;
    let cited = answer(&response).text().citations().first().expect("a citation").clone();
    let id = DocumentId::parse("mast").expect("an id");
    let text = store.text(&everyone(), &id).await.expect("the store answers").expect("the document");
    let span = cited.quote().expect("a quote");
    let quote: String = text.chars().skip(span.start).take(span.end - span.start).collect();
    assert_eq!(quote, sentence);
}

#[tokio::test]
async fn the_quote_of_two_sentences_of_one_piece_holds_both() {
    let line = "Ä mast. The mast height is two metres. It stands. The mast is red.";
    let said: Lines<'_> = &[("The mast is red.", &[1]), (TRUE, &[1])];
    let (response, _) = ask(vec![kept(card("mast", &[]), &[line])], said).await;
    let text = answer(&response).text();
    let cited = text.citations().first().expect("a citation");
    assert_eq!((text.citations().len(), cited.quote()), (1, Some(CharSpan { start: 8, end: line.chars().count() })));
}
