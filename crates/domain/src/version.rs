//! The forms a document has had, of those that are still kept.

use crate::document::DocumentCard;

/// One form of a document, without its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionCard {
    /// Its number, from 1; a later form has a higher one.
    pub number: u32,
    /// What was said about the document then.
    pub card: DocumentCard,
    /// When it was taken in, in milliseconds since 1970.
    pub taken_in_ms: u64,
    /// Whether it is the one that is searched and cited now.
    pub is_current: bool,
}

/// One form of a document with its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentVersion {
    /// What is known about it.
    pub card: VersionCard,
    /// Its text.
    pub text: String,
}

/// Which form of a document was current once, and which is now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CurrentVersions {
    /// Whether there has ever been a document of this name.
    pub is_known: bool,
    /// The number of the one that was current then; none if there was none, or it is no longer kept.
    pub then: Option<u32>,
    /// The number of the one that is current now; none if the document was removed.
    pub now: Option<u32>,
}
