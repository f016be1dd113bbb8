//! Terms: the document's own cases by name, on a vocabulary that answers, hangs or fails, under a stopped clock.
#![expect(clippy::expect_used, clippy::panic, reason = "a broken test should stop where it breaks")]

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use vouch_domain::{Concept, Fault, PortError, Question, Reader, TermKey, ports::Vocabulary};
use vouch_engine::{
    ask::{Engine, Response},
    decide::Decision,
    policy::{TerminologyPolicy, UnknownTerm},
    terminology::{TermCounts, TermFinding, TermLookup},
};
use vouch_testkit::{
    contracts::everyone,
    corpus::{card, kept},
    fakes::{FakeVocabulary, ScriptedGenerator, StoppedClock, concept},
};

use crate::support::engines::{engine_over, filled};

fn in_scheme(scheme: &str, mut concept: vouch_domain::Concept) -> vouch_domain::Concept {
    concept.schemes = vec![scheme.to_owned()];
    concept
}

fn terms() -> Vec<vouch_domain::Concept> {
    vec![
        in_scheme("Grid", concept("https://t.test/tap", &["Tap"], Some("A point on a winding."))),
        in_scheme("Water", concept("https://t.test/valve", &["Tap"], Some("A valve with a handle."))),
        concept("https://t.test/cimxml", &["CIMXML", "CIM/XML"], Some("An XML form of a grid model.")),
        concept("https://t.test/model", &["Common Information Model", "CIM"], Some("A model of the grid.")),
        concept("https://t.test/module", &["Customer Interface Module", "CIM"], Some("A part of a meter.")),
        concept("https://t.test/switch", &["Switch"], Some("A device that opens a circuit.")),
        concept("https://t.test/lan-switch", &["Network switch", "Switch"], Some("A device that forwards frames.")),
        in_scheme("Rail", concept("https://t.test/points", &["Frog"], Some("A crossing of rails."))),
        in_scheme("Rail", concept("https://t.test/Seat", &["Frog"], Some("A crossing of rails."))),
        concept("https://t.test/current", &["Current transformer"], Some("A device that measures current.")),
        concept("https://t.test/bare", &["Black start"], None),
        concept("https://t.test/busbar", &["Busbar"], Some("A conductor that joins circuits.")),
    ]
}

struct Fixture {
    term_lookup: Arc<TermLookup>,
    vocabulary: Arc<FakeVocabulary>,
    clock: Arc<StoppedClock>,
}

fn term_lookup(vocabulary: FakeVocabulary, timeout: Duration) -> Fixture {
    // The document wants its terms defined by the vocabulary or not at all.
    looking_up(vocabulary, TerminologyPolicy { timeout, unknown: UnknownTerm::Abstain, ..TerminologyPolicy::default() })
}

fn looking_up(vocabulary: FakeVocabulary, policy: TerminologyPolicy) -> Fixture {
    let (vocabulary, clock) = (Arc::new(vocabulary), Arc::new(StoppedClock::at(0)));
    let term_lookup = Arc::new(TermLookup::new(vocabulary.clone(), clock.clone(), policy));
    Fixture { term_lookup, vocabulary, clock }
}

fn answering() -> Fixture {
    term_lookup(FakeVocabulary::new(terms()), Duration::from_secs(5))
}

fn key(text: &str) -> TermKey {
    TermKey::parse(text).expect("a usable term")
}

async fn look_up(term_lookup: &Fixture, term: &str) -> TermFinding {
    term_lookup.term_lookup.look_up(&everyone(), &key(term)).await
}

async fn ask(term_lookup: &Fixture, text: &str) -> Response {
    let documents = vec![
        kept(card("twin", &[]), &["Every digital twin is fed by the event bus."]),
        kept(card("secret", &["hr"]), &["A digital twin of the staff."]),
    ];
    let engine = Engine {
        terms: Some(Arc::clone(&term_lookup.term_lookup)),
        passage_judge: None,
        reranker: None,
        writer: Arc::new(ScriptedGenerator::saying(&[("An invention.", &[1])])),
        clock: term_lookup.clock.clone(),
        ..engine_over(&filled(documents).await)
    };
    let reader = vouch_testkit::contracts::tagged(&["it"]);
    let question = Question::new(text, reader);
    engine.ask(&question).await.expect("the question is walked")
}

