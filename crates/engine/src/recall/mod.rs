//! Question → `Recollection`: what an editor has prepared for it.
//!
//! Invariant: a pinned source is never chosen on a fuzzy match alone, and a note's own words never become evidence. Only
//! references that the reader may see are brought.

mod curate;
mod references;

use std::sync::Arc;

use vouch_domain::{
    PortError, Reader, StoredPassage,
    memory::{MemoryEntry, MemoryKind},
    ports::{JudgedPassage, Memory, MemoryMatch, PassageJudge},
};

use crate::{
    policy::{MemoryPolicy, RetrievePolicy},
    retrieve::{Lane, Probe, RetrievePorts, Similarity, with_timeout},
    trace::{LaneReport, MemoryReport, MemoryVerdict},
};

pub use curate::{BadEntry, CurateError, CurateReport, Curator, check, embed};
pub use references::open_references;

/// How many entries are considered for one question.
const ENTRIES_MAX: usize = 10;
/// How many passages the references of one entry bring at most.
const PASSAGES_MAX: usize = 40;

/// Everything a recollection needs.
pub struct Recall<'a> {
    /// The store of entries.
    pub memory: &'a Arc<dyn Memory>,
    /// Judges uncertain matches.
    pub judge: Option<&'a Arc<dyn PassageJudge>>,
    /// Where references are looked up.
    pub ports: &'a RetrievePorts,
    /// The figures.
    pub policy: &'a MemoryPolicy,
    /// How long a look-up may take.
    pub deadline: &'a RetrievePolicy,
}

/// What an editor has prepared for a question.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Recollection {
    /// A question that was pinned to its sources.
    pub pinned: Option<RecalledEntry>,
    /// A note on its subject.
    pub note: Option<RecalledEntry>,
    /// Every entry that was considered, for the trace.
    pub considered: Vec<MemoryReport>,
    /// Why nothing could be recalled, if it failed.
    pub failure: Option<String>,
}

impl Recollection {
    /// What the lane did; none if nothing is remembered at all.
    #[must_use]
    pub fn report(&self) -> Option<LaneReport> {
        let passages = |recalled: &Option<RecalledEntry>| recalled.as_ref().map_or(0, |one| one.passages.len());
        let hits = passages(&self.pinned) + passages(&self.note);
        let is_empty = self.considered.is_empty() && self.failure.is_none();
        let report = LaneReport { lane: Lane::Memory, hits, forced: hits, failure: self.failure.clone(), fault: None };
        (!is_empty).then_some(report)
    }
}

/// An entry that was accepted, with the passages it leads to.
#[derive(Debug, Clone, PartialEq)]
pub struct RecalledEntry {
    /// The entry.
    pub entry: Arc<MemoryEntry>,
    /// The text of it that is nearest to the question.
    pub text: String,
    /// How near that is.
    pub similarity: Similarity,
    /// The passages behind each reference the reader may see.
    pub passages: Vec<StoredPassage>,
    /// How many references lead somewhere.
    pub references: usize,
}

impl RecalledEntry {
    /// Whether a note is so near and so well founded that nothing else need be searched.
    #[must_use]
    pub fn is_sufficient(&self, policy: &MemoryPolicy) -> bool {
        self.similarity.relevance >= policy.strong_note_at_least && self.references >= policy.strong_references_min
    }
}

