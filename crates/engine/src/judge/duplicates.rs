//! Passages that say the same in nearly the same words are told apart from the rest.

use vouch_domain::language::terms;

/// What a passage says, in a form that can be compared: sorted digests of neighbouring words.
pub(super) struct Shingles(Vec<u64>);

impl Shingles {
    pub(super) fn new(text: &str) -> Self {
        let words = terms(text);
        let mut digests: Vec<u64> = words.iter().zip(words.iter().skip(1)).map(|(a, b)| digest(a, b)).collect();
        if let [only] = words.as_slice() {
            digests.push(digest(only, ""));
        }
        digests.sort_unstable();
        digests.dedup();
        Self(digests)
    }

    /// The share of the two sets that is common to both, 0 to 1.
    pub(super) fn overlap(&self, other: &Self) -> f32 {
        let (mut left, mut right) = (self.0.iter().peekable(), other.0.iter().peekable());
        let mut shared = 0;
        while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
            match a.cmp(b) {
                std::cmp::Ordering::Less => drop(left.next()),
                std::cmp::Ordering::Greater => drop(right.next()),
                std::cmp::Ordering::Equal => {
                    shared += 1;
                    left.next();
                    right.next();
                }
            }
        }
        let all = self.0.len() + other.0.len() - shared;
        #[expect(clippy::cast_precision_loss, reason = "counts of words in a passage are small")]
        let share = if all == 0 { 0.0 } else { shared as f32 / all as f32 };
        share
    }
}

/// FNV-1a: stable from run to run, which the standard hasher does not promise.
fn digest(first: &str, second: &str) -> u64 {
    first
        .bytes()
        .chain([0])
        .chain(second.bytes())
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::Shingles;

    #[test]
    fn a_changed_word_in_a_long_passage_is_still_a_duplicate() {
        let words: Vec<String> = (0..60).map(|n| format!("word{n}")).collect();
        let (first, second) = (words.join(" "), format!("{} extra", words.join(" ")));
        assert!(Shingles::new(&first).overlap(&Shingles::new(&second)) > 0.9);
    }

    #[test]
    fn two_subjects_are_no_duplicates() {
        let (mast, rain) = (Shingles::new("The mast is tall and white."), Shingles::new("Rain falls into the gauge."));
        assert!(mast.overlap(&rain) < 0.1);
    }

    #[test]
    fn passages_without_words_are_not_alike() {
        assert!(Shingles::new("").overlap(&Shingles::new("")) < f32::EPSILON);
    }
}
