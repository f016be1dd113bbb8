//! Sources and documents ↔ what asker and worker send each other: JSON, each after its length.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use vouch_domain::{
    Address, Document, DocumentCard, DocumentId, PageMark, PageUnit, RawDocument, Section, SourceFormat, TimeMark,
    document::Labels, ports::ParseError,
};

use crate::fault::whole;

const UNSOUND: &str = "the process that read it gave an answer that does not fit together";

/// A length, as it is sent.
pub(super) fn length(bytes: usize) -> [u8; 8] {
    (bytes as u64).to_le_bytes()
}

/// What a worker is told of a source besides its bytes.
#[derive(Serialize, Deserialize)]
pub(super) struct Request {
    source: String,
    fallback_id: String,
    url: Option<String>,
    format: usize,
    tenant: String,
    collection: Option<String>,
    kind: Option<String>,
    tags: BTreeSet<String>,
    opens: bool,
    access_from: Vec<String>,
}

impl Request {
    pub(super) fn new(raw: &RawDocument, access_from: &[String]) -> Self {
        let Labels { tenant, collection, kind, tags, opens } = raw.labels.clone();
        Self {
            source: raw.source.clone(),
            fallback_id: raw.fallback_id.clone(),
            url: raw.url.clone(),
            format: SourceFormat::ALL.iter().position(|format| *format == raw.format).unwrap_or(usize::MAX),
            tenant,
            collection,
            kind,
            tags,
            opens,
            access_from: access_from.to_vec(),
        }
    }

    /// The source, and the keys of front matter that say who may see it.
    pub(super) fn into_raw(self, bytes: Vec<u8>) -> Result<(Vec<String>, RawDocument), ParseError> {
        let Self { source, fallback_id, url, format, tenant, collection, kind, tags, opens, access_from } = self;
        let format = SourceFormat::ALL.get(format).copied().ok_or_else(|| whole("its format is not supported"))?;
        let labels = Labels { tenant, collection, kind, tags, opens };
        Ok((access_from, RawDocument { source, fallback_id, url, format, bytes, labels }))
    }
}

/// What a worker says of one document.
#[derive(Serialize, Deserialize)]
pub(super) enum Reply {
    Read(Box<Read>),
    Fault { place: String, sentence: String },
}

#[derive(Serialize, Deserialize)]
pub(super) struct Read {
    id: String,
    title: String,
    kind: String,
    collection: String,
    status: Option<String>,
    date: Option<String>,
    version: Option<String>,
    tags: BTreeSet<String>,
    topics: BTreeSet<String>,
    owner: Option<String>,
    address: Option<String>,
    url: Option<String>,
    superseded_by: Option<String>,
    text: String,
    sections: Vec<(Vec<String>, usize, usize)>,
    times: Vec<(usize, u32)>,
    pages: Vec<(usize, u32)>,
    unit: char,
    states_access: bool,
    warnings: Vec<String>,
}

impl From<Result<Document, ParseError>> for Reply {
    fn from(outcome: Result<Document, ParseError>) -> Self {
        let document = match outcome {
            Ok(document) => document,
            Err(ParseError { place, sentence }) => return Self::Fault { place, sentence },
        };
        let card = document.card;
        let sections = document.sections.iter();
        Self::Read(Box::new(Read {
            id: card.id.as_str().to_owned(),
            title: card.title,
            kind: card.kind,
            collection: card.collection,
            status: card.status,
            date: card.date,
            version: card.version,
            tags: card.tags,
            topics: card.topics,
            owner: card.owner,
            address: card.address.map(|address| address.as_str().to_owned()),
            url: card.url,
            superseded_by: card.superseded_by.map(|address| address.as_str().to_owned()),
            sections: sections.map(|one| (one.path.to_vec(), one.start, one.end)).collect(),
            text: document.text,
            times: document.times.iter().map(|mark| (mark.at, mark.seconds)).collect(),
            pages: document.pages.iter().map(|mark| (mark.at, mark.page)).collect(),
            unit: letter(document.pages.first().map(|mark| mark.unit).unwrap_or_default()),
            states_access: document.states_access,
            warnings: document.warnings,
        }))
    }
}

/// The documents of a worker's reply, as far as they are sound.
pub(super) fn documents(reply: &[u8], raw: &RawDocument) -> Result<Vec<Result<Document, ParseError>>, ParseError> {
    let replies: Vec<Reply> = serde_json::from_slice(reply).map_err(|_| whole(UNSOUND))?;
    if replies.is_empty() {
        return Err(whole(UNSOUND));
    }
    let document = |reply| match reply {
        Reply::Fault { place, sentence } => Err(ParseError { place, sentence }),
        Reply::Read(read) => document(*read, raw).filter(is_sound).ok_or_else(|| whole(UNSOUND)),
    };
    Ok(replies.into_iter().map(document).collect())
}

fn document(read: Read, raw: &RawDocument) -> Option<Document> {
    let unit = unit(read.unit)?;
    let pages = read.pages.into_iter().map(|(at, page)| PageMark { at, page, unit });
    let section = |(path, start, end): (Vec<String>, usize, usize)| Section { path: path.into(), start, end };
    let card = DocumentCard {
        id: DocumentId::parse(&read.id)?,
        tenant: raw.labels.tenant.clone(),
        source: raw.source.clone(),
        title: read.title,
        kind: read.kind,
        collection: read.collection,
        status: read.status,
        date: read.date,
        version: read.version,
        tags: read.tags,
        topics: read.topics,
        owner: read.owner,
        address: read.address.as_deref().and_then(Address::parse),
        url: read.url,
        superseded_by: read.superseded_by.as_deref().and_then(Address::parse),
    };
    Some(Document {
        card,
        text: read.text,
        sections: read.sections.into_iter().map(section).collect(),
        times: read.times.into_iter().map(|(at, seconds)| TimeMark { at, seconds }).collect(),
        pages: pages.collect(),
        states_access: read.states_access,
        warnings: read.warnings,
    })
}

/// Sections lie in order on whole characters, and marks within the text.
fn is_sound(document: &Document) -> bool {
    let mut last = 0;
    let sections = document.sections.iter().all(|section| {
        let is_after = section.start >= last;
        last = section.end;
        is_after && document.text.get(section.start..section.end).is_some()
    });
    let marks = document.times.iter().map(|mark| mark.at).chain(document.pages.iter().map(|mark| mark.at));
    sections && marks.max().is_none_or(|last| last <= document.text.len())
}

fn letter(unit: PageUnit) -> char {
    match unit {
        PageUnit::Page => 'p',
        PageUnit::Slide => 's',
        PageUnit::Row => 'r',
    }
}

fn unit(letter: char) -> Option<PageUnit> {
    [PageUnit::Page, PageUnit::Slide, PageUnit::Row].into_iter().find(|unit| self::letter(*unit) == letter)
}