fn refusal(response: &Response) -> (&'static str, String, Vec<String>) {
    let Decision::Refuse(refusal) = &response.decision else { panic!("not refused: {:?}", response.decision) };
    let suggestions = refusal.suggestions.iter().map(|one| one.query.clone()).collect();
    (refusal.reason.as_str(), refusal.reason.sentence(), suggestions)
}

#[tokio::test]
async fn skos_client_01_a_term_that_exists() {
    let term_lookup = answering();
    let TermFinding::Found(found) = look_up(&term_lookup, "CIMXML").await else { panic!("not found") };
    assert_eq!((found.concepts.len(), found.is_cached), (1, false));
    assert_eq!(term_lookup.term_lookup.counts(), TermCounts { lookups: 1, hits: 1, ..TermCounts::default() });
}

#[tokio::test]
async fn skos_client_02_a_term_that_does_not() {
    let term_lookup = answering();
    assert!(matches!(look_up(&term_lookup, "FooBar").await, TermFinding::Unknown(_)));
    assert_eq!(term_lookup.term_lookup.counts(), TermCounts { lookups: 1, misses: 1, ..TermCounts::default() });
}

#[tokio::test]
async fn skos_client_03_a_vocabulary_that_stalls() {
    let term_lookup = term_lookup(FakeVocabulary::slow(terms(), Duration::from_secs(60)), Duration::from_millis(20));
    assert_eq!(look_up(&term_lookup, "CIMXML").await, TermFinding::Late { waited_ms: 20 });
    assert_eq!(term_lookup.term_lookup.counts(), TermCounts { lookups: 1, timeouts: 1, ..TermCounts::default() });
}

/// A vocabulary that answers, and never tells its state.
struct SilentState;

#[async_trait]
impl Vocabulary for SilentState {
    fn backend(&self) -> &'static str {
        "fake"
    }

    async fn state(&self) -> Result<Option<String>, PortError> {
        std::future::pending().await
    }

    async fn look_up(&self, _: &Reader, _: &TermKey) -> Result<Vec<Concept>, PortError> {
        Ok(terms())
    }

    async fn similar(&self, _: &Reader, _: &TermKey, _: usize) -> Result<Vec<String>, PortError> {
        Ok(Vec::new())
    }
}

#[tokio::test]
async fn a_vocabulary_that_does_not_tell_its_state_in_time_is_late() {
    let policy = TerminologyPolicy { timeout: Duration::from_millis(20), ..TerminologyPolicy::default() };
    let clock = Arc::new(StoppedClock::at(0));
    let silent = TermLookup::new(Arc::new(SilentState), clock, policy).once_filled();
    let asked = async {
        assert!(silent.is_in_use().await, "it may hold terms");
        assert_eq!(silent.look_up(&everyone(), &key("CIMXML")).await, TermFinding::Late { waited_ms: 20 });
        silent.look_up_fresh(&everyone(), &key("CIMXML")).await
    };
    let fresh = tokio::time::timeout(Duration::from_secs(60), asked).await.expect("the deadline holds");
    assert_eq!(fresh.err().map(|error| error.fault), Some(Fault::Timeout));
    assert_eq!(silent.counts(), TermCounts { lookups: 1, timeouts: 1, ..TermCounts::default() });
}

#[tokio::test]
async fn skos_client_04_a_vocabulary_that_fails() {
    let term_lookup = term_lookup(FakeVocabulary::down(), Duration::from_secs(5));
    let TermFinding::Failed { sentence, .. } = look_up(&term_lookup, "CIMXML").await else { panic!("did not fail") };
    assert_eq!(sentence, "vocabulary: no connection");
    assert_eq!(term_lookup.term_lookup.counts(), TermCounts { lookups: 1, errors: 1, ..TermCounts::default() });
    // A failure is not kept: the next asker asks again.
    look_up(&term_lookup, "CIMXML").await;
    assert_eq!(term_lookup.vocabulary.asked(), 2);
}

