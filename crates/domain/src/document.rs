//! A document as it arrives (`RawDocument`) and as it is parsed (`Document`, `DocumentCard`).

use std::{collections::BTreeSet, sync::Arc};

use crate::address::Address;

/// The name a document keeps for life; any characters, chosen by its author or derived from its path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocumentId(String);

impl DocumentId {
    /// Longest id that is kept, in bytes.
    pub const BYTES_MAX: usize = 1_024;

    /// Trims the text; an empty or over-long id is none at all.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let trimmed = text.trim();
        let is_usable = !trimmed.is_empty() && trimmed.len() <= Self::BYTES_MAX;
        is_usable.then(|| Self(trimmed.to_owned()))
    }

    /// The id as given.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for DocumentId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// A digest of everything that decides what is stored of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ContentHash(pub [u8; 32]);

/// The digest of a source as it was read: of its bytes, of what was said of it, and of how it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceDigest(pub [u8; 32]);

/// The form a source arrives in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceFormat {
    /// Markdown, with or without YAML front matter.
    Markdown,
    /// Plain text.
    PlainText,
    /// An HTML page.
    Html,
    /// One JSON document per line.
    JsonLines,
    /// A timed transcript, SubRip or WebVTT.
    Transcript,
    /// A PDF file.
    Pdf,
    /// A Word document.
    Docx,
    /// A PowerPoint presentation.
    Pptx,
    /// An OpenDocument text.
    Odt,
    /// A book in EPUB.
    Epub,
    /// A mail as it was sent.
    Mail,
    /// Rows of values between commas, semicolons or tabs.
    Csv,
    /// A workbook of sheets, from Excel or in OpenDocument.
    Spreadsheet,
    /// A JSON file: one document, or an array of them.
    Json,
    /// `AsciiDoc`.
    AsciiDoc,
    /// reStructuredText.
    ReStructuredText,
    /// A form that the site has a converter of its own for.
    Foreign,
}

impl SourceFormat {
    /// Every format, in the order they are told in.
    pub const ALL: [Self; 17] = [
        Self::Markdown,
        Self::PlainText,
        Self::Html,
        Self::JsonLines,
        Self::Transcript,
        Self::Pdf,
        Self::Docx,
        Self::Pptx,
        Self::Odt,
        Self::Epub,
        Self::Mail,
        Self::Csv,
        Self::Spreadsheet,
        Self::Json,
        Self::AsciiDoc,
        Self::ReStructuredText,
        Self::Foreign,
    ];

    /// The format of a file with this ending, in lower case and without its dot; none if Vouch does not read it.
    #[must_use]
    pub fn of_ending(ending: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.endings().contains(&ending))
    }

    /// The endings of files in this format.
    #[must_use]
    pub fn endings(self) -> &'static [&'static str] {
        match self {
            Self::Markdown => &["md", "markdown"],
            Self::PlainText => &["txt", "text"],
            Self::Html => &["html", "htm", "xhtml"],
            Self::JsonLines => &["jsonl", "ndjson"],
            Self::Transcript => &["srt", "vtt"],
            Self::Pdf => &["pdf"],
            Self::Docx => &["docx"],
            Self::Pptx => &["pptx"],
            Self::Odt => &["odt"],
            Self::Epub => &["epub"],
            Self::Mail => &["eml"],
            Self::Csv => &["csv", "tsv"],
            Self::Spreadsheet => &["xlsx", "xlsm", "ods"],
            Self::Json => &["json"],
            Self::AsciiDoc => &["adoc", "asciidoc"],
            Self::ReStructuredText => &["rst"],
            Self::Foreign => &[],
        }
    }

    /// Whether one source in this format may hold many documents, each with an id of its own.
    #[must_use]
    pub fn holds_many(self) -> bool {
        match self {
            Self::JsonLines | Self::Json => true,
            Self::Markdown | Self::PlainText | Self::Html | Self::Transcript | Self::Pdf | Self::Docx => false,
            Self::Pptx | Self::Odt | Self::Epub | Self::Mail | Self::Csv | Self::Spreadsheet => false,
            Self::AsciiDoc | Self::ReStructuredText | Self::Foreign => false,
        }
    }
}

