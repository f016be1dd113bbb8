//! Documents that were replaced beside those that replaced them: which of them an answer rests on, and what is said of the others.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{future::Future, pin::Pin, sync::Arc, time::Duration};

use vouch_domain::{
    Address, DocumentCard, PortError, Question,
    ports::{JudgedPassage, KeptDocument, PassageJudge, Reading},
};
use vouch_engine::{
    ask::{Engine, Response},
    decide::Decision,
    policy::{GatePolicy, Policies},
};
use vouch_testkit::{
    contracts::everyone,
    corpus::{card, kept},
    fakes::ScriptedGenerator,
};

use crate::support::engines::{engine_over, filled};

const QUESTION: &str = "How many days of leave do staff have?";
const OLD: &str = "Staff have 25 days of leave.";
const NEW: &str = "By the rules of this year staff have 27 days of leave, which they take in whole weeks.";

/// Reads each passage with the certainty that stands beside some of its words.
struct Certain(Vec<(&'static str, f32)>);

impl PassageJudge for Certain {
    fn name(&self) -> &str {
        "certain"
    }

    fn read<'a, 'q, 'b>(
        &'a self,
        _: &'q str,
        passages: Vec<JudgedPassage>,
        _: Duration,
    ) -> Pin<Box<dyn Future<Output = Result<Vec<Option<Reading>>, PortError>> + Send + 'b>>
    where
        'a: 'b,
        'q: 'b,
        Self: 'b,
    {
        let certainty = |text: &str| self.0.iter().find(|(words, _)| text.contains(words)).map_or(0.1, |one| one.1);
        let reading = |passage: JudgedPassage| {
            let answerable = certainty(&passage.text);
            Some(Reading { answerable, relevant: answerable, span: None })
        };
        Box::pin(std::future::ready(Ok(passages.into_iter().map(reading).collect())))
    }
}

fn policy(id: &str, address: &str) -> DocumentCard {
    DocumentCard { address: Address::parse(address), ..card(id, &[]) }
}

fn replaced(id: &str, address: &str, by: Option<&str>, status: Option<&str>) -> DocumentCard {
    let (status, superseded_by) = (status.map(str::to_owned), by.and_then(Address::parse));
    DocumentCard { status, superseded_by, ..policy(id, address) }
}

/// Asks with a writer that says the words under the number they should have.
async fn ask(documents: Vec<KeptDocument>, readings: &[(&'static str, f32)], said: &[(&str, &[u32])]) -> Response {
    let mut policies = Policies::default();
    policies.judge.relevance_floor = 0.0;
    policies.judge.relevance_floor_unread = 0.0;
    policies.judge.gates = vec![GatePolicy::Answerability { at_least: 0.5 }];
    let judge: Option<Arc<dyn PassageJudge>> = match readings {
        [] => None,
        readings => Some(Arc::new(Certain(readings.to_vec()))),
    };
    if judge.is_none() {
        policies.judge.gates = Vec::new();
    }
    let engine = Engine {
        passage_judge: judge,
        writer: Arc::new(ScriptedGenerator::saying(said)),
        policies,
        ..engine_over(&filled(documents).await)
    };
    engine.ask(&Question::new(QUESTION.to_owned(), everyone())).await.expect("the question is walked")
}

/// The ids of the pieces in their order, each with whether it may be quoted.
fn pieces(response: &Response) -> Vec<(&str, bool)> {
    let pieces = response.evidence.pieces().iter();
    pieces.map(|piece| (piece.passage.document.id.as_str(), piece.may_answer)).collect()
}

fn notices(response: &Response) -> Vec<String> {
    match &response.decision {
        Decision::Answer(answer) => answer.notices().to_vec(),
        Decision::Refuse(_) | Decision::Clarify(_) | Decision::Refer(_) | Decision::General(_) | Decision::Tool(_) => {
            Vec::new()
        }
    }
}

#[tokio::test]
async fn what_was_replaced_stands_behind_what_holds_and_is_said_to_be() {
    for old in [replaced("old", "HR-3", Some("HR-9"), None), replaced("old", "HR-3", None, Some("superseded"))] {
        let said = if old.superseded_by.is_some() { "is superseded by HR-9" } else { "is superseded" };
        let documents = vec![kept(old, &[OLD]), kept(policy("new", "HR-9"), &[NEW])];
        let response = ask(documents, &[("25 days", 0.95), ("27 days", 0.75)], &[(NEW, &[1])]).await;
        assert_eq!(pieces(&response), [("new", true), ("old", false)]);
        assert_eq!(notices(&response), [format!("HR-3 also covers this, but {said}; it is not quoted.")]);
    }
}

#[tokio::test]
async fn what_was_replaced_answers_where_nothing_that_holds_answers_as_surely() {
    let old = || kept(replaced("old", "HR-3", Some("HR-9"), None), &[OLD]);
    let new = || kept(policy("new", "HR-9"), &["The rules of leave are printed on yellow paper this year."]);
    for readings in [[("25 days", 0.95), ("yellow", 0.6)], [("25 days", 0.6), ("yellow", 0.4)]] {
        let response = ask(vec![old(), new()], &readings, &[(OLD, &[1])]).await;
        assert_eq!(pieces(&response).first(), Some(&("old", true)), "{readings:?}");
        assert_eq!(notices(&response), ["HR-3 is superseded by HR-9; read that first."], "{readings:?}");
    }
}

#[tokio::test]
async fn documents_that_hold_keep_their_order() {
    let documents = vec![kept(policy("one", "HR-3"), &[OLD]), kept(policy("two", "HR-9"), &[NEW])];
    let response = ask(documents, &[("25 days", 0.95), ("27 days", 0.75)], &[(OLD, &[1])]).await;
    assert_eq!(pieces(&response), [("one", true), ("two", true)]);
    assert_eq!(notices(&response), Vec::<String>::new());
}

#[tokio::test]
async fn the_older_of_two_texts_that_are_nearly_the_same_is_the_one_that_is_left_out() {
    let text = |days: u32| {
        let rules = (1..60).map(|rule| format!("rule{rule}")).collect::<Vec<_>>().join(" ");
        format!("Staff have {days} days of leave by {rules}.")
    };
    let (old, new) = (text(25), text(27));
    let documents =
        vec![kept(replaced("old", "HR-3", Some("HR-9"), None), &[&old]), kept(policy("new", "HR-9"), &[&new])];
    for readings in [&[("25 days", 0.95), ("27 days", 0.9)][..], &[]] {
        let response = ask(documents.clone(), readings, &[(&new, &[1])]).await;
        assert_eq!(pieces(&response), [("new", true)], "{readings:?}");
    }
}
