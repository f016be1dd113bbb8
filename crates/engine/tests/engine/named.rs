//! Documents by name: addresses in every spelling, addresses nobody has, addresses several have, and whole lists.
#![expect(clippy::expect_used, clippy::panic, reason = "a broken test should stop where it breaks")]

use std::sync::Arc;

use regex::Regex;
use vouch_domain::{
    Address, AddressKey, DocumentCard, DocumentId, PortError, Question, Reader, StoredPassage,
    ports::{KeptDocument, KindCount, PageRequest, Register},
};
use vouch_engine::{
    ask::{Engine, Response},
    decide::{Decision, VerifiedAnswer},
    policy::{AddressScheme, GatePolicy, Policies},
};
use vouch_testkit::{
    contracts::{everyone, tagged},
    corpus::{card, kept},
    fakes::ScriptedGenerator,
};

use crate::support::engines::{engine_over, filled};

fn scheme(kind: Option<&str>, pattern: &str, normal: &str) -> AddressScheme {
    AddressScheme {
        kind: kind.map(str::to_owned),
        pattern: Regex::new(pattern).expect("a pattern"),
        normal: normal.to_owned(),
        from_name: None,
        lead_section: None,
    }
}

fn policies() -> Policies {
    let mut policies = Policies::default();
    policies.understand.addresses = vec![
        scheme(Some("ADR"), r"(?i)\bADR[-. ]?(?P<number>\d+)\b", "ADR-{number:4}"),
        scheme(
            None,
            r"(?P<book>(?:[1-3] )?[A-Z][a-z]+) (?P<chapter>\d+)[:.](?P<verse>\d+)(?:-(?P<to>\d+))?",
            "{book} {chapter}:{verse}",
        ),
    ];
    policies.understand.kind_names = vec![("decision".to_owned(), "ADR".to_owned())];
    policies.judge.relevance_floor_unread = 0.3;
    policies.judge.gates = vec![GatePolicy::Top1 { above: 0.1, sure_reading: None }];
    policies
}

fn record(id: &str, address: &str, line: &str) -> KeptDocument {
    kept(named(id, "ADR", address), &[line])
}

fn named(id: &str, kind: &str, address: &str) -> DocumentCard {
    let mut card = card(id, &[]);
    card.kind = kind.to_owned();
    card.address = Address::parse(address);
    card
}

#[tokio::test]
async fn a_record_named_by_its_address_is_quoted_for_certain() {
    let engine = Engine { policies: policies(), ..engine_over(&filled(corpus()).await) };
    let response = engine.ask(&Question::new("adr 12", everyone())).await.expect("a decision");
    let Decision::Answer(answer) = &response.decision else { panic!("{:?}", response.decision) };
    assert_eq!(answer.confidence().overall, 100);
}

fn corpus() -> Vec<KeptDocument> {
    let mut old = named("old", "ADR", "ADR-0009");
    old.status = Some("superseded".to_owned());
    old.superseded_by = Address::parse("ADR-0012");
    let mut secret = named("secret", "ADR", "ADR-0100");
    secret.tags.insert("hr".to_owned());
    let mut twin = named("twin", "ADR", "ADR-0031");
    twin.collection = "acme/cloud".to_owned();
    vec![
        kept(old, &["Use the old model."]),
        record("model", "ADR-0012", "Use the common model for every exchange."),
        record("bus", "ADR-0031", "Send events over the bus."),
        kept(twin, &["Run everything in the cloud."]),
        kept(secret, &["Pay everybody."]),
        kept(
            named("long", "ADR", "ADR-0040"),
            &(1..=14)
                .map(|number| format!("Line {number}."))
                .collect::<Vec<_>>()
                .iter()
                .map(String::as_str)
                .collect::<Vec<_>>(),
        ),
        kept(named("v16", "verse", "John 3:16"), &["Sixteen."]),
        kept(named("v17", "verse", "John 3:17"), &["Seventeen."]),
        kept(named("v18", "verse", "John 3:18"), &["Eighteen."]),
    ]
}

async fn engine() -> Engine {
    Engine {
        passage_judge: None,
        reranker: None,
        writer: Arc::new(ScriptedGenerator::saying(&[("Use the common model for every exchange.", &[1])])),
        policies: policies(),
        ..engine_over(&filled(corpus()).await)
    }
}

/// A register nobody is behind.
struct Stalled;

#[async_trait::async_trait]
impl Register for Stalled {
    async fn by_address(&self, _: &Reader, _: &[AddressKey]) -> Result<Vec<DocumentCard>, PortError> {
        std::future::pending().await
    }

    async fn by_ids(&self, _: &Reader, _: &[DocumentId]) -> Result<Vec<DocumentCard>, PortError> {
        std::future::pending().await
    }

    async fn near_address(&self, _: &Reader, _: &AddressKey, _: usize) -> Result<Vec<DocumentCard>, PortError> {
        std::future::pending().await
    }

