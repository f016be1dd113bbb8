//! A place that documents come from: a folder, a repository, a site.

use async_trait::async_trait;

use crate::{document::RawDocument, error::PortError};

/// A document of a source that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFault {
    /// Which, by its stable name.
    pub source: String,
    /// The same as people know it.
    pub shown: String,
    /// What is wrong, for the person who can mend it.
    pub sentence: String,
}

/// The documents of a source, as they were when it was opened.
pub struct OpenSource {
    /// What the stable names of its documents begin with.
    pub roots: Vec<String>,
    /// How many there are, where that is known.
    pub total: Option<u64>,
    /// The documents in a fixed order, each read when it is asked for.
    pub documents: Box<dyn Iterator<Item = Result<RawDocument, SourceFault>> + Send>,
    /// Whether a document is still there, by its stable name.
    pub exists: Box<dyn Fn(&str) -> bool + Send + Sync>,
}

/// Whether anybody still waits for the outcome.
pub type IsWanted<'a> = &'a (dyn Fn() -> bool + Send + Sync);

/// A place that documents come from.
#[async_trait]
pub trait DocumentSource: Send + Sync {
    /// Brings what is there. Where it cannot be told what is there it fails, so that nothing is taken for removed.
    async fn open(&self, is_wanted: IsWanted<'_>) -> Result<OpenSource, PortError>;

    /// A number that changes when a document does, where that can be told without reading them.
    async fn signature(&self) -> Option<u64> {
        None
    }
}