#[tokio::test]
async fn skos_client_05_the_second_look_up_is_known_in_any_spelling() {
    let term_lookup = answering();
    look_up(&term_lookup, "CIMXML").await;
    let TermFinding::Found(found) = look_up(&term_lookup, "  cimxml ").await else { panic!("not found") };
    assert!(found.is_cached);
    look_up(&term_lookup, "FooBar").await;
    look_up(&term_lookup, "foobar").await;
    let expected = TermCounts { lookups: 2, hits: 1, misses: 1, cache_hits: 2, ..TermCounts::default() };
    assert_eq!((term_lookup.term_lookup.counts(), term_lookup.vocabulary.asked()), (expected, 2));
}

#[tokio::test]
async fn skos_client_06_after_ten_minutes_it_is_looked_up_anew() {
    let term_lookup = answering();
    look_up(&term_lookup, "CIMXML").await;
    term_lookup.clock.advance(Duration::from_secs(600));
    look_up(&term_lookup, "CIMXML").await;
    assert_eq!(term_lookup.vocabulary.asked(), 1, "ten minutes are not over");
    term_lookup.clock.advance(Duration::from_secs(1));
    let TermFinding::Found(found) = look_up(&term_lookup, "CIMXML").await else { panic!("not found") };
    assert!(!found.is_cached);
    assert_eq!(
        term_lookup.term_lookup.counts(),
        TermCounts { lookups: 2, hits: 2, cache_hits: 1, ..TermCounts::default() }
    );
}

#[tokio::test]
async fn askers_of_one_term_share_one_look_up() {
    let term_lookup = term_lookup(FakeVocabulary::slow(terms(), Duration::from_millis(50)), Duration::from_secs(5));
    let asked = (0..20).map(|_| look_up(&term_lookup, "CIMXML"));
    for finding in futures::future::join_all(asked).await {
        assert!(matches!(finding, TermFinding::Found(_)));
    }
    assert_eq!((term_lookup.vocabulary.asked(), term_lookup.term_lookup.counts().hits), (1, 1));
}

#[tokio::test]
async fn another_tenant_asks_for_itself() {
    let term_lookup = answering();
    look_up(&term_lookup, "CIMXML").await;
    term_lookup.term_lookup.look_up(&vouch_domain::Reader::of_tenant("other"), &key("CIMXML")).await;
    assert_eq!((term_lookup.vocabulary.asked(), term_lookup.term_lookup.counts().cache_hits), (2, 0));
}

#[tokio::test]
async fn skos_01_a_known_term_is_answered_in_the_vocabularys_words() {
    let response = ask(&answering(), "What is CIMXML?").await;
    let Decision::Answer(answer) = &response.decision else { panic!("{:?}", response.decision) };
    assert_eq!(answer.text().with_markers(), "An XML form of a grid model. [^1]");
    let cited = answer.text().citations().first().expect("a citation");
    let card = cited.document();
    assert_eq!((card.id.as_str(), card.source.as_str(), card.kind.as_str()), ("https://t.test/cimxml", "fake", "term"));
    assert_eq!(response.intent.as_str(), "terminology");
}

#[tokio::test]
async fn what_is_named_word_for_word_is_never_unsure() {
    for question in ["What is CIMXML?", "define cim/xml", "What are busbars?", "Define https://t.test/cimxml"] {
        let Decision::Answer(answer) = ask(&answering(), question).await.decision else { panic!("{question}") };
        assert_eq!(answer.confidence().overall, 100, "{question}");
    }
}

#[tokio::test]
async fn skos_02_an_unknown_term_is_never_defined() {
    let term_lookup = answering();
    let (reason, sentence, _) = refusal(&ask(&term_lookup, "What is FooBar?").await);
    assert_eq!(reason, "terminology_not_found");
    assert_eq!(sentence, "gate terminology: no vocabulary defines \"foobar\"");
    assert_eq!(term_lookup.term_lookup.counts().misses, 1);
}

