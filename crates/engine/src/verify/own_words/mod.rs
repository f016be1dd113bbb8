//! A model's sentence and the passages it cites → the sentence of theirs that it rests on, and whether its own words may stand for it.
//!
//! A sentence of a passage can always be shown. So a model's words are shown only where they are plainly that sentence with
//! something left out or put otherwise: limited in the same ways, in the same order, with hardly a word that the source has not.
//!
//! Invariant: what is pointed at is a whole sentence of a passage. The work is linear in passages times the claim's words.

mod qualifiers;

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use vouch_domain::language::sentence_ranges;

use crate::reading::{budget::Budget, token::Token, tokens::tokens};

/// A passage with the words above it.
#[derive(Debug, Clone, Copy)]
pub struct SourceText<'a> {
    /// The passage.
    pub text: &'a str,
    /// The title of its document and the headings above it.
    pub heading: &'a str,
}

/// A sentence of a passage, and how much of a claim it holds.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceSentence {
    /// Which passage.
    pub text: usize,
    /// Where it stands there, in bytes.
    pub range: Range<usize>,
    /// The share of the claim's words that it holds, of those that the question or the headings do not bring.
    pub covered: f32,
}

/// What a model's sentence rests on.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct OwnWords {
    /// The sentence that holds most of it, and a second one where that holds much of the rest.
    pub sources: Vec<SourceSentence>,
    /// The sentences that hold most of its words, whether it rests on them or not, the best first.
    pub nearest: Vec<SourceSentence>,
    /// Why its own words may not stand for them; none if they may.
    pub objection: Option<Difference>,
}

/// How a claim differs from what it rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The same as a sentence for a person.
    pub sentence: String,
    /// Whether it is one of wording alone, on which another model may be heard; a limit, a name or a figure is not.
    pub is_wording: bool,
}

impl Difference {
    /// One on which no model is heard.
    #[must_use]
    pub fn of_matter(sentence: impl Into<String>) -> Self {
        Self { sentence: sentence.into(), is_wording: false }
    }

    fn of_wording(sentence: impl Into<String>) -> Self {
        Self { sentence: sentence.into(), is_wording: true }
    }
}

/// How many sentences of the passages one claim may be told by.
const SOURCES_MAX: usize = 3;
/// A further sentence is taken where it holds so many words of a part of the claim that those before have not, or a figure, and so much of it.
const GAINED_MIN: usize = 2;
const GAINED_SHARE_MIN: f32 = 0.34;
/// What joins two statements.
const JOINTS: &[&str] = &[
    "; ",
    ", and ",
    ", but ",
    ", while ",
    ", so ",
    ", since ",
    ", because ",
    ", for ",
    ", which ",
    ", except ",
    " and ",
    " because ",
    " since ",
    " but ",
];
/// How many sentences are handed to the judge.
const NEAREST_MAX: usize = 12;
/// A claim longer than this is not laid beside its source.
const CLAIM_TOKENS_MAX: usize = 200;
/// The share of a claim's words that its source may lack.
const NEW_WORDS_MAX: f32 = 0.25;
/// The share of a claim's words that stand in the order of the source.
const IN_ORDER_MIN: f32 = 0.85;
/// However long it is, so many may stand elsewhere.
const OUT_OF_ORDER_MAX: usize = 1;
/// With more words that carry a subject it is no sentence that could be compared word for word.
const CONTENT_MAX: usize = 40;

struct Candidate<'a> {
    text: usize,
    range: Range<usize>,
    tokens: Vec<Token<'a>>,
    keys: BTreeSet<String>,
}

