//! The words on both sides of a full stop → whether it only shortens the word before it.
//!
//! Invariant: in doubt a full stop shortens, and two sentences are read as one; a sentence cut in half can say the opposite
//! of the whole. Of the text before and after only a bounded number of characters is looked at.

/// No abbreviation is longer, and no word that is looked for after one.
const WORD_CHARS_MAX: usize = 8;

/// Shorten whatever follows, and however they are written.
const ALWAYS: &[&str] = &[
    "al", "approx", "art", "ca", "cf", "ch", "co", "corp", "dept", "dr", "e.g", "ed", "eds", "eq", "est", "etc", "fig",
    "figs", "gen", "gov", "i.e", "inc", "jr", "lt", "ltd", "max", "min", "mr", "mrs", "ms", "mt", "op", "p", "pp",
    "prof", "rev", "sec", "sen", "sr", "st", "u.k", "u.s", "viz", "vol", "vols", "vs",
];

/// Shorten before a figure alone: "no. 5" and "c. 1850", but "I said no." and "vitamin c."
const BEFORE_FIGURES: &[&str] = &["No", "no", "Nos", "nos", "c"];

/// Months, which shorten before a figure as well.
const MONTHS: &[&str] = &["Jan", "Feb", "Mar", "Apr", "Jun", "Jul", "Aug", "Sep", "Sept", "Oct", "Nov", "Dec"];

/// Titles, first names and streets: they shorten before a name, and end a sentence before a word that starts one.
const BEFORE_NAMES: &[&str] = &[
    "Adm", "Ave", "Benj", "Blvd", "Capt", "Chas", "Col", "Geo", "Hon", "Jas", "Jos", "Maj", "Rd", "Rep", "Reps",
    "Robt", "Sgt", "Thos", "Will", "Wm",
];

/// Words that start a sentence and no name.
const STARTERS: &[&str] = &[
    "A", "After", "All", "Although", "An", "And", "As", "At", "Because", "Before", "But", "By", "During", "Each",
    "Every", "For", "From", "He", "Her", "His", "How", "However", "I", "If", "In", "It", "Its", "My", "No", "Not",
    "Now", "On", "Our", "She", "Since", "So", "Some", "Still", "That", "The", "Their", "Then", "There", "These",
    "They", "This", "Those", "Though", "To", "Today", "Under", "Until", "We", "What", "When", "Where", "While", "Who",
    "Why", "With", "Yet", "You",
];

/// Whether a full stop between these words only shortens the last word before it.
///
/// Where only the first sign of what follows is known yet, that sign alone may be given.
#[must_use]
pub fn is_abbreviation(before: &str, after: &str) -> bool {
    let is_edge = |c: &char| c.is_whitespace() || matches!(c, '(' | '[' | '"' | '“' | '‘' | '*' | '_');
    let backwards: Vec<char> = before.chars().rev().take(WORD_CHARS_MAX + 1).take_while(|c| !is_edge(c)).collect();
    if backwards.len() > WORD_CHARS_MAX {
        return false;
    }
    let word: String = backwards.into_iter().rev().collect();
    let is_initial = word.chars().count() == 1 && word.chars().all(char::is_uppercase);
    if is_initial || ALWAYS.contains(&word.to_lowercase().as_str()) {
        return true;
    }
    let is_figure = after.starts_with(|sign: char| sign.is_numeric());
    if BEFORE_FIGURES.contains(&word.as_str()) || MONTHS.contains(&word.as_str()) {
        return is_figure;
    }
    BEFORE_NAMES.contains(&word.as_str()) && !is_starter(after)
}

/// Whether the text begins with a word that starts a sentence; an initial such as in "Col. A. Smith" does not.
fn is_starter(text: &str) -> bool {
    let is_word = |sign: &char| sign.is_alphanumeric();
    let word: String = text.chars().take(WORD_CHARS_MAX + 1).take_while(is_word).collect();
    // A word that is cut off, or has a full stop after it, may be the beginning of a name.
    let is_whole = text.get(word.len()..).is_some_and(|rest| !rest.is_empty() && !rest.starts_with('.'));
    is_whole && STARTERS.contains(&word.as_str())
}

#[cfg(test)]
mod tests {
    use super::is_abbreviation;

    fn check(cases: &[(&str, &str, bool)]) {
        for (before, after, expected) in cases {
            assert_eq!(is_abbreviation(before, after), *expected, "{before:?} and {after:?}");
        }
    }

    #[test]
    fn numbers_and_dates_shorten_before_a_figure_alone() {
        check(&[
            ("built c", "1850 by Holt", true),
            ("rich in vitamin c", "The rest", false),
            ("see No", "5", true),
            ("opus no", "5", true),
            ("I said no", "Then I left", false),
            ("No", "Then I left", false),
            ("on Jan", "5, 1850", true),
            ("until Dec", "Then it ends", false),
            ("open until (Sept", "3", true),
            ("the dec", "5", false),
        ]);
    }

    #[test]
    fn first_names_and_titles_shorten_before_a_name() {
        check(&[
            ("by Will", "Shakespeare", true),
            ("I gave it to Will", "Then I left", false),
            ("He will", "Then he left", false),
            ("by Wm", "Holt", true),
            ("**Capt", "A. Holt", true),
            ("asked Col", "Holt", true),
            ("one rep", "Holt", false),
            ("Geo", "Holt", true),
            ("Chas", "Holt", true),
            ("Thos", "Holt", true),
            ("asked Rep", "Holt", true),
        ]);
    }

    #[test]
    fn a_street_ends_a_sentence_before_a_word_that_starts_one() {
        check(&[
            ("at 5 Park Ave", "North", true),
            ("at 5 Mill Rd", "The house", false),
            ("at 5 Mill Rd", "12345 Ness", true),
        ]);
    }

    #[test]
    fn the_first_sign_of_what_follows_is_enough_for_figures() {
        check(&[
            ("c", "1", true),
            ("no", "T", false),
            ("e.g", "", true),
            ("approx", "5", true),
            ("i.e", "M", true),
            ("Will", "A", true),
        ]);
    }
}
