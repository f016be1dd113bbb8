//! How much two short names look alike, by the runs of three characters they share.

use std::collections::BTreeSet;

use super::words::folded;

/// Lower case, trimmed, every run of white space one space. Accents stay: they tell words apart.
#[must_use]
pub fn folded_spaces(text: &str) -> String {
    let lower = text.to_lowercase();
    lower.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The runs of three characters of a name, accents off, with its edges marked.
#[must_use]
pub fn trigrams(name: &str) -> BTreeSet<[char; 3]> {
    let mut characters = vec![' ', ' '];
    for word in folded(name).split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        characters.extend(word.chars());
        characters.push(' ');
    }
    characters.windows(3).filter_map(|run| <[char; 3]>::try_from(run).ok()).collect()
}

/// The share of runs two names have in common, 0 to 1.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "a name has few characters")]
pub fn likeness(left: &BTreeSet<[char; 3]>, right: &BTreeSet<[char; 3]>) -> f32 {
    let shared = left.intersection(right).count();
    let all = left.len() + right.len() - shared;
    if all == 0 { 0.0 } else { shared as f32 / all as f32 }
}

#[cfg(test)]
mod tests {
    use super::{likeness, trigrams};

    #[test]
    fn a_slip_of_the_pen_is_still_alike_and_another_word_is_not() {
        let alike = |left: &str, right: &str| likeness(&trigrams(left), &trigrams(right));
        assert!((alike("Busbar", "busbar") - 1.0).abs() < f32::EPSILON);
        assert!(alike("voltage regulatoin", "voltage regulation") > 0.5);
        assert!(alike("busbar", "feeder") < 0.1);
        assert!(alike("", "") < f32::EPSILON);
    }
}
