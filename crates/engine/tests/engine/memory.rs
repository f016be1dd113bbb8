//! What an editor prepared is used as it may be: pinned sources in their own words, notes never, and nothing that the
//! asker may not see.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{collections::BTreeSet, sync::Arc};

use async_trait::async_trait;
use vouch_domain::{
    MemoryEntry, MemoryKind, PortError, Question, Reader, Reference, Wording,
    ports::{Brief, Generator, Manuscript, Memory, WrittenSentence},
};
use vouch_engine::{
    ask::{Engine, Response},
    decide::Decision,
    policy::Policies,
    recall,
    retrieve::{Lane, LaneChoice},
    trace::MemoryVerdict,
};
use vouch_testkit::{
    contracts::{everyone, memory::embedded, of_collections, tagged},
    corpus::{TENANT, card, card_of, kept},
    fakes::FakeMemory,
};

use crate::support::engines::{engine_over, filled};

const NOTE: &str = "the seventeen silver buckets of the mast";
const FACT: &str = "The mast height is two metres.";

/// A writer that quotes the note and cites whatever there is.
struct Parrot;

#[async_trait]
impl Generator for Parrot {
    fn name(&self) -> &str {
        "parrot"
    }

    async fn write(&self, brief: Brief) -> Result<Manuscript, PortError> {
        let markers = brief.pieces.iter().map(|piece| piece.marker).collect();
        let text = brief.background.unwrap_or_else(|| "no note".to_owned());
        Ok(Manuscript { sentences: vec![WrittenSentence::answer(text, markers)], model: "parrot".to_owned() })
    }
}

fn entry(id: &str, kind: MemoryKind, phrase: &str, references: &[&str]) -> MemoryEntry {
    let say = |text: &str| vec![Wording { text: text.to_owned(), language: None }];
    MemoryEntry {
        id: id.to_owned(),
        tenant: TENANT.to_owned(),
        kind,
        phrases: say(phrase),
        note: if kind == MemoryKind::Note { say(NOTE) } else { Vec::new() },
        references: references.iter().filter_map(|reference| Reference::parse(reference)).collect(),
        tags: BTreeSet::new(),
        is_for_readers: false,
        translated_by_model: BTreeSet::new(),
    }
}

async fn engine(entries: Vec<MemoryEntry>) -> Engine {
    let documents = vec![
        kept(card("mast", &[]), &[FACT]),
        kept(card("rope", &[]), &["The rope is long."]),
        kept(card("secret", &["hr"]), &["The mast height of the staff."]),
    ];
    let memory = FakeMemory::default();
    memory.upsert(entries.into_iter().map(embedded).collect()).await.expect("the entries are kept");
    let mut policies = Policies::default();
    policies.judge.gates = Vec::new();
    Engine {
        memory: Some(Arc::new(memory)),
        writer: Arc::new(Parrot),
        policies,
        ..engine_over(&filled(documents).await)
    }
}

async fn ask(engine: &Engine, reader: Reader, text: &str) -> Response {
    let question = Question::new(text, reader);
    engine.ask(&question).await.expect("a decision")
}

#[tokio::test]
async fn a_pinned_question_is_answered_by_its_sources_in_their_own_words() {
    let engine = engine(vec![entry("pin", MemoryKind::Pinned, "mast height", &["rope", "mast"])]).await;
    let response = ask(&engine, everyone(), "mast height").await;
    let Decision::Answer(answer) = &response.decision else { panic!("{:?}", response.decision) };
    assert_eq!(answer.text().with_markers(), format!("The rope is long. [^1]\n{FACT} [^2]"));
    assert_eq!(answer.notices(), ["An editor chose these sources for the question \"mast height\"."]);
    assert_eq!(answer.confidence().overall, 100, "it is the very question");
}

#[tokio::test]
async fn a_writer_that_quotes_a_note_is_not_believed() {
    for references in [&["mast"][..], &["mast", "rope", "secret"][..]] {
        let engine = engine(vec![entry("note", MemoryKind::Note, "mast height", references)]).await;
        // Not word for word, or its sources would be quoted.
        let response = ask(&engine, everyone(), "height mast").await;
        let Decision::Refuse(refusal) = &response.decision else { panic!("{:?}", response.decision) };
        assert_eq!(refusal.reason.as_str(), "nothing_verified");
        let shown = format!("{:?} {:?}", response.decision, response.evidence);
        assert!(
            response.evidence.pieces().iter().all(|piece| !piece.passage.passage.text.contains("buckets")),
            "{shown}"
        );
        let cites = response.evidence.pieces().iter().any(|piece| piece.passage.document.id.as_str() == "mast");
        assert!(cites, "what the note refers to may be cited");
    }
}

#[tokio::test]
async fn a_question_that_echoes_the_body_of_a_note_finds_it() {
    let engine = engine(vec![entry("note", MemoryKind::Note, "unrelated words", &["rope"])]).await;
    let response = ask(&engine, everyone(), "seventeen silver buckets").await;
    assert_eq!(
        response.trace.memory.first().map(|one| (one.id.as_str(), one.verdict)),
        Some(("note", MemoryVerdict::Accepted))
    );
}

