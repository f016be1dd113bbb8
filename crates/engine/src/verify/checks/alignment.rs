//! A sentence of the claim and the sentences of the evidence → those that speak of the same thing, and what stands in
//! the place of each token.
//!
//! Invariant: the work is bounded by `SENTENCES_ALIGNED_MAX` tables of at most `TOKENS_ALIGNED_MAX` tokens per side,
//! whatever the texts hold.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use crate::reading::{Sentence, token::Token};

/// How many sentences of the evidence are aligned with one of the claim.
const SENTENCES_ALIGNED_MAX: usize = 8;
/// How many tokens of a sentence are aligned.
const TOKENS_ALIGNED_MAX: usize = 300;
/// A word that carries no subject may stand so far from the others before it counts as a chance match.
const STRAY_TOKENS_MAX: usize = 4;
/// A place longer than this is no place.
const PLACE_TOKENS_MAX: usize = 8;

/// A longer word is not taken apart.
const SPELLED_BYTES_MAX: usize = 60;

const CONTENT_WEIGHT: u32 = 2;
const STOP_WEIGHT: u32 = 1;

/// Which sentences of the evidence hold a token.
pub(super) struct Holders<'e> {
    sentences: &'e [Sentence<'e>],
    holding: BTreeMap<&'e str, Vec<usize>>,
    vocabulary: BTreeMap<&'e str, bool>,
    tokens: usize,
}

/// One sentence of the claim laid beside one of the evidence.
#[derive(Debug, Clone)]
pub(super) struct Alignment {
    /// Which sentence of the evidence.
    pub sentence: usize,
    /// 1 where they are the same token for token, near 0 where they share nothing.
    pub similarity: f32,
    /// The tokens that match, of the claim and of the evidence, rising.
    pub pairs: Vec<(usize, usize)>,
    evidence_tokens: usize,
    claim_tokens: usize,
}

/// What stands in the evidence where a part of the claim stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The claim's tokens between the same neighbours.
    pub claim: Range<usize>,
    /// The evidence's tokens there; may be empty.
    pub evidence: Range<usize>,
    /// Whether tokens that match, or the sentences' ends, stand on both sides.
    pub is_held: bool,
}

