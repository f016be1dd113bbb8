//! Passages that say the same in nearly the same words → the better one of them.

use std::collections::BTreeSet;

use vouch_domain::{DroppedPassage, language::terms};

use super::drop_note;
use crate::retrieve::{Candidate, Similarity};

pub(super) fn without_near_duplicates<'a>(
    candidates: Vec<(&'a Candidate, Similarity)>,
    similarity_max: f32,
    dropped: &mut Vec<DroppedPassage>,
) -> Vec<(&'a Candidate, Similarity)> {
    let mut kept: Vec<(&Candidate, Similarity)> = Vec::new();
    let mut shingles_kept: Vec<BTreeSet<u64>> = Vec::new();
    for (candidate, similarity) in candidates {
        let shingles = shingles(&candidate.passage.passage.text);
        if shingles_kept.iter().any(|other| overlap(&shingles, other) > similarity_max) {
            dropped.push(drop_note(candidate, "near-duplicate"));
        } else {
            kept.push((candidate, similarity));
            shingles_kept.push(shingles);
        }
    }
    kept
}

/// Digests of every pair of neighbouring terms, so that order counts a little.
fn shingles(text: &str) -> BTreeSet<u64> {
    let words = terms(text);
    let mut digests: BTreeSet<u64> = words.iter().zip(words.iter().skip(1)).map(|(a, b)| digest(a, b)).collect();
    if let [only] = words.as_slice() {
        digests.insert(digest(only, ""));
    }
    digests
}

/// FNV-1a: stable from run to run, which the standard hasher does not promise.
fn digest(first: &str, second: &str) -> u64 {
    first
        .bytes()
        .chain([0])
        .chain(second.bytes())
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The share of the two sets that is common to both.
fn overlap(a: &BTreeSet<u64>, b: &BTreeSet<u64>) -> f32 {
    let (small, large) = if a.len() < b.len() { (a, b) } else { (b, a) };
    // Two sets of very different size cannot be alike, so most pairs are told apart without a look inside.
    if small.is_empty() || small.len() * 2 < large.len() {
        return 0.0;
    }
    let shared = small.iter().filter(|digest| large.contains(digest)).count();
    #[expect(clippy::cast_precision_loss, reason = "counts of words in a passage are small")]
    let share = shared as f32 / (small.len() + large.len() - shared) as f32;
    share
}

#[cfg(test)]
mod tests {
    use super::{overlap, shingles};

    #[test]
    fn a_changed_word_in_a_long_passage_is_still_a_duplicate() {
        let text = "The mast stands two metres tall and carries the screen. ".repeat(6);
        let words: Vec<String> = (0..60).map(|n| format!("word{n}")).collect();
        let (first, second) = (format!("{text} {}", words.join(" ")), format!("{text} {} extra", words.join(" ")));
        assert!(overlap(&shingles(&first), &shingles(&second)) > 0.9);
    }

    #[test]
    fn two_subjects_are_no_duplicates() {
        assert!(overlap(&shingles("The mast is tall and white."), &shingles("Rain falls into the gauge.")) < 0.1);
    }
}