#[tokio::test]
async fn skos_03_a_timeout_is_told_as_such() {
    let slow = term_lookup(FakeVocabulary::slow(terms(), Duration::from_secs(60)), Duration::from_millis(20));
    let (reason, sentence, _) = refusal(&ask(&slow, "What is CIMXML?").await);
    assert_eq!(reason, "terminology_timeout");
    assert!(sentence.contains("unable to verify \"cimxml\""), "{sentence}");
    let term_lookup = answering();
    let (reason, _, _) = refusal(&ask(&term_lookup, "Define __TEST_SKOSMOS_TIMEOUT__").await);
    assert_eq!(
        (reason, term_lookup.term_lookup.counts().timeouts, term_lookup.vocabulary.asked()),
        ("terminology_timeout", 1, 0)
    );
}

#[tokio::test]
async fn skos_04_an_ambiguous_term_lists_its_meanings_to_choose_from() {
    let response = ask(&answering(), "What is CIM?").await;
    let Decision::Clarify(clarification) = &response.decision else { panic!("{:?}", response.decision) };
    let text = clarification.text.as_ref().expect("the meanings").with_markers();
    assert_eq!(text, "A model of the grid. [^1]\nA part of a meter. [^2]");
    let chosen: Vec<&str> = clarification.options.iter().map(|one| one.query.as_str()).collect();
    assert_eq!(chosen, ["Define Common Information Model", "Define Customer Interface Module"]);
    for query in chosen {
        assert!(matches!(ask(&answering(), query).await.decision, Decision::Answer(_)), "{query}");
    }
}

#[tokio::test]
async fn a_choice_whose_name_is_shared_is_made_by_how_its_definition_begins() {
    let response = ask(&answering(), "What is a switch?").await;
    let Decision::Clarify(clarification) = &response.decision else { panic!("{:?}", response.decision) };
    let queries: Vec<&str> = clarification.options.iter().map(|one| one.query.as_str()).collect();
    assert_eq!(queries, ["Define Network switch", "Define Switch (A device that opens a circuit)"]);
    for query in queries {
        assert!(matches!(ask(&answering(), query).await.decision, Decision::Answer(_)), "{query}");
    }
}

#[tokio::test]
async fn a_choice_that_nothing_else_tells_apart_is_made_by_its_address() {
    let response = ask(&answering(), "What is a frog?").await;
    let Decision::Clarify(clarification) = &response.decision else { panic!("{:?}", response.decision) };
    let queries: Vec<&str> = clarification.options.iter().map(|one| one.query.as_str()).collect();
    assert_eq!(queries, ["Define Frog (https://t.test/Seat)", "Define Frog (https://t.test/points)"]);
    for query in queries {
        assert!(matches!(ask(&answering(), query).await.decision, Decision::Answer(_)), "{query}");
    }
}

#[tokio::test]
async fn a_label_wins_whatever_else_the_question_looks_like() {
    for question in
        ["What is current transformer?", "Explain the current transformer", "What is the current transformer?"]
    {
        let Decision::Answer(answer) = ask(&answering(), question).await.decision else { panic!("{question}") };
        assert_eq!(answer.text().with_markers(), "A device that measures current. [^1]", "{question}");
    }
    let searched = ask(&answering(), "What is the current state of the event bus?").await;
    assert!(searched.trace.lookup.is_none(), "no term, so everything is searched");
}

#[tokio::test]
async fn a_vocabulary_that_could_not_say_whether_it_is_a_term_is_told_of() {
    let late = term_lookup(FakeVocabulary::slow(terms(), Duration::from_secs(60)), Duration::from_millis(1));
    let response = ask(&late, "What is the current state of the event bus?").await;
    let flags: Vec<&str> = response.trace.fallbacks.iter().map(|flag| flag.as_str()).collect();
    assert!(flags.contains(&"skosmos_timeout"), "{flags:?}");
}

