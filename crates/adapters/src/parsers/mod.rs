//! Bytes → documents: one file per format behind the `Parser` port.
//!
//! Time and memory stay in proportion to the bytes, whatever they are; a document that would take more is refused.
//!
//! Invariant: every input has a defined answer; what cannot be read is a sentence for the person who can mend it.

mod addressed;
mod fault;
mod front_matter;
mod headings;
mod html;
mod json_lines;
mod markdown;
mod outline;
mod pages;
mod plain_text;
mod tables;
mod transcript;

use vouch_domain::{
    Document, DocumentCard, DocumentId, RawDocument, SourceFormat,
    document::Labels,
    ports::{ParseError, Parser},
};

use fault::whole;
use front_matter::FrontMatter;

/// The longest line a document may say of itself, the longest name in it and how many tags, in characters.
const LINE_CHARS_MAX: usize = 2_000;
const NAME_CHARS_MAX: usize = 200;
const TAGS_MAX: usize = 100;

/// Reads every format Vouch knows.
#[derive(Debug, Clone, Default)]
pub struct FileParser {
    /// Keys of front matter, besides `access`, that say who may see a document.
    pub access_from: Vec<String>,
}

impl Parser for FileParser {
    fn parse(&self, raw: RawDocument) -> Vec<Result<Document, ParseError>> {
        let text = match text_of(&raw.bytes) {
            Ok(text) => text,
            Err(fault) => return vec![Err(fault)],
        };
        let origin = Origin {
            source: &raw.source,
            fallback_id: &raw.fallback_id,
            url: raw.url.as_deref(),
            labels: &raw.labels,
            access_from: &self.access_from,
        };
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
    url: Option<&'a str>,
    labels: &'a Labels,
    /// Keys of front matter, besides `access`, that say who may see it.
    access_from: &'a [String],
}

impl Origin<'_> {
    /// What the document says of itself, completed by what is known of its source; and whether that says who may see it.
    fn card(&self, mut own: FrontMatter, title: Option<String>) -> Result<(DocumentCard, bool), ParseError> {
        check_lengths(&own)?;
        let (access, topics) = own.take_access(self.access_from);
        check_names("topic", &topics)?;
        check_names("tag", access.iter().flatten())?;
        let states_access = access.is_some() || !self.labels.tags.is_empty() || self.labels.opens;
        let id = own.id.as_deref().unwrap_or(self.fallback_id);
        let id = DocumentId::parse(id)
            .ok_or_else(|| whole(&format!("its id is empty or longer than {} bytes", DocumentId::BYTES_MAX)))?;
        let file_name = self.fallback_id.rsplit('/').next().unwrap_or(self.fallback_id);
        let stem = file_name.rsplit_once('.').map_or(file_name, |(stem, _)| stem);
        let title = own.title.or(title).filter(|title| !title.trim().is_empty()).unwrap_or_else(|| stem.to_owned());
        check_length("title", &title, LINE_CHARS_MAX)?;
        let card = DocumentCard {
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
            tags: access.into_iter().flatten().chain(self.labels.tags.iter().cloned()).collect(),
            topics,
            owner: own.owner,
            address: own.address.as_deref().and_then(vouch_domain::Address::parse),
            url: own.url.or_else(|| self.url.map(str::to_owned)),
            superseded_by: own.superseded_by.as_deref().and_then(vouch_domain::Address::parse),
        };
        Ok((card, states_access))
    }
}

/// Every section and passage carries what a document says of itself, so none of it may be long.
fn check_lengths(own: &FrontMatter) -> Result<(), ParseError> {
    let lines = [
        ("status", &own.status),
        ("date", &own.date),
        ("updated", &own.updated),
        ("version", &own.version),
        ("owner", &own.owner),
        ("url", &own.url),
    ];
    for (name, line) in lines {
        check_length(name, line.as_deref().unwrap_or_default(), LINE_CHARS_MAX)?;
    }
    for (name, line) in [("kind", &own.kind), ("collection", &own.collection)] {
        check_length(name, line.as_deref().unwrap_or_default(), NAME_CHARS_MAX)?;
    }
    Ok(())
}

fn check_names<'a>(what: &str, names: impl IntoIterator<Item = &'a String>) -> Result<(), ParseError> {
    let mut count = 0;
    for name in names {
        count += 1;
        check_length(what, name, NAME_CHARS_MAX)?;
    }
    if count > TAGS_MAX {
        return Err(whole(&format!("it has {count} {what}s, the limit is {TAGS_MAX}")));
    }
    Ok(())
}

fn check_length(name: &str, line: &str, chars_max: usize) -> Result<(), ParseError> {
    if line.chars().nth(chars_max).is_some() {
        return Err(whole(&format!("its {name} is longer than {chars_max} characters")));
    }
    Ok(())
}

/// A document must say something.
fn checked(document: Document) -> Result<Document, ParseError> {
    if document.text.chars().any(char::is_alphanumeric) {
        Ok(document)
    } else {
        Err(whole(vouch_domain::ports::NO_TEXT))
    }
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
