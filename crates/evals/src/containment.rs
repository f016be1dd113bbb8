//! A claim and its evidence → the share of the claim's words that stand in the evidence.
//!
//! It is the floor every claim figure is shown beside: a check that does no better reads no meaning.
//! Invariant: the share lies between 0 and 1, and a claim without words has 0.

use std::collections::BTreeSet;

/// The share of the claim's distinct words found in the evidence, in lower case.
#[must_use]
pub fn containment(claim: &str, evidence: &str) -> f32 {
    let claimed = words(claim);
    if claimed.is_empty() {
        return 0.0;
    }
    let known = words(evidence);
    claimed.intersection(&known).count() as f32 / claimed.len() as f32
}

fn words(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::containment;

    #[test]
    fn shares_follow_the_distinct_words() {
        let cases = [
            ("The mast is tall.", "A mast, tall as it is, the tallest.", 1.0),
            ("The mast, the mast, the boom.", "the mast", 2.0 / 3.0),
            ("ÉTÉ chaud", "un été froid", 0.5),
            ("Nothing shared", "other words", 0.0),
        ];
        for (claim, evidence, share) in cases {
            assert!((containment(claim, evidence) - share).abs() < 1e-6, "{claim}");
        }
    }

    #[test]
    fn a_word_inside_a_longer_word_is_not_found() {
        assert!(containment("cat", "concatenate").abs() < 1e-6);
    }

    #[test]
    fn a_claim_without_words_has_no_share() {
        for claim in ["", " \n", "…!?"] {
            assert!(containment(claim, "evidence").abs() < 1e-6);
        }
        assert!(containment("claim", "").abs() < 1e-6);
    }
}