#[tokio::test]
async fn a_choice_between_schemes_is_made_by_the_scheme() {
    let response = ask(&answering(), "What is a tap?").await;
    let Decision::Clarify(clarification) = &response.decision else { panic!("{:?}", response.decision) };
    let queries: Vec<&str> = clarification.options.iter().map(|one| one.query.as_str()).collect();
    assert_eq!(queries, ["Define Tap (Grid)", "Define Tap (Water)"]);
    let Decision::Answer(answer) = ask(&answering(), "Define Tap (Water)").await.decision else { panic!("refused") };
    assert_eq!(answer.text().with_markers(), "A valve with a handle. [^1]");
    assert_eq!(refusal(&ask(&answering(), "Define Tap (Music)").await).0, "terminology_not_found");
}

#[tokio::test]
async fn a_refused_question_offers_the_terms_it_names() {
    let response = ask(&answering(), "How often must a common information model and every busbar be fed?").await;
    let (_, _, suggestions) = refusal(&response);
    assert_eq!(suggestions, ["Define Common Information Model", "Define Busbar"]);
}

#[tokio::test]
async fn skos_05_the_second_question_is_answered_from_what_is_known() {
    let term_lookup = answering();
    ask(&term_lookup, "What is CIMXML?").await;
    let response = ask(&term_lookup, "define cimxml").await;
    let lookup = response.trace.lookup.expect("a look-up");
    assert_eq!(
        (lookup.outcome.as_str(), lookup.is_cached, term_lookup.term_lookup.counts().cache_hits),
        ("hit", true, 1)
    );
}

#[tokio::test]
async fn a_failure_abstains_with_its_own_reason() {
    let (reason, sentence, _) =
        refusal(&ask(&term_lookup(FakeVocabulary::down(), Duration::from_secs(5)), "What is CIM?").await);
    assert_eq!(reason, "terminology_error");
    assert!(sentence.contains("no connection"), "{sentence}");
}

#[tokio::test]
async fn a_vocabulary_that_cannot_be_asked_still_offers_what_mentions_the_term() {
    let down = term_lookup(FakeVocabulary::down(), Duration::from_secs(5));
    let (reason, _, suggestions) = refusal(&ask(&down, "What is a digital twin?").await);
    assert_eq!((reason, suggestions), ("terminology_error", vec!["About twin".to_owned()]));
}

#[tokio::test]
async fn a_term_only_documents_mention_is_a_miss_and_the_mention_a_suggestion() {
    let (reason, sentence, suggestions) = refusal(&ask(&answering(), "What is a digital twin?").await);
    assert_eq!(reason, "terminology_not_found");
    let expected =
        "gate terminology: no vocabulary defines \"digital twin\"; 1 document mentions it without defining it";
    assert_eq!(sentence, expected);
    assert_eq!(suggestions, ["About twin"], "the document the reader may not see is neither counted nor offered");
}

#[tokio::test]
async fn a_word_that_only_longer_words_hold_is_not_mentioned() {
    let (_, sentence, _) = refusal(&ask(&answering(), "What is a twi?").await);
    assert_eq!(sentence, "gate terminology: no vocabulary defines \"twi\"");
}

#[tokio::test]
async fn a_misspelt_term_is_refused_with_what_it_looks_like() {
    let (reason, _, suggestions) = refusal(&ask(&answering(), "What is a bussbar?").await);
    assert_eq!((reason, suggestions), ("terminology_not_found", vec!["Define Busbar".to_owned()]));
}

#[tokio::test]
async fn a_concept_without_a_definition_is_not_defined() {
    let (reason, sentence, _) = refusal(&ask(&answering(), "What is black start?").await);
    assert_eq!(reason, "terminology_not_found");
    assert!(sentence.contains("lists \"black start\" but does not say what it means"), "{sentence}");
}

#[tokio::test]
async fn a_plural_finds_its_singular() {
    assert!(matches!(ask(&answering(), "What are busbars?").await.decision, Decision::Answer(_)));
}
