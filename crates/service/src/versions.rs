//! The versions of a document and what changed between two of them, as a reader may see them.

use serde::Serialize;
use utoipa::ToSchema;
use vouch_domain::{
    DocumentId, DocumentVersion, PortError, Reader, VersionCard,
    language::{BlockChange, changes},
    ports::Versions,
    timestamp,
};

/// Most versions that are listed, the newest.
const VERSIONS_MAX: usize = 1_000;
/// Most changes that are listed, and the longest words of one, in characters.
const CHANGES_MAX: usize = 500;
const CHANGE_CHARS_MAX: usize = 4_000;

/// One version of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Version)]
pub struct VersionWire {
    /// Its number, from 1; a later one is higher.
    pub number: u32,
    /// Whether it is the one that is searched and cited now.
    pub current: bool,
    /// Title it had.
    pub title: String,
    /// Version, as its author wrote it; null if it names none.
    pub version: Option<String>,
    /// Date, as its author wrote it; null if it names none.
    pub date: Option<String>,
    /// Status it had; null if it names none.
    pub status: Option<String>,
    /// When it was taken in, RFC 3339 in UTC.
    pub taken_in: String,
}

/// The versions of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct VersionList {
    /// Id of the document.
    pub document_id: String,
    /// Newest first; those that are kept and open to the reader.
    pub versions: Vec<VersionWire>,
    /// Whether there are older ones that are not listed.
    pub is_cut: bool,
}

/// One version with its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct VersionText {
    /// Id of the document.
    pub document_id: String,
    /// Fields of the version, at the same level.
    #[serde(flatten)]
    pub version: VersionWire,
    /// The text it had.
    pub text: String,
}

/// What changed between two versions of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct VersionChanges {
    /// Id of the document.
    pub document_id: String,
    /// The earlier version; null if there is none before the other.
    pub from: Option<VersionWire>,
    /// The later version.
    pub to: VersionWire,
    /// In the order of the later text. A block that only moved is no change.
    pub changes: Vec<ChangeWire>,
    /// Whether there was too much to compare or to list: a changed block may then be told as one removed and one added, and the
    /// last changes or the ends of long ones may be missing.
    pub is_cut: bool,
}

/// A paragraph, list item, row or other block that is not the same in both versions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Change)]
pub struct ChangeWire {
    /// `added`, `removed` or `changed`.
    pub kind: &'static str,
    /// Headings above it, joined by ` › `; null at the top of the document.
    pub section: Option<String>,
    /// Its words before; null if it was added.
    pub before: Option<String>,
    /// Its words after; null if it was removed.
    pub after: Option<String>,
}

/// Which two versions are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct VersionRange {
    /// The earlier one; where none is named, the last before the other.
    pub from: Option<u32>,
    /// The later one; the current one where none is named.
    pub to: Option<u32>,
}

impl VersionWire {
    fn new(version: &VersionCard) -> Self {
        Self {
            number: version.number,
            current: version.is_current,
            title: version.card.title.clone(),
            version: version.card.version.clone(),
            date: version.card.date.clone(),
            status: version.card.status.clone(),
            taken_in: timestamp(version.taken_in_ms),
        }
    }
}

impl ChangeWire {
    fn new(change: BlockChange) -> Self {
        let kind = match (&change.before, &change.after) {
            (None, _) => "added",
            (Some(_), None) => "removed",
            (Some(_), Some(_)) => "changed",
        };
        let section = (!change.section.is_empty()).then(|| change.section.join(" › "));
        Self { kind, section, before: change.before.map(shortened), after: change.after.map(shortened) }
    }
}

/// The versions of a document; none if it is not there, or not open to the reader.
///
/// # Errors
/// Fails if the store cannot be read.
pub async fn list(versions: &dyn Versions, reader: &Reader, id: &DocumentId) -> Result<Option<VersionList>, PortError> {
    let mut found = versions.versions(reader, id, VERSIONS_MAX + 1).await?;
    let is_cut = found.len() > VERSIONS_MAX;
    found.truncate(VERSIONS_MAX);
    let document_id = id.as_str().to_owned();
    let versions = found.iter().map(VersionWire::new).collect();
    Ok((!found.is_empty()).then_some(VersionList { document_id, versions, is_cut }))
}

/// One version of a document; none if it is not kept, or not open to the reader.
///
/// # Errors
/// Fails if the store cannot be read.
pub async fn read(
    versions: &dyn Versions,
    reader: &Reader,
    id: &DocumentId,
    number: u32,
) -> Result<Option<VersionText>, PortError> {
    let found = versions.version(reader, id, number).await?;
    Ok(found.map(|DocumentVersion { card, text }| VersionText {
        document_id: id.as_str().to_owned(),
        version: VersionWire::new(&card),
        text,
    }))
}

/// What changed between two versions of a document; none if one of them is not kept, or not open to the reader.
///
/// # Errors
/// Fails if the store cannot be read.
pub async fn compare(
    versions: &dyn Versions,
    reader: &Reader,
    id: &DocumentId,
    range: VersionRange,
) -> Result<Option<VersionChanges>, PortError> {
    let cards = versions.versions(reader, id, usize::MAX).await?;
    let current = cards.iter().find(|card| card.is_current).map(|card| card.number);
    let Some(to) = range.to.or(current) else { return Ok(None) };
    let Some(later) = versions.version(reader, id, to).await? else { return Ok(None) };
    let last = || cards.iter().map(|card| card.number).find(|number| *number < to);
    let earlier = match range.from.or_else(last) {
        None => None,
        Some(number) => match versions.version(reader, id, number).await? {
            None => return Ok(None),
            found => found,
        },
    };
    let found = earlier.as_ref().map(|earlier| changes(&earlier.text, &later.text)).unwrap_or_default();
    let is_long = |words: &Option<String>| words.as_ref().is_some_and(|words| words.chars().count() > CHANGE_CHARS_MAX);
    let is_cut = found.is_cut
        || found.changes.len() > CHANGES_MAX
        || found.changes.iter().any(|change| is_long(&change.before) || is_long(&change.after));
    Ok(Some(VersionChanges {
        document_id: id.as_str().to_owned(),
        from: earlier.map(|earlier| VersionWire::new(&earlier.card)),
        to: VersionWire::new(&later.card),
        changes: found.changes.into_iter().take(CHANGES_MAX).map(ChangeWire::new).collect(),
        is_cut,
    }))
}

fn shortened(words: String) -> String {
    match words.char_indices().nth(CHANGE_CHARS_MAX) {
        Some((end, _)) => format!("{}…", words.get(..end).unwrap_or_default()),
        None => words,
    }
}
