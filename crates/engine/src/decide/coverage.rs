//! An answer and what it cites → the share of its key phrases that stand there.

use std::collections::{BTreeMap, BTreeSet};

use vouch_domain::language::{sentence_ranges, terms, words::is_stop_word};

use crate::verify::VerifiedText;

/// A phrase is no longer than this; a longer run of words is several.
const PHRASE_WORDS_MAX: usize = 3;

/// The share of the answer's key phrases that one sentence of what it cites holds; none if it has no phrase.
pub(super) fn coverage(text: &VerifiedText) -> Option<f32> {
    let mut cited = Cited::default();
    for one in text.citations() {
        let own = one.text();
        let section = one.piece().map(|piece| piece.passage.passage.section.iter());
        let headings = section.into_iter().flatten().chain(std::iter::once(&one.document().title));
        let sentences = sentence_ranges(own).into_iter().filter_map(|range| own.get(range));
        sentences.chain(headings.map(String::as_str)).for_each(|words| cited.add(words));
    }
    let mut phrases: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    // What a card says needs no passage to stand in.
    let sentences = text.claims().iter().filter(|claim| !claim.is_row());
    let words = sentences.flat_map(|claim| {
        let own = claim.text();
        sentence_ranges(own).into_iter().filter_map(|range| own.get(range))
    });
    for phrase in words.flat_map(phrases_of) {
        *phrases.entry(phrase).or_default() += 1;
    }
    let all: usize = phrases.values().sum();
    let found: usize = phrases.iter().filter(|(phrase, _)| cited.holds(phrase)).map(|(_, times)| times).sum();
    #[expect(clippy::cast_precision_loss, reason = "an answer has few phrases")]
    (all > 0).then(|| found as f32 / all as f32)
}

/// Sentences by the terms they hold: a phrase is looked for only where its rarest term stands.
#[derive(Default)]
struct Cited {
    sentences: Vec<BTreeSet<String>>,
    holding: BTreeMap<String, Vec<usize>>,
}

impl Cited {
    fn add(&mut self, words: &str) {
        let held: BTreeSet<String> = terms(words).into_iter().collect();
        for term in &held {
            self.holding.entry(term.clone()).or_default().push(self.sentences.len());
        }
        self.sentences.push(held);
    }

    /// Whether one sentence holds every term of a phrase.
    fn holds(&self, phrase: &[String]) -> bool {
        let holding = |term: &String| self.holding.get(term).map(Vec::as_slice).unwrap_or_default();
        let rarest = phrase.iter().map(holding).min_by_key(|holding| holding.len()).unwrap_or_default();
        let mut sentences = rarest.iter().filter_map(|at| self.sentences.get(*at));
        sentences.any(|sentence| phrase.iter().all(|term| sentence.contains(term)))
    }
}

/// Runs of words without a stop word or a sign between them.
fn phrases_of(text: &str) -> Vec<Vec<String>> {
    let mut found: Vec<Vec<String>> = Vec::new();
    let mut open: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let is_stop = bare.is_empty() || is_stop_word(&bare.to_lowercase());
        if is_stop || open.len() == PHRASE_WORDS_MAX {
            found.extend(Some(std::mem::take(&mut open)).filter(|phrase| !phrase.is_empty()));
        }
        if !is_stop {
            open.extend(terms(bare));
        }
        if word.ends_with([',', ';', ':', '.', '!', '?', ')']) {
            found.extend(Some(std::mem::take(&mut open)).filter(|phrase| !phrase.is_empty()));
        }
    }
    found.extend(Some(open).filter(|phrase| !phrase.is_empty()));
    found
}

#[cfg(test)]
mod tests {
    use super::phrases_of;

    #[test]
    fn phrases_are_runs_of_words_that_carry_meaning() {
        let found: Vec<String> = phrases_of("The annual leave is 25 days, and the line manager signs form HR-7.")
            .iter()
            .map(|p| p.join(" "))
            .collect();
        assert_eq!(found, ["annual leav", "25 day", "line manag sign", "form hr 7"]);
    }
}
