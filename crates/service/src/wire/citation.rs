//! A citation of a reply, where its words are in the document, and its line in the list of sources.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use vouch_domain::{DocumentCard, PageMark, PageUnit, web_url};
use vouch_engine::verify::Citation;

const SNIPPET_CHARS: usize = 200;

/// A source that the answer cites.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Citation)]
pub struct CitationWire {
    /// Number of the marker in the answer: 1 for `[^1]`.
    pub marker: u32,
    /// Id of the passage, as `DOCUMENT_ID:CHUNK_INDEX`.
    pub source_id: String,
    /// Id of the document, as `/v1/documents/{id}` takes it.
    pub document_id: String,
    /// Title of the document.
    pub document_name: String,
    /// Kind of the document, such as `policy`.
    pub kind: String,
    /// Collection the document belongs to.
    pub collection: String,
    /// Place of the passage in its document, from 0.
    pub chunk_index: u32,
    /// Page or slide the quoted words stand on, from 1; null if the document has no pages.
    pub page_number: Option<u32>,
    /// Headings above the passage, joined by ` › `; null at the top of a document.
    pub section: Option<String>,
    /// Link that opens the document, at the quoted second for a recording; null if none is known.
    pub url: Option<String>,
    /// Place within the document: `t=754` (seconds) for a recording, `p. 12` where there are pages, `slide 3`
    /// of a presentation, `sheet Prices, row 14` of a workbook, else an address; null if there is none.
    pub locator: Option<String>,
    /// Version of the document, as its author wrote it.
    pub version: Option<String>,
    /// Date of the document, as its author wrote it.
    pub updated: Option<String>,
    /// How relevant the passage is to the question, 0 to 1.
    pub relevance_score: f32,
    /// The first 200 characters of the passage.
    pub snippet: String,
    /// The whole passage.
    pub snippet_full: String,
    /// Where `snippet_full` begins in the document, in characters; `quote` counts from the same origin.
    pub snippet_start: usize,
    /// The cited words in the document; null if its entry in the catalogue is cited instead of its text.
    pub quote: Option<QuoteWire>,
    /// The part of the quote that the judge takes for the answer itself; null if it names none.
    pub highlight: Option<QuoteWire>,
}

/// A span of the document, counted in characters from its beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = Quote)]
pub struct QuoteWire {
    /// First character.
    pub start: usize,
    /// One past the last character.
    pub end: usize,
}

/// A line of a source list.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = Source)]
pub struct SourceWire {
    /// Title of the document.
    pub title: String,
    /// Headings above the passage, joined by ` › `; null at the top.
    pub section: Option<String>,
    /// File or source the document was read from.
    pub file: String,
    /// Version of the document; null if it names none.
    pub version: Option<String>,
    /// How relevant the passage is to the question, 0 to 1.
    pub score: f32,
}

pub(super) fn citation(cited: &Citation) -> CitationWire {
    let card = cited.document();
    let passage = cited.piece().map(|piece| &piece.passage.passage);
    let start = passage.map_or(0, |passage| passage.span.start);
    let quoted = passage.zip(cited.quote().map(|quote| quote.start.saturating_sub(start)));
    let seconds = quoted.and_then(|(passage, at)| passage.seconds_at(at));
    let place = quoted.and_then(|(passage, at)| passage.place_at(at));
    let address = passage.map_or(card.address.as_ref(), |passage| passage.address.as_ref());
    let quote = cited.quote().filter(|quote| quote.end > quote.start);
    CitationWire {
        marker: cited.marker(),
        source_id: cited.source_id(),
        document_id: card.id.as_str().to_owned(),
        document_name: card.title.clone(),
        kind: card.kind.clone(),
        collection: card.collection.clone(),
        chunk_index: passage.map_or(0, |passage| passage.ordinal),
        page_number: quoted.and_then(|(passage, at)| passage.page_at(at)),
        section: section(cited),
        url: url(card, seconds),
        locator: match (seconds, place) {
            (Some(seconds), _) => Some(format!("t={seconds}")),
            (None, Some(place)) => Some(locator(place, passage.map_or(&[], |passage| &passage.section))),
            (None, None) => address.map(|address| address.as_str().to_owned()),
        },
        version: card.version.clone(),
        updated: card.date.clone(),
        relevance_score: cited.relevance(),
        snippet: snippet(cited.text()),
        snippet_full: cited.text().to_owned(),
        snippet_start: start,
        quote: quote.map(|span| QuoteWire { start: span.start, end: span.end }),
        highlight: cited.highlight().map(|span| QuoteWire { start: span.start, end: span.end }),
    }
}

/// A page, a slide or a row in words; a row is counted within its sheet, which is the outermost heading above it.
fn locator(place: PageMark, section: &[String]) -> String {
    let number = place.page;
    match (place.unit, section.first()) {
        (PageUnit::Page, _) => format!("p. {number}"),
        (PageUnit::Slide, _) => format!("slide {number}"),
        (PageUnit::Row, Some(sheet)) => format!("sheet {sheet}, row {number}"),
        (PageUnit::Row, None) => format!("row {number}"),
    }
}

/// Where people can open it; a recording plays from the quoted words.
pub fn url(card: &DocumentCard, seconds: Option<u32>) -> Option<String> {
    let url = web_url(card.url.as_ref()?)?;
    Some(match seconds {
        None => url.to_owned(),
        Some(seconds) if url.contains("{t}") => url.replace("{t}", &seconds.to_string()),
        Some(seconds) => format!("{url}#t={seconds}"),
    })
}

pub(super) fn source(cited: &Citation) -> SourceWire {
    let card = cited.document();
    SourceWire {
        title: card.title.clone(),
        section: section(cited),
        file: card.source.clone(),
        version: card.version.clone(),
        score: cited.relevance(),
    }
}

fn section(cited: &Citation) -> Option<String> {
    let path = &cited.piece()?.passage.passage.section;
    (!path.is_empty()).then(|| path.join(" › "))
}

fn snippet(text: &str) -> String {
    let mut snippet: String = text.chars().take(SNIPPET_CHARS).collect();
    if snippet.len() < text.len() {
        snippet.push_str("...");
    }
    snippet
}