#[tokio::test]
async fn what_the_asker_may_not_see_is_not_recalled() {
    let hidden = entry("pin", MemoryKind::Pinned, "mast height", &["secret"]);
    let mut tagged_entry = entry("tagged", MemoryKind::Pinned, "mast height", &["rope"]);
    tagged_entry.tags.insert("hr".to_owned());
    let engine = engine(vec![hidden, tagged_entry]).await;
    let response = ask(&engine, tagged(&[]), "mast height").await;
    assert!(!format!("{response:?}").contains("staff"), "{response:?}");
    assert!(response.trace.memory.iter().all(|one| one.id != "tagged"));
    let seen = ask(&engine, tagged(&["hr"]), "mast height").await;
    let Decision::Answer(answer) = &seen.decision else { panic!("{:?}", seen.decision) };
    assert_eq!(answer.text().with_markers(), "The mast height of the staff. [^1]");
}

#[tokio::test]
async fn an_entry_leads_to_nothing_outside_the_collections_that_are_read() {
    let engine = engine(vec![entry("pin", MemoryKind::Pinned, "mast height", &["elsewhere"])]).await;
    let elsewhere = kept(card_of("minutes", "elsewhere", &[]), &["The mast height of the quay."]);
    engine.retrieve.catalogue.upsert(vec![elsewhere]).await.expect("kept");
    engine.retrieve.lexical.refresh().await.expect("refreshed");
    let response = ask(&engine, of_collections(&["default"]), "mast height").await;
    assert!(!format!("{response:?}").contains("quay"), "{response:?}");
    let seen = ask(&engine, of_collections(&["default", "minutes"]), "mast height").await;
    let Decision::Answer(answer) = &seen.decision else { panic!("{:?}", seen.decision) };
    assert_eq!(answer.text().with_markers(), "The mast height of the quay. [^1]");
}

#[tokio::test]
async fn a_memory_that_is_down_is_noted_and_the_walk_goes_on() {
    let mut engine = engine(Vec::new()).await;
    engine.memory = Some(Arc::new(FakeMemory::down()));
    let response = ask(&engine, everyone(), "mast height").await;
    let lane = response.trace.lanes.iter().find(|lane| lane.lane == Lane::Memory).expect("a report");
    assert_eq!(lane.failure.as_deref(), Some("memory: the memory is down"));
    assert!(!response.evidence.pieces().is_empty(), "the other lanes searched");
}

#[tokio::test]
async fn a_question_that_names_only_a_kind_recalls_nothing() {
    let mut engine = engine(vec![entry("note", MemoryKind::Note, "show me a verse", &["rope"])]).await;
    engine.policies.memory.border_answer_at_least = 0.0;
    let recalled = |response: Response| response.trace.memory.iter().any(|one| one.verdict == MemoryVerdict::Accepted);
    assert!(recalled(ask(&engine, everyone(), "show the verse").await), "no kind is called so");
    engine.policies.understand.kind_names = vec![("verse".to_owned(), "verse".to_owned())];
    assert!(!recalled(ask(&engine, everyone(), "show the verse").await));
    assert!(recalled(ask(&engine, everyone(), "show the verse of the rope").await));
}

#[tokio::test]
async fn the_lane_can_be_searched_alone() {
    let engine = engine(vec![entry("pin", MemoryKind::Pinned, "mast height", &["rope"])]).await;
    let text = "mast height".to_owned();
    let question = Question { passages_max: Some(5), ..Question::new(text, everyone()) };
    let found = engine.search(&question, LaneChoice::Only(Lane::Memory)).await.expect("a search");
    let ids: Vec<String> = found.items().iter().map(|one| one.passage.source_id()).collect();
    assert_eq!(ids, ["rope:0"]);
}

#[tokio::test]
async fn an_entry_that_leads_nowhere_is_refused() {
    let engine = engine(Vec::new()).await;
    let cases = [
        (entry("a", MemoryKind::Pinned, "mast", &["mast", "nobody"]), "no document is called 'nobody'"),
        (
            entry("w", MemoryKind::Pinned, "mast", &["mast \"whales\""]),
            "no heading and no passage of 'mast' contains \"whales\"",
        ),
        (entry("b", MemoryKind::Pinned, "mast", &[]), "a pinned question needs at least one reference"),
        (entry("c", MemoryKind::Note, " ", &[]), "it needs at least one phrase or question by which it can be found"),
    ];
    for (entry, expected) in cases {
        let bad =
            recall::check(entry.clone(), &everyone(), engine.retrieve.register.as_ref()).await.expect("looked up");
        assert_eq!(bad.expect_err("refused").sentence, expected, "{}", entry.id);
    }
    let good = entry("d", MemoryKind::Pinned, "mast", &["mast"]);
    assert_eq!(
        recall::check(good.clone(), &everyone(), engine.retrieve.register.as_ref()).await.expect("looked up"),
        Ok(good.clone())
    );
    // A title is enough, and is kept as the id of its document.
    let titled = entry("d", MemoryKind::Pinned, "mast", &["about MAST"]);
    assert_eq!(
        recall::check(titled, &everyone(), engine.retrieve.register.as_ref()).await.expect("looked up"),
        Ok(good)
    );
}
