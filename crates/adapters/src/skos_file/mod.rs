//! Bytes of a SKOS file → its concepts, in whichever syntax of RDF they are written.
//!
//! Invariant: a file is read whole or not at all, and what cannot be read is a place and a sentence for the person who
//! can mend it. Time and memory stay in proportion to the file, however it was made; nothing is ever fetched.

mod allowance;
mod concepts;
mod fault;
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

pub use fault::SkosError;
use statements::Statements;
use syntax::Syntax;

/// Whether a file may hold a vocabulary, by its ending alone.
#[must_use]
pub fn is_skos(path: &Path) -> bool {
    Syntax::from_path(path).is_some()
}

/// The concepts of a file in the order of their addresses; none if it is sound and holds no concept.
///
/// # Errors
/// Where the file is in no known syntax, is malformed, or is larger in some way than is read.
pub fn read(path: &Path, bytes: &[u8]) -> Result<Vec<Concept>, SkosError> {
    let syntax = Syntax::from_path(path).ok_or_else(|| SkosError::whole(syntax::UNKNOWN))?;
    let text = text_of(bytes)?;
    let mut statements = Statements::with_limit(text.len());
    syntax::read_into(&mut statements, syntax, text)?;
    concepts::all(statements, text.len())
}

fn text_of(bytes: &[u8]) -> Result<&str, SkosError> {
    if bytes.is_empty() {
        return Err(SkosError::whole("the file is empty"));
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|error| {
        let sound = bytes.get(..error.valid_up_to()).and_then(|sound| std::str::from_utf8(sound).ok()).unwrap_or("");
        SkosError::at(sound, sound.len(), "it is not valid UTF-8")
    })
}
