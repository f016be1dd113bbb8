//! What an editor set word for word is reached, whatever a figure, the vocabulary or the catalogue would say; and of entries that are only
//! near, the nearest counts.
#![expect(clippy::expect_used, clippy::panic, reason = "a broken test should stop where it breaks")]

use std::{collections::BTreeSet, sync::Arc};

use vouch_domain::{MemoryEntry, MemoryKind, Question, Reference, Wording, ports::Memory};
use vouch_engine::{
    ask::{Engine, Response},
    decide::Decision,
    model_registry::ModelRegistry,
    policy::{GatePolicy, Policies, TerminologyPolicy},
    terminology::TermLookup,
    trace::MemoryVerdict,
};
use vouch_testkit::{
    contracts::{everyone, memory::embedded},
    corpus::{TENANT, card, kept},
    fakes::{FakeEmbedder, FakeJudge, FakeMemory, FakeVocabulary, StoppedClock, concept},
};

use crate::support::{
    engines::{engine_over, filled},
    job_model, saying,
};

const FACT: &str = "The mast height is two metres.";

fn entry(id: &str, kind: MemoryKind, phrases: &[(&str, Option<&str>)], references: &[&str]) -> MemoryEntry {
    let say =
        |text: &str, language: Option<&str>| Wording { text: text.to_owned(), language: language.map(str::to_owned) };
    MemoryEntry {
        id: id.to_owned(),
        tenant: TENANT.to_owned(),
        kind,
        phrases: phrases.iter().map(|(text, language)| say(text, *language)).collect(),
        note: if kind == MemoryKind::Note { vec![say("Measure first. The two disagree.", None)] } else { Vec::new() },
        is_for_readers: false,
        references: references.iter().filter_map(|reference| Reference::parse(reference)).collect(),
        tags: BTreeSet::new(),
        translated_by_model: BTreeSet::new(),
    }
}

/// An engine whose gates let nothing pass, with a vocabulary that knows the mast.
async fn strict(entries: Vec<MemoryEntry>) -> Engine {
    let documents = vec![
        kept(card("mast", &[]), &[FACT]),
        kept(
            card("rope", &[]),
            &["The rope is long.", "The rope is green.", "The rope is old.", "The rope ends here."],
        ),
    ];
    let memory = FakeMemory::default();
    memory.upsert(entries.into_iter().map(embedded).collect()).await.expect("the entries are kept");
    let mut policies = Policies::default();
    policies.judge.gates = vec![GatePolicy::Answerability { at_least: 1.0 }];
    policies.decide.confidence_at_least = Some(99);
    let vocabulary = FakeVocabulary::new(vec![concept("https://t.test/mast", &["Mast"], Some("A pole."))]);
    let terms = TermLookup::new(Arc::new(vocabulary), Arc::new(StoppedClock::at(0)), TerminologyPolicy::default());
    Engine {
        memory: Some(Arc::new(memory)),
        terms: Some(Arc::new(terms)),
        passage_judge: Some(Arc::new(FakeJudge::always(0.1, 0.0))),
        policies,
        ..engine_over(&filled(documents).await)
    }
}

async fn ask(engine: &Engine, text: &str) -> Response {
    engine.ask(&Question::new(text, everyone())).await.expect("a decision")
}

fn answered(response: &Response) -> String {
    let Decision::Answer(answer) = &response.decision else { panic!("{:?}", response.decision) };
    assert_eq!(answer.confidence().overall, 100);
    answer.text().with_markers()
}

#[tokio::test]
async fn a_phrase_asked_as_written_comes_before_vocabulary_catalogue_and_greeting_and_past_every_gate() {
    let phrases = ["What is a mast?", "List documents", "hello", "Who are you?", "mast", "Hoe hoog is de mast?"];
    for kind in [MemoryKind::Pinned, MemoryKind::Note] {
        let own: Vec<(&str, Option<&str>)> = phrases.iter().map(|text| (*text, Some("nl"))).collect();
        let engine = strict(vec![entry("set", kind, &own, &["mast"])]).await;
        for phrase in phrases {
            for asked in [phrase.to_owned(), format!(" {}!", phrase.to_uppercase())] {
                let response = ask(&engine, &asked).await;
                assert_eq!(answered(&response), format!("{FACT} [^1]"), "{asked}");
                assert_eq!(
                    response.trace.memory.first().map(|one| one.verdict),
                    Some(MemoryVerdict::Accepted),
                    "{asked}"
                );
            }
        }
        let other = ask(&engine, "How high is that mast?").await;
        assert!(!matches!(other.decision, Decision::Answer(_)), "{kind:?}: not its words, so every gate holds");
    }
}

#[tokio::test]
async fn a_phrase_is_reached_without_an_embedder_and_without_a_judge() {
    let mut engine = strict(vec![entry("set", MemoryKind::Note, &[("How tall?", None)], &["mast", "rope"])]).await;
    engine.retrieve.embedder = Arc::new(FakeEmbedder::down());
    engine.passage_judge = None;
    let text = answered(&ask(&engine, "how tall").await);
    assert!(text.contains(FACT) && text.contains("rope"), "{text}");
}

