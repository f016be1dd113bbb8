//! The store that needs nothing installed: a SQLite catalogue, a Tantivy index of words, a file of vectors.
//!
//! Invariant: the catalogue is the truth. Both indexes carry the catalogue's generation, are brought up to it by
//! `refresh`, and can be deleted at any time without losing a document.

mod audiences;
pub(crate) mod audit;
mod backup;
pub(crate) mod blocking;
mod catalogue;
mod catalogue_vectors;
mod collections;
mod compact;
pub(crate) mod copied;
mod database;
mod dense;
mod examine;
mod facts;
mod file_card;
mod files;
mod follower;
mod findings;
mod folder_lease;
mod folder_lock;
pub(crate) mod following;
mod generations;
mod health;
mod integrity;
pub(crate) mod jobs;
mod kept_generations;
mod kept_vectors;
pub(crate) mod keys;
mod lexical;
mod memory;
mod past_access;
mod people;
mod point_in_time;
mod reembed;
mod register;
mod repair;
mod restore;
mod restored_access;
mod rewind;
mod row_sums;
mod sample;
mod schema;
mod sent_questions;
pub(crate) mod sessions;
mod shelves;
mod snapshots;
mod sqlite_fault;
mod totals;
mod unfinished;
mod versions;
mod vocabulary;
mod watermark;

use std::{path::Path, sync::Arc};

use vouch_domain::{EmbedderIdentity, PortError};

use database::Database;
use following::Truth;
use snapshots::{is_fresh, start_from};

pub use audit::{EmbeddedTrail, TrailLimits};
pub use backup::{BackupReport, backup, backup_at};
pub use catalogue::EmbeddedCatalogue;
pub use catalogue_vectors::CatalogueVectors;
pub(crate) use catalogue_vectors::{Change, Cursor, IndexIdentity, VectorRow};
pub use compact::CompactReport;
pub use copied::{CopyReport, digest_of};
pub use dense::{DenseLane, EmbeddedDense, MadeVectors, ScanTimes};
pub use examine::{Finding, examine};
use files::{CATALOGUE_FILE, own_folder};
pub use findings::EmbeddedFindings;
pub use folder_lease::FolderLease;
pub use folder_lock::{announce, announced, is_held};
pub use follower::Follower;
pub use following::{FollowState, Unfinished};
pub use health::StoreHealth;
pub use jobs::EmbeddedJobs;
pub use kept_vectors::EmbeddedVectors;
pub use keys::{EmbeddedKeys, KeyStore, NewKey};
pub use lexical::EmbeddedLexical;
pub use memory::EmbeddedMemory;
pub use people::{EmbeddedDirectory, UpsertCounts};
pub use point_in_time::{PointInTime, TurnedBack};
pub use register::EmbeddedRegister;
pub use repair::{RepairReport, repair};
pub use restore::{RestoreConsent, restore, restore_at};
pub use rewind::{RewindReport, rewind, state_of};
pub use sent_questions::EmbeddedQuestions;
pub use sessions::EmbeddedSessions;
pub use snapshots::{SnapshotFolder, SnapshotReport, write_snapshot};
pub use versions::EmbeddedVersions;
pub use vocabulary::{EmbeddedVocabulary, VocabularyCounts, VocabularySource};

/// What is derived from it.
const INDEX_FOLDERS: [&str; 2] = ["lexical", "dense"];

/// The ports of one data folder, held by this process alone; a copy shares them.
#[derive(Clone)]
pub struct EmbeddedStore {
    /// The store of record.
    pub catalogue: Arc<EmbeddedCatalogue>,
    /// Documents by name.
    pub register: Arc<EmbeddedRegister>,
    /// Documents as they were.
    pub versions: Arc<EmbeddedVersions>,
    /// What editors prepared.
    pub memory: Arc<EmbeddedMemory>,
    /// People, and who answers for which tag.
    pub directory: Arc<EmbeddedDirectory>,
    /// Questions that wait for an answer by somebody.
    pub questions: Arc<EmbeddedQuestions>,
    /// What was found by comparing documents.
    pub findings: Arc<EmbeddedFindings>,
    /// Terms taken in from files.
    pub vocabulary: Arc<EmbeddedVocabulary>,
    /// Search by words.
    pub lexical: Arc<EmbeddedLexical>,
    /// Search by meaning.
    pub dense: Arc<EmbeddedDense>,
    vectors: CatalogueVectors,
    database: Arc<Database>,
    lease: Arc<FolderLease>,
}

/// What a data folder is a copy of, and what it may start from.
pub(crate) struct CopyOrigin {
    pub(crate) truth: Arc<dyn Truth>,
    pub(crate) snapshots: Option<SnapshotFolder>,
}

