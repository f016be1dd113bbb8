//! Why a SKOS file is not read, and where in it.

/// Longest sentence that is told, in characters.
pub(super) const SENTENCE_CHARS_MAX: usize = 400;

/// Why a file is not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkosError {
    /// Where in the file, such as `line 12, column 5`; empty if it is the file as a whole.
    pub place: String,
    /// What is wrong, for the person who can fix it.
    pub sentence: String,
}

impl SkosError {
    /// A fault of the whole file.
    pub(super) fn whole(sentence: impl Into<String>) -> Self {
        Self { place: String::new(), sentence: shown(&sentence.into()) }
    }

    /// A fault on a line and at a column, both counted from one.
    pub(super) fn on(line: u64, column: u64, sentence: impl Into<String>) -> Self {
        Self { place: format!("line {line}, column {column}"), sentence: shown(&sentence.into()) }
    }

    /// A fault at a byte of the text.
    pub(super) fn at(text: &str, offset: usize, sentence: impl Into<String>) -> Self {
        let before = text.get(..text.floor_char_boundary(offset)).unwrap_or(text);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() as u64 + 1;
        let column = before.chars().rev().take_while(|sign| *sign != '\n').count() as u64 + 1;
        Self::on(line, column, sentence)
    }
}

impl std::fmt::Display for SkosError {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.place.is_empty() {
            write!(to, "{}", self.sentence)
        } else {
            write!(to, "{}: {}", self.place, self.sentence)
        }
    }
}

impl std::error::Error for SkosError {}

/// On one line and no longer than can be read; what a file holds in one piece may be all of it.
pub(super) fn shown(sentence: &str) -> String {
    let line: String = sentence.chars().map(|sign| if sign.is_control() { ' ' } else { sign }).collect();
    match line.char_indices().nth(SENTENCE_CHARS_MAX) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}
