//! A question that says "it" or "its" of something nobody has named → that word, so that it can be asked back.
//!
//! Invariant: where the words leave room for a name, nothing is found; a question that can be searched for is never held up.

use super::subject;
use vouch_domain::language::words::is_stop_word;

/// Words that stand for a thing; those for people are often meant of anybody.
const THINGS: &[&str] = &["it", "its", "this", "that"];
/// Who asks; where they are the subject of the sentence, what comes before "it" is what they do.
const ASKERS: &[&str] = &["i", "we", "you", "one"];
/// Words after which something is named.
const NAMING: &[&str] = &[
    "a", "an", "the", "my", "your", "our", "his", "her", "their", "any", "every", "each", "some", "no", "these",
    "those",
];
/// What makes an "it" stand for what follows: "do I find it hard to …".
const CLAUSES: &[&str] = &["to", "that", "if", "when", "whether", "for", "with", "in", "on", "of"];
const WORDS_MAX: usize = 12;
/// Words with a meaning of their own that may stand before it, and after it.
const BEFORE_MAX: usize = 2;
const AFTER_MAX: usize = 2;

/// A word that stands for something nobody has named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unnamed {
    /// The word.
    pub word: String,
    at: usize,
}

impl Unnamed {
    /// The question with a name in its place.
    pub(super) fn named(&self, text: &str, name: &str) -> String {
        let words: Vec<&str> = text.split_whitespace().collect();
        subject::replaced(&words, self.at, name)
    }
}

/// The word of a question without a conversation before it that stands for something nobody has named.
pub(super) fn find(text: &str) -> Option<Unnamed> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let lower: Vec<String> = words.iter().map(|word| subject::bare(word)).collect();
    let at = lower.iter().position(|word| THINGS.contains(&word.as_str()))?;
    let (before, after) = (lower.get(..at)?, lower.get(at + 1..)?);
    let word = lower.get(at)?.clone();
    let is_large = |(place, word): (usize, &&str)| {
        let is_asker = lower.get(place).is_some_and(|lower| ASKERS.contains(&lower.as_str()));
        word.chars().any(|c| c.is_ascii_digit()) || (place > 0 && !is_asker && word.chars().any(char::is_uppercase))
    };
    let names = |word: &String| NAMING.contains(&word.as_str());
    let own = |words: &[String]| words.iter().filter(|word| !is_stop_word(word)).count();
    let is_asked_for = before.iter().any(|word| ASKERS.contains(&word.as_str()));
    let is_clause = after.iter().any(|word| CLAUSES.contains(&word.as_str()));
    // "this form" names a form, of which at least the sort is known.
    let is_pointer = word == "this" || word == "that";
    let is_open = is_asked_for
        && words.len() <= WORDS_MAX
        && !words.iter().enumerate().any(is_large)
        && !lower.iter().any(names)
        && (word == "its" || !is_clause)
        && (!is_pointer || after.is_empty())
        && own(before) <= BEFORE_MAX
        && own(after) <= AFTER_MAX;
    is_open.then_some(Unnamed { word, at })
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn what_nobody_has_named_is_found() {
        for question in [
            "How can we enhance its performance?",
            "How do I cancel it?",
            "Can I take it home?",
            "who do I ask about that?",
        ] {
            assert!(find(question).is_some(), "{question}");
        }
        let found = find("How can we enhance its performance?")
            .map(|open| open.named("How can we enhance its performance?", "the pump"));
        assert_eq!(found.as_deref(), Some("How can we enhance the pump's performance?"));
    }

    #[test]
    fn a_question_that_names_something_is_left_alone() {
        for question in [
            "How long does it take to get a badge?",
            "How does prometheus store its data?",
            "If I lose my badge, how do I replace it?",
            "How do I get it back if I lose my badge?",
            "Do I find it hard to ask?",
            "How do I configure Grafana and its plugins?",
            "Can I use this form?",
            "Is it allowed?",
            "How do employees submit their timesheets?",
            "What does ADR 12 say and who decided that?",
        ] {
            assert_eq!(find(question), None, "{question}");
        }
    }
}
