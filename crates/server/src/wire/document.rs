//! Documents as other programs send and see them.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use vouch_domain::{Address, DocumentCard, Reader, Scope, web_url};

/// Longest title, url or other line of a card, in characters.
const LINE_CHARS_MAX: usize = 2_000;
/// Longest tag, kind or collection, in characters.
const NAME_CHARS_MAX: usize = 200;
/// Most tags of one document.
const TAGS_MAX: usize = 100;

/// A document as it comes: a line of JSON Lines, with what `vouch ingest` reads of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = DocumentBody, example = json!({
    "id": "handbook/leave", "title": "Annual leave", "text": "Staff have 26 days of paid annual leave a year.",
    "kind": "policy", "collection": "handbook", "tags": ["hr"], "date": "2026-02-01", "version": "2.1"
}))]
#[expect(missing_docs, reason = "the names are the contract's own")]
pub struct DocumentBody {
    #[schema(min_length = 1, pattern = r"\S")]
    pub id: String,
    pub title: Option<String>,
    /// Text or Markdown; headings become sections.
    pub text: String,
    pub kind: Option<String>,
    pub collection: Option<String>,
    /// Who may see it; without any, everyone of the tenant.
    #[serde(default)]
    #[schema(value_type = Vec<String>)]
    pub tags: BTreeSet<String>,
    /// Where people can open it: a link of the web, or a relative one.
    pub url: Option<String>,
    pub date: Option<String>,
    pub version: Option<String>,
    pub status: Option<String>,
    pub owner: Option<String>,
    /// The name people call it by.
    pub address: Option<String>,
    pub superseded_by: Option<String>,
}

impl DocumentBody {
    /// The same with its tags as they are kept: trimmed, none of them empty.
    pub(crate) fn with_kept_tags(mut self) -> Self {
        self.tags = kept_tags(self.tags);
        self
    }

    /// Why it cannot be kept whatever it says.
    pub(crate) fn fault(&self) -> Option<String> {
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
        let many = || (self.tags.len() > TAGS_MAX).then(|| format!("it has more than {TAGS_MAX} tags"));
        let names = names.into_iter().find_map(|(name, text)| long(name, text.as_ref(), NAME_CHARS_MAX));
        names
            .or_else(|| lines.into_iter().find_map(|(name, text)| long(name, text.as_ref(), LINE_CHARS_MAX)))
            .or_else(|| self.tags.iter().find_map(|tag| long("tag", Some(tag), NAME_CHARS_MAX)))
            .or_else(many)
            .or_else(hidden)
    }
}

/// Tags as they are kept: trimmed, none of them empty.
pub(super) fn kept_tags(tags: BTreeSet<String>) -> BTreeSet<String> {
    tags.iter().map(|tag| tag.trim().to_owned()).filter(|tag| !tag.is_empty()).collect()
}

/// The tags of something that a reader shares; others are none of their business.
pub(super) fn shared_tags(tags: &BTreeSet<String>, reader: &Reader) -> Vec<String> {
    match &reader.scope {
        Scope::WholeTenant => tags.iter().cloned().collect(),
        Scope::Tags(own) => tags.intersection(own).cloned().collect(),
    }
}

/// What is said about a document beside its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Card)]
#[expect(missing_docs, reason = "the names are the contract's own")]
pub struct CardWire {
    pub document_id: String,
    pub title: String,
    pub kind: String,
    pub collection: String,
    pub address: Option<String>,
    pub status: Option<String>,
    pub superseded_by: Option<String>,
    pub date: Option<String>,
    pub version: Option<String>,
    pub owner: Option<String>,
    pub url: Option<String>,
    /// Those of its tags that the caller has.
    pub tags: Vec<String>,
}

impl CardWire {
    /// A card as a reader sees it.
    #[must_use]
    pub fn of(card: &DocumentCard, reader: &Reader) -> Self {
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
        }
    }
}

/// A document whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Document)]
#[expect(missing_docs, reason = "the names are the contract's own")]
pub struct DocumentWire {
    #[serde(flatten)]
    pub card: CardWire,
    pub text: String,
}

/// What became of documents that were sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = TakenIn)]
#[expect(missing_docs, reason = "the names are the contract's own")]
pub struct TakenInWire {
    pub request_id: String,
    pub added: u64,
    pub updated: u64,
    pub unchanged: u64,
    pub failed: u64,
    pub failures: Vec<FailedDocumentWire>,
    /// Whether searches see what was taken in only after the next start.
    pub indexes_behind: bool,
}

/// A document that was not taken in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = FailedDocument)]
#[expect(missing_docs, reason = "the names are the contract's own")]
pub struct FailedDocumentWire {
    /// Its place in what was sent, from 0.
    pub index: usize,
    /// Its id, where it names one.
    pub document_id: Option<String>,
    pub reason: String,
}
