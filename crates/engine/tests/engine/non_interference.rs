//! What a reader may not see does not move anything they are told: not a word, not a score, not a trace.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{collections::BTreeMap, sync::Arc};

use regex::Regex;
use vouch_domain::{
    Address, DocumentId, MemoryEntry, MemoryKind, Question, Reader, Reference, Wording,
    ports::{EmbeddedEntry, KeptDocument, Memory},
};
use vouch_engine::{
    ask::{Engine, Response},
    decide::Decision,
    policy::{AddressScheme, BoostPolicy, DiversityPolicy, Policies, TerminologyPolicy},
    retrieve::LaneChoice,
    terminology::TermLookup,
    trace::RewriteKind,
};
use vouch_testkit::{
    contracts::{memory::embedded, tagged},
    corpus::{TENANT, card, kept},
    fakes::{FakeMemory, FakeVocabulary, StoppedClock, concept},
};

use crate::support::{
    aloud::Aloud,
    engines::{engine_over, filled},
};

const CORPORA: u64 = 300;
const WORDS: &[&str] = &[
    "mast", "lamp", "rope", "wind", "rain", "snow", "hail", "gauge", "tower", "cable", "valve", "pump", "crane",
    "roof", "alarm", "clock", "report", "budget", "salary", "badge",
];
const TAGS: &[&[&str]] = &[&[], &["hr"], &["it"], &["hr", "it"], &["legal"], &["legal", "it"]];

/// A small generator of its own (xorshift), so that every run sees the same corpora.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).expect("31 bits") % limit.max(1)
    }

    fn words(&mut self, at_most: usize) -> String {
        let count = 1 + self.below(at_most);
        let words: Vec<&str> = (0..count).map(|_| *WORDS.get(self.below(WORDS.len())).expect("a word")).collect();
        words.join(" ")
    }
}

/// Documents of two tenants with tags of all sorts, in no order.
fn corpus(dice: &mut Dice) -> Vec<KeptDocument> {
    let count = 2 + dice.below(10);
    let mut documents: Vec<KeptDocument> = Vec::new();
    for number in 0..count {
        let tags = TAGS.get(dice.below(TAGS.len())).expect("tags");
        let mut card = card(&format!("doc{}", (number * 7 + 3) % 11), tags);
        // Without the dice, so that readers of all collections have the trials they had.
        card.collection = if number % 3 == 0 { "minutes" } else { "guides" }.to_owned();
        if dice.below(6) == 0 {
            card.tenant = "other".to_owned();
        }
        if dice.below(2) == 0 {
            card.kind = "ADR".to_owned();
            card.address = Address::parse(&format!("ADR-{}", dice.below(9)));
            card.status = (dice.below(2) == 0).then(|| "accepted".to_owned());
        }
        let lines: Vec<String> = (0..=dice.below(4)).map(|_| dice.words(8)).collect();
        // A secret that repeats an open text is the likeliest to push it out.
        let lines = match documents.last().filter(|_| dice.below(4) == 0) {
            Some(before) => vec![before.document.text.replace('\n', " ")],
            None => lines,
        };
        documents.push(kept(card, &lines.iter().map(String::as_str).collect::<Vec<_>>()));
    }
    documents
}

fn policies(dice: &mut Dice) -> Policies {
    let mut policies = Policies::default();
    policies.judge.relevance_floor = if dice.below(2) == 0 { 0.0 } else { 0.3 };
    if dice.below(2) == 0 {
        policies.judge.gates.clear();
    }
    // Small limits, so that what is hidden has places to take away.
    policies.retrieve.lane_limit = 2 + dice.below(20);
    policies.retrieve.pool_max = 2 + dice.below(20);
    policies.judge.kind_reserves = vec![("ADR".to_owned(), 1)];
    policies.understand.addresses = vec![AddressScheme {
        kind: Some("ADR".to_owned()),
        pattern: Regex::new(r"(?i)\bADR-(?P<number>\d+)").expect("a pattern"),
        normal: "ADR-{number}".to_owned(),
        from_name: None,
        lead_section: None,
    }];
    policies
}

