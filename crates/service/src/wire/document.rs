//! Documents as other programs send and see them.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use vouch_domain::{Address, CardEdit, CardField, DocumentCard, Reader, Scope, StoredPassage, timestamp, web_url};

use super::open_finding::OpenFindingWire;

/// Longest title, url or other line of a card, in characters.
const LINE_CHARS_MAX: usize = 2_000;
/// Longest tag, kind or collection, in characters.
const NAME_CHARS_MAX: usize = 200;
/// Most tags of one document.
pub(crate) const TAGS_MAX: usize = 100;

/// A document to store, with the same fields as a line of JSON Lines that `vouch ingest` reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = DocumentBody, example = json!({
    "id": "handbook/leave", "title": "Annual leave", "text": "Staff have 26 days of paid annual leave a year.",
    "kind": "policy", "collection": "handbook", "tags": ["hr"], "date": "2026-02-01", "version": "2.1"
}))]
pub struct DocumentBody {
    /// The document's id; a document with the same id is replaced. Any characters.
    #[schema(min_length = 1, pattern = r"\S")]
    pub id: String,
    /// Title, at most 2000 characters; the id if absent.
    pub title: Option<String>,
    /// Text or Markdown; headings become sections.
    pub text: String,
    /// Kind, such as `policy`; at most 200 characters.
    pub kind: Option<String>,
    /// Collection, at most 200 characters.
    pub collection: Option<String>,
    /// Only people with one of these tags may see it; without any, those who could before, and everyone in the tenant if it is
    /// new. At most 100.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    #[schema(value_type = Vec<String>)]
    pub tags: BTreeSet<String>,
    /// What it is about; says nothing of who may see it. At most 100.
    #[serde(default)]
    #[schema(value_type = Vec<String>)]
    pub topics: BTreeSet<String>,
    /// Where people can open it: a link starting with `http://` or `https://`, or a relative one.
    pub url: Option<String>,
    /// Date of the document, such as `2026-02-01`.
    pub date: Option<String>,
    /// Version, as people write it.
    pub version: Option<String>,
    /// Status, such as `accepted`.
    pub status: Option<String>,
    /// Who is responsible for it.
    pub owner: Option<String>,
    /// The name people call it by, such as `ADR-0012`.
    pub address: Option<String>,
    /// Address of the document that replaces it; answers from this one then say so.
    pub superseded_by: Option<String>,
    /// Whether more people may see it than could before: those with the tags given, and everyone if there are none.
    #[serde(default, skip_serializing)]
    pub open: bool,
}

impl DocumentBody {
    /// The same with its tags and topics as they are kept: trimmed, none of them empty.
    pub fn with_kept_tags(mut self) -> Self {
        self.tags = kept_tags(self.tags);
        self.topics = kept_tags(self.topics);
        self
    }

    /// Why it cannot be stored whatever its text.
    pub fn fault(&self) -> Option<String> {
        let long = |name: &str, text: Option<&String>, chars_max: usize| {
            let is_long = text.is_some_and(|text| text.chars().count() > chars_max);
            is_long.then(|| format!("its {name} is longer than {chars_max} characters"))
        };
        let names = [("kind", &self.kind), ("collection", &self.collection)];
        let lines = [
            ("title", &self.title),
            ("url", &self.url),
            ("date", &self.date),
            ("version", &self.version),
            ("status", &self.status),
            ("owner", &self.owner),
            ("address", &self.address),
            ("superseded_by", &self.superseded_by),
        ];
        let hidden = || {
            let is_shown = self.url.as_ref().is_none_or(|url| web_url(url).is_some());
            let sentence = "its url is not a web link: it must begin with http:// or https://, or be relative";
            (!is_shown).then(|| sentence.to_owned())
        };
        let many = || {
            [("tags", &self.tags), ("topics", &self.topics)]
                .into_iter()
                .find_map(|(name, all)| (all.len() > TAGS_MAX).then(|| format!("it has more than {TAGS_MAX} {name}")))
        };
        let names = names.into_iter().find_map(|(name, text)| long(name, text.as_ref(), NAME_CHARS_MAX));
        names
            .or_else(|| lines.into_iter().find_map(|(name, text)| long(name, text.as_ref(), LINE_CHARS_MAX)))
            .or_else(|| self.tags.iter().find_map(|tag| long("tag", Some(tag), NAME_CHARS_MAX)))
            .or_else(|| self.topics.iter().find_map(|topic| long("topic", Some(topic), NAME_CHARS_MAX)))
            .or_else(many)
            .or_else(hidden)
    }
}

/// Tags as they are kept: trimmed, none of them empty.
pub(crate) fn kept_tags(tags: BTreeSet<String>) -> BTreeSet<String> {
    tags.iter().map(|tag| tag.trim().to_owned()).filter(|tag| !tag.is_empty()).collect()
}

/// The tags that a reader has too; others must not be revealed to them.
pub(super) fn shared_tags(tags: &BTreeSet<String>, reader: &Reader) -> Vec<String> {
    match &reader.scope {
        Scope::WholeTenant => tags.iter().cloned().collect(),
        Scope::Tags(own) => tags.intersection(own).cloned().collect(),
    }
}