#[tokio::test]
async fn of_entries_that_are_near_the_nearer_counts_whether_it_is_pinned_or_a_note() {
    let near = [("tall green mast", None)];
    let far = [("tall mast rope ends", None)];
    for (note, pin, expected) in [(near, far, "note"), (far, near, "pin")] {
        let entries = vec![
            entry("note", MemoryKind::Note, &note, &["mast", "rope"]),
            entry("pin", MemoryKind::Pinned, &pin, &["mast", "rope"]),
        ];
        let mut engine = strict(entries).await;
        engine.terms = None;
        (engine.policies.memory.pinned_at_least, engine.policies.memory.border_from) = (0.3, 0.2);
        (engine.policies.memory.note_at_least, engine.policies.memory.strong_note_at_least) = (0.2, 0.9);
        let response = ask(&engine, "mast green tall").await;
        let accepted: Vec<&str> = response
            .trace
            .memory
            .iter()
            .filter(|one| one.verdict == MemoryVerdict::Accepted)
            .map(|one| one.id.as_str())
            .collect();
        assert_eq!(accepted, [expected]);
    }
}

#[tokio::test]
async fn sources_are_said_to_disagree_only_where_the_note_is_near_enough() {
    let mut engine =
        strict(vec![entry("note", MemoryKind::Note, &[("tall green mast", None)], &["mast", "rope"])]).await;
    engine.terms = None;
    engine.policies.decide.confidence_at_least = None;
    engine.policies.judge.gates = Vec::new();
    engine.policies.memory.border_answer_at_least = 0.0;
    let says_so = |response: &Response| format!("{:?}", response.decision).contains("sources disagree");
    assert!(says_so(&ask(&engine, "mast green tall").await));
    assert!(says_so(&ask(&engine, "mast green tall rope").await), "0.87 is above 0.70");
    assert!(!says_so(&ask(&engine, "mast green height").await), "0.67 is a note's figure, and below the strong one");
    let shown = format!("{:?}", ask(&engine, "mast green tall").await.decision);
    assert!(!shown.contains("Measure first"), "a note is shown only where it is written for readers: {shown}");
}

#[tokio::test]
async fn a_note_is_shown_where_it_is_written_for_readers() {
    for is_for_readers in [true, false] {
        let note = MemoryEntry { is_for_readers, ..entry("note", MemoryKind::Note, &[("How tall?", None)], &["mast"]) };
        let response = ask(&strict(vec![note]).await, "How tall?").await;
        assert_eq!(format!("{:?}", response.decision).contains("Editor's note: Measure first."), is_for_readers);
    }
}

#[tokio::test]
async fn a_planned_question_finds_an_entry_and_the_judge_reads_it_beside_the_asker_s_own_words() {
    let pinned = [("How tall is the green mast?", None)];
    let note = entry("note", MemoryKind::Note, &[("the green rope", None)], &["rope"]);
    let engine = strict(vec![entry("pin", MemoryKind::Pinned, &pinned, &["mast", "rope"]), note]).await;
    let planning = || Some(job_model(&saying("How tall is the green mast?")));
    for (fit, expected) in [(0.9, MemoryVerdict::Accepted), (0.1, MemoryVerdict::BorderRefused)] {
        let engine = Engine {
            model_registry: ModelRegistry { planning: planning(), ..ModelRegistry::default() },
            passage_judge: Some(Arc::new(FakeJudge::always(fit, 0.0))),
            terms: None,
            ..engine.clone()
        };
        let response = ask(&engine, "old rope ends").await;
        let verdict = response.trace.memory.iter().find(|one| one.id == "pin").map(|one| one.verdict);
        assert_eq!(verdict, Some(expected), "{:?}", response.trace.memory);
    }
    let unjudged = Engine {
        model_registry: ModelRegistry { planning: planning(), ..ModelRegistry::default() },
        passage_judge: None,
        ..engine
    };
    let response = ask(&unjudged, "old rope ends").await;
    let verdict = response.trace.memory.iter().find(|one| one.id == "pin").map(|one| one.verdict);
    assert_eq!(verdict, Some(MemoryVerdict::BorderUnjudged), "a model's words alone choose no source");
}

#[tokio::test]
async fn a_reference_names_a_passage_of_a_document() {
    let phrase = [("Which colour?", None)];
    let whole =
        answered(&ask(&strict(vec![entry("a", MemoryKind::Pinned, &phrase, &["rope"])]).await, "Which colour?").await);
    assert_eq!(whole.matches("[^").count(), 1, "of a long document the nearest passage: {whole}");
    let parts = ["rope \"is GREEN\"", "rope \"ends here\""];
    let named =
        answered(&ask(&strict(vec![entry("a", MemoryKind::Pinned, &phrase, &parts)]).await, "Which colour?").await);
    assert_eq!(named, "The rope is green. [^1]\nThe rope ends here. [^2]");
    let gone = ["rope \"is blue\""];
    let gone =
        answered(&ask(&strict(vec![entry("a", MemoryKind::Pinned, &phrase, &gone)]).await, "Which colour?").await);
    assert_eq!(gone, whole, "the document is still the one that was chosen");
}