/// Entries on everything, some of them secret and some of them about what is.
fn entries(dice: &mut Dice) -> Vec<EmbeddedEntry> {
    let entry = |number: usize, dice: &mut Dice| {
        let kind = if dice.below(2) == 0 { MemoryKind::Pinned } else { MemoryKind::Note };
        let say = |text: String| vec![Wording { text, language: None }];
        let references = (0..=dice.below(3)).map(|_| format!("doc{}", dice.below(11)));
        let references = references.collect::<Vec<_>>();
        embedded(MemoryEntry {
            id: format!("entry{number}"),
            tenant: if dice.below(6) == 0 { "other" } else { TENANT }.to_owned(),
            kind,
            phrases: say(dice.words(3)),
            note: if kind == MemoryKind::Note { say(dice.words(6)) } else { Vec::new() },
            references: references.iter().filter_map(|target| Reference::parse(target)).collect(),
            tags: TAGS.get(dice.below(TAGS.len())).expect("tags").iter().map(|tag| (*tag).to_owned()).collect(),
            is_for_readers: false,
            translated_by_model: std::collections::BTreeSet::new(),
        })
    };
    (0..dice.below(6)).map(|number| entry(number, dice)).collect()
}

/// What is asked: words, words nobody wrote, a record, a list, a term.
fn wording(dice: &mut Dice) -> String {
    let words = dice.words(4);
    match dice.below(8) {
        0 => format!("What does ADR-{} say?", dice.below(12)),
        1 => "List ADRs".to_owned(),
        2 => format!("Which ADRs are about {words}?"),
        3 => "How many ADRs are accepted?".to_owned(),
        4 => format!("What is a {}?", dice.words(1)),
        5 => words.replace('l', "ll").replace("gauge", "gage").replace("tower", "towwer").replace('p', "pp"),
        6 => format!("{words} and where is the {}?", dice.words(1)),
        _ => words,
    }
}

async fn remembering(entries: Vec<EmbeddedEntry>) -> Arc<FakeMemory> {
    let memory = Arc::new(FakeMemory::default());
    memory.upsert(entries).await.expect("the entries are kept");
    memory
}

/// A vocabulary for everybody: terms have no secrets of their own, but what mentions them may.
fn terms() -> Arc<TermLookup> {
    let vocabulary =
        FakeVocabulary::new(vec![concept("https://t.test/mast", &["mast", "pole"], Some("A tall thing."))]);
    Arc::new(TermLookup::new(Arc::new(vocabulary), Arc::new(StoppedClock::at(0)), TerminologyPolicy::default()))
}

async fn engine(documents: &[KeptDocument], memory: Arc<FakeMemory>, policies: Policies) -> Engine {
    Engine {
        terms: Some(terms()),
        memory: Some(memory),
        writer: Arc::new(Aloud),
        policies,
        ..engine_over(&filled(documents.to_vec()).await)
    }
}

fn may_read(reader: &Reader, document: &KeptDocument) -> bool {
    reader.may_see(&document.document.card)
}

/// Everything a response says, without the catalogue's own numbers, which are never told.
fn without_keys(response: &Response) -> String {
    let text = format!("{response:?}");
    let mut parts = text.split("PassageKey(");
    let mut rest = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        rest.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    rest
}

/// One corpus and one question.
struct Trial {
    documents: Vec<KeptDocument>,
    entries: Vec<EmbeddedEntry>,
    question: Question,
    policies: Policies,
    case: String,
}

fn trial(seed: u64) -> Trial {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let documents = corpus(&mut dice);
    let mut policies = policies(&mut dice);
    if seed % 4 == 1 {
        policies.judge.boosts = BoostPolicy { names: vec!["mast".to_owned()], name: 0.1, section: 0.05 };
        policies.judge.diversity =
            Some(DiversityPolicy { fetch: 6, keep: 3, relevance_share: 0.5, before_judge: true });
    }
    let entries = entries(&mut dice);
    let reader = tagged([&["hr"][..], &["it"], &["hr", "it"], &[]].get(dice.below(4)).expect("tags"));
    let reader = if seed.is_multiple_of(3) { reader.within(&["guides".to_owned()].into()) } else { reader };
    let text = wording(&mut dice);
    let case = format!("seed {seed}: {text:?} by {reader:?}");
    let question = Question::new(text, reader);
    Trial { documents, entries, question, policies, case }
}

