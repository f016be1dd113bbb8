//! Bytes → documents: one file a format behind the `Parser` port.
//!
//! Invariant: every input has a defined answer; what cannot be read is a sentence for the person who can mend it.

mod addressed;
mod front_matter;
mod html;
mod json_lines;
mod markdown;
mod plain_text;
mod transcript;

use vouch_domain::{
    Document, DocumentCard, DocumentId, RawDocument, SourceFormat,
    document::Labels,
    ports::{ParseFault, Parser},
};

use front_matter::FrontMatter;

/// Reads every format Vouch knows.
#[derive(Debug, Clone, Default)]
pub struct FileParser;

impl Parser for FileParser {
    fn parse(&self, raw: RawDocument) -> Vec<Result<Document, ParseFault>> {
        let text = match text_of(&raw.bytes) {
            Ok(text) => text,
            Err(fault) => return vec![Err(fault)],
        };
        let origin = Origin { source: &raw.source, fallback_id: &raw.fallback_id, labels: &raw.labels };
        match raw.format {
            SourceFormat::Markdown => markdown::parse(text, &origin),
            SourceFormat::PlainText => vec![plain_text::parse(text, &origin)],
            SourceFormat::Html => vec![html::parse(text, &origin)],
            SourceFormat::JsonLines => json_lines::parse(text, &origin),
            SourceFormat::Transcript => vec![transcript::parse(text, &origin)],
        }
    }
}

/// What is known of a document before it is read.
struct Origin<'a> {
    source: &'a str,
    fallback_id: &'a str,
    labels: &'a Labels,
}

impl Origin<'_> {
    /// What the document says of itself, completed by what is known of its source.
    fn card(&self, own: FrontMatter, title: Option<String>) -> Result<DocumentCard, ParseFault> {
        let id = own.id.as_deref().unwrap_or(self.fallback_id);
        let id = DocumentId::parse(id)
            .ok_or_else(|| whole(&format!("its id is empty or longer than {} bytes", DocumentId::BYTES_MAX)))?;
        let file_name = self.fallback_id.rsplit('/').next().unwrap_or(self.fallback_id);
        let stem = file_name.rsplit_once('.').map_or(file_name, |(stem, _)| stem);
        let title = own.title.or(title).filter(|title| !title.trim().is_empty()).unwrap_or_else(|| stem.to_owned());
        Ok(DocumentCard {
            id,
            tenant: self.labels.tenant.clone(),
            source: self.source.to_owned(),
            title: title.trim().to_owned(),
            kind: own.kind.or_else(|| self.labels.kind.clone()).unwrap_or_else(|| "document".to_owned()),
            collection: own
                .collection
                .or_else(|| self.labels.collection.clone())
                .unwrap_or_else(|| "default".to_owned()),
            status: own.status,
            date: own.updated.or(own.date),
            version: own.version,
            tags: own.tags.into_iter().chain(self.labels.tags.iter().cloned()).collect(),
            owner: own.owner,
            address: own.address.as_deref().and_then(vouch_domain::Address::parse),
            url: own.url,
            superseded_by: own.superseded_by.as_deref().and_then(vouch_domain::Address::parse),
        })
    }
}

/// A fault of the whole source.
fn whole(sentence: &str) -> ParseFault {
    ParseFault { place: String::new(), sentence: sentence.to_owned() }
}

/// A document must say something.
fn checked(document: Document) -> Result<Document, ParseFault> {
    if document.text.chars().any(char::is_alphanumeric) { Ok(document) } else { Err(whole("it holds no text")) }
}

fn text_of(bytes: &[u8]) -> Result<&str, ParseFault> {
    if bytes.is_empty() {
        return Err(whole("the file is empty"));
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if bytes.contains(&0) {
        return Err(whole("it is a binary file, not text"));
    }
    std::str::from_utf8(bytes)
        .map_err(|error| whole(&format!("it is not valid UTF-8 (first bad byte at {})", error.valid_up_to())))
}
