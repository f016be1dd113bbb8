//! Evidence → the numbers or names a writer may cite it by in this turn, and what looks like a citation at all.
//!
//! Invariant: a writer is never shown a document's own identifier it could imitate; in the style of source ids it is shown
//! one of the narrow alphabet, which is mapped back.

use std::collections::BTreeMap;

use crate::judge::{Evidence, Piece};
pub use crate::policy::MarkerStyle;

/// Words a bracket begins with where it means to cite, show or do something.
const WORDS: &[&str] = &[
    "sourceid",
    "source",
    "cite",
    "citation",
    "ref",
    "reference",
    "footnote",
    "note",
    "doc",
    "card",
    "verse",
    "chunk",
];
/// Words a bracket begins with where it claims that something was done.
const ACTIONS: &[&str] = &["action", "tool", "call"];

/// What a bracket is, by its looks alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// `^…`, or numbers alone.
    Footnote,
    /// A word for a source, then a name.
    Card,
    /// A word for something done, then a name.
    Action,
    /// Nothing of ours.
    Plain,
}

/// What the inside of a bracket looks like.
#[must_use]
pub fn shape(inside: &str) -> Shape {
    let inside = inside.trim_start();
    let is_numbers = inside.contains(|c: char| c.is_ascii_digit())
        && inside.chars().all(|c| c.is_ascii_digit() || matches!(c, ' ' | ',' | ';' | '-' | '–' | '^'));
    if inside.starts_with('^') || is_numbers || inside.contains('†') {
        return Shape::Footnote;
    }
    let word_end = inside.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(inside.len());
    let (word, rest) = inside.split_at_checked(word_end).unwrap_or((inside, ""));
    let word = word.to_ascii_lowercase();
    let names = rest.trim_start().starts_with([':', '=', '#']) || rest.starts_with('_') || word == "sourceid";
    if names && WORDS.contains(&word.as_str()) {
        Shape::Card
    } else if names && ACTIONS.contains(&word.as_str()) {
        Shape::Action
    } else {
        Shape::Plain
    }
}

/// What a writer may cite in one turn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MarkerTable {
    style: MarkerStyle,
    by_name: BTreeMap<String, u32>,
    /// Identifiers of the store, which must not appear in an answer.
    own: Vec<String>,
}

impl MarkerTable {
    /// Names for every piece of the evidence.
    #[must_use]
    pub fn from_evidence(evidence: &Evidence, style: MarkerStyle) -> Self {
        let mut marker_table = Self { style, ..Self::default() };
        for piece in evidence.pieces() {
            marker_table.own.push(piece.passage.source_id());
            let name = match style {
                MarkerStyle::Footnote => piece.marker.to_string(),
                MarkerStyle::SourceId => {
                    let wanted = alias(piece, evidence);
                    let taken = |name: &String| marker_table.by_name.contains_key(name);
                    let others = (0..).map(|number| format!("other-{number}:{}", piece.passage.passage.ordinal));
                    std::iter::once(wanted).chain(others).find(|name| !taken(name)).unwrap_or_default()
                }
            };
            marker_table.by_name.insert(name, piece.marker);
        }
        marker_table
    }

    /// These names and no others, and identifiers that must not be shown.
    #[must_use]
    pub fn from_names(style: MarkerStyle, names: &[(&str, u32)], own: &[&str]) -> Self {
        let by_name = names.iter().map(|(name, marker)| ((*name).to_owned(), *marker)).collect();
        Self { style, by_name, own: own.iter().map(|own| (*own).to_owned()).collect() }
    }

    /// The largest number that was given out; nought where none was.
    #[must_use]
    pub fn largest(&self) -> u32 {
        self.by_name.values().copied().max().unwrap_or(0)
    }

    /// Those of these pieces alone: what a writer has not read it cannot cite.
    #[must_use]
    pub fn only(mut self, markers: &[u32]) -> Self {
        self.by_name.retain(|_, marker| markers.contains(marker));
        self
    }

    /// The style that was chosen.
    #[must_use]
    pub fn style(&self) -> MarkerStyle {
        self.style
    }

    /// The piece's number behind the inside of a bracket, as this turn minted it.
    #[must_use]
    pub fn resolve(&self, inside: &str) -> Option<u32> {
        let name = match self.style {
            MarkerStyle::Footnote => inside.strip_prefix('^')?,
            MarkerStyle::SourceId => inside.strip_prefix("SourceId:")?.trim_start(),
        };
        self.by_name.get(name).copied()
    }

    /// What the writer calls a piece, brackets included.
    #[must_use]
    pub fn shown(&self, marker: u32) -> String {
        let name = self.by_name.iter().find(|(_, known)| **known == marker).map_or("", |(name, _)| name);
        match self.style {
            MarkerStyle::Footnote => format!("[^{name}]"),
            MarkerStyle::SourceId => format!("[SourceId: {name}]"),
        }
    }

    /// Identifiers that must not be shown.
    #[must_use]
    pub fn own(&self) -> &[String] {
        &self.own
    }
}

/// The source id where it is of the narrow alphabet, else one that is.
fn alias(piece: &Piece, evidence: &Evidence) -> String {
    let (id, ordinal) = (piece.passage.document.id.as_str(), piece.passage.passage.ordinal);
    let is_narrow = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if is_narrow {
        return format!("{id}:{ordinal}");
    }
    let same = |other: &&Piece| other.passage.document.id == piece.passage.document.id;
    let number = evidence.pieces().iter().find(same).map_or(piece.marker, |first| first.marker);
    format!("document-{number}:{ordinal}")
}

#[cfg(test)]
mod tests {
    use super::{Shape, shape};

    #[test]
    fn what_cites_is_told_from_what_is_in_brackets() {
        for inside in ["^1", "^12", "^", "^abc", "1", "1, 2", "3-5", "4:0†source", " ^1"] {
            assert_eq!(shape(inside), Shape::Footnote, "{inside}");
        }
        for inside in ["SourceId: a:1", "SourceId a:1", "sourceid:x", "source: hr", "card:BG 2.13", "Ref: 3", "doc_12"]
        {
            assert_eq!(shape(inside), Shape::Card, "{inside}");
        }
        assert_eq!(shape("action: refund"), Shape::Action);
        for inside in ["sic", "the mast", "source", "note that it rains", "…", "", "5 days", "a-1"] {
            assert_eq!(shape(inside), Shape::Plain, "{inside}");
        }
    }
}
