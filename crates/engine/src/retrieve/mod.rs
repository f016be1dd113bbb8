//! Understanding → `Candidates`: what might answer, from every lane and every rewrite, in one order.
//!
//! Invariant: the order depends on the corpus and the question alone; ties go by document id and ordinal. A passage a
//! lane forces is in the pool whatever its score.

mod fuse;
mod generation;
mod lanes;
mod named_documents;
mod pool;
mod similarity;
mod spelling;

use std::sync::Arc;

use vouch_domain::{
    Embedding, Fault, PortError, Reader, StoredPassage,
    ports::{Catalogue, DenseIndex, Embedder, LexicalIndex, PlainWords, Register},
};

use crate::{breaker::Breaker, policy::RetrievePolicy, understand::Understanding};

pub use crate::trace::Lane;
pub use fuse::fuse;
pub use generation::ReadGeneration;
pub use lanes::with_timeout;
pub use named_documents::retrieve_among;
pub use similarity::Similarity;
pub use spelling::respellings;

use lanes::LaneFindings;

use crate::trace::{CandidateReport, EmbeddingReport, Fallback, LaneRank, LaneReport, Rewrite};

/// The ports this stage speaks through.
#[derive(Clone)]
pub struct RetrievePorts {
    /// The store of record.
    pub catalogue: Arc<dyn Catalogue>,
    /// Documents by name.
    pub register: Arc<dyn Register>,
    /// Search by words.
    pub lexical: Arc<dyn LexicalIndex>,
    /// Search by meaning.
    pub dense: Arc<dyn DenseIndex>,
    /// Text to vectors.
    pub embedder: Arc<dyn Embedder>,
    /// Whether the embedder is asked.
    pub breaker: Arc<Breaker>,
    /// Words that are not read as others.
    pub plain_words: Arc<dyn PlainWords>,
}

/// A passage that might answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The passage.
    pub passage: StoredPassage,
    /// Which lanes found it, by which rewrite, with their own scores.
    pub found_by: Vec<Finding>,
    /// Its place in the common order.
    pub fused_score: f32,
    /// How near it is in meaning; none if the embedder could not be asked.
    pub similarity: Option<Similarity>,
    /// The lane that forced it into the pool, if one did.
    pub forced_by: Option<Lane>,
    /// Which of the question's parts it is nearest to.
    pub part: usize,
}

/// One lane's word on one passage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Finding {
    /// The lane.
    pub lane: Lane,
    /// Which rewrite it was asked for, counted from the question itself.
    pub rewrite: usize,
    /// Its place in the lane's list, from 1.
    pub rank: usize,
    /// The lane's own score.
    pub lane_score: f32,
}

/// Everything that might answer, best first.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidates {
    items: Vec<Candidate>,
    lanes: Vec<LaneReport>,
    rewrites: Vec<Rewrite>,
    embedding: Option<EmbeddingReport>,
    question_vector: Option<Embedding>,
}

impl Candidate {
    /// Who found it and what it was weighed at, for an explanation.
    #[must_use]
    pub fn report(&self) -> CandidateReport {
        let rank = |one: &Finding| LaneRank { lane: one.lane, rank: one.rank, rewrite: one.rewrite };
        CandidateReport {
            source_id: self.passage.source_id(),
            collection: self.passage.document.collection.clone(),
            found_by: self.found_by.iter().map(rank).collect(),
            fused_score: self.fused_score,
            cosine: self.similarity.and_then(|similarity| similarity.cosine),
            relevance: self.similarity.map(|similarity| similarity.relevance),
            answerable: None,
            relevant: None,
            forced_by: self.forced_by,
            marker: None,
            is_reserve: false,
            dropped: None,
        }
    }
}

impl Candidates {
    /// Nothing, where nothing had to be searched.
    #[must_use]
    pub fn empty() -> Self {
        Self { items: Vec::new(), lanes: Vec::new(), rewrites: Vec::new(), embedding: None, question_vector: None }
    }

    /// Nothing, where a question was made ready to be searched for and was not; an embedder that failed has failed all the
    /// same.
    #[must_use]
    pub(crate) fn unsearched(probe: &Probe) -> Self {
        let lanes = probe.dense_failure().into_iter().collect();
        let question_vector = probe.question_vector();
        Self { lanes, embedding: Some(probe.embedding()), question_vector, ..Self::empty() }
    }

    /// Whether the question was turned into vectors for this; none if it had not to be.
    #[must_use]
    pub fn embedding(&self) -> Option<EmbeddingReport> {
        self.embedding
    }

