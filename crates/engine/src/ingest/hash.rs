//! Document → `ContentHash`: changes where anything that is stored would change, and only then.

use vouch_domain::{ContentHash, Document, PageUnit};

use crate::policy::IngestPolicy;

/// How many digits the name of a commit has at least.
const COMMIT_DIGITS_MIN: usize = 40;

/// Raised when chunking or enriching changes, so that documents are ingested again.
pub(super) const RECIPE: u32 = 2;

/// The digest of a document; `given_url` is where people open it by whoever brought it, which counts without the commit it
/// names: the text is the same in the commit that was named before.
pub(super) fn content_hash(document: &Document, given_url: Option<&str>, policy: &IngestPolicy) -> ContentHash {
    let card = &document.card;
    let mut hasher = blake3::Hasher::new();
    let mut add = |field: &str| {
        hasher.update(&(field.len() as u64).to_le_bytes());
        hasher.update(field.as_bytes());
    };
    add(&format!("{RECIPE} {}", policy.passage_tokens));
    for field in [&card.title, &card.kind, &card.collection, &document.text] {
        add(field);
    }
    for field in [&card.status, &card.date, &card.version, &card.owner] {
        add(field.as_deref().unwrap_or("\0"));
    }
    match card.url.as_deref() {
        Some(url) if given_url == Some(url) => add(&without_commit(url)),
        url => add(url.unwrap_or("\0")),
    }
    add(card.address.as_ref().map_or("\0", |address| address.as_str()));
    // A field that came later counts only where it is there, so that older documents keep their hash.
    if let Some(successor) = &card.superseded_by {
        add(&format!("superseded by {}", successor.as_str()));
    }
    if !card.topics.is_empty() {
        add("topics");
        card.topics.iter().for_each(|topic| add(topic));
    }
    for mark in &document.times {
        add(&format!("{} {}", mark.at, mark.seconds));
    }
    for mark in &document.pages {
        let unit = match mark.unit {
            PageUnit::Page => "page",
            PageUnit::Slide => "slide",
            PageUnit::Row => "row",
        };
        add(&format!("{unit} {} {}", mark.at, mark.page));
    }
    card.tags.iter().for_each(|tag| add(tag));
    for section in &document.sections {
        section.path.iter().for_each(|heading| add(heading));
    }
    ContentHash(*hasher.finalize().as_bytes())
}

/// A link without every part of its path that is the name of a commit.
pub(super) fn without_commit(url: &str) -> String {
    let is_commit = |part: &str| part.len() >= COMMIT_DIGITS_MIN && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    url.split('/').filter(|part| !is_commit(part)).collect::<Vec<_>>().join("/")
}
