//! The sentences of a passage in which the constraints of a question are looked for.

use crate::reading::Sentence;

/// A passage as it is searched for what a question names.
pub(super) struct Held<'a> {
    /// The sentences that the judge points at, all where it points at none.
    pub(super) pointed: Vec<Sentence<'a>>,
    /// The same with what they introduce.
    pub(super) answer: Vec<Sentence<'a>>,
    /// The text of those.
    pub(super) answer_text: &'a str,
    /// Whether that is rows of a table.
    pub(super) is_tabular: bool,
    pub(super) passage: Vec<Sentence<'a>>,
    /// The title and the headings over it, and the addresses it is known by.
    pub(super) above: Vec<Sentence<'a>>,
}

impl<'a> Held<'a> {
    /// Everything that speaks for the passage.
    pub(super) fn all(&self) -> impl Iterator<Item = &Sentence<'a>> {
        self.passage.iter().chain(&self.above)
    }
}

/// Whether a word is one of a list that is written with spaces between.
pub(super) fn is_among(words: &str, fold: &str) -> bool {
    words.split(' ').any(|word| word == fold)
}
