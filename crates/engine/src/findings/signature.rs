//! A text → a signature by which nearly equal texts are found without comparing every pair (`MinHash` with bands).
//!
//! Invariant: the share of equal places of two signatures is close to the share of word triples that the texts have in
//! common; the same text always has the same signature, on every machine.

use vouch_domain::language::words::terms;

/// How many digests a signature has: `BANDS` times `ROWS`.
const DIGESTS: usize = BANDS * ROWS;
/// Documents that share a band are compared. With 20 bands of 6, of two documents with 80 % in common 99.8 % share one,
/// of two with 50 % in common 27 %.
const BANDS: usize = 20;
const ROWS: usize = 6;
/// A text of fewer word triples is too short to be called nearly the same as another.
const TRIPLES_MIN: usize = 30;

/// The signature of a text; empty for a short one.
pub(super) fn signature(text: &str) -> Vec<u32> {
    let words = terms(text);
    let mut triples: Vec<u64> =
        words.windows(3).map(|three| three.iter().fold(SEED, |hash, word| more(hash, word))).collect();
    triples.sort_unstable();
    triples.dedup();
    if triples.len() < TRIPLES_MIN {
        return Vec::new();
    }
    (0..DIGESTS as u64).map(|order| least(&triples, mix(order))).collect()
}

/// The digests of a signature's bands.
pub(super) fn bands(signature: &[u32]) -> Vec<u64> {
    let band = |(number, rows): (u64, &[u32])| rows.iter().fold(mix(number), |hash, row| mix(hash ^ u64::from(*row)));
    (0u64..).zip(signature.chunks_exact(ROWS)).map(band).collect()
}

/// The share of word triples that two texts have in common, of 100, as far as their signatures tell.
pub(super) fn likeness(one: &[u32], other: &[u32]) -> u8 {
    if one.len() != DIGESTS || other.len() != DIGESTS {
        return 0;
    }
    let same = one.iter().zip(other).filter(|(one, other)| one == other).count();
    u8::try_from(same * 100 / DIGESTS).unwrap_or(100)
}

/// The digest of a term, under which claims are looked up.
pub(super) fn digest(term: &str) -> u64 {
    mix(more(SEED, term))
}

const SEED: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a: stable from run to run, which the standard hasher does not promise.
fn more(hash: u64, word: &str) -> u64 {
    word.bytes().chain([0]).fold(hash, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn least(triples: &[u64], order: u64) -> u32 {
    let upper = |triple: &u64| u32::try_from(mix(triple ^ order) >> 32).unwrap_or(u32::MAX);
    triples.iter().map(upper).min().unwrap_or(u32::MAX)
}

/// SplitMix64's last step: every bit of the number takes part in every bit of the outcome.
fn mix(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use super::{bands, likeness, signature};

    fn text(changed: usize) -> String {
        let word = |at: usize| if at < changed { format!("other{at}") } else { format!("word{at}") };
        (0..400).map(word).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn texts_that_differ_in_few_words_are_found_and_others_are_not() {
        let (all, most, none) = (signature(&text(0)), signature(&text(20)), signature(&text(400)));
        assert_eq!(likeness(&all, &all), 100);
        assert!((84..=96).contains(&likeness(&all, &most)), "{}", likeness(&all, &most));
        assert!(bands(&all).iter().any(|band| bands(&most).contains(band)));
        assert!(likeness(&all, &none) < 5);
        assert!(!bands(&all).iter().any(|band| bands(&none).contains(band)));
    }

    #[test]
    fn a_short_text_is_nearly_no_other() {
        let short = signature("Back to the overview of all pages");
        assert!(short.is_empty() && likeness(&short, &short) == 0);
    }
}
