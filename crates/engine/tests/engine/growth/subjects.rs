//! Every function of the engine and of its language rules that is handed outside text, as the growth table calls it.

use std::{hint::black_box, sync::Arc};

use vouch_domain::{
    Address, AddressKey, Question, Speaker, TermKey, Turn,
    language::{
        fold_spaces, key_words, most_similar, other_spelling, sentence_ranges,
        spelling::{marked_sounds, sound, word_heard},
        terms, trigrams,
        words::{fold_text, stem},
    },
    ports::{Catalogue, Register, TokenCounter, WrittenSentence},
};
use vouch_engine::{
    compose::{
        markers::{MarkerStyle, MarkerTable, shape},
        notes::quoted,
        quote,
    },
    decide::{Grounds, ModelOpinions, decide},
    judge::{Evidence, Readers, judge},
    model_registry::EstimatedTokens,
    policy::{Policies, UnderstandPolicy, VerifyPolicy},
    retrieve::{Candidates, Lane, Probe, retrieve_among},
    understand::{intent, understand, understand_topic},
    verify::{
        Verifier,
        checks::check_claim,
        gauntlet::{CleanText, DropCounts, Gauntlet, SentenceCutter},
        verify,
    },
};
use vouch_testkit::{
    contracts::everyone,
    corpus::{card, kept},
    fakes::MemoryStore,
    growth::Subject,
};

use super::ports::ports;

/// Enough for cheap functions to cost something.
const LARGE: usize = 4_000;
/// Enough for the rules of a claim, which cost more.
const MEDIUM: usize = 1_500;
/// The largest input is as long as a claim that is still read.
const CLAIM_BYTES: usize = 490;
/// A passage of a handbook.
const PROSE: &str = "The mast of Ness is 27 metres high. It was built on 3 May 1931 by Mira Holt of X-200 Ltd. \
    The old mast stands here, said Holt, and it does not fall. It costs 5 % more than the lamp (see mira@holt.org).";
/// A claim that every rule has something to say about.
const CLAIM: &str = "On 4 May 1932 Mira Holt and Jane Doe of NATO built the mast of Ness, which is 28 metres high, not low, \
    costs 6 % more, and of which she said \"the old mast falls here today\" (X-300, jane@doe.org).";

pub const LANGUAGE: &[Subject] = &[
    Subject { name: "sentences", bytes: LARGE, work: |text| drop(black_box(sentence_ranges(text))) },
    Subject { name: "terms", bytes: LARGE, work: |text| drop(black_box(terms(text))) },
    Subject { name: "key words", bytes: LARGE, work: |text| drop(black_box(key_words(text))) },
    Subject { name: "folding", bytes: LARGE, work: |text| drop(black_box((fold_text(text), fold_spaces(text)))) },
    Subject { name: "stem", bytes: LARGE, work: |text| drop(black_box(stem(text))) },
    Subject { name: "sounds", bytes: LARGE, work: |text| drop(black_box((sound(text), marked_sounds(text)))) },
    Subject { name: "word by sound", bytes: LARGE, work: |text| _ = black_box(word_heard(text, "mast", "mast")) },
    Subject { name: "spelling", bytes: LARGE, work: spelling },
    Subject { name: "likeness", bytes: LARGE, work: likeness },
    Subject { name: "address", bytes: LARGE, work: address },
    Subject { name: "term", bytes: LARGE, work: |text| drop(black_box(TermKey::parse(text))) },
];

pub const QUESTIONS: &[Subject] = &[
    Subject { name: "intent", bytes: LARGE, work: |text| drop(black_box(intent(text))) },
    Subject { name: "understand", bytes: MEDIUM, work: |text| asked(text, &[]) },
    Subject { name: "understand after a turn", bytes: MEDIUM, work: |text| asked("and when was it built?", &[text]) },
    Subject { name: "topic", bytes: MEDIUM, work: |text| drop(black_box(understand_topic(text).term_candidates())) },
    Subject { name: "prompt", bytes: LARGE, work: |text| drop(black_box(quoted(text))) },
    Subject { name: "token estimate", bytes: LARGE, work: |text| _ = black_box(EstimatedTokens.count(text)) },
    Subject { name: "marker", bytes: LARGE, work: |text| _ = black_box(shape(text)) },
];

pub const ANSWERS: &[Subject] = &[
    Subject { name: "gauntlet at once", bytes: LARGE, work: |text| dictated(text, usize::MAX) },
    Subject { name: "gauntlet in pieces", bytes: LARGE, work: |text| dictated(text, 7) },
    Subject { name: "verbatim", bytes: LARGE, work: verbatim },
    Subject { name: "quoted and decided", bytes: MEDIUM, work: quoted_and_decided },
];

