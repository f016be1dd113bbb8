//! What every path of a question yields: what was found, what may be answered from, and who writes.

use vouch_domain::DocumentCard;

use super::{lookup_faults::LookupFaults, undefined_term::UndefinedTerm};
use crate::{
    decide::{Refusal, Suggestion},
    judge::Evidence,
    recall::Recollection,
    retrieve::{Candidates, Lane, ReadGeneration},
    trace::{Fallback, LookupOutcome, LookupReport, MemoryReport},
    understand::Understanding,
    verify::Rows,
};

/// Everything an answer is made from; only the tail makes one.
pub(super) struct Material {
    /// The question as it was looked for.
    pub(super) understanding: Understanding,
    pub(super) candidates: Candidates,
    pub(super) evidence: Evidence,
    pub(super) author: Author,
    /// The question back if it could mean several things.
    pub(super) choice: Option<Choice>,
    /// Notices for the reader about how the answer came about.
    pub(super) notices: Vec<String>,
    /// Whether the question named, word for word, what it is answered with: a term, an address, a title, a pinned question.
    pub(super) is_named: bool,
    /// Whether everything the reader may see was searched: only then can it be said that nothing covers the question.
    pub(super) is_whole_corpus: bool,
    pub(super) lookup: Option<LookupReport>,
    /// The term that was asked for, where the vocabulary does not define it and the documents were searched.
    pub(super) undefined: Option<UndefinedTerm>,
    /// Look-ups that failed, whatever they were made for.
    pub(super) faults: LookupFaults,
    pub(super) memory: Vec<MemoryReport>,
    /// An editor's note that is written for readers.
    pub(super) readers_note: Option<String>,
    /// Whether the evidence was chosen for these very words.
    pub(super) chosen: Chosen,
    /// The generation when reading ended, where that was before the gathering did; then the one of all that was read.
    pub(super) read: ReadGeneration,
}

/// Whether an editor chose the evidence for these very words.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Chosen {
    Nobody,
    /// It is what they chose.
    Editor,
    /// It is of what they chose, which is quoted as it is where nothing else comes of it.
    EditorToQuote(Box<Evidence>),
}

/// Who writes the answer.
pub(super) enum Author {
    /// A model if the profile has one, else the extractive writer; an editor's note may frame what they write.
    Writer { background: Option<String> },
    /// The passages themselves, paragraph by paragraph.
    Passages(Quotation),
    /// The catalogue: a row per document.
    Catalogue(Rows),
    /// Nothing is written: it is already known that there is no answer.
    Nobody(Refusal),
}

/// How much of the passages is quoted.
pub(super) struct Quotation {
    pub(super) paragraphs_max: usize,
    /// Whose words they are said to be.
    pub(super) model: String,
    /// The card they stand under, if they are one document's.
    pub(super) card: Option<Box<DocumentCard>>,
}

/// A question back, with its choices.
pub(super) struct Choice {
    pub(super) question: String,
    pub(super) options: Vec<Suggestion>,
}

impl Material {
    /// Material that was looked up by name: nothing was searched and nothing judged.
    pub(super) fn looked_up(understanding: &Understanding, evidence: Evidence, author: Author) -> Self {
        Self {
            understanding: understanding.clone(),
            candidates: Candidates::empty(),
            evidence,
            author,
            choice: None,
            notices: Vec::new(),
            is_named: false,
            is_whole_corpus: false,
            lookup: None,
            undefined: None,
            faults: LookupFaults::default(),
            memory: Vec::new(),
            readers_note: None,
            chosen: Chosen::Nobody,
            read: ReadGeneration::Nothing,
        }
    }

    /// A look-up that ends in a refusal.
    pub(super) fn refused(understanding: &Understanding, refusal: Refusal) -> Self {
        Self::looked_up(understanding, Evidence::empty(), Author::Nobody(refusal))
    }

    pub(super) fn with_lookup(mut self, report: LookupReport) -> Self {
        self.lookup = Some(report);
        self
    }

    /// The same with what failed on the way here; a look-up that led nowhere is told where there was no other.
    pub(super) fn with_faults(mut self, faults: LookupFaults) -> Self {
        self.lookup = self.lookup.or_else(|| faults.unasked.clone());
        self.faults.extend(faults);
        self
    }

    /// The same, found for a term that the vocabulary does not define.
    pub(super) fn for_undefined(mut self, undefined: Option<UndefinedTerm>) -> Self {
        let Some(undefined) = undefined else { return self };
        self.notices.push(format!(
            "The vocabulary does not define \"{}\"; this is what the documents say, not a definition from the \
             vocabulary.",
            undefined.key.as_str()
        ));
        self.lookup = Some(undefined.report.clone());
        self.undefined = Some(undefined);
        self
    }

    /// What of the search was lost or stood in for, as one word each: an answer is a fifth less certain then.
    pub(super) fn lost_in_search(&self) -> Vec<Fallback> {
        let has_failed = |as_this: LookupOutcome| {
            self.lookup.as_ref().is_some_and(|lookup| lookup.outcome == as_this) || self.faults.include(as_this)
        };
        let reranker = self.evidence.rerank_report();
        let others = [
            (has_failed(LookupOutcome::Timeout), Fallback::SkosmosTimeout),
            (has_failed(LookupOutcome::Error), Fallback::SkosmosError),
            (
                has_failed(LookupOutcome::CircuitOpen) || reranker.is_some_and(|report| report.is_circuit_open),
                Fallback::CircuitOpen,
            ),
            (self.evidence.judge_report().is_some_and(|report| report.is_cut), Fallback::NotReadInTime),
            (reranker.is_some_and(|report| report.failure.is_some()), Fallback::NotReranked),
        ];
        let mut lost = self.candidates.fallbacks();
        for (is_up, flag) in others {
            if is_up && !lost.contains(&flag) {
                lost.push(flag);
            }
        }
        lost
    }

    pub(super) fn with_memory(mut self, recalled: &Recollection) -> Self {
        self.memory.clone_from(&recalled.considered);
        let others = self.candidates.lanes().iter().filter(|lane| lane.lane != Lane::Memory).cloned();
        let lanes = others.chain(recalled.report()).collect();
        self.candidates = self.candidates.with_lane_reports(lanes);
        self
    }
}
