//! What a server of vectors does for `RemoteDense`.

use async_trait::async_trait;
use vouch_domain::{PassageKey, PortError, ports::Generation};

use crate::embedded::{IndexIdentity, VectorRow};

/// How far an index has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct IndexHead {
    /// Which making of the index this is about: one that was removed and made again has another number.
    pub(crate) incarnation: i64,
    /// Every change up to here is in it.
    pub(crate) generation: Generation,
    /// What died at or before this generation is not.
    pub(crate) floor: Generation,
}

/// An index that is to be filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NewIndex {
    /// As in its head, once it has one.
    pub(crate) incarnation: i64,
    pub(crate) content: IndexContent,
}

/// Whether rows may be there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IndexContent {
    /// It was made just now, nobody else writes to it, and what is written comes once.
    Nothing,
    /// Somebody else may be filling it, or began to.
    Rows,
}

/// Which shelves something is done to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shelves<'a> {
    All,
    Only(&'a [u32]),
}

/// What is looked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ServerQuery<'a> {
    /// Which making of the index is meant; the search of any other fails with `Fault::Held`.
    pub(crate) incarnation: i64,
    pub(crate) tenant: i64,
    /// The shelves the reader sees; none of another is looked at.
    pub(crate) shelves: &'a [u32],
    pub(crate) generation: Generation,
    pub(crate) vector: &'a [f32],
    /// How many passages are proposed at most.
    pub(crate) limit: usize,
}

/// A server that holds rows of vectors and proposes the nearest.
///
/// What `nearest` proposes must depend on the rows of the query's shelves alone, or be drawn by chance that those rows alone
/// govern: neither on how many rows other shelves hold nor on where those lie.
#[async_trait]
pub(crate) trait VectorServer: Send + Sync {
    /// How far an index has come; none where there is no such index, or it is still filled for the first time. Takes no longer than
    /// a search may.
    async fn head(&self, identity: &IndexIdentity) -> Result<Option<IndexHead>, PortError>;

    /// Whether the index can be asked.
    async fn check(&self, identity: &IndexIdentity) -> Result<(), PortError> {
        self.head(identity).await.map(drop)
    }

    /// Makes an empty index where there is none. It has no head before it is published.
    async fn create(&self, identity: &IndexIdentity) -> Result<NewIndex, PortError>;

    /// Takes away an index whose head is of the same incarnation as this one; fails with `Fault::Held` where there is no such index.
    async fn remove(&self, identity: &IndexIdentity, head: IndexHead) -> Result<(), PortError>;

    /// Takes away what earlier vectors of the same store left.
    async fn remove_superseded(&self, identity: &IndexIdentity) -> Result<(), PortError>;

    /// Writes rows, whether they are there or not; a row that is dead there stays dead.
    async fn write(
        &self,
        identity: &IndexIdentity,
        rows: Vec<VectorRow>,
        content: IndexContent,
    ) -> Result<(), PortError>;

    /// Says that a new index holds everything up to there. Whoever says so has written all of it since it was made; fails with
    /// `Fault::Held` where it was made again meanwhile.
    async fn publish(&self, identity: &IndexIdentity, head: IndexHead) -> Result<(), PortError>;

    /// Says how far a published index has come, once everything up to there has been written; fails with `Fault::Held` where the
    /// index that was published is not of this incarnation.
    async fn advance(&self, identity: &IndexIdentity, head: IndexHead) -> Result<(), PortError>;

    /// Makes searches of these shelves faster after this many rows were written. Answers whether nothing of that is left to another
    /// node or to another time.
    async fn settle(&self, identity: &IndexIdentity, shelves: Shelves<'_>, written: usize) -> Result<bool, PortError>;

    /// How many passages the index holds that live at a generation.
    async fn count(&self, identity: &IndexIdentity, at: Generation) -> Result<u64, PortError>;

    /// The passages nearest to a vector among those of the shelves at the generation, in no particular order.
    async fn nearest(&self, identity: &IndexIdentity, query: &ServerQuery<'_>) -> Result<Vec<PassageKey>, PortError>;
}