pub const CLAIMS: &[Subject] = &[
    Subject { name: "check, as claim", bytes: CLAIM_BYTES, work: |text| checked(text, &[PROSE]) },
    Subject { name: "check, as long claim", bytes: MEDIUM, work: |text| checked(text, &[PROSE]) },
    Subject { name: "check, as evidence", bytes: MEDIUM, work: |text| checked(CLAIM, &[text]) },
    Subject { name: "check, as both", bytes: MEDIUM, work: |text| checked(text, &[text]) },
    Subject { name: "check, first part", bytes: MEDIUM, work: |text| checked(part(text, 0, 900), &[text]) },
    Subject { name: "check, many texts", bytes: MEDIUM, work: many_texts },
];

fn spelling(text: &str) {
    let bare: String = text.chars().filter(|sign| sign.is_alphabetic()).collect();
    black_box(other_spelling(&bare, &format!("{bare}a")));
    black_box(other_spelling(&bare, &format!("b{bare}")));
}

fn likeness(text: &str) {
    black_box(trigrams(text));
    black_box(most_similar("mast", text.split(' '), 5));
}

fn address(text: &str) {
    black_box(Address::parse(text));
    black_box((AddressKey::new(text) < AddressKey::new(text), AddressKey::new(text).family()));
}

fn asked(text: &str, before: &[&str]) {
    let policy = UnderstandPolicy { question_chars_max: usize::MAX, ..Policies::default().understand };
    let mut question = Question::new(text, everyone());
    question.conversation = before.iter().map(|text| Turn::new(Speaker::Asker, *text)).collect();
    black_box(understand(&question, &policy).map(|understood| understood.term_candidates()).ok());
}

fn dictated(text: &str, piece: usize) {
    let marker_table =
        MarkerTable::from_names(MarkerStyle::Footnote, &[("1", 1), ("2", 2)], &["docs/a.md:0", "docs/b.md:1"]);
    let (mut gauntlet, mut cutter) = (Gauntlet::new(marker_table.clone()), SentenceCutter::new(marker_table.own()));
    let (mut clean, mut drops) = (CleanText::default(), DropCounts::default());
    for bytes in text.as_bytes().chunks(piece.min(text.len().max(1))) {
        gauntlet.push(bytes, &mut clean);
        black_box(cutter.push(&mut clean, &mut drops));
    }
    gauntlet.finish(&mut clean);
    black_box((cutter.push(&mut clean, &mut drops), cutter.finish(&mut drops)));
}

fn verbatim(text: &str) {
    let evidence = evidence(text);
    for words in [part(text, 0, 100), part(text, text.len() / 2, 100), "A b.", text] {
        let sentence = WrittenSentence::answer(words, vec![1]);
        let policy = policy();
        let mut verifier = Verifier::new(&evidence, None, &policy);
        black_box(now(verifier.check(&sentence)));
    }
}

fn quoted_and_decided(text: &str) {
    let evidence = evidence(text);
    let verification = now(verify(&quote(&evidence, 4, "test"), &evidence, None, &policy()));
    let none = Candidates::empty();
    let key_words = key_words(text);
    let grounds = Grounds {
        key_words: &key_words,
        candidates: &none,
        lost: &[],
        evidence: &evidence,
        is_named: false,
        opinions: ModelOpinions::default(),
        stands: None,
        is_chosen: false,
    };
    black_box(decide(verification, grounds, &Policies::default().decide, 0));
}

fn checked(claim: &str, evidence: &[&str]) {
    black_box(check_claim(claim, evidence));
}

fn many_texts(text: &str) {
    let step = (text.len() / 100).max(1);
    let texts: Vec<&str> = (0..100).map(|at| part(text, at * step, step)).collect();
    checked(CLAIM, &texts);
}

fn evidence(text: &str) -> Evidence {
    let store = Arc::new(MemoryStore::default());
    let ports = ports(&store);
    let mut policies = Policies::default();
    (policies.judge.relevance_floor, policies.judge.gates) = (0.0, Vec::new());
    let question = understand(&Question::new("What is it?", everyone()), &policies.understand).expect("a question");
    now(async {
        let document = kept(card("nasty", &[]), &[text]);
        let id = document.document.card.id.clone();
        store.upsert(vec![document]).await.expect("the document is kept");
        let passages = store.passages_of(&everyone(), &id).await.expect("its passages");
        let probe = Probe::new(question.clone(), &ports, &policies.retrieve).await;
        let found = retrieve_among(&probe, passages, Lane::Address, &ports, &policies.retrieve).await;
        let found = found.forced_by(Lane::Address, 1.0);
        judge(&question, &found, None, Readers { judge: None, reranker: None }, &policies.judge).await
    })
}

fn policy() -> VerifyPolicy {
    Policies::default().verify
}

/// Runs work that never waits, on this thread, whose time is measured.
fn now<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(work)
}

/// Whole characters of a text from about here, about so many bytes.
fn part(text: &str, from: usize, bytes: usize) -> &str {
    let boundary = |mut at: usize| {
        at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    text.get(boundary(from)..boundary(from + bytes)).unwrap_or_default()
}
