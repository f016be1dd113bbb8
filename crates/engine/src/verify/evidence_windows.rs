//! A claim and the texts it rests on → a few windows of evidence, small enough to be read at once.
//!
//! Invariant: at most `WINDOWS_MAX` windows, each of whole sentences in their order and about `WINDOW_CHARS` long; a
//! short text is one window, untouched.

use std::collections::{BTreeMap, BTreeSet};

use vouch_domain::language::{key_terms, sentence_ranges, terms};

const WINDOW_CHARS: usize = 1_300;
/// Neighbouring windows, best first, and one put together from the best sentences of all.
const NEIGHBOURS_MAX: usize = 3;
const WINDOWS_MAX: usize = NEIGHBOURS_MAX + 1;
/// Longer evidence is cut here.
const SENTENCES_MAX: usize = 2_000;

pub(super) fn windows(claim: &str, evidence: &[&str]) -> Vec<String> {
    let together: usize = evidence.iter().map(|text| text.chars().count()).sum();
    if together <= WINDOW_CHARS {
        let joined = evidence.iter().map(|text| text.trim()).collect::<Vec<_>>().join("\n");
        return vec![joined];
    }
    let asked: BTreeMap<String, usize> = key_terms(claim).into_iter().zip(0..).collect();
    let sentences: Vec<Sentence<'_>> = evidence
        .iter()
        .enumerate()
        .flat_map(|(text, evidence)| {
            sentence_ranges(evidence).into_iter().filter_map(move |range| Some((text, evidence.get(range)?)))
        })
        .take(SENTENCES_MAX)
        .map(|(text, words)| Sentence::new(text, words, &asked))
        .collect();
    let mut runs = runs(&sentences);
    runs.sort_by(|a, b| b.held.cmp(&a.held).then(a.first.cmp(&b.first)));
    let mut found: Vec<String> = runs.into_iter().take(NEIGHBOURS_MAX).map(|run| run.text).collect();
    let best = best_sentences(&sentences);
    if !found.contains(&best) {
        found.push(best);
    }
    found.truncate(WINDOWS_MAX);
    found
}

struct Sentence<'a> {
    text: usize,
    words: &'a str,
    chars: usize,
    /// Which of the claim's terms it holds, by their places, rising.
    held: Vec<usize>,
}

impl<'a> Sentence<'a> {
    fn new(text: usize, words: &'a str, asked: &BTreeMap<String, usize>) -> Self {
        let held: BTreeSet<usize> = terms(words).iter().filter_map(|term| asked.get(term).copied()).collect();
        Self { text, words, chars: words.chars().count(), held: held.into_iter().collect() }
    }
}

/// Neighbouring sentences of one text.
struct Run {
    first: usize,
    text: String,
    held: usize,
}

/// Runs of neighbouring sentences, each beginning half a window after the last.
fn runs(sentences: &[Sentence<'_>]) -> Vec<Run> {
    let mut found: Vec<Run> = Vec::new();
    let mut covered_until = 0;
    for (first, sentence) in sentences.iter().enumerate() {
        if first < covered_until {
            continue;
        }
        let mut chars = 0;
        let mut held: Vec<usize> = Vec::new();
        let mut words: Vec<&str> = Vec::new();
        for next in sentences.iter().skip(first).take_while(|next| next.text == sentence.text) {
            if !words.is_empty() && chars + next.chars > WINDOW_CHARS {
                break;
            }
            chars += next.chars;
            words.push(next.words);
            held.extend(&next.held);
        }
        held.sort_unstable();
        held.dedup();
        covered_until = first + words.len().div_ceil(2);
        found.push(Run { first, text: words.join(" "), held: held.len() });
    }
    found
}

/// The sentences that hold most of the claim, from wherever they stand, in their order.
fn best_sentences(sentences: &[Sentence<'_>]) -> String {
    let mut order: Vec<usize> = (0..sentences.len()).collect();
    order.sort_by_key(|at| (std::cmp::Reverse(sentences.get(*at).map_or(0, |sentence| sentence.held.len())), *at));
    let mut chars = 0;
    let mut chosen: Vec<usize> = Vec::new();
    for at in order {
        let Some(sentence) = sentences.get(at) else { continue };
        if !chosen.is_empty() && (chars + sentence.chars > WINDOW_CHARS || sentence.held.is_empty()) {
            break;
        }
        chars += sentence.chars;
        chosen.push(at);
    }
    chosen.sort_unstable();
    let words: Vec<&str> = chosen.iter().filter_map(|at| sentences.get(*at)).map(|sentence| sentence.words).collect();
    words.join(" ")
}
