//! Documents as they were: every form that is still kept, for those who may read both it and the document as it is now.

use async_trait::async_trait;

use super::Generation;
use crate::{
    document::DocumentId,
    error::PortError,
    reader::Reader,
    version::{CurrentVersions, DocumentVersion, VersionCard},
};

/// The earlier forms of documents. A form is open to a reader who may read the document as it is now and could have read
/// that form; of a document that was removed none is.
#[async_trait]
pub trait Versions: Send + Sync {
    /// The forms of a document that are open to the reader, newest first, up to a limit. The first is the current one.
    async fn versions(&self, reader: &Reader, id: &DocumentId, limit: usize) -> Result<Vec<VersionCard>, PortError>;

    /// One form of a document with its text; none if it is not kept, or not open to the reader.
    async fn version(
        &self,
        reader: &Reader,
        id: &DocumentId,
        number: u32,
    ) -> Result<Option<DocumentVersion>, PortError>;

    /// Which form of a document was current at a generation, and which is now, whoever may see them.
    async fn current_at(
        &self,
        tenant: &str,
        id: &DocumentId,
        generation: Generation,
    ) -> Result<CurrentVersions, PortError>;
}
