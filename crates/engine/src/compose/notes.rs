//! Evidence → notes a model reads: fenced as data, under the names it may cite them by.

use crate::{
    judge::{Evidence, Piece},
    ladder::prompt::neutral,
};

use super::{
    budget::Note,
    markers::{MarkerStyle, Minted, Shape, shape},
};

/// The notes of a turn, best first.
#[must_use]
pub fn notes(evidence: &Evidence, minted: &Minted) -> Vec<Note> {
    let note = |piece: &Piece| Note {
        marker: piece.marker,
        relevance: piece.similarity.relevance,
        text: match minted.style() {
            MarkerStyle::Footnote => footnote(piece, minted),
            MarkerStyle::SourceId => section(piece, minted),
        },
    };
    evidence.pieces().iter().map(note).collect()
}

/// What somebody else wrote, made harmless.
#[must_use]
pub fn quoted(text: &str) -> String {
    neutral(text, |inside| shape(inside) != Shape::Plain)
}

fn footnote(piece: &Piece, minted: &Minted) -> String {
    let passage = &piece.passage.passage;
    let heading = std::iter::once(&piece.passage.document.title).chain(passage.section.iter());
    let heading = heading.map(|part| one_line(part)).collect::<Vec<_>>().join(" › ");
    format!("<note>\n{} {heading}\n{}\n</note>", minted.shown(piece.marker), quoted(passage.text.trim()))
}

/// The format that the handbook profile's service expects.
fn section(piece: &Piece, minted: &Minted) -> String {
    let passage = &piece.passage.passage;
    let section = if passage.section.is_empty() { "N/A".to_owned() } else { one_line(&passage.section.join(" › ")) };
    format!(
        "{}\n[Document: {}]\n[Page: N/A] [Section: {section}]\n---\n{}\n---",
        minted.shown(piece.marker),
        one_line(&piece.passage.document.title),
        quoted(passage.text.trim()),
    )
}

/// A title must not start a new line.
fn one_line(text: &str) -> String {
    quoted(text).replace(['[', ']'], "").split_whitespace().collect::<Vec<_>>().join(" ")
}
