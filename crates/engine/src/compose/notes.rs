//! Evidence → notes a model reads: fenced as data, under the names it may cite them by.

use crate::{
    judge::{Evidence, Piece},
    model_registry::prompt::neutralize,
    resolve::said_of_status,
};

use super::{
    budget::Note,
    markers::{MarkerStyle, MarkerTable, Shape, shape},
};

/// The notes of a turn, best first.
#[must_use]
pub fn notes(evidence: &Evidence, marker_table: &MarkerTable) -> Vec<Note> {
    let note = |piece: &Piece| Note {
        marker: piece.marker,
        // What the judge has read and found comes before what is near in words alone.
        relevance: piece.reading.map_or(piece.similarity.relevance, |reading| 1.0 + reading.answerable),
        text: match marker_table.style() {
            MarkerStyle::Footnote => footnote(piece, marker_table),
            MarkerStyle::SourceId => section(piece, marker_table),
        },
    };
    evidence.pieces().iter().map(note).collect()
}

/// What somebody else wrote, made harmless.
#[must_use]
pub fn quoted(text: &str) -> String {
    neutralize(text, |inside| shape(inside) != Shape::Plain)
}

fn footnote(piece: &Piece, marker_table: &MarkerTable) -> String {
    let passage = &piece.passage.passage;
    let heading = std::iter::once(&piece.passage.document.title).chain(passage.section.iter());
    let heading = heading.map(|part| one_line(part)).collect::<Vec<_>>().join(" › ");
    let (shown, standing) = (marker_table.shown(piece.marker), standing(piece));
    format!("<note>\n{shown} {heading}{standing}\n{}\n</note>", quoted(passage.text.trim()))
}

/// The format that the handbook profile's service expects.
fn section(piece: &Piece, marker_table: &MarkerTable) -> String {
    let passage = &piece.passage.passage;
    let section = if passage.section.is_empty() { "N/A".to_owned() } else { one_line(&passage.section.join(" › ")) };
    let page = passage.page_at(0).map_or_else(|| "N/A".to_owned(), |page| page.to_string());
    format!(
        "{}\n[Document: {}{}]\n[Page: {page}] [Section: {section}]\n---\n{}\n---",
        marker_table.shown(piece.marker),
        one_line(&piece.passage.document.title),
        standing(piece),
        quoted(passage.text.trim()),
    )
}

/// What a model is told of a document that does not hold; nothing of one that does.
fn standing(piece: &Piece) -> String {
    let card = &piece.passage.document;
    match (&card.superseded_by, said_of_status(card)) {
        (Some(successor), _) => format!(" (is superseded by {})", one_line(successor.as_str())),
        (None, Some(said)) => format!(" ({said})"),
        (None, None) => String::new(),
    }
}

/// A title must not start a new line.
fn one_line(text: &str) -> String {
    quoted(text).replace(['[', ']'], "").split_whitespace().collect::<Vec<_>>().join(" ")
}