/// Bytes from outside with what the caller said about them; hostile until parsed.
#[derive(Debug, Clone)]
pub struct RawDocument {
    /// Where the bytes came from, stable from run to run.
    pub source: String,
    /// The id used where the document does not name its own.
    pub fallback_id: String,
    /// Where people can open it, used where the document does not say.
    pub url: Option<String>,
    /// How to read the bytes.
    pub format: SourceFormat,
    /// The bytes themselves.
    pub bytes: Vec<u8>,
    /// What the caller said of every document of this run.
    pub labels: Labels,
}

/// What the caller of an ingest says of every document in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Labels {
    /// The tenant they belong to.
    pub tenant: String,
    /// The collection, where the document names none.
    pub collection: Option<String>,
    /// The kind, where the document names none.
    pub kind: Option<String>,
    /// Who may see them, besides those a document names itself.
    pub tags: BTreeSet<String>,
    /// Whether documents of which nobody says who may see them are shown to everyone, whatever was said before.
    pub opens: bool,
}

/// Everything said about a document besides its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentCard {
    /// The document's name for life.
    pub id: DocumentId,
    /// Whose document it is.
    pub tenant: String,
    /// Where its bytes came from.
    pub source: String,
    /// Its title, from itself or from its file name.
    pub title: String,
    /// What kind of document it is, such as `chapter` or `ADR`.
    pub kind: String,
    /// The collection it belongs to.
    pub collection: String,
    /// Its status by its author's word, such as `accepted`.
    pub status: Option<String>,
    /// The day it was last changed, by its author's word.
    pub date: Option<String>,
    /// The author's version label.
    pub version: Option<String>,
    /// Who may see it: people with one of these tags; empty means everyone in the tenant.
    pub tags: BTreeSet<String>,
    /// What it is about, by its author's word. Says nothing of who may see it.
    pub topics: BTreeSet<String>,
    /// Who is responsible for it.
    pub owner: Option<String>,
    /// The name people call it by, such as `ADR-0012`.
    pub address: Option<Address>,
    /// Where people can open it.
    pub url: Option<String>,
    /// The address of the document that takes its place, if one does.
    pub superseded_by: Option<Address>,
}

/// A parsed document: its card, its text, and where its sections lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// What is said about it.
    pub card: DocumentCard,
    /// The text that is stored, cited and quoted.
    pub text: String,
    /// Its sections in order; together they cover the text, headings excluded.
    pub sections: Vec<Section>,
    /// When its words are spoken, in characters of the text; empty for what is not spoken.
    pub times: Vec<TimeMark>,
    /// Where its pages begin, in characters of the text; empty for what has no pages.
    pub pages: Vec<PageMark>,
    /// Whether it, or whoever takes it in, says who may see it; if not, that stays as it was. Not stored.
    pub states_access: bool,
    /// What its author should mend although it could be read; not stored.
    pub warnings: Vec<String>,
}

/// A run of text under one heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The headings above it, outermost first; empty before the first heading.
    pub path: Arc<[String]>,
    /// Where its body starts, in bytes of the document's text.
    pub start: usize,
    /// Where its body ends, in bytes of the document's text.
    pub end: usize,
}

/// From here on a text is printed on a page, shown on a slide or stands in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageMark {
    /// Where in the text, in characters.
    pub at: usize,
    /// The page, slide or row, counted from 1.
    pub page: u32,
    /// Which of them is counted; the same for all marks of a document.
    pub unit: PageUnit,
}

/// What the places of a document are counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PageUnit {
    /// Pages, as they are printed.
    #[default]
    Page,
    /// Slides of a presentation.
    Slide,
    /// Rows of a sheet or of a file of values.
    Row,
}

/// From here on a text is spoken at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeMark {
    /// Where in the text, in characters.
    pub at: usize,
    /// Seconds from the start of the recording.
    pub seconds: u32,
}