impl<'e> Holders<'e> {
    pub(super) fn new(sentences: &'e [Sentence<'e>]) -> Holders<'e> {
        let mut holding: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        let mut vocabulary: BTreeMap<&str, bool> = BTreeMap::new();
        for (at, sentence) in sentences.iter().enumerate() {
            for token in &sentence.tokens {
                *vocabulary.entry(token.fold.as_str()).or_default() |= token.is_capital();
                let places = holding.entry(token.key.as_str()).or_default();
                if places.last() != Some(&at) {
                    places.push(at);
                }
            }
        }
        let tokens = sentences.iter().map(|sentence| sentence.tokens.len()).sum();
        Holders { sentences, holding, vocabulary, tokens }
    }

    /// How many tokens the evidence has: what it costs to look through it once.
    pub(super) fn tokens(&self) -> usize {
        self.tokens
    }

    /// The places of the sentences that hold a key, rising.
    pub(super) fn holding(&self, key: &str) -> &[usize] {
        self.holding.get(key).map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether any sentence holds the key.
    pub(super) fn holds(&self, key: &str) -> bool {
        self.holding.contains_key(key)
    }

    /// Every word of the evidence once, folded, and whether it has a capital anywhere.
    pub(super) fn words(&self) -> impl Iterator<Item = (&'e str, bool)> + '_ {
        self.vocabulary.iter().map(|(word, is_capital)| (*word, *is_capital))
    }

    /// Whether the folded word is among them.
    pub(super) fn has_word(&self, fold: &str) -> bool {
        self.vocabulary.contains_key(fold)
    }

    /// Whether the word can be put together from words of the evidence, in whatever order they stand there.
    pub(super) fn can_spell(&self, word: &str) -> bool {
        if word.len() > SPELLED_BYTES_MAX {
            return self.has_word(word);
        }
        let mut reached = BTreeSet::from([0]);
        while let Some(from) = reached.pop_first() {
            let rest = word.get(from..).unwrap_or_default();
            if rest.is_empty() {
                return true;
            }
            let ends = rest.char_indices().map(|(at, c)| at + c.len_utf8());
            reached.extend(
                ends.filter(|end| rest.get(..*end).is_some_and(|part| self.has_word(part))).map(|end| from + end),
            );
        }
        false
    }

    /// The sentences nearest to the claim's, the best first.
    pub(super) fn nearest(&self, claim: &[Token<'_>]) -> Vec<Alignment> {
        let keys: BTreeSet<(&str, u32)> = claim.iter().map(|token| (token.key.as_str(), weight(token))).collect();
        let mut shared = vec![0.0_f32; self.sentences.len()];
        for (key, weight) in keys {
            for sentence in self.holding(key) {
                if let Some(share) = shared.get_mut(*sentence) {
                    *share += if weight == CONTENT_WEIGHT { 1.0 } else { 0.2 };
                }
            }
        }
        let aligned = largest(&shared).into_iter().filter_map(|at| {
            let evidence = self.sentences.get(at)?;
            Some(align(claim, &evidence.tokens, at))
        });
        let mut aligned: Vec<Alignment> = aligned.filter(|alignment| !alignment.pairs.is_empty()).collect();
        aligned.sort_by(|left, right| right.similarity.total_cmp(&left.similarity));
        aligned
    }
}

impl Alignment {
    /// What stands where the claim's tokens of this range stand.
    pub(super) fn place(&self, range: &Range<usize>) -> Option<Place> {
        let from = |end: usize| self.pairs.partition_point(|(claim, _)| *claim < end);
        let left = from(range.start).checked_sub(1).and_then(|at| self.pairs.get(at));
        let right = self.pairs.get(from(range.end));
        let claim_start = left.map_or(0, |(claim, _)| claim + 1);
        let claim_end = right.map_or(self.claim_tokens, |(claim, _)| *claim);
        let (start, end) = match (left, right) {
            (None, None) => return None,
            (Some(left), Some(right)) => (left.1 + 1, right.1),
            (Some(left), None) => (left.1 + 1, self.evidence_tokens.min(left.1 + 1 + PLACE_TOKENS_MAX)),
            (None, Some(right)) => (right.1.saturating_sub(PLACE_TOKENS_MAX), right.1),
        };
        if start > end || end - start > PLACE_TOKENS_MAX || claim_end - claim_start > PLACE_TOKENS_MAX {
            return None;
        }
        let is_held = (left.is_some() || start == 0) && (right.is_some() || end == self.evidence_tokens);
        Some(Place { claim: claim_start..claim_end, evidence: start..end, is_held })
    }

    /// The evidence's tokens from the first to the last that matches.
    pub(super) fn span(&self) -> Range<usize> {
        let start = self.pairs.first().map_or(0, |(_, evidence)| *evidence);
        let end = self.pairs.last().map_or(0, |(_, evidence)| evidence + 1);
        start..end
    }

    /// Whether a token of the claim has its like in the evidence.
    pub(super) fn is_matched(&self, claim: usize) -> bool {
        self.pairs.binary_search_by_key(&claim, |(claim, _)| *claim).is_ok()
    }

    /// Whether a token of the evidence has its like in the claim.
    pub(super) fn is_matched_there(&self, evidence: usize) -> bool {
        self.pairs.binary_search_by_key(&evidence, |(_, evidence)| *evidence).is_ok()
    }

    /// Whether a token of the claim is laid beside this one of the evidence.
    pub(super) fn is_pair(&self, claim: usize, evidence: usize) -> bool {
        self.pairs.binary_search(&(claim, evidence)).is_ok()
    }
}

/// Two token lists → the heaviest common subsequence and how much of both it covers.
pub(super) fn align(claim: &[Token<'_>], evidence: &[Token<'_>], sentence: usize) -> Alignment {
    let claim: Vec<&Token<'_>> = claim.iter().take(TOKENS_ALIGNED_MAX).collect();
    let evidence: Vec<&Token<'_>> = evidence.iter().take(TOKENS_ALIGNED_MAX).collect();
    let weights: Vec<u32> = claim.iter().map(|token| weight(token)).collect();
    let rows = table(&keyed(&claim, &evidence), &weights, evidence.len());
    let cell = |row: usize, column: usize| rows.get(row).and_then(|row| row.get(column)).copied().unwrap_or(0);
    let mut pairs = Vec::new();
    let (mut row, mut column) = (0, 0);
    while let (Some(mine), Some(theirs), Some(weight)) = (claim.get(row), evidence.get(column), weights.get(row)) {
        let here = cell(row, column);
        if mine.key == theirs.key && here == cell(row + 1, column + 1) + weight {
            pairs.push((row, column));
            row += 1;
            column += 1;
        } else if cell(row + 1, column) >= cell(row, column + 1) {
            row += 1;
        } else {
            column += 1;
        }
    }
    drop_strays(&mut pairs, &claim);
    let mut alignment =
        Alignment { sentence, similarity: 0.0, pairs, evidence_tokens: evidence.len(), claim_tokens: claim.len() };
    alignment.similarity = similarity(&alignment, &claim, &evidence);
    alignment
}

/// The keys of both lists as numbers, so that the table compares numbers and not words.
fn keyed<'t>(claim: &[&'t Token<'_>], evidence: &[&'t Token<'_>]) -> (Vec<usize>, Vec<usize>) {
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    let mut number = |token: &&'t Token<'_>| {
        let next = numbers.len();
        *numbers.entry(token.key.as_str()).or_insert(next)
    };
    (claim.iter().map(&mut number).collect(), evidence.iter().map(&mut number).collect())
}

/// How heavy the best common subsequence is from each pair of places on.
fn table((claim, evidence): &(Vec<usize>, Vec<usize>), weights: &[u32], columns: usize) -> Vec<Vec<u32>> {
    let mut rows = vec![vec![0; columns + 1]];
    for (mine, weight) in claim.iter().zip(weights).rev() {
        let below = rows.last().map(Vec::as_slice).unwrap_or_default();
        let mut row = vec![0; columns + 1];
        let mut after = 0;
        let cells = row.iter_mut().rev().skip(1);
        let down = below.iter().rev().skip(1).zip(below.iter().rev());
        for ((cell, theirs), (beneath, diagonal)) in cells.zip(evidence.iter().rev()).zip(down) {
            *cell = after.max(*beneath);
            if mine == theirs {
                *cell = (*cell).max(diagonal + weight);
            }
            after = *cell;
        }
        rows.push(row);
    }
    rows.reverse();
    rows
}

/// The places of the largest shares, at most `SENTENCES_ALIGNED_MAX`, the largest first and of equals the first.
fn largest(shares: &[f32]) -> Vec<usize> {
    let mut found: Vec<(usize, f32)> = Vec::with_capacity(SENTENCES_ALIGNED_MAX + 1);
    for (at, share) in shares.iter().enumerate().filter(|(_, share)| **share > 0.0) {
        let place = found.partition_point(|(_, known)| known >= share);
        if place < SENTENCES_ALIGNED_MAX {
            found.insert(place, (at, *share));
            found.truncate(SENTENCES_ALIGNED_MAX);
        }
    }
    found.into_iter().map(|(at, _)| at).collect()
}

/// A chance match of a small word far from the rest would stretch the span for nothing.
fn drop_strays(pairs: &mut Vec<(usize, usize)>, claim: &[&Token<'_>]) {
    let is_small = |at: usize| claim.get(at).is_some_and(|token| !token.is_content());
    while let [first, second, ..] = pairs.as_slice() {
        if !is_small(first.0) || second.1 - first.1 <= STRAY_TOKENS_MAX + (second.0 - first.0) {
            break;
        }
        pairs.remove(0);
    }
    while let [.., second, last] = pairs.as_slice() {
        if !is_small(last.0) || last.1 - second.1 <= STRAY_TOKENS_MAX + (last.0 - second.0) {
            break;
        }
        pairs.pop();
    }
}

fn similarity(alignment: &Alignment, claim: &[&Token<'_>], evidence: &[&Token<'_>]) -> f32 {
    let matched: u32 = alignment.pairs.iter().filter_map(|(at, _)| claim.get(*at)).map(|token| weight(token)).sum();
    let whole: u32 = claim.iter().map(|token| weight(token)).sum();
    let span: u32 = evidence.get(alignment.span()).unwrap_or_default().iter().map(|token| weight(token)).sum();
    ratio(2 * matched, whole + span)
}

fn weight(token: &Token<'_>) -> u32 {
    if token.is_content() { CONTENT_WEIGHT } else { STOP_WEIGHT }
}

/// A share, zero of nothing.
pub(super) fn ratio(part: u32, whole: u32) -> f32 {
    let (part, whole) = (f64::from(part), f64::from(whole.max(1)));
    #[expect(clippy::cast_possible_truncation, reason = "a share needs no more than six digits")]
    let share = (part / whole) as f32;
    share
}
