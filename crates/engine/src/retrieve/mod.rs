//! Understanding → `Candidates`: what might answer, from every lane, in one order.
//!
//! Invariant: the order depends on the corpus and the question alone; ties go by document id and ordinal.

mod fuse;
mod lanes;
mod within;

use std::{collections::BTreeMap, sync::Arc};

use vouch_domain::{
    Embedding, Fault, LaneReport, PassageKey, PortError, Reader, StoredPassage,
    ports::{Catalogue, DenseIndex, Embedder, LaneHit, LexicalIndex},
};

use crate::{policy::RetrievePolicy, understand::Understanding};

pub use fuse::fuse;
pub use lanes::{Lane, within};
pub use within::retrieve_within;

/// The ports this stage speaks through.
#[derive(Clone)]
pub struct RetrievePorts {
    /// The store of record.
    pub catalogue: Arc<dyn Catalogue>,
    /// Search by words.
    pub lexical: Arc<dyn LexicalIndex>,
    /// Search by meaning.
    pub dense: Arc<dyn DenseIndex>,
    /// Text to vectors.
    pub embedder: Arc<dyn Embedder>,
}

/// A passage that might answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The passage.
    pub passage: StoredPassage,
    /// Which lanes found it, with their own scores.
    pub found_by: Vec<(Lane, f32)>,
    /// Its place in the common order.
    pub fused_score: f32,
    /// How near it is in meaning; none where the embedder could not be asked.
    pub similarity: Option<Similarity>,
}

/// A cosine, raw and on the scale the gates read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Similarity {
    /// The embedder's own figure.
    pub cosine: f32,
    /// The same on the gates' scale.
    pub relevance: f32,
}

/// Everything that might answer, best first.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidates {
    items: Vec<Candidate>,
    lanes: Vec<LaneReport>,
}

impl Candidates {
    /// Nothing, where nothing had to be searched.
    #[must_use]
    pub fn none() -> Self {
        Self { items: Vec::new(), lanes: Vec::new() }
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
}

/// Which lanes are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaneChoice {
    /// All of them, fused.
    All,
    /// One alone, in its own order.
    Only(Lane),
}

/// Searches every lane and fuses what they found.
///
/// # Errors
/// Fails where no lane at all could answer, or the catalogue could not.
pub async fn retrieve(
    understanding: &Understanding,
    reader: &Reader,
    choice: LaneChoice,
    ports: &RetrievePorts,
    policy: &RetrievePolicy,
) -> Result<Candidates, PortError> {
    let wants = |lane: Lane| choice == LaneChoice::All || choice == LaneChoice::Only(lane);
    let lexical = async {
        match wants(Lane::Lexical) {
            true => Some(lanes::lexical(understanding.text(), reader, ports, policy).await),
            false => None,
        }
    };
    let dense = async {
        match wants(Lane::Dense) {
            true => Some(lanes::dense(understanding.text(), reader, ports, policy).await),
            false => None,
        }
    };
    let (lexical, dense) = tokio::join!(lexical, dense);
    let (vector, dense) = split_vector(dense);
    let mut found = Vec::new();
    let mut reports = Vec::new();
    let mut failures = Vec::new();
    for (lane, weight, outcome) in
        [(Lane::Dense, policy.dense_weight, dense), (Lane::Lexical, policy.lexical_weight, lexical)]
    {
        match outcome {
            None => {}
            Some(Ok(hits)) => {
                reports.push(LaneReport { lane: lane.word(), hits: hits.len(), failure: None });
                found.push((lane, weight, hits));
            }
            Some(Err(error)) => {
                tracing::warn!(lane = lane.word(), fault = error.fault.word(), "lane failed");
                reports.push(LaneReport { lane: lane.word(), hits: 0, failure: Some(error.to_string()) });
                failures.push(error);
            }
        }
    }
    if found.is_empty() {
        return Err(failures.into_iter().next().unwrap_or_else(no_lane));
    }
    let items = assemble(found, vector, reader, ports, policy).await?;
    Ok(Candidates { items, lanes: reports })
}

