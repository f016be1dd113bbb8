//! The auditor finds every identifier an answer shows again, and says so where it does not.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::time::Duration;

use crate::support::{Fixture, QUESTION, reader, saying};
use vouch_domain::{Address, DocumentCard, DocumentId, Question};
use vouch_engine::{
    ask::{Engine, Response},
    auditor::{Inspection, MarkerCounts, UnknownIdentifier},
    decide::{Decision, Suggestion},
    policy::AddressScheme,
};
use vouch_testkit::{
    contracts::tagged,
    corpus::{TENANT, card, kept},
};

const WITHIN: Duration = Duration::from_secs(5);

async fn asked(engine: &Engine) -> Response {
    let response = engine.ask(&Question::new(QUESTION, reader())).await.expect("the question is walked");
    assert!(matches!(response.decision, Decision::Answer(_)), "{:?}", response.decision);
    response
}

async fn inspected(engine: &Engine) -> Inspection {
    engine.inspect(&asked(engine).await, &reader(), WITHIN).await
}

fn missing(inspection: &Inspection) -> Vec<(&str, &str, &str)> {
    inspection.unknown.iter().map(|one| (one.kind.as_str(), one.identifier.as_str(), one.fault.as_str())).collect()
}

#[tokio::test]
async fn an_honest_answer_is_found_again_whole() {
    let engine = Fixture::with(&saying("Annual leave is 25 days a year. [^1]")).engine().await;
    let inspection = inspected(&engine).await;
    assert_eq!(inspection.unknown, Vec::<UnknownIdentifier>::new());
    assert_eq!(inspection.unfinished, None);
    assert!(inspection.checked > 0);
    let markers = inspection.markers.expect("a model wrote");
    assert_eq!(markers, MarkerCounts { emitted: 1, dropped: 0, invented: 0 });
    assert_eq!((markers.dropped_share(), markers.invented_share()), (Some(0.0), Some(0.0)));
}

#[tokio::test]
async fn invented_citations_are_a_share_of_those_the_model_wrote() {
    let said = "Annual leave is 25 days a year. [^1][^9] Leave is asked for on form HR-7. [^7][^1]";
    let engine = Fixture::with(&saying(said)).engine().await;
    let markers = inspected(&engine).await.markers.expect("a model wrote");
    assert_eq!((markers.invented, markers.dropped, markers.emitted), (2, 2, 4), "{markers:?}");
    assert_eq!(markers.invented_share(), Some(0.5));
}

#[tokio::test]
async fn a_source_of_a_collection_that_the_reader_does_not_read_is_named() {
    let engine = Fixture::with(&saying("Annual leave is 25 days a year. [^1]")).engine().await;
    let response = asked(&engine).await;
    let within = |name: &str| reader().within(&[name.to_owned()].into());
    assert!(engine.inspect(&response, &within("default"), WITHIN).await.unknown.is_empty());
    let inspection = engine.inspect(&response, &within("minutes"), WITHIN).await;
    assert_eq!(missing(&inspection), [("source", "leave:0", "not_found")]);
}

#[tokio::test]
async fn a_source_that_is_gone_or_says_something_else_is_named() {
    let engine = Fixture::with(&saying("Annual leave is 25 days a year. [^1]")).engine().await;
    let response = asked(&engine).await;
    let catalogue = &engine.retrieve.catalogue;
    catalogue.upsert(vec![kept(card("leave", &["hr"]), &["Annual leave is 26 days a year."])]).await.expect("kept");
    let inspection = engine.inspect(&response, &reader(), WITHIN).await;
    assert_eq!(missing(&inspection), [("source", "leave:0", "not_found")]);
    let id = DocumentId::parse("leave").expect("an id");
    catalogue.remove(TENANT, &[id]).await.expect("removed");
    let inspection = engine.inspect(&response, &reader(), WITHIN).await;
    assert_eq!(missing(&inspection), [("source", "leave:0", "not_found")]);
}

#[tokio::test]
async fn what_the_reader_may_not_see_is_not_found_for_them() {
    let engine = Fixture::with(&saying("Annual leave is 25 days a year. [^1]")).engine().await;
    let response = asked(&engine).await;
    let inspection = engine.inspect(&response, &tagged(&["it"]), WITHIN).await;
    assert_eq!(missing(&inspection), [("source", "leave:0", "not_found")]);
}

/// A desk whose profile calls forms by an address.
fn with_forms(said: &str) -> Fixture {
    let mut fixture = Fixture::with(&saying(said));
    fixture.policies.understand.addresses = vec![AddressScheme {
        kind: Some("form".to_owned()),
        pattern: regex::Regex::new(r"\bHR-(?P<number>\d+)\b").expect("a pattern"),
        normal: "HR-{number}".to_owned(),
        from_name: None,
        lead_section: None,
    }];
    fixture
}

#[tokio::test]
async fn an_address_the_source_itself_names_is_quoted_and_not_invented() {
    let engine = with_forms("Leave is asked for on form HR-7. [^1]").engine().await;
    let inspection = inspected(&engine).await;
    assert_eq!(missing(&inspection), Vec::<(&str, &str, &str)>::new());
    assert!(inspection.checked >= 2, "the source and the address");
}

#[tokio::test]
async fn an_address_nobody_has_is_named_and_one_that_somebody_has_is_not() {
    let engine = with_forms("Leave is asked for on form HR-7. [^1]").engine().await;
    let mut response = engine.ask(&Question::new("Who fed the cat?", tagged(&["none"]))).await.expect("walked");
    let Decision::Refuse(refusal) = &mut response.decision else { panic!("{:?}", response.decision) };
    let offered =
        |query: &str| Suggestion { label: query.to_owned(), query: query.to_owned(), kind: "form".to_owned() };
    refusal.suggestions = vec![offered("HR-99"), offered("Everything about HR-98 and more")];
    let inspection = engine.inspect(&response, &reader(), WITHIN).await;
    assert_eq!(missing(&inspection), [("address", "HR-99", "not_found")]);
    let named = DocumentCard { address: Address::parse("HR-99"), ..card("form-99", &[]) };
    engine.retrieve.catalogue.upsert(vec![kept(named, &["A form."])]).await.expect("kept");
    let inspection = engine.inspect(&response, &reader(), WITHIN).await;
    assert_eq!((inspection.checked, inspection.unknown), (1, Vec::new()));
}

#[tokio::test]
async fn a_refusal_names_nothing_and_costs_nothing() {
    let mut fixture = Fixture::with(&saying("Annual leave is 25 days a year. [^1]"));
    fixture.documents.clear();
    let engine = fixture.engine().await;
    let response = engine.ask(&Question::new(QUESTION, reader())).await.expect("walked");
    assert!(matches!(response.decision, Decision::Refuse(_)));
    let inspection = engine.inspect(&response, &reader(), WITHIN).await;
    assert_eq!((inspection.checked, inspection.unknown.len(), inspection.markers), (0, 0, None));
}