/// Whether a store may be opened although another embedder filled it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmbedderCheck {
    /// No: vectors of two embedders never mix.
    Enforce,
    /// Yes, to re-embed everything at once.
    Reembedding,
}

/// Whether a folder holds a store.
#[must_use]
pub fn holds_store(folder: &Path) -> bool {
    folder.join(CATALOGUE_FILE).exists()
}

impl EmbeddedStore {
    /// Opens or creates the store in a folder and brings both indexes up to the catalogue.
    ///
    /// # Errors
    /// Fails if another process holds the folder, another embedder filled it, or it cannot be read or written.
    pub fn open(folder: &Path, embedder: &EmbedderIdentity, check: EmbedderCheck) -> Result<Self, PortError> {
        Self::open_with(folder, (embedder, check), DenseLane::Here)
    }

    /// The same where the vectors may be searched elsewhere.
    ///
    /// # Errors
    /// Fails as `open` does.
    pub fn open_with(
        folder: &Path,
        embedder: (&EmbedderIdentity, EmbedderCheck),
        dense: DenseLane,
    ) -> Result<Self, PortError> {
        Self::open_copy(folder, embedder, dense, None)
    }

    /// The same for a folder that is this node's copy of a store elsewhere.
    pub(crate) fn open_copy(
        folder: &Path,
        (embedder, check): (&EmbedderIdentity, EmbedderCheck),
        dense: DenseLane,
        origin: Option<CopyOrigin>,
    ) -> Result<Self, PortError> {
        own_folder(folder)?;
        let lock = folder_lock::FolderLock::take(folder)?;
        unfinished::refuse(folder)?;
        let path = folder.join(CATALOGUE_FILE);
        let database = Arc::new(match origin {
            Some(CopyOrigin { truth, snapshots }) => {
                if let Some(snapshots) = snapshots.filter(|_| is_fresh(&path)) {
                    start_from(folder, &snapshots, &truth.head()?);
                }
                Database::open_following(&path, schema::CATALOGUE, truth)?
            }
            None => Database::open_own(&path, schema::CATALOGUE)?,
        });
        database.read(totals::find_missing)?.map_or(Ok(()), Err)?;
        database.read(sample::read_some).map(|_| ())?;
        if check == EmbedderCheck::Enforce {
            database.check_embedder(embedder)?;
        }
        let lexical = EmbeddedLexical::open(&folder.join("lexical"), Arc::clone(&database))?;
        let dense = EmbeddedDense::open(&folder.join("dense"), Arc::clone(&database), embedder, dense)?;
        if check == EmbedderCheck::Enforce {
            lexical.catch_up()?;
            dense.catch_up()?;
        }
        Ok(Self {
            catalogue: Arc::new(EmbeddedCatalogue::new(Arc::clone(&database), embedder.clone())),
            register: Arc::new(EmbeddedRegister::new(Arc::clone(&database))),
            versions: Arc::new(EmbeddedVersions::new(Arc::clone(&database))),
            memory: Arc::new(EmbeddedMemory::new(Arc::clone(&database))),
            directory: Arc::new(EmbeddedDirectory::new(Arc::clone(&database))),
            questions: Arc::new(EmbeddedQuestions::new(Arc::clone(&database))),
            findings: Arc::new(EmbeddedFindings::new(Arc::clone(&database))),
            vocabulary: Arc::new(EmbeddedVocabulary::new(Arc::clone(&database))),
            lexical: Arc::new(lexical),
            dense: Arc::new(dense),
            vectors: CatalogueVectors::new(Arc::clone(&database), embedder.clone()),
            database,
            lease: Arc::new(FolderLease::new(folder, lock)?),
        })
    }

    /// Who brings the folder up to the store it is a copy of; nobody where it is a copy of none.
    #[must_use]
    pub fn follower(&self) -> Option<Follower> {
        self.database.follow_state()?;
        let (database, lexical, dense) =
            (Arc::clone(&self.database), Arc::clone(&self.lexical), Arc::clone(&self.dense));
        Some(Follower { database, lexical, dense })
    }

    /// The vectors, for an index of them that is elsewhere.
    #[must_use]
    pub fn vectors(&self) -> CatalogueVectors {
        self.vectors.clone()
    }

    /// The lock of the folder, for whoever can do without it for a while.
    #[must_use]
    pub fn lease(&self) -> Arc<FolderLease> {
        Arc::clone(&self.lease)
    }

    /// How many bytes SQLite's file may grow to; writing past it fails as a full disk does.
    ///
    /// # Errors
    /// Fails if the store does.
    pub fn limit_catalogue_bytes(&self, bytes_max: u64) -> Result<(), PortError> {
        self.database.limit_bytes(bytes_max)
    }
}
