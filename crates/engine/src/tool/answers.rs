//! A short answer → yes, or no. Anything longer or mixed is neither: nothing is done on a guess.

use vouch_domain::language::fold_spaces;

/// What is a yes by itself.
const YES: &[&str] = &[
    "yes",
    "yes please",
    "yes do it",
    "yes go ahead",
    "yes that is right",
    "yes that's right",
    "yes correct",
    "yep",
    "yeah",
    "yup",
    "ok",
    "okay",
    "sure",
    "confirm",
    "confirmed",
    "i confirm",
    "yes i confirm",
    "go ahead",
    "please do",
    "do it",
    "correct",
    "please go ahead",
    "that's right",
    "that is right",
    "tak",
    "ja",
    "oui",
    "si",
];
/// What is a no by itself, or takes back what was asked for.
const NO: &[&str] = &[
    "no",
    "no thanks",
    "no thank you",
    "nope",
    "cancel",
    "cancel it",
    "cancel that",
    "stop",
    "don't",
    "do not",
    "never mind",
    "nevermind",
    "forget it",
    "not now",
    "no cancel",
    "no stop",
    "leave it",
    "i changed my mind",
    "no don't",
    "nie",
    "nein",
    "non",
];

/// Words that deny what stands beside them.
const DENYING: &[&str] = &["not", "never", "no", "nothing", "neither", "without", "cannot"];

/// Whether the words are a yes and nothing else. A question mark asks, and a sign that is no letter may stand for a no.
#[must_use]
pub fn is_yes(words: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || c.is_whitespace() || matches!(c, '.' | ',' | '!' | '\'' | '’');
    let begins = words.trim_start().chars().next().is_some_and(char::is_alphanumeric);
    begins && words.chars().all(is_plain) && YES.contains(&bare(words).as_str())
}

/// Whether the words deny something.
#[must_use]
pub fn denies(words: &str) -> bool {
    let lower = words.to_lowercase().replace('’', "'");
    let mut said = lower.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty());
    said.any(|word| DENYING.contains(&word) || word.ends_with("n't"))
}

/// Whether the words are a no and nothing else.
#[must_use]
pub fn is_no(words: &str) -> bool {
    NO.contains(&bare(words).as_str())
}

/// Folded, without punctuation.
fn bare(words: &str) -> String {
    let kept: String = words.chars().take(60).map(|c| if c.is_alphanumeric() || c == '\'' { c } else { ' ' }).collect();
    fold_spaces(&kept.replace('’', "'")).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::{denies, is_no, is_yes};

    #[test]
    fn a_yes_is_a_yes_by_itself_alone() {
        for words in ["yes", "Yes!", " YES, please. ", "ok", "Go ahead", "Tak"] {
            assert!(is_yes(words), "{words}");
        }
        for words in [
            "yes but make it 100",
            "no",
            "yesterday",
            "is that a yes?",
            "",
            "not yes",
            "yes yes yes I hate this",
            "yes?",
            "ok?",
            "!yes",
            "yes ❌",
            "👎 yes",
            "~~yes~~",
            "[ ] yes",
        ] {
            assert!(!is_yes(words), "{words}");
        }
    }

    #[test]
    fn what_denies_something_is_told_by_its_words() {
        assert!(denies("do not touch INV-1") && denies("I wasn’t charged twice") && denies("the reason is not that"));
        assert!(!denies("make it PLN 20") && !denies("INV-26101007, nothe"));
    }

    #[test]
    fn a_no_takes_back_what_waits() {
        assert!(is_no("No.") && is_no("never mind") && is_no("cancel"));
        assert!(!is_no("no internet since Monday") && !is_no("yes"));
    }
}