impl Recall<'_> {
    /// What the memory holds for a question; a memory that cannot be asked holds nothing, and the trace says why.
    pub async fn run(&self, probe: &Probe, reader: &Reader) -> Recollection {
        match with_timeout(self.deadline, "memory", self.recall(probe, reader)).await {
            Ok(recollection) => recollection,
            Err(error) => {
                tracing::warn!(fault = error.fault.as_str(), "memory failed");
                Recollection { failure: Some(error.to_string()), ..Recollection::default() }
            }
        }
    }

    async fn recall(&self, probe: &Probe, reader: &Reader) -> Result<Recollection, PortError> {
        let vectors: Vec<_> = probe
            .with_vectors()
            .filter(|(_, rewrite, _)| rewrite.kind.is_a_question())
            .map(|(_, _, vector)| vector.clone())
            .collect();
        let mut recollection = Recollection::default();
        if vectors.is_empty() {
            return Ok(recollection);
        }
        let map = self.ports.embedder.likeness_map();
        for found in self.memory.nearest(reader, &vectors, &self.policy.language, ENTRIES_MAX).await? {
            let similarity = Similarity { cosine: Some(found.cosine), relevance: map.relevance(found.cosine) };
            let is_taken = match found.entry.kind {
                MemoryKind::Pinned => recollection.pinned.is_some(),
                MemoryKind::Note => recollection.note.is_some(),
            };
            if is_taken {
                continue;
            }
            let (verdict, judged) = self.verdict(&found, similarity, probe).await;
            recollection.considered.push(MemoryReport {
                id: found.entry.id.clone(),
                kind: found.entry.kind,
                text: found.text.clone(),
                cosine: found.cosine,
                likeness: similarity.relevance,
                judged,
                verdict,
            });
            if verdict == MemoryVerdict::Accepted {
                let recalled = self.recalled(found, similarity, reader).await?;
                match recalled.entry.kind {
                    MemoryKind::Pinned if recalled.passages.is_empty() => {}
                    MemoryKind::Pinned => recollection.pinned = Some(recalled),
                    MemoryKind::Note => recollection.note = Some(recalled),
                }
            }
        }
        Ok(recollection)
    }

    /// Whether a match is near enough for what its entry is good for. An uncertain match is read by the judge; without
    /// one it is not a match.
    async fn verdict(
        &self,
        found: &MemoryMatch,
        similarity: Similarity,
        probe: &Probe,
    ) -> (MemoryVerdict, Option<f32>) {
        let (policy, near) = (self.policy, similarity.relevance);
        match found.entry.kind {
            MemoryKind::Note if near >= policy.note_at_least => (MemoryVerdict::Accepted, None),
            MemoryKind::Note => (MemoryVerdict::TooFar, None),
            MemoryKind::Pinned if near >= policy.pinned_at_least => (MemoryVerdict::Accepted, None),
            MemoryKind::Pinned if near < policy.border_from => (MemoryVerdict::TooFar, None),
            MemoryKind::Pinned => match self.judge_match(found, probe).await {
                None => (MemoryVerdict::BorderUnjudged, None),
                Some(fit) if fit >= policy.border_judge_at_least => (MemoryVerdict::Accepted, Some(fit)),
                Some(fit) => (MemoryVerdict::BorderRefused, Some(fit)),
            },
        }
    }

    /// How well the judge thinks the question and the curator's words fit each other, whichever way round is worse.
    async fn judge_match(&self, found: &MemoryMatch, probe: &Probe) -> Option<f32> {
        let judge = self.judge?;
        let asked = probe.understanding.asked();
        let passage = |text: &str| vec![JudgedPassage { heading: String::new(), text: text.to_owned() }];
        let wait = self.policy.judge_timeout;
        let one_way = judge.read(asked, passage(&found.text), wait).await.ok()?;
        let other_way = judge.read(&found.text, passage(asked), wait).await.ok()?;
        let fit = |readings: Vec<Option<vouch_domain::ports::Reading>>| readings.into_iter().flatten().next();
        Some(fit(one_way)?.relevant.min(fit(other_way)?.relevant))
    }

    async fn recalled(
        &self,
        found: MemoryMatch,
        similarity: Similarity,
        reader: &Reader,
    ) -> Result<RecalledEntry, PortError> {
        let (mut passages, mut references) = (Vec::new(), 0);
        for reference in &found.entry.references {
            let own = references::passages_of(reference, reader, self.ports.register.as_ref()).await?;
            references += usize::from(!own.is_empty());
            passages.extend(own);
        }
        passages.truncate(PASSAGES_MAX);
        Ok(RecalledEntry { entry: found.entry, text: found.text, similarity, passages, references })
    }
}
