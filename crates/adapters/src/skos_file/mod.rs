//! Bytes of a SKOS file → its concepts, in whichever syntax of RDF they are written.
//!
//! Invariant: a file is read whole or not at all, and what cannot be read is a place and a sentence for the person who
//! can mend it. Time and memory stay in proportion to the file, however it was made; nothing is ever fetched.

mod allowance;
mod concepts;
mod json_bounds;
mod rdf_words;
mod roles;
mod statements;
mod syntax;
mod titles;
mod wordings;
mod xml_bounds;

use std::path::Path;

use vouch_domain::Concept;

use statements::Statements;
use syntax::Syntax;

/// Longest sentence that is told, in characters.
const SENTENCE_CHARS_MAX: usize = 400;

/// Why a file is not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkosFault {
    /// Where in the file, such as `line 12, column 5`; empty if it is the file as a whole.
    pub place: String,
    /// What is wrong, for the person who can fix it.
    pub sentence: String,
}

impl SkosFault {
    /// A fault of the whole file.
    fn whole(sentence: impl Into<String>) -> Self {
        Self { place: String::new(), sentence: shown(&sentence.into()) }
    }

    /// A fault on a line and at a column, both counted from one.
    fn on(line: u64, column: u64, sentence: impl Into<String>) -> Self {
        Self { place: format!("line {line}, column {column}"), sentence: shown(&sentence.into()) }
    }

    /// A fault at a byte of the text.
    fn at(text: &str, offset: usize, sentence: impl Into<String>) -> Self {
        let before = text.get(..text.floor_char_boundary(offset)).unwrap_or(text);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() as u64 + 1;
        let column = before.chars().rev().take_while(|sign| *sign != '\n').count() as u64 + 1;
        Self::on(line, column, sentence)
    }
}

impl std::fmt::Display for SkosFault {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.place.is_empty() {
            write!(to, "{}", self.sentence)
        } else {
            write!(to, "{}: {}", self.place, self.sentence)
        }
    }
}

impl std::error::Error for SkosFault {}

/// Whether a file may hold a vocabulary, by its ending alone.
#[must_use]
pub fn is_skos(path: &Path) -> bool {
    Syntax::of(path).is_some()
}

/// The concepts of a file in the order of their addresses; none if it is sound and holds no concept.
///
/// # Errors
/// Where the file is in no known syntax, is malformed, or is larger in some way than is read.
pub fn read(path: &Path, bytes: &[u8]) -> Result<Vec<Concept>, SkosFault> {
    let syntax = Syntax::of(path).ok_or_else(|| SkosFault::whole(syntax::UNKNOWN))?;
    let text = text_of(bytes)?;
    let mut statements = Statements::within(text.len());
    syntax::read_into(&mut statements, syntax, text)?;
    concepts::all(statements, text.len())
}

/// On one line and no longer than can be read; what a file holds in one piece may be all of it.
fn shown(sentence: &str) -> String {
    let line: String = sentence.chars().map(|sign| if sign.is_control() { ' ' } else { sign }).collect();
    match line.char_indices().nth(SENTENCE_CHARS_MAX) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}

fn text_of(bytes: &[u8]) -> Result<&str, SkosFault> {
    if bytes.is_empty() {
        return Err(SkosFault::whole("the file is empty"));
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|error| {
        let sound = bytes.get(..error.valid_up_to()).and_then(|sound| std::str::from_utf8(sound).ok()).unwrap_or("");
        SkosFault::at(sound, sound.len(), "it is not valid UTF-8")
    })
}