    /// The vector of the question as it was asked; none if it was not turned into one.
    #[must_use]
    pub(crate) fn question_vector(&self) -> Option<&Embedding> {
        self.question_vector.as_ref()
    }

    /// The candidates, best first.
    #[must_use]
    pub fn items(&self) -> &[Candidate] {
        &self.items
    }

    /// What each lane did.
    #[must_use]
    pub fn lanes(&self) -> &[LaneReport] {
        &self.lanes
    }

    /// The same as an editor named them, or as an answer before rested on them: forced into the pool, and relevant to at
    /// least a figure.
    #[must_use]
    pub fn forced_by(mut self, lane: Lane, relevance_min: f32) -> Self {
        for candidate in &mut self.items {
            candidate.forced_by = Some(lane);
            candidate.similarity = candidate
                .similarity
                .map(|similarity| Similarity { relevance: similarity.relevance.max(relevance_min), ..similarity });
        }
        self
    }

    /// These and others; of a passage in both, the others' word counts and these' place.
    #[must_use]
    pub fn merge(mut self, others: Self) -> Self {
        for other in others.items {
            match self.items.iter_mut().find(|one| one.passage.key == other.passage.key) {
                Some(one) => {
                    one.forced_by = other.forced_by;
                    one.similarity = other.similarity;
                    one.found_by.extend(other.found_by);
                }
                None => self.items.push(other),
            }
        }
        self.items.sort_by(|a, b| b.fused_score.total_cmp(&a.fused_score).then_with(|| place(a).cmp(&place(b))));
        self.lanes.extend(others.lanes);
        self.embedding = self.embedding.or(others.embedding);
        self.question_vector = self.question_vector.or(others.question_vector);
        self
    }

    /// The same with other reports of lanes in the place of its own.
    #[must_use]
    pub fn with_lane_reports(mut self, lanes: Vec<LaneReport>) -> Self {
        self.lanes = lanes;
        self
    }

    /// Every way the question was asked.
    #[must_use]
    pub fn rewrites(&self) -> &[Rewrite] {
        &self.rewrites
    }

    /// Why nothing could be searched at all, where every lane failed.
    #[must_use]
    pub fn failure(&self) -> Option<String> {
        let failures: Vec<&str> = self.lanes.iter().filter_map(|lane| lane.failure.as_deref()).collect();
        let is_dark = self.items.is_empty() && !failures.is_empty() && failures.len() == self.lanes.len();
        is_dark.then(|| failures.join("; "))
    }

    /// What stood in for lanes that were down, as one word each; empty if all of them answered.
    #[must_use]
    pub fn fallbacks(&self) -> Vec<Fallback> {
        LaneReport::fallbacks(&self.lanes)
    }

    /// The best of them, up to a limit.
    #[must_use]
    pub fn truncate(mut self, limit: usize) -> Self {
        self.items.truncate(limit);
        self
    }
}

/// Which lanes are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaneChoice {
    /// All of them, for every rewrite, fused.
    All,
    /// One alone, for the asker's own words, in its own order.
    Only(Lane),
}

/// A question with a vector for every way it is asked: one batch, shared by whoever looks.
pub struct Probe {
    /// What is asked.
    pub understanding: Understanding,
    vectors: Result<Vec<Embedding>, PortError>,
}

impl Probe {
    /// Embeds every rewrite at once; an embedder that is down is noted, not fatal.
    pub async fn new(understanding: Understanding, ports: &RetrievePorts, policy: &RetrievePolicy) -> Self {
        let texts: Vec<String> = understanding.rewrites().iter().map(|rewrite| rewrite.text.clone()).collect();
        let wanted = texts.len();
        let vectors = ports.breaker.guard(async {
            let embedded = with_timeout(policy, "embedder", ports.embedder.embed(texts)).await;
            embedded.and_then(|vectors| ports.embedder.identity().accept(vectors, wanted)).map_err(of_a_service)
        });
        let vectors = vectors.await;
        Self { understanding, vectors }
    }

    /// The vectors in the order of the rewrites, or why there are none.
    ///
    /// # Errors
    /// Fails if the embedder did.
    pub fn vectors(&self) -> Result<&[Embedding], &PortError> {
        self.vectors.as_deref()
    }

    /// The vector of the question as it was asked.
    pub(crate) fn question_vector(&self) -> Option<Embedding> {
        self.vectors.as_ref().ok()?.first().cloned()
    }

    /// What became of the vectors.
    pub(crate) fn embedding(&self) -> EmbeddingReport {
        EmbeddingReport { fault: self.vectors.as_ref().err().map(|error| error.fault) }
    }