/// Finds what a claim rests on.
#[must_use]
pub fn read(claim: &str, question: &str, texts: &[SourceText<'_>], budget: &Budget) -> OwnWords {
    let said = tokens(claim);
    if said.len() > CLAIM_TOKENS_MAX || !budget.spend(claim.len()) {
        let objection = Some(Difference::of_matter("it is longer than a sentence"));
        return OwnWords { objection, ..OwnWords::default() };
    }
    let candidates = candidates(texts, budget);
    let mut given = keys(&tokens(question));
    for text in texts {
        given.extend(keys(&tokens(text.heading)));
    }
    let wanted = keys(&said);
    let nearest = nearest(&wanted, &candidates);
    let Some(first) = best(&wanted, &candidates) else {
        let objection = Some(Difference::of_matter("no sentence of what it cites speaks of it"));
        return OwnWords { nearest, objection, ..OwnWords::default() };
    };
    let mut chosen = vec![first];
    for part in parts(claim).into_iter().chain([claim]) {
        let wanted = keys(&tokens(part));
        let rest: BTreeSet<String> =
            wanted.iter().filter(|key| chosen.iter().all(|one| !one.keys.contains(*key))).cloned().collect();
        let adds = |next: &&Candidate<'_>| {
            let gained = rest.intersection(&next.keys).count();
            let is_figure = rest.intersection(&next.keys).any(|key| key.contains(|c: char| c.is_ascii_digit()));
            let least = if is_figure { 1 } else { GAINED_MIN };
            gained >= least && share(gained, wanted.len()) >= GAINED_SHARE_MIN
        };
        if chosen.len() < SOURCES_MAX {
            chosen.extend(best(&rest, &candidates).filter(adds));
        }
    }
    let held: BTreeSet<String> = chosen.iter().flat_map(|one| one.keys.iter().cloned()).collect();
    let covered = covered(&wanted, &held, &given);
    let objection = match chosen.len() {
        1 => objection(&said, first, &given),
        _ => Some(Difference::of_wording("it joins what stands in several sentences")),
    };
    let mut sources: Vec<SourceSentence> = chosen.into_iter().map(|one| place(one, covered)).collect();
    sources.sort_by_key(|source| (source.text, source.range.start));
    OwnWords { sources, nearest, objection }
}

/// The parts of a sentence that say something each: cut at a semicolon, and where a comma or a conjunction goes on with another statement.
fn parts(claim: &str) -> Vec<&str> {
    let mut parts = vec![claim];
    for joint in JOINTS {
        parts = parts.into_iter().flat_map(|part| part.split(joint)).collect();
    }
    let is_statement = |part: &&str| keys(&tokens(part)).len() >= GAINED_MIN;
    parts.into_iter().filter(is_statement).collect()
}

/// The candidates that hold most of a claim's words, the best first; those that hold none come last, in their order.
fn nearest(wanted: &BTreeSet<String>, candidates: &[Candidate<'_>]) -> Vec<SourceSentence> {
    let held = |one: &Candidate<'_>| covered(wanted, &one.keys, &BTreeSet::new());
    let mut found: Vec<SourceSentence> = candidates.iter().map(|one| place(one, held(one))).collect();
    found.sort_by(|a, b| b.covered.total_cmp(&a.covered));
    found.truncate(NEAREST_MAX);
    found
}

/// The share of a claim's words that one sentence holds.
#[must_use]
pub fn share_held(claim: &str, sentence: &str) -> f32 {
    covered(&keys(&tokens(claim)), &keys(&tokens(sentence)), &BTreeSet::new())
}

/// Whether a sentence denies something.
#[must_use]
pub fn denies(text: &str) -> bool {
    qualifiers::qualifiers(&tokens(text)).iter().any(|(one, _)| *one == qualifiers::Qualifier::Denial)
}

fn candidates<'a>(texts: &[SourceText<'a>], budget: &Budget) -> Vec<Candidate<'a>> {
    let mut found = Vec::new();
    for (at, source) in texts.iter().enumerate() {
        for range in sentence_ranges(source.text) {
            let Some(words) = source.text.get(range.clone()).filter(|words| budget.spend(words.len())) else {
                continue;
            };
            let tokens = tokens(words);
            let keys = keys(&tokens);
            found.push(Candidate { text: at, range, tokens, keys });
        }
    }
    found
}

/// The words that carry a subject, as they are compared.
fn keys(tokens: &[Token<'_>]) -> BTreeSet<String> {
    tokens.iter().filter(|token| token.is_content()).map(|token| token.key.clone()).collect()
}

/// The sentence that holds most of the words, rare ones counting more; of equals the first.
fn best<'c, 'a>(wanted: &BTreeSet<String>, candidates: &'c [Candidate<'a>]) -> Option<&'c Candidate<'a>> {
    let mut holders: BTreeMap<&str, usize> = BTreeMap::new();
    for candidate in candidates {
        for key in wanted.intersection(&candidate.keys) {
            *holders.entry(key).or_default() += 1;
        }
    }
    let worth = |candidate: &Candidate<'_>| -> f32 {
        let held = wanted.intersection(&candidate.keys);
        held.map(|key| 1.0 / (1.0 + share(holders.get(key.as_str()).copied().unwrap_or(1), 1).ln())).sum()
    };
    let mut found: Option<(f32, &Candidate<'a>)> = None;
    for candidate in candidates {
        let worth = worth(candidate);
        if worth > 0.0 && found.is_none_or(|(known, _)| worth > known) {
            found = Some((worth, candidate));
        }
    }
    found.map(|(_, candidate)| candidate)
}

