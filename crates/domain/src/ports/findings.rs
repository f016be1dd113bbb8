//! What comparing documents with one another needs, and what was found by it.

use async_trait::async_trait;

use crate::{
    document::DocumentId,
    error::PortError,
    finding::{
        Dismissal, DocumentSketch, Finding, FindingKind, FindingPage, Similar, SketchedDocument, UncomparedDocument,
    },
    reader::Reader,
};

/// Keeps what documents are compared by and what was found. No tenant sees another's, and no reader a finding of which
/// they may not read both sides.
#[async_trait]
pub trait Findings: Send + Sync {
    /// Documents of a tenant that have not been compared in their present form, up to a limit.
    async fn uncompared(&self, tenant: &str, limit: usize) -> Result<Vec<UncomparedDocument>, PortError>;

    /// Keeps what documents are compared by, in the place of what their earlier versions were.
    async fn keep_sketches(&self, tenant: &str, sketches: Vec<SketchedDocument>) -> Result<(), PortError>;

    /// What is kept of other documents of the tenant that is similar.
    async fn similar(&self, tenant: &str, id: &DocumentId, sketch: &DocumentSketch) -> Result<Similar, PortError>;

    /// Keeps findings, and that these versions have been compared. One that is there stays dismissed if it was.
    async fn record(
        &self,
        tenant: &str,
        compared: Vec<(DocumentId, u32)>,
        findings: Vec<Finding>,
    ) -> Result<(), PortError>;

    /// Open findings of which the reader may read both sides.
    async fn open(&self, reader: &Reader, kind: Option<FindingKind>, limit: usize) -> Result<FindingPage, PortError>;

    /// Notes that there is nothing to mend; answers whether the reader has such a finding.
    async fn dismiss(&self, reader: &Reader, id: &str, dismissal: Dismissal) -> Result<bool, PortError>;
}