#[tokio::test]
async fn taking_hidden_documents_out_changes_nothing_in_the_response() {
    let (mut hidden_in_all, mut answers, mut refusals) = (0, 0, 0);
    let mut told: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in 1..=CORPORA {
        let Trial { documents, entries, question, policies, case } = trial(seed);
        let memory = remembering(entries.clone()).await;
        let mut engine = engine(&documents, Arc::clone(&memory), policies).await;
        let with_hidden = engine.ask(&question).await.expect("a decision");
        let searched = engine.search(&question, LaneChoice::All).await.expect("a search");
        for document in documents.iter().filter(|document| !may_read(&question.reader, document)) {
            let ids: [DocumentId; 1] = [document.document.card.id.clone()];
            let tenant = &document.document.card.tenant;
            hidden_in_all += engine.retrieve.catalogue.remove(tenant, &ids).await.expect("it is removed");
        }
        for one in entries.iter().filter(|one| !question.reader.may_read(&one.entry.tenant, &one.entry.tags)) {
            memory.remove(&one.entry.tenant, std::slice::from_ref(&one.entry.id)).await.expect("it is removed");
        }
        engine.retrieve.lexical.refresh().await.expect("the index is fresh");
        // A term that was asked for before would be known from before.
        engine.terms = Some(terms());
        let mut response = engine.ask(&question).await.expect("a decision");
        // That documents have changed is told by the number of the generation, and by nothing else.
        response.read = with_hidden.read;
        assert_eq!(response, with_hidden, "{case}");
        assert_eq!(engine.search(&question, LaneChoice::All).await.expect("a search"), searched, "{case}");
        let trace = &with_hidden.trace;
        *told.entry(with_hidden.intent.as_str()).or_default() += 1;
        *told.entry("memory").or_default() += usize::from(!trace.memory.is_empty());
        *told.entry("respelt").or_default() +=
            usize::from(trace.rewrites.iter().any(|rewrite| rewrite.kind == RewriteKind::Spelling));
        match with_hidden.decision {
            Decision::Answer(_) => answers += 1,
            Decision::Refuse(_)
            | Decision::Clarify(_)
            | Decision::Refer(_)
            | Decision::General(_)
            | Decision::Tool(_) => refusals += 1,
        }
    }
    // The trials are worth something only where there was something to hide and something to say.
    assert!(hidden_in_all > CORPORA && answers > 30 && refusals > 10, "{hidden_in_all}, {answers}, {refusals}");
    for kind in ["terminology", "list", "entity", "factual", "memory", "respelt"] {
        assert!(told.get(kind).is_some_and(|trials| *trials >= 10), "{kind}: {told:?}");
    }
}

#[tokio::test]
async fn documents_that_were_never_there_would_have_changed_nothing_in_the_response() {
    for seed in 1..=CORPORA {
        let Trial { documents, entries, question, policies, case } = trial(seed);
        let seen: Vec<EmbeddedEntry> = entries
            .iter()
            .filter(|one| question.reader.may_read(&one.entry.tenant, &one.entry.tags))
            .cloned()
            .collect();
        let open: Vec<KeptDocument> =
            documents.iter().filter(|document| may_read(&question.reader, document)).cloned().collect();
        let (all, open_memory) = (remembering(entries).await, remembering(seen).await);
        let with_hidden = engine(&documents, all, policies.clone()).await.ask(&question).await;
        let without = engine(&open, open_memory, policies).await.ask(&question).await;
        let (with_hidden, mut without) = (with_hidden.expect("a decision"), without.expect("a decision"));
        without.read = with_hidden.read;
        assert_eq!(without_keys(&with_hidden), without_keys(&without), "{case}");
    }
}

#[tokio::test]
async fn nothing_hidden_is_named_anywhere_in_the_response() {
    for seed in 1..=CORPORA {
        let Trial { documents, entries, question, policies, case } = trial(seed);
        let memory = remembering(entries).await;
        let response = engine(&documents, memory, policies).await.ask(&question).await.expect("a decision");
        let told = format!("{response:?}");
        for document in &documents {
            let is_named = told.contains(&format!("About {}\"", document.document.card.id));
            assert!(!is_named || may_read(&question.reader, document), "{case}: {}", document.document.card.id);
        }
    }
}
