//! What each stage saw, chose and spent: the one record behind every explanation.

mod names;
mod rewrite;
mod routing;

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};
use utoipa::ToSchema;
use vouch_domain::{Fault, MemoryKind};

pub use names::{DropReason, Fallback, GateName, Lane, LookupOutcome, MemoryVerdict, Removal, Stage};
pub use rewrite::{Rewrite, RewriteKind};
pub use routing::{ConsideredAgent, Routing, ToolReport};

/// The record of one question's walk.
#[derive(Debug, Clone, Default, PartialEq, Serialize, ToSchema)]
#[schema(as = Explanation)]
pub struct Trace {
    /// Whose question it is; none where there are no agents.
    pub routing: Option<Routing>,
    /// The tools that were called; replies and the trail tell them in full.
    #[serde(skip)]
    pub tools: Vec<ToolReport>,
    /// Every gate that was read, in order.
    pub gates: Vec<GateReading>,
    /// Every way the question was asked.
    pub rewrites: Vec<Rewrite>,
    /// What each lane brought back.
    pub lanes: Vec<LaneReport>,
    /// What the curated memory held for the question.
    pub memory: Vec<MemoryReport>,
    /// The pool, best first, and what became of each passage in it.
    pub candidates: Vec<CandidateReport>,
    /// Passages that were found and not used, with the reason.
    pub dropped: Vec<DroppedPassage>,
    /// What was looked up by name; none where the question names nothing.
    pub lookup: Option<LookupReport>,
    /// What the reranker did; none where none puts the pool in order.
    pub reranker: Option<RerankReport>,
    /// Whether the question was turned into vectors; none where it had not to be.
    #[serde(skip)]
    pub embedding: Option<EmbeddingReport>,
    /// What the judge read; none where no judge is configured.
    pub judge: Option<JudgeReport>,
    /// What the writing model did; none where the evidence's own sentences are quoted.
    pub writer: Option<WriterReport>,
    /// What stood in for something that was down, as one word each.
    #[schema(value_type = Vec<String>)]
    pub fallbacks: Vec<Fallback>,
    /// Those of them by which a part of the search was lost, and the confidence is a fifth less.
    #[serde(skip)]
    pub lost_in_search: Vec<Fallback>,
    /// Time spent, stage by stage.
    #[serde(rename = "timings_ms")]
    pub timings: Vec<StageTiming>,
}

/// What a writing model did.
#[derive(Debug, Clone, Default, PartialEq, Serialize, ToSchema)]
#[schema(as = TraceWriter)]
pub struct WriterReport {
    /// The model.
    pub model: String,
    /// The numbers of the notes it was given.
    pub notes: Vec<u32>,
    /// The tokens of the notes.
    pub context_tokens: usize,
    /// The tokens of the conversation it was given.
    pub history_tokens: usize,
    /// What was taken out of its words, by kind.
    #[serde(serialize_with = "by_word")]
    #[schema(value_type = BTreeMap<String, usize>)]
    pub drops: Vec<(Removal, usize)>,
    /// Sentences that did not pass, with the reason.
    pub left_out: Vec<UnsupportedClaim>,
    /// Sentences in whose place those of the documents are shown, with the reason.
    pub replaced: Vec<UnsupportedClaim>,
    /// How many of those that did not pass it has mended.
    pub mended: usize,
    /// The model that should have written and why it did not, where this one stood in for it.
    pub instead_of: Option<String>,
    /// Why it did not finish, where it did not.
    pub failure: Option<String>,
    /// Whether it finished and found no answer in what it was given.
    #[serde(rename = "found_no_answer")]
    pub has_found_no_answer: bool,
    /// Whether the evidence's own sentences stand in for what it should have written.
    #[serde(rename = "quoted_instead")]
    pub is_quoted_instead: bool,
    /// Whether it was not even asked, because its server has failed too often of late.
    #[serde(skip)]
    pub is_circuit_open: bool,
}