    async fn of_kind(&self, _: &Reader, _: &str, _: usize) -> Result<Vec<DocumentCard>, PortError> {
        std::future::pending().await
    }

    async fn by_title(&self, _: &Reader, _: &str, _: usize) -> Result<Vec<DocumentCard>, PortError> {
        std::future::pending().await
    }

    async fn page(&self, _: &Reader, _: &PageRequest) -> Result<Vec<DocumentCard>, PortError> {
        std::future::pending().await
    }

    async fn count(&self, _: &Reader, _: &PageRequest) -> Result<u64, PortError> {
        std::future::pending().await
    }

    async fn by_id(&self, _: &Reader, _: &DocumentId) -> Result<Option<DocumentCard>, PortError> {
        std::future::pending().await
    }

    async fn kinds(&self, _: &Reader) -> Result<Vec<KindCount>, PortError> {
        std::future::pending().await
    }

    async fn has_several_collections(&self, _: &Reader) -> Result<bool, PortError> {
        std::future::pending().await
    }

    async fn passages_of(&self, _: &Reader, _: &DocumentId) -> Result<Vec<StoredPassage>, PortError> {
        std::future::pending().await
    }
}

async fn ask_as(reader: Reader, text: &str) -> Response {
    let engine = engine().await;
    let question = Question::new(text, reader);
    engine.ask(&question).await.expect("the question is walked")
}

async fn ask(text: &str) -> Response {
    ask_as(everyone(), text).await
}

fn answer(response: &Response) -> &VerifiedAnswer {
    let Decision::Answer(answer) = &response.decision else { panic!("no answer: {:?}", response.decision) };
    answer
}

fn cited(response: &Response) -> Vec<&str> {
    answer(response).text().citations().iter().map(|one| one.document().id.as_str()).collect()
}

#[tokio::test]
async fn every_spelling_of_an_address_leads_to_its_document() {
    for spelling in
        ["ADR-0012", "adr 12", "ADR.0012", "adr12", "what does ADR-12 decide?", "Tell me what ADR 0012 says"]
    {
        let response = ask(spelling).await;
        assert_eq!(cited(&response), ["model"], "{spelling}");
        assert_eq!(response.intent.as_str(), "entity", "{spelling}");
        let text = answer(&response).text().with_markers();
        assert!(text.contains("Use the common model for every exchange."), "{text}");
        assert!(text.starts_with("ADR-0012: About model"), "{text}");
    }
}

#[tokio::test]
async fn an_address_nobody_has_abstains_with_the_nearest() {
    for question in ["ADR-9999", "What does ADR-9999 decide?", "Compare ADR-0012 with ADR-9999"] {
        let response = ask_as(tagged(&[]), question).await;
        let Decision::Refuse(refusal) = &response.decision else { panic!("{:?}", response.decision) };
        assert_eq!(refusal.reason.as_str(), "entity_not_found");
        let offered: Vec<&str> = refusal.suggestions.iter().map(|one| one.query.as_str()).collect();
        assert_eq!(offered, ["ADR-0040", "ADR-0031", "ADR-0031"], "nothing the reader may not see");
        assert_eq!(refusal.suggestions.first().map(|one| one.label.as_str()), Some("ADR-0040 (About long)"));
    }
}

#[tokio::test]
async fn what_a_reader_may_not_see_does_not_exist_for_them() {
    let response = ask_as(tagged(&["it"]), "ADR-0100").await;
    let Decision::Refuse(refusal) = &response.decision else { panic!("{:?}", response.decision) };
    assert_eq!(refusal.reason.as_str(), "entity_not_found");
    assert_eq!(cited(&ask_as(tagged(&["hr"]), "ADR-0100").await), ["secret"]);
}

#[tokio::test]
async fn an_address_two_documents_have_is_asked_back_unless_the_collection_is_named() {
    let response = ask("ADR-0031").await;
    let Decision::Clarify(clarification) = &response.decision else { panic!("{:?}", response.decision) };
    let queries: Vec<&str> = clarification.options.iter().map(|one| one.query.as_str()).collect();
    assert_eq!(queries, ["ADR-0031 of default", "ADR-0031 of acme/cloud"]);
    assert_eq!(cited(&ask("What was decided in ADR 31 of cloud?").await), ["twin"]);
    for (query, id) in queries.into_iter().zip(["bus", "twin"]) {
        assert_eq!(cited(&ask(query).await), [id], "{query}");
    }
}

#[tokio::test]
async fn a_superseded_record_says_so_and_points_to_its_successor() {
    let response = ask("ADR-0009").await;
    let answer = answer(&response);
    let text = answer.text().with_markers();
    assert!(text.starts_with("ADR-0009: About old (superseded by ADR-0012)"), "{text}");
    assert_eq!(answer.notices(), ["ADR-0009 is superseded by ADR-0012; read that first."]);
}

