//! A document that a question names by its address.

use std::ops::Range;

use vouch_domain::DocumentCard;

/// A document a question names.
#[derive(Debug, Clone, PartialEq)]
pub struct Entity {
    /// The document.
    pub card: DocumentCard,
    /// The section that stands for the whole, where its scheme names one.
    pub lead_section: Option<String>,
    /// Where the question names it, in bytes; nothing where it is one of a range.
    pub at: Option<Range<usize>>,
}