/// One gate's reading.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = TraceGate)]
pub struct GateReading {
    /// The gate's name in the profile.
    #[schema(value_type = String)]
    pub name: GateName,
    /// What it measured, on the scale its threshold is on.
    pub reading: f32,
    /// The same measurement before any mapping, where there was one.
    pub raw: Option<f32>,
    /// The figure it was held against.
    pub threshold: f32,
    /// Whether the question may go on.
    pub passed: bool,
    /// What it found, for a person.
    pub sentence: String,
}

/// One entry of the curated memory that was considered.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = TraceMemory)]
pub struct MemoryReport {
    /// The entry.
    pub id: String,
    /// Its kind, as one word.
    #[serde(serialize_with = "memory_kind")]
    #[schema(value_type = String)]
    pub kind: MemoryKind,
    /// The text of it that is nearest to the question.
    pub text: String,
    /// How near, as the embedder says.
    pub cosine: f32,
    /// The same on the scale of the thresholds.
    pub likeness: f32,
    /// How well the judge thinks they fit, where it was asked.
    pub judged: Option<f32>,
    /// How surely what it refers to answers the question, where the judge was asked.
    pub answers: Option<f32>,
    /// Whether it is used.
    #[schema(value_type = String)]
    pub verdict: MemoryVerdict,
}

/// One passage of the pool.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = TraceCandidate)]
pub struct CandidateReport {
    /// Which passage.
    pub source_id: String,
    /// The collection of its document.
    #[serde(skip)]
    pub collection: String,
    /// Who found it.
    pub found_by: Vec<LaneRank>,
    /// Its place in the common order.
    pub fused_score: f32,
    /// How near it is in meaning, as the embedder says; none where it was not weighed.
    pub cosine: Option<f32>,
    /// The same on the gates' scale.
    pub relevance: Option<f32>,
    /// How likely the judge finds the answer in it; none where it was not read.
    pub answerable: Option<f32>,
    /// How well the judge thinks it fits.
    pub relevant: Option<f32>,
    /// The lane that forced it into the pool, where one did.
    #[schema(value_type = Option<String>)]
    pub forced_by: Option<Lane>,
    /// Its number in the evidence, where it is used.
    pub marker: Option<u32>,
    /// Whether only its kind's reserve let it in.
    #[serde(rename = "reserve")]
    pub is_reserve: bool,
    /// Why it was not used, where it was not.
    #[schema(value_type = Option<String>)]
    pub dropped: Option<DropReason>,
}

/// A passage's place in one lane's list for one rewrite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = TraceLaneRank)]
pub struct LaneRank {
    /// The lane.
    #[schema(value_type = String)]
    pub lane: Lane,
    /// The place, from 1.
    pub rank: usize,
    /// The rewrite, counted from the question itself.
    pub rewrite: usize,
}

/// What one lane did.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = TraceLane)]
pub struct LaneReport {
    /// The lane's name.
    #[schema(value_type = String)]
    pub lane: Lane,
    /// How many passages it found.
    pub hits: usize,
    /// How many of them it forces into the pool.
    pub forced: usize,
    /// Why it failed, where it did.
    pub failure: Option<String>,
    /// What sort of failure that was.
    #[serde(skip)]
    pub fault: Option<Fault>,
}

impl LaneReport {
    /// What stood in for lanes that were down, or that one was lost, as one word each; empty where all of them answered.
    #[must_use]
    pub fn fallbacks(lanes: &[Self]) -> Vec<Fallback> {
        let fault = |lane: Lane| lanes.iter().filter(|one| one.lane == lane).find_map(|one| one.fault);
        let (dense, lexical) = (fault(Lane::Dense), fault(Lane::Lexical));
        let is_other = |one: &&Self| !matches!(one.lane, Lane::Dense | Lane::Lexical);
        let is_lost = lanes.iter().filter(is_other).any(|one| one.failure.is_some());
        let is_open = |fault: Option<Fault>| fault == Some(Fault::CircuitOpen);
        let flags = [
            (dense.is_some(), Fallback::Bm25Only),
            (lexical.is_some(), Fallback::DenseOnly),
            // A memory without vectors is lost with the lane that has none either.
            (dense.is_none() && is_lost, Fallback::LaneLost),
            (is_open(dense) || is_open(lexical), Fallback::CircuitOpen),
        ];
        flags.into_iter().filter_map(|(is_up, flag)| is_up.then_some(flag)).collect()
    }
}

