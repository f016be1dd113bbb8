//! A text in the form that quotes are looked for in, and whether the words of one stand in it.

/// A text with every run of white space as one space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoldedText(String);

impl FoldedText {
    pub(crate) fn new(text: &str) -> Self {
        Self(text.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    /// Whether it has the words of a quote, all of them and in their order, however its lines are set; not as parts of
    /// longer words.
    pub(crate) fn holds(&self, quote: &str) -> bool {
        let (text, Self(quote)) = (&self.0, Self::new(quote));
        let is_inner = |beside: Option<char>, own: Option<char>| {
            beside.zip(own).is_some_and(|(beside, own)| beside.is_alphanumeric() && own.is_alphanumeric())
        };
        let is_whole = |(at, found): (usize, &str)| {
            let before = text.get(..at).and_then(|rest| rest.chars().next_back());
            let after = text.get(at + found.len()..).and_then(|rest| rest.chars().next());
            !is_inner(before, found.chars().next()) && !is_inner(after, found.chars().next_back())
        };
        !quote.is_empty() && text.match_indices(quote.as_str()).any(is_whole)
    }

    /// How many bytes it takes.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}