#[tokio::test]
async fn the_status_of_a_record_is_what_its_card_says() {
    let response = ask("What is the status of ADR 9?").await;
    assert_eq!(answer(&response).text().with_markers(), "ADR-0009: About old (superseded by ADR-0012) [^1]");
    assert_eq!(answer(&response).text().claims().first().map(|claim| claim.checks()), Some(&["catalogue"][..]));
}

#[tokio::test]
async fn a_question_about_a_record_is_answered_from_it_alone() {
    let response = ask("Which model does ADR-0012 want for an exchange?").await;
    assert_eq!(cited(&response), ["model"]);
    assert!(response.evidence.pieces().iter().all(|piece| piece.passage.document.id.as_str() == "model"));
}

#[tokio::test]
async fn verses_and_ranges_of_verses() {
    assert_eq!(cited(&ask("What does  John 3:16 say?").await), ["v16"]);
    assert_eq!(cited(&ask("John 3.16").await), ["v16"]);
    assert_eq!(cited(&ask("John 3:16-18").await), ["v16", "v17", "v18"]);
    for absent in ["John 3:99", "What does John 3:15 say?", "John 4:1"] {
        let Decision::Refuse(refusal) = ask(absent).await.decision else { panic!("{absent} answered") };
        assert_eq!(refusal.reason.as_str(), "entity_not_found", "{absent}");
    }
}

#[tokio::test]
async fn a_range_that_goes_past_the_end_is_not_quietly_cut() {
    let Decision::Refuse(refusal) = ask("John 3:17-19").await.decision else { panic!("answered in part") };
    assert_eq!(refusal.reason.sentence(), "gate entity: no document is called \"John 3:19\"");
    assert_eq!(refusal.suggestions.first().map(|one| one.query.as_str()), Some("John 3:18"));
}

#[tokio::test]
async fn a_long_document_says_that_it_goes_on() {
    let response = ask("ADR-0040").await;
    assert_eq!(answer(&response).text().claims().len(), 13, "the card, and twelve paragraphs");
    assert_eq!(answer(&response).notices(), ["The text continues beyond what is shown."]);
    assert!(answer(&ask("ADR-0012").await).notices().is_empty());
}

#[tokio::test]
async fn a_register_that_does_not_answer_is_not_waited_for() {
    let mut engine = engine().await;
    engine.retrieve.register = Arc::new(Stalled);
    engine.policies.retrieve.lane_timeout = std::time::Duration::from_millis(20);
    let text = "ADR-0012".to_owned();
    let question = Question::new(text, everyone());
    let Decision::Refuse(refusal) = engine.ask(&question).await.expect("a decision").decision else {
        panic!("answered")
    };
    assert_eq!(refusal.reason.as_str(), "search_unavailable");
    assert_eq!(refusal.reason.sentence(), "gate search: the search failed (register: no answer within the deadline)");
}

#[tokio::test]
async fn what_only_looks_like_an_address_is_an_ordinary_question() {
    assert_ne!(ask("Is the Meeting 10:30 about the common model for every exchange?").await.intent.as_str(), "entity");
}

#[tokio::test]
async fn a_list_is_whole_and_in_order_with_a_citation_a_row() {
    for question in ["List ADRs", "list all decisions", "How many ADRs are there?", "Show all ADRs"] {
        let response = ask_as(tagged(&[]), question).await;
        assert_eq!(
            (cited(&response), response.intent.as_str()),
            (vec!["old", "model", "bus", "twin", "long"], "list"),
            "{question}"
        );
        let text = answer(&response).text().with_markers();
        assert!(text.starts_with("5 documents of kind ADR:\nADR-0009: About old"), "{text}");
    }
    assert_eq!(cited(&ask_as(tagged(&["hr"]), "List ADRs").await).len(), 6);
}

#[tokio::test]
async fn a_list_by_status_holds_those_of_it() {
    for question in ["List superseded ADRs", "Which decisions are superseded?", "How many ADRs were superseded?"] {
        let response = ask(question).await;
        assert_eq!(cited(&response), ["old"], "{question}");
        assert!(answer(&response).text().with_markers().starts_with("1 superseded document of kind ADR:"));
    }
    let Decision::Refuse(refusal) = ask("How many purple ADRs are there?").await.decision else { panic!("counted") };
    assert_eq!(refusal.reason.sentence(), "gate list: 0 documents of kind ADR about \"purple\"", "nobody's status");
}

#[tokio::test]
async fn a_list_about_a_topic_holds_those_about_it() {
    assert_eq!(cited(&ask("List ADRs about events").await), ["bus"]);
    let Decision::Refuse(refusal) = ask("List ADRs about whales").await.decision else { panic!("listed") };
    assert_eq!(refusal.reason.sentence(), "gate list: 0 documents of kind ADR about \"whales\"");
    assert_eq!(refusal.suggestions.first().map(|one| one.query.as_str()), Some("List ADR"));
}

#[tokio::test]
async fn a_list_of_no_kind_is_an_ordinary_question() {
    assert_ne!(ask("List the models of every exchange").await.intent.as_str(), "list");
}
