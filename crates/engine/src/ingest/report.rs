//! The outcome of every source, counted, and reported if it failed.

use std::collections::{BTreeMap, BTreeSet};

use vouch_domain::{
    DocumentId, PortError,
    ports::{NO_TEXT, SourceReading, UpsertOutcome},
};

use super::{ReviewReport, UnreadableSource};

/// How many failures, and how many warnings, are kept word for word; all failures are counted.
const FAILURES_MAX: usize = 1_000;

/// What is said of a source that has titles and nothing below them.
pub(super) const TITLES_ALONE: &str = "it has headings but no text";

/// Receives the progress of an ingest.
pub trait Progress: Sync {
    /// This many more passages are to be embedded.
    fn prepared(&self, passages: usize);

    /// This many passages have their vector.
    fn embedded(&self, passages: usize);

    /// A source or a document in it failed.
    fn failed(&self, failure: &Failure);

    /// A source was read although something in it should be mended.
    fn warned(&self, _: &Warning) {}

    /// A source was looked at, or documents were kept; this is what came of all so far.
    fn advanced(&self, _: &IngestReport) {}

    /// Whether anybody still waits for the outcome; where nobody does, the work ends at its next step.
    fn is_wanted(&self) -> bool {
        true
    }
}

/// Something that could not be ingested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Which source.
    pub source: String,
    /// Where in it; empty for the whole.
    pub place: String,
    /// What is wrong, for the person who can fix it.
    pub sentence: String,
    /// Whether nothing is wrong with it and the store could not keep it.
    pub is_stores_fault: bool,
}

impl Failure {
    /// Whether it is a source that says nothing, which in a folder is nothing to mend: one without a word in it, or with titles
    /// alone, such as the index of a site.
    #[must_use]
    pub fn is_empty_source(&self) -> bool {
        self.place.is_empty() && [NO_TEXT, TITLES_ALONE].contains(&self.sentence.as_str())
    }
}

/// Something to mend in a source that was read nevertheless.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// Which source.
    pub source: String,
    /// What should be mended, for the person who can.
    pub sentence: String,
}

/// A folder, or what is like it, of which too much is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unpruned {
    /// The folder.
    pub root: String,
    /// How many of its documents have no file any more.
    pub gone: u64,
    /// How many documents it held before this run.
    pub held: u64,
}

impl Unpruned {
    /// What is told of it, with what to do; `word` is what has them removed all the same.
    #[must_use]
    pub fn sentence(&self, word: &str) -> String {
        let Self { gone, held, .. } = self;
        format!(
            "nothing was removed: {gone} of the {held} documents from there no longer have a file, which is more than \
             a third. If that is intended, {word} removes these documents; if not, bring the files back first"
        )
    }
}

/// What an ingest did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IngestReport {
    /// Documents that are new.
    pub added: u64,
    /// Documents that have a new version.
    pub updated: u64,
    /// Documents that were already there in this form.
    pub unchanged: u64,
    /// Documents whose file was moved or renamed and says what it said before.
    pub renamed: u64,
    /// Documents removed.
    pub removed: u64,
    /// Sources or documents that could not be ingested.
    pub failed: u64,
    /// Documents of which nobody said who may see them, and which therefore stay with those who could before.
    pub kept_access: u64,
    /// New documents of which nobody said who may see them, in folders where all others had tags: they have these too.
    pub joined_access: u64,
    /// New documents of which nobody said who may see them, so that everyone may.
    pub open_by_silence: u64,
    /// Why an index could not follow, where one could not; it catches up at the next start.
    pub indexes_behind: Option<String>,
    /// What came of comparing what is new with what is there.
    pub review: ReviewReport,
    /// What was wrong with them, the first thousand.
    pub failures: Vec<Failure>,
    /// What should be mended in sources that were read, the first thousand.
    pub warnings: Vec<Warning>,
    pub(super) seen: BTreeMap<DocumentId, String>,
    /// Documents whose sources now hold others.
    pub(super) replaced: Vec<DocumentId>,
    /// Documents with the sources they now have.
    pub(super) moved: Vec<(DocumentId, String)>,
    /// Documents with what they were read from.
    pub(super) readings: Vec<SourceReading>,
    /// Whether the run ended before it had looked at every source.
    pub is_cut_short: bool,
    failed_sources: BTreeSet<String>,
    /// Who could see the folders of new files before this run.
    pub(super) folder_access: BTreeMap<String, BTreeSet<String>>,
    /// Stored documents whose files are gone, where they were not removed.
    pub without_file: u64,
    /// Folders of which nothing was removed, since too much is gone.
    pub unpruned: Vec<Unpruned>,
    pub(super) added_ids: BTreeSet<DocumentId>,
}

impl IngestReport {
    pub(super) fn count(&mut self, filed: UpsertOutcome, id: &DocumentId) {
        match filed {
            UpsertOutcome::Added => {
                self.added += 1;
                self.added_ids.insert(id.clone());
            }
            UpsertOutcome::Updated(_) => self.updated += 1,
        }
    }

    pub(super) fn fail_unread(&mut self, unreadable: &UnreadableSource, progress: &dyn Progress) {
        self.failed_sources.insert(unreadable.source.clone());
        self.fail(&unreadable.shown, "", &unreadable.sentence, progress);
    }

    pub(super) fn fail(&mut self, source: &str, place: &str, sentence: &str, progress: &dyn Progress) {
        let (source, place, sentence) = (source.to_owned(), place.to_owned(), sentence.to_owned());
        self.add(Failure { source, place, sentence, is_stores_fault: false }, progress);
    }

    pub(super) fn fail_to_keep(&mut self, source: &str, error: &PortError, progress: &dyn Progress) {
        let (source, sentence) = (source.to_owned(), error.sentence.clone());
        self.add(Failure { source, place: String::new(), sentence, is_stores_fault: true }, progress);
    }

    pub(super) fn warn(&mut self, source: &str, sentence: String, progress: &dyn Progress) {
        let warning = Warning { source: source.to_owned(), sentence };
        progress.warned(&warning);
        if self.warnings.len() < FAILURES_MAX {
            self.warnings.push(warning);
        }
    }

    fn add(&mut self, failure: Failure, progress: &dyn Progress) {
        progress.failed(&failure);
        self.failed += 1;
        self.failed_sources.insert(failure.source.clone());
        if self.failures.len() < FAILURES_MAX {
            self.failures.push(failure);
        }
    }

    /// Whether a source, or a folder it lies in, could not be read.
    pub(super) fn has_failed(&self, source: &str) -> bool {
        let folders = source.match_indices('/').filter_map(|(at, _)| source.get(..at));
        folders.chain([source]).any(|place| self.failed_sources.contains(place))
    }
}