/// What became of turning a question into vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EmbeddingReport {
    /// Why there are none, if there are none.
    pub fault: Option<Fault>,
}

/// A passage that was found and not used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = TraceDropped)]
pub struct DroppedPassage {
    /// Which passage.
    pub source_id: String,
    /// Why it was not used.
    #[schema(value_type = String)]
    pub reason: DropReason,
}

/// What the reranker did.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = TraceReranker)]
pub struct RerankReport {
    /// The reranker's name.
    pub name: String,
    /// How many passages it was given.
    pub given: usize,
    /// Why its scores were not used, where they were not.
    pub failure: Option<String>,
    /// Whether it was not even asked, because its server has failed too often of late.
    #[serde(skip)]
    pub is_circuit_open: bool,
}

/// What the judge did.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = TraceJudge)]
pub struct JudgeReport {
    /// The judge's name.
    pub name: String,
    /// How many passages it was given.
    pub given: usize,
    /// What it made of those it read, best first.
    pub readings: Vec<PassageReading>,
    /// Why it read less than it was given, where it did.
    pub failure: Option<String>,
    /// Whether a deadline was the reason.
    pub is_cut: bool,
}

/// What the judge made of one passage.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = TraceReading)]
pub struct PassageReading {
    /// Which passage.
    pub source_id: String,
    /// How likely the answer is in it, 0 to 1.
    pub answerable: f32,
    /// How well it fits the question, 0 to 1.
    pub relevant: f32,
}

/// What was looked up by name, and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = TraceLookup)]
pub struct LookupReport {
    /// Who was asked.
    #[schema(value_type = String)]
    pub backend: &'static str,
    /// For what.
    pub asked: String,
    /// What came of it.
    #[schema(value_type = String)]
    pub outcome: LookupOutcome,
    /// Whether it was known from before.
    #[serde(rename = "cached")]
    pub is_cached: bool,
    /// How long that took, in milliseconds.
    #[serde(rename = "latency_ms")]
    pub waited_ms: f64,
}

impl LookupReport {
    /// Whether nothing was learnt: neither that it is there nor that it is not.
    pub(crate) fn is_failure(&self) -> bool {
        match self.outcome {
            LookupOutcome::Hit | LookupOutcome::Miss | LookupOutcome::Several => false,
            LookupOutcome::Timeout | LookupOutcome::Error | LookupOutcome::CircuitOpen => true,
        }
    }
}

/// Time one stage took.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = TraceTiming)]
pub struct StageTiming {
    /// The stage.
    #[schema(value_type = String)]
    pub stage: Stage,
    /// Milliseconds.
    pub elapsed_ms: f64,
}

/// A sentence that did not pass.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = TraceLeftOut)]
pub struct UnsupportedClaim {
    /// The words.
    pub text: String,
    /// Why it did not pass.
    pub reason: String,
}

/// What the reason says of a sentence that was not weighed in time.
pub(crate) const WITHIN_THE_DEADLINE: &str = "within the deadline";

impl UnsupportedClaim {
    /// Whether it was left out because it could not be weighed in time.
    #[must_use]
    pub fn is_late(&self) -> bool {
        self.reason.contains(WITHIN_THE_DEADLINE)
    }
}

/// By the words in order, whatever the order of the enum.
///
/// # Errors
/// Fails where the writer does.
pub fn by_word<S: Serializer>(drops: &[(Removal, usize)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(drops.iter().map(|(kind, count)| (kind.as_str(), count)).collect::<BTreeMap<_, _>>())
}

fn memory_kind<S: Serializer>(kind: &MemoryKind, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(kind.as_str())
}