/// What is known about a document besides its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Card)]
pub struct CardWire {
    /// Id of the document.
    pub document_id: String,
    /// Title.
    pub title: String,
    /// Kind, such as `policy`.
    pub kind: String,
    /// Collection it belongs to.
    pub collection: String,
    /// The name people call it by, such as `ADR-0012`; null if it has none.
    pub address: Option<String>,
    /// Status, such as `accepted`; null if it names none.
    pub status: Option<String>,
    /// Address of the document that replaces it; null if none does.
    pub superseded_by: Option<String>,
    /// Date of the document; null if it names none.
    pub date: Option<String>,
    /// Version; null if it names none.
    pub version: Option<String>,
    /// Who is responsible for it; null if it names nobody.
    pub owner: Option<String>,
    /// Where people can open it; null if unknown.
    pub url: Option<String>,
    /// Of the tags whose holders may see it, those that the caller's key has too.
    pub tags: Vec<String>,
    /// What it is about, by its author's word.
    pub topics: Vec<String>,
}

impl CardWire {
    /// A card as a reader sees it.
    #[must_use]
    pub fn new(card: &DocumentCard, reader: &Reader) -> Self {
        let written = |address: &Address| address.as_str().to_owned();
        Self {
            document_id: card.id.as_str().to_owned(),
            title: card.title.clone(),
            kind: card.kind.clone(),
            collection: card.collection.clone(),
            address: card.address.as_ref().map(written),
            status: card.status.clone(),
            superseded_by: card.superseded_by.as_ref().map(written),
            date: card.date.clone(),
            version: card.version.clone(),
            owner: card.owner.clone(),
            url: card.url.as_deref().and_then(web_url).map(str::to_owned),
            tags: shared_tags(&card.tags, reader),
            topics: card.topics.iter().cloned().collect(),
        }
    }
}

/// A document with its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Document)]
pub struct DocumentWire {
    /// Fields of the card, at the same level as `text`.
    #[serde(flatten)]
    pub card: CardWire,
    /// The text as it was stored.
    pub text: String,
    /// Whether it has times or pages, which its text alone does not hold: sent again as text, it would lose them.
    pub has_places: bool,
    /// What people have set of it whatever its source says; told to admins.
    pub edits: Vec<EditWire>,
}

/// What a person has set of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Edit)]
pub struct EditWire {
    /// Which field of the card.
    #[schema(value_type = String)]
    pub field: &'static str,
    /// What it says now; null where it was taken away. Names of a list stand between commas.
    pub value: Option<String>,
    /// What the document's source says there; null if it says nothing.
    pub stated: Option<String>,
    /// Who set it.
    pub set_by: String,
    /// When, RFC 3339 in UTC.
    pub set_at: String,
}

impl EditWire {
    /// An edit as a reader sees it; tags that they do not have are not told.
    #[must_use]
    pub fn new(edit: &CardEdit, reader: &Reader) -> Self {
        let shown = |value: Option<&str>| -> Option<String> {
            let names = match edit.field {
                CardField::Tags => shared_tags(&CardField::names_in(value), reader),
                CardField::Topics => CardField::names_in(value).into_iter().collect(),
                CardField::Title
                | CardField::Kind
                | CardField::Status
                | CardField::Version
                | CardField::SupersededBy => return value.map(str::to_owned),
            };
            (!names.is_empty()).then(|| names.join(", "))
        };
        Self {
            field: edit.field.as_str(),
            value: shown(edit.value.as_deref()),
            stated: shown(edit.stated.as_deref()),
            set_by: edit.set_by.clone(),
            set_at: timestamp(edit.set_ms),
        }
    }
}

impl DocumentWire {
    /// A document as a reader sees it.
    #[must_use]
    pub fn new((card, text): (&DocumentCard, String), passages: &[StoredPassage], reader: &Reader) -> Self {
        let has_places = |one: &StoredPassage| !one.passage.times.is_empty() || !one.passage.pages.is_empty();
        Self { card: CardWire::new(card, reader), text, has_places: passages.iter().any(has_places), edits: Vec::new() }
    }

    /// The same with what people have set of it.
    #[must_use]
    pub fn with_edits(mut self, edits: &[CardEdit], reader: &Reader) -> Self {
        self.edits = edits.iter().map(|edit| EditWire::new(edit, reader)).collect();
        self
    }
}

/// What happened to the documents of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = TakenIn)]
pub struct IngestOutcomeWire {
    /// Id of the request.
    pub request_id: String,
    /// Number of new documents.
    pub added: u64,
    /// Number of documents that were replaced by a new version.
    pub updated: u64,
    /// Number of documents that were already stored like this.
    pub unchanged: u64,
    /// Number of documents that could not be stored.
    pub failed: u64,
    /// Each of these and why.
    pub failures: Vec<FailedDocumentWire>,
    /// What was stored and should be mended all the same, such as pages without text, and who may see documents of which the
    /// request does not say so.
    pub warnings: Vec<String>,
    /// True if searches will find the documents only after the next start.
    pub indexes_behind: bool,
    /// What was found by comparing the documents with others that the caller may read, the first 20.
    pub findings: Vec<OpenFindingWire>,
    /// Number of all of these.
    pub findings_total: u64,
}

/// A document that could not be stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = FailedDocument)]
pub struct FailedDocumentWire {
    /// Its place in the request, from 0.
    pub index: usize,
    /// Its id; null if it has none.
    pub document_id: Option<String>,
    /// What is wrong with it, for a person.
    pub reason: String,
}
