//! How much two short names look alike, by the runs of three characters they share.

use std::collections::BTreeSet;

use unicode_normalization::UnicodeNormalization;

use super::words::fold_text;

/// Lower case, trimmed, every run of white space one space. Accents stay, since they tell words apart, each as one
/// character however it was typed.
#[must_use]
pub fn fold_spaces(text: &str) -> String {
    let lower: String = text.nfc().flat_map(char::to_lowercase).collect();
    lower.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The runs of three characters of a name, accents off, with its edges marked.
#[must_use]
pub fn trigrams(name: &str) -> BTreeSet<[char; 3]> {
    let mut characters = vec![' ', ' '];
    for word in fold_text(name).split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
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

/// Names less alike than this are a suggestion only where no other is more alike.
const LIKENESS_MIN: f32 = 0.3;

/// The names that look most like a text, nearest first, up to a limit.
#[must_use]
pub fn most_similar<'a>(text: &str, names: impl Iterator<Item = &'a str>, limit: usize) -> Vec<&'a str> {
    let own = trigrams(text);
    let alike = names.map(|name| (likeness(&own, &trigrams(name)), name)).collect();
    nearest(alike).into_iter().take(limit).collect()
}

/// Names that look alike, nearest first: those plainly alike, else those with anything in common.
#[must_use]
pub fn nearest(mut alike: Vec<(f32, &str)>) -> Vec<&str> {
    let best = alike.iter().map(|(share, _)| *share).fold(0.0, f32::max);
    let least = if best >= LIKENESS_MIN { LIKENESS_MIN } else { f32::MIN_POSITIVE };
    alike.retain(|(share, _)| *share >= least);
    alike.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    alike.into_iter().map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::{likeness, most_similar, trigrams};

    #[test]
    fn the_nearest_names_come_first_and_strangers_not_at_all() {
        let names = ["feeder", "busbar section", "busbar"];
        assert_eq!(most_similar("bussbar", names.into_iter(), 5), ["busbar", "busbar section"]);
        assert_eq!(most_similar("bussbar", names.into_iter(), 1), ["busbar"]);
        assert_eq!(most_similar("foobarbaz", names.into_iter(), 1), ["busbar"], "better than nothing");
        assert!(most_similar("xyz", names.into_iter(), 5).is_empty());
    }

    #[test]
    fn a_slip_of_the_pen_is_still_alike_and_another_word_is_not() {
        let alike = |left: &str, right: &str| likeness(&trigrams(left), &trigrams(right));
        assert!((alike("Busbar", "busbar") - 1.0).abs() < f32::EPSILON);
        assert!(alike("voltage regulatoin", "voltage regulation") > 0.5);
        assert!(alike("busbar", "feeder") < 0.1);
        assert!(alike("", "") < f32::EPSILON);
    }
}