    /// The report of a lane that has no vectors to search by; none if there are vectors.
    pub(crate) fn dense_failure(&self) -> Option<LaneReport> {
        let error = self.vectors.as_ref().err()?;
        let (failure, fault) = (Some(error.to_string()), Some(error.fault));
        Some(LaneReport { lane: Lane::Dense, hits: 0, forced: 0, failure, fault })
    }

    /// The rewrites with their vectors; empty if there are none.
    pub(crate) fn with_vectors(&self) -> impl Iterator<Item = (usize, &Rewrite, &Embedding)> {
        let vectors = self.vectors.as_deref().unwrap_or_default();
        self.understanding
            .rewrites()
            .iter()
            .zip(vectors)
            .enumerate()
            .map(|(at, (rewrite, vector))| (at, rewrite, vector))
    }
}

/// Searches every lane for every rewrite and fuses what they found.
///
/// # Errors
/// Fails if the one lane asked could not answer, the catalogue could not, or what is stored is damaged: a lane that is
/// down can be done without, but one that lost something would be answered from as if that had never been there. Where
/// all lanes were asked and none answered, nothing is found and each lane's report says why.
pub async fn retrieve(
    probe: &Probe,
    reader: &Reader,
    choice: LaneChoice,
    ports: &RetrievePorts,
    policy: &RetrievePolicy,
) -> Result<Candidates, PortError> {
    let wants = |lane: Lane| choice == LaneChoice::All || choice == LaneChoice::Only(lane);
    let rewrites_max = if choice == LaneChoice::All { usize::MAX } else { 1 };
    let (dense, lexical, address) = tokio::join!(
        async {
            if wants(Lane::Dense) {
                lanes::dense(probe, reader, ports, policy, rewrites_max).await
            } else {
                LaneFindings::unasked(Lane::Dense)
            }
        },
        async {
            if wants(Lane::Lexical) {
                lanes::lexical(probe, reader, ports, policy, rewrites_max).await
            } else {
                LaneFindings::unasked(Lane::Lexical)
            }
        },
        async {
            if wants(Lane::Address) {
                lanes::address(probe, reader, ports, policy).await
            } else {
                LaneFindings::unasked(Lane::Address)
            }
        },
    );
    let mut found = vec![dense, lexical, address];
    let is_damaged = |lane: &LaneFindings| lane.failure.as_ref().is_some_and(|error| error.fault == Fault::Corrupt);
    if let Some(damage) = found.iter_mut().find(|lane| is_damaged(lane)).and_then(|lane| lane.failure.take()) {
        return Err(damage);
    }
    let rewrites: Vec<Rewrite> = probe.understanding.rewrites().iter().take(rewrites_max).cloned().collect();
    let (embedding, question_vector) = (Some(probe.embedding()), probe.question_vector());
    let reports: Vec<LaneReport> = found.iter().filter_map(LaneFindings::report).collect();
    if found.iter().all(|lane| !lane.has_answered()) {
        return match (choice, found.into_iter().find_map(|lane| lane.failure)) {
            (LaneChoice::Only(_), Some(failure)) => Err(failure),
            // Where no lane failed, none had anything to look for: the question names no address.
            (LaneChoice::All, _) | (LaneChoice::Only(_), None) => {
                Ok(Candidates { items: Vec::new(), lanes: reports, rewrites, embedding, question_vector })
            }
        };
    }
    let (items, failure) = pool::assemble(&found, probe, reader, ports, policy).await?;
    Ok(Candidates { items, lanes: with_failure(reports, failure), rewrites, embedding, question_vector })
}

/// The reports with a failure of the vector index that came after its lane had answered.
fn with_failure(mut reports: Vec<LaneReport>, failure: Option<PortError>) -> Vec<LaneReport> {
    let dense = reports.iter_mut().find(|one| one.lane == Lane::Dense && one.failure.is_none());
    if let (Some(dense), Some(error)) = (dense, failure) {
        (dense.failure, dense.fault) = (Some(error.to_string()), Some(error.fault));
    }
    reports
}

/// The failure of an embedder. Whatever it says, nothing that is stored is damaged by it.
fn of_a_service(mut error: PortError) -> PortError {
    if error.fault == Fault::Corrupt {
        error.fault = Fault::Internal;
    }
    error
}

fn place(candidate: &Candidate) -> (&str, u32) {
    (candidate.passage.document.id.as_str(), candidate.passage.passage.ordinal)
}