fn covered(wanted: &BTreeSet<String>, held: &BTreeSet<String>, given: &BTreeSet<String>) -> f32 {
    let counted: Vec<&String> = wanted.iter().filter(|key| held.contains(*key) || !given.contains(*key)).collect();
    share(counted.iter().filter(|key| held.contains(**key)).count(), counted.len())
}

fn place(candidate: &Candidate<'_>, covered: f32) -> SourceSentence {
    SourceSentence { text: candidate.text, range: candidate.range.clone(), covered }
}

/// Why the claim is not the source in nearly its own words.
fn objection(said: &[Token<'_>], source: &Candidate<'_>, given: &BTreeSet<String>) -> Option<Difference> {
    if let Some(difference) = qualifiers::difference(said, &source.tokens) {
        return Some(Difference::of_matter(difference));
    }
    let content: Vec<&Token<'_>> = said.iter().filter(|token| token.is_content()).collect();
    if content.len() > CONTENT_MAX {
        return Some(Difference::of_wording("it is too long to be compared with the sentence it rests on"));
    }
    let new: Vec<&&Token<'_>> = content.iter().filter(|token| !source.keys.contains(&token.key)).collect();
    let is_told = |token: &Token<'_>| given.contains(&token.key);
    let opens = |token: &Token<'_>| said.first().is_some_and(|first| first.range == token.range);
    let is_name = |token: &Token<'_>| token.has_digit() || (token.is_capital() && !opens(token));
    if let Some(token) = new.iter().find(|token| is_name(token) && !is_told(token)) {
        return Some(Difference::of_matter(format!("\"{}\" is not in the sentence it rests on", token.raw)));
    }
    if share(new.iter().filter(|token| !is_told(token)).count(), content.len()) > NEW_WORDS_MAX {
        let words: Vec<&str> = new.iter().take(3).map(|token| token.raw).collect();
        let words = words.join("\", \"");
        return Some(Difference::of_wording(format!("the sentence it rests on does not say \"{words}\"")));
    }
    let matched: Vec<&str> =
        content.iter().filter(|token| source.keys.contains(&token.key)).map(|token| token.key.as_str()).collect();
    let order: Vec<&str> = source.tokens.iter().map(|token| token.key.as_str()).collect();
    let in_order = common(&matched, &order);
    if share(in_order, matched.len()) < IN_ORDER_MIN || matched.len() - in_order > OUT_OF_ORDER_MAX {
        return Some(Difference::of_wording("its words stand in another order than in the sentence it rests on"));
    }
    let is_said = |token: &Token<'_>| matched.contains(&token.key.as_str());
    let (first, last) = (source.tokens.iter().position(is_said)?, source.tokens.iter().rposition(is_said)?);
    let between = source.tokens.get(first..last).unwrap_or_default();
    let skipped =
        between.iter().find(|token| token.is_content() && (token.is_capital() || token.has_digit()) && !is_said(token));
    skipped.map(|token| Difference::of_matter(format!("it leaves out \"{}\" of the sentence it rests on", token.raw)))
}

/// The length of the longest common subsequence.
fn common(ours: &[&str], theirs: &[&str]) -> usize {
    let mut row = vec![0_usize; theirs.len() + 1];
    for word in ours {
        let mut diagonal = 0;
        let mut left = 0;
        for (cell, other) in row.iter_mut().skip(1).zip(theirs) {
            let above = *cell;
            *cell = if word == other { diagonal + 1 } else { above.max(left) };
            (diagonal, left) = (above, *cell);
        }
    }
    row.last().copied().unwrap_or_default()
}

#[expect(clippy::cast_precision_loss, reason = "a sentence has few words")]
fn share(part: usize, whole: usize) -> f32 {
    part as f32 / whole.max(1) as f32
}
