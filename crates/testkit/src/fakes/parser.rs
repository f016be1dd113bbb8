//! A parser of the plainest form there is.

use vouch_domain::{
    Document, RawDocument, Section,
    ports::{ParseError, Parser},
};

use crate::corpus::card;

/// Reads `id: text` lines, one document each; a line without a colon is under the fallback id, `bad` is bad.
#[derive(Debug, Clone, Copy, Default)]
pub struct LineParser;

impl Parser for LineParser {
    fn parse(&self, raw: RawDocument) -> Vec<Result<Document, ParseError>> {
        let Ok(whole) = String::from_utf8(raw.bytes) else {
            return vec![Err(ParseError { place: String::new(), sentence: "it is no text".to_owned() })];
        };
        if whole.trim().is_empty() {
            return vec![Err(ParseError { place: String::new(), sentence: "it is empty".to_owned() })];
        }
        let read = |(number, line): (usize, &str)| {
            if line == "bad" || !line.chars().any(char::is_alphanumeric) {
                return Err(ParseError { place: format!("line {number}"), sentence: "it is bad".to_owned() });
            }
            let (id, text) = line.split_once(": ").unwrap_or((&raw.fallback_id, line));
            let mut card = card(id, &[]);
            card.source.clone_from(&raw.source);
            card.tenant.clone_from(&raw.labels.tenant);
            let sections = vec![Section { path: [].into(), start: 0, end: text.len() }];
            Ok(Document {
                card,
                text: text.to_owned(),
                sections,
                times: Vec::new(),
                pages: Vec::new(),
                states_access: true,
                warnings: Vec::new(),
            })
        };
        (1..).zip(whole.lines()).map(read).collect()
    }

    fn recipe(&self) -> Option<String> {
        Some("lines".to_owned())
    }
}
