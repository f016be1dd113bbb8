//! Work that is done in the background: what is to be taken in, how far it has come and how it ended.

use std::collections::BTreeSet;

/// What a job takes in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobTarget {
    /// A source of the settings, by its name.
    Source(String),
    /// Files and folders of this machine.
    Paths(JobPaths),
}

/// Files and folders that are to be taken in, with what is said of the documents in them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JobPaths {
    /// The paths, from the root of the file system on.
    pub paths: Vec<String>,
    /// The collection, where a document names none.
    pub collection: Option<String>,
    /// The kind, where a document names none.
    pub kind: Option<String>,
    /// Who may see the documents, besides those a document names itself.
    pub tags: BTreeSet<String>,
    /// Whether documents of which nobody says who may see them are shown to everyone.
    pub opens: bool,
    /// Whether documents are removed whose files are gone.
    pub prunes: bool,
    /// Whether they are removed even where most of them are gone.
    pub prunes_many: bool,
    /// Whether links are followed that lead out of the folders given.
    pub follows_links: bool,
}

/// Where a job stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobState {
    /// It waits for a worker.
    Queued,
    /// A worker is at it.
    Running,
    /// It failed and is tried again later.
    Waiting,
    /// It is done.
    Done,
    /// It failed and is not tried again.
    Failed,
    /// Somebody stopped it.
    Cancelled,
}

impl JobState {
    /// Every state.
    pub const ALL: [Self; 6] = [Self::Queued, Self::Running, Self::Waiting, Self::Done, Self::Failed, Self::Cancelled];

    /// The state as one word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// The state that a word stands for.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == word)
    }

    /// Whether nothing more comes of it by itself.
    #[must_use]
    pub fn is_over(self) -> bool {
        match self {
            Self::Queued | Self::Running | Self::Waiting => false,
            Self::Done | Self::Failed | Self::Cancelled => true,
        }
    }
}

/// How far a job has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JobProgress {
    /// Files that were looked at.
    pub seen: u64,
    /// How many there are, once that is known.
    pub total: Option<u64>,
    /// Documents that are new.
    pub added: u64,
    /// Documents that have a new version.
    pub updated: u64,
    /// Documents that were already there in this form.
    pub unchanged: u64,
    /// Documents whose file was moved or renamed.
    pub renamed: u64,
    /// Documents removed.
    pub removed: u64,
    /// Files or documents that could not be taken in.
    pub failed: u64,
}

/// Something that could not be taken in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobFailure {
    /// What, as whoever can mend it knows it.
    pub source: String,
    /// What is wrong with it.
    pub sentence: String,
}

impl JobFailure {
    /// How many failures a job tells word for word; all are counted.
    pub const KEPT_MAX: usize = 20;
}

/// A job to be put in the queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewJob {
    /// The tenant whose documents it changes.
    pub tenant: String,
    /// What it takes in.
    pub target: JobTarget,
    /// Who asked for it.
    pub asked_by: String,
}

/// A job as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Its id.
    pub id: String,
    /// The tenant whose documents it changes.
    pub tenant: String,
    /// What it takes in.
    pub target: JobTarget,
    /// Where it stands.
    pub state: JobState,
    /// Whether somebody wants it stopped.
    pub is_cancelled: bool,
    /// How far it has come, in the attempt under way or the last one.
    pub progress: JobProgress,
    /// The first failures.
    pub failures: Vec<JobFailure>,
    /// Why the last attempt failed.
    pub error: Option<String>,
    /// How often it was tried.
    pub attempts: u32,
    /// When it is tried again, where it waits for that; milliseconds since 1970.
    pub next_try_ms: Option<u64>,
    /// Who asked for it.
    pub asked_by: String,
    /// When it was asked for.
    pub asked_ms: u64,
    /// When the last attempt began.
    pub started_ms: Option<u64>,
    /// When it ended for good.
    pub ended_ms: Option<u64>,
}

/// How an attempt came out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobOutcome {
    /// All there was to do is done.
    Done,
    /// It failed, for this reason, and is tried again at a moment if there is one.
    Failed {
        /// What is wrong, for the person who can mend it.
        sentence: String,
        /// When to try again, in milliseconds since 1970.
        next_try_ms: Option<u64>,
    },
    /// Somebody wanted it stopped.
    Cancelled,
    /// The worker has to end; the attempt does not count.
    PutBack,
}
