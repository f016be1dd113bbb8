//! Bytes in one format → documents, held to what every document must be.
//!
//! A property that does not hold is a panic, which the fuzzer keeps with its input.

use vouch_domain::{
    Document, DocumentId, RawDocument, SourceFormat,
    document::Labels,
    ports::{ParseError, Parser},
};
use vouch_engine::{ingest::chunk, policy::Policies};
use vouch_formats::FileParser;

/// The limits a person is told of.
const LINE_CHARS_MAX: usize = 2_000;
const NAME_CHARS_MAX: usize = 200;
const TAGS_MAX: usize = 100;
/// A sentence about a fault, with room for the dots at its end.
const SENTENCE_CHARS_MAX: usize = 401;
/// How much longer than its source a document may be. Markdown and HTML only ever lose marks, and a reference such as
/// `&nvsim;` is longer than what it stands for; a table repeats its headings, within bounds of its own.
const GROWTH_MAX: usize = 64;
/// The same for what is compressed, and for rows that repeat the names of their columns.
const COMPRESSED_GROWTH_MAX: usize = 64 * 1_100;

/// Parses and checks; answers what was read.
pub fn check(format: SourceFormat, bytes: &[u8]) -> Vec<Result<Document, ParseError>> {
    let raw = RawDocument {
        source: "/documents/input".to_owned(),
        fallback_id: "input".to_owned(),
        url: None,
        format,
        bytes: bytes.to_vec(),
        labels: Labels { tenant: "default".to_owned(), ..Labels::default() },
    };
    let parsed = FileParser::default().parse(raw.clone());
    assert!(!parsed.is_empty(), "an input without an answer");
    assert_eq!(parsed, FileParser::default().parse(raw), "the same bytes gave two answers");
    for outcome in &parsed {
        match outcome {
            Ok(document) => check_document(document, bytes.len().saturating_mul(growth_max(format))),
            Err(fault) => {
                assert!(!fault.sentence.trim().is_empty(), "a fault without a sentence");
                assert!(fault.sentence.chars().count() <= SENTENCE_CHARS_MAX, "a fault that quotes its document");
            }
        }
    }
    parsed
}

fn growth_max(format: SourceFormat) -> usize {
    match format {
        SourceFormat::Pdf | SourceFormat::Epub => COMPRESSED_GROWTH_MAX,
        SourceFormat::Docx | SourceFormat::Pptx | SourceFormat::Odt | SourceFormat::Spreadsheet | SourceFormat::Csv => {
            COMPRESSED_GROWTH_MAX
        }
        _ => GROWTH_MAX,
    }
}

fn check_document(document: &Document, bytes_max: usize) {
    let card = &document.card;
    assert!((1..=DocumentId::BYTES_MAX).contains(&card.id.as_str().len()), "the length of its id");
    assert!(card.title.chars().count() <= LINE_CHARS_MAX && !card.title.is_empty(), "the length of its title");
    assert!(card.kind.chars().count() <= NAME_CHARS_MAX, "the length of its kind");
    assert!(card.collection.chars().count() <= NAME_CHARS_MAX, "the length of its collection");
    assert!(card.tags.len() <= TAGS_MAX, "the number of its tags");
    assert!(card.tags.iter().all(|tag| tag.chars().count() <= NAME_CHARS_MAX), "the length of a tag");
    assert!(document.text.len() <= bytes_max, "{} bytes, at most {bytes_max}", document.text.len());
    let mut last = 0;
    for section in &document.sections {
        assert!(section.start >= last && section.start <= section.end, "sections out of order");
        assert!(document.text.get(section.start..section.end).is_some(), "a section that cuts a character");
        last = section.end;
    }
    assert!(document.times.is_sorted_by_key(|mark| mark.at), "times out of order");
    assert!(document.pages.is_sorted_by_key(|mark| mark.at), "pages out of order");
    check_passages(document);
}

/// A passage is its document's text at its place: citations point there.
fn check_passages(document: &Document) {
    let policy = Policies::default().ingest;
    let Ok(passages) = chunk(document, &policy) else { return };
    assert!(passages.len() <= policy.passages_max, "{} passages", passages.len());
    let characters: Vec<char> = document.text.chars().collect();
    let mut end = 0;
    for (place, passage) in passages.iter().enumerate() {
        assert_eq!(passage.ordinal as usize, place, "passages out of order");
        assert!(passage.span.start >= end, "passages that overlap");
        let stands: Option<String> =
            characters.get(passage.span.start..passage.span.end).map(|there| there.iter().collect());
        assert_eq!(stands.as_ref(), Some(&passage.text), "a passage that is not its document's text");
        assert!(passage.times.iter().all(|mark| mark.at < passage.text.chars().count()), "a time outside its passage");
        end = passage.span.end;
    }
}
