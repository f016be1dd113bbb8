//! One source of any format → its documents.

use vouch_domain::{
    Document, RawDocument, SourceFormat,
    ports::{ParseError, Parser},
    reason_unread,
};

use crate::{
    asciidoc, delimited, epub, fault::whole, html, json, json_lines, mail, markdown, office, open_document,
    origin::Origin, pdf, plain_text, rst, sheets, transcript,
};

/// Raised where a reader makes other documents of the same files, so that they are read again.
const READERS: u32 = 2;

/// Reads every format Vouch knows.
#[derive(Debug, Clone, Default)]
pub struct FileParser {
    /// Keys of front matter, besides `access`, that say who may see a document.
    pub access_from: Vec<String>,
}

impl Parser for FileParser {
    fn parse(&self, raw: RawDocument) -> Vec<Result<Document, ParseError>> {
        let origin = Origin {
            source: &raw.source,
            fallback_id: &raw.fallback_id,
            url: raw.url.as_deref(),
            labels: &raw.labels,
            access_from: &self.access_from,
        };
        read(&raw, &origin).unwrap_or_else(|fault| vec![Err(fault)])
    }

    fn recipe(&self) -> Option<String> {
        Some(recipe(&self.access_from))
    }
}

pub(crate) fn recipe(access_from: &[String]) -> String {
    format!("{} {READERS} {access_from:?}", env!("CARGO_PKG_VERSION"))
}

fn read(raw: &RawDocument, origin: &Origin<'_>) -> Result<Vec<Result<Document, ParseError>>, ParseError> {
    let text = || text_of(&raw.bytes);
    Ok(match raw.format {
        SourceFormat::Markdown => markdown::parse(text()?, origin),
        SourceFormat::PlainText => vec![plain_text::parse(text()?, origin)],
        SourceFormat::Html => vec![html::parse(&html::text(&raw.bytes)?, origin)],
        SourceFormat::JsonLines => json_lines::parse(text()?, origin),
        SourceFormat::Transcript => vec![transcript::parse(text()?, origin)],
        SourceFormat::Pdf => vec![pdf::parse(raw.bytes.clone(), origin)],
        SourceFormat::Docx => vec![office::docx(&raw.bytes, origin)],
        SourceFormat::Pptx => vec![office::pptx(&raw.bytes, origin)],
        SourceFormat::Odt => vec![open_document::parse(&raw.bytes, origin)],
        SourceFormat::Epub => vec![epub::parse(&raw.bytes, origin)],
        SourceFormat::Mail => vec![mail::parse(&raw.bytes, origin)],
        SourceFormat::Csv => vec![delimited::parse(&raw.bytes, origin)],
        SourceFormat::Spreadsheet => vec![sheets::parse(&raw.bytes, origin)],
        SourceFormat::Json => json::parse(text()?, origin),
        SourceFormat::AsciiDoc => vec![asciidoc::parse(text()?, origin)],
        SourceFormat::ReStructuredText => vec![rst::parse(text()?, origin)],
        SourceFormat::Foreign => vec![Err(whole(&reason_unread(origin.file_name())))],
    })
}

fn text_of(bytes: &[u8]) -> Result<&str, ParseError> {
    if bytes.is_empty() {
        return Err(whole(vouch_domain::ports::NO_TEXT));
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if bytes.contains(&0) {
        return Err(whole("it is a binary file, not text"));
    }
    std::str::from_utf8(bytes)
        .map_err(|error| whole(&format!("it is not valid UTF-8 (first bad byte at {})", error.valid_up_to())))
}