type DenseOutcome = Option<Result<(Embedding, Vec<LaneHit>), PortError>>;

fn split_vector(outcome: DenseOutcome) -> (Option<Embedding>, Option<Result<Vec<LaneHit>, PortError>>) {
    match outcome {
        None => (None, None),
        Some(Err(error)) => (None, Some(Err(error))),
        Some(Ok((vector, hits))) => (Some(vector), Some(Ok(hits))),
    }
}

fn no_lane() -> PortError {
    PortError::of("retrieve", Fault::Unavailable, "no lane was asked")
}

async fn assemble(
    found: Vec<(Lane, f32, Vec<LaneHit>)>,
    vector: Option<Embedding>,
    reader: &Reader,
    ports: &RetrievePorts,
    policy: &RetrievePolicy,
) -> Result<Vec<Candidate>, PortError> {
    let fused = fuse(&found.iter().map(|(_, weight, hits)| (*weight, hits.as_slice())).collect::<Vec<_>>());
    // Candidates tied with the last of the pool are all fetched, so that their documents decide and not their keys.
    let last = fused.get(policy.pool_max.saturating_sub(1)).map_or(f32::NEG_INFINITY, |hit| hit.lane_score);
    let keys: Vec<PassageKey> = fused.iter().take_while(|hit| hit.lane_score >= last).map(|hit| hit.key).collect();
    let scores: BTreeMap<PassageKey, f32> = fused.iter().map(|hit| (hit.key, hit.lane_score)).collect();
    let passages = lanes::within(policy, "catalogue", ports.catalogue.passages(reader, &keys)).await?;
    let known: BTreeMap<PassageKey, f32> = found
        .iter()
        .filter(|(lane, _, _)| *lane == Lane::Dense)
        .flat_map(|(_, _, hits)| hits.iter().map(|hit| (hit.key, hit.lane_score)))
        .collect();
    let similarities = similarities(&passages, vector.as_ref(), known, ports, policy).await?;
    let mut items: Vec<Candidate> = passages
        .into_iter()
        .zip(similarities)
        .map(|(passage, similarity)| Candidate {
            found_by: found_by(passage.key, &found),
            fused_score: scores.get(&passage.key).copied().unwrap_or(0.0),
            similarity,
            passage,
        })
        .collect();
    items.sort_by(|a, b| b.fused_score.total_cmp(&a.fused_score).then_with(|| place(a).cmp(&place(b))));
    items.truncate(policy.pool_max);
    Ok(items)
}

fn place(candidate: &Candidate) -> (&str, u32) {
    (candidate.passage.document.id.as_str(), candidate.passage.passage.ordinal)
}

fn found_by(key: PassageKey, found: &[(Lane, f32, Vec<LaneHit>)]) -> Vec<(Lane, f32)> {
    found
        .iter()
        .filter_map(|(lane, _, hits)| hits.iter().find(|hit| hit.key == key).map(|hit| (*lane, hit.lane_score)))
        .collect()
}

/// How near each passage is; the dense lane has weighed most of them already.
async fn similarities(
    passages: &[StoredPassage],
    vector: Option<&Embedding>,
    mut known: BTreeMap<PassageKey, f32>,
    ports: &RetrievePorts,
    policy: &RetrievePolicy,
) -> Result<Vec<Option<Similarity>>, PortError> {
    let Some(vector) = vector else {
        return Ok(vec![None; passages.len()]);
    };
    let unknown: Vec<PassageKey> =
        passages.iter().map(|passage| passage.key).filter(|key| !known.contains_key(key)).collect();
    let cosines = lanes::within(policy, "dense", ports.dense.cosines(vector, &unknown)).await?;
    known.extend(unknown.into_iter().zip(cosines).filter_map(|(key, cosine)| Some((key, cosine?))));
    let map = ports.embedder.relevance_map();
    let read = |cosine: &f32| Similarity { cosine: *cosine, relevance: map.relevance(*cosine) };
    Ok(passages.iter().map(|passage| known.get(&passage.key).map(read)).collect())
}
