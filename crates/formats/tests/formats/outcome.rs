//! What becomes of one source: its only document, or what is said of it.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use vouch_domain::{
    Document, RawDocument, SourceFormat,
    document::Labels,
    ports::{ParseError, Parser},
};
use vouch_formats::FileParser;

pub(crate) fn outcomes(format: SourceFormat, bytes: &[u8]) -> Vec<Result<Document, ParseError>> {
    let (source, fallback_id) = ("/d/x".to_owned(), "docs/own name.ending".to_owned());
    let raw = RawDocument { source, fallback_id, url: None, format, bytes: bytes.to_vec(), labels: Labels::default() };
    FileParser::default().parse(raw)
}

pub(crate) fn document(format: SourceFormat, bytes: &[u8]) -> Document {
    let mut outcomes = outcomes(format, bytes);
    assert_eq!(outcomes.len(), 1, "one document");
    outcomes.pop().expect("one document").expect("it is read")
}

pub(crate) fn fault(format: SourceFormat, bytes: &[u8]) -> String {
    let fault = outcomes(format, bytes).into_iter().find_map(Result::err);
    fault.map(|fault| fault.sentence).unwrap_or_default()
}

/// The path of every section that has words.
pub(crate) fn paths(document: &Document) -> Vec<String> {
    let has_words = |start, end| document.text.get(start..end).is_some_and(|text| !text.trim().is_empty());
    let sections = document.sections.iter().filter(|section| has_words(section.start, section.end));
    sections.map(|section| section.path.join(" > ")).collect()
}
