//! What a reader may not see does not move anything they are told: not a word, not a score, not a trace.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{future::Future, pin::Pin, sync::Arc};

use vouch_domain::{
    DocumentId, PortError, Question, Reader,
    ports::{Brief, Catalogue, Generator, KeptDocument, LexicalIndex, Manuscript, WrittenSentence},
};
use vouch_engine::{
    ask::{Engine, Response},
    decide::Decision,
    policy::Policies,
    retrieve::{LaneChoice, RetrievePorts},
};
use vouch_testkit::{
    contracts::tagged,
    corpus::{card, kept},
    fakes::{FakeEmbedder, FakeJudge, MemoryStore, StoppedClock},
};

const CORPORA: u64 = 150;
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

/// A writer that reads its brief aloud.
struct Aloud;

impl Generator for Aloud {
    fn name(&self) -> &str {
        "aloud"
    }

    fn write<'a, 'b>(&'a self, brief: Brief) -> Pin<Box<dyn Future<Output = Result<Manuscript, PortError>> + Send + 'b>>
    where
        'a: 'b,
        Self: 'b,
    {
        let say =
            |piece: vouch_domain::ports::BriefPiece| WrittenSentence { text: piece.text, markers: vec![piece.marker] };
        let sentences = brief.pieces.into_iter().map(say).collect();
        Box::pin(async { Ok(Manuscript { sentences, model: "aloud".to_owned() }) })
    }
}

/// Documents of two tenants with tags of all sorts, in no order.
fn corpus(dice: &mut Dice) -> Vec<KeptDocument> {
    let count = 2 + dice.below(10);
    let mut documents: Vec<KeptDocument> = Vec::new();
    for number in 0..count {
        let tags = TAGS.get(dice.below(TAGS.len())).expect("tags");
        let mut card = card(&format!("doc{}", (number * 7 + 3) % 11), tags);
        if dice.below(6) == 0 {
            card.tenant = "other".to_owned();
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
    policies
}

async fn filled(documents: &[KeptDocument]) -> Arc<MemoryStore> {
    let store = Arc::new(MemoryStore::default());
    for document in documents {
        store.keep(vec![document.clone()]).await.expect("the document is kept");
    }
    LexicalIndex::refresh(store.as_ref()).await.expect("the index is fresh");
    store
}

fn engine(store: Arc<MemoryStore>, policies: Policies) -> Engine {
    let retrieve = RetrievePorts {
        catalogue: store.clone(),
        register: store.clone(),
        lexical: store.clone(),
        dense: store.clone(),
        embedder: Arc::new(FakeEmbedder::named("fake")),
    };
    Engine {
        retrieve,
        terms: None,
        passage_judge: Some(Arc::new(FakeJudge::always(0.9, 0.0))),
        claim_judge: None,
        writer: Arc::new(Aloud),
        clock: Arc::new(StoppedClock::at(0)),
        policies,
    }
}

fn may_read(reader: &Reader, document: &KeptDocument) -> bool {
    reader.may_read(&document.document.card.tenant, &document.document.card.tags)
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
    question: Question,
    policies: Policies,
    case: String,
}

fn trial(seed: u64) -> Trial {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let documents = corpus(&mut dice);
    let policies = policies(&mut dice);
    let reader = tagged([&["hr"][..], &["it"], &["hr", "it"], &[]].get(dice.below(4)).expect("tags"));
    let text = dice.words(4);
    let case = format!("seed {seed}: {text:?} by {reader:?}");
    let question = Question { text, conversation: Vec::new(), reader, passages_max: None };
    Trial { documents, question, policies, case }
}

#[tokio::test]
async fn taking_hidden_documents_out_changes_nothing_in_the_response() {
    let (mut hidden_in_all, mut answers, mut refusals) = (0, 0, 0);
    for seed in 1..=CORPORA {
        let Trial { documents, question, policies, case } = trial(seed);
        let engine = engine(filled(&documents).await, policies);
        let with_hidden = engine.ask(&question).await.expect("a decision");
        let searched = engine.search(&question, LaneChoice::All).await.expect("a search");
        for document in documents.iter().filter(|document| !may_read(&question.reader, document)) {
            let ids: [DocumentId; 1] = [document.document.card.id.clone()];
            let tenant = &document.document.card.tenant;
            hidden_in_all += engine.retrieve.catalogue.remove(tenant, &ids).await.expect("it is removed");
        }
        engine.retrieve.lexical.refresh().await.expect("the index is fresh");
        assert_eq!(engine.ask(&question).await.expect("a decision"), with_hidden, "{case}");
        assert_eq!(engine.search(&question, LaneChoice::All).await.expect("a search"), searched, "{case}");
        match with_hidden.decision {
            Decision::Answer(_) => answers += 1,
            Decision::Refuse(_) | Decision::Clarify(_) => refusals += 1,
        }
    }
    // The trials are worth something only where there was something to hide and something to say.
    assert!(hidden_in_all > CORPORA && answers > 30 && refusals > 10, "{hidden_in_all}, {answers}, {refusals}");
}

#[tokio::test]
async fn documents_that_were_never_there_would_have_changed_nothing_in_the_response() {
    for seed in 1..=CORPORA {
        let Trial { documents, question, policies, case } = trial(seed);
        let open: Vec<KeptDocument> =
            documents.iter().filter(|document| may_read(&question.reader, document)).cloned().collect();
        let with_hidden = engine(filled(&documents).await, policies.clone()).ask(&question).await;
        let without = engine(filled(&open).await, policies).ask(&question).await;
        let (with_hidden, without) = (with_hidden.expect("a decision"), without.expect("a decision"));
        assert_eq!(without_keys(&with_hidden), without_keys(&without), "{case}");
    }
}

#[tokio::test]
async fn nothing_hidden_is_named_anywhere_in_the_response() {
    for seed in 1..=CORPORA {
        let Trial { documents, question, policies, case } = trial(seed);
        let response = engine(filled(&documents).await, policies).ask(&question).await.expect("a decision");
        let told = format!("{response:?}");
        for document in &documents {
            let is_named = told.contains(&format!("About {}\"", document.document.card.id));
            assert!(!is_named || may_read(&question.reader, document), "{case}: {}", document.document.card.id);
        }
    }
}
