//! What the memory store keeps of documents that were compared.

use std::collections::BTreeMap;

use vouch_domain::{DocumentId, DocumentSketch, Finding};

pub(super) type Place = (String, DocumentId);

/// What documents are compared by and what was found.
#[derive(Debug, Default)]
pub(super) struct Compared {
    pub(super) sketches: BTreeMap<Place, Sketched>,
    pub(super) findings: BTreeMap<(String, String), Found>,
}

/// What a version of a document is compared by.
#[derive(Debug)]
pub(super) struct Sketched {
    pub(super) version: u32,
    pub(super) sketch: DocumentSketch,
    pub(super) is_compared: bool,
}

/// A finding and the versions of its two documents.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) finding: Finding,
    pub(super) versions: [u32; 2],
}
