//! What each stage saw, chose and spent: the one record behind every explanation.

use crate::error::Fault;

/// The record of one question's walk.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Trace {
    /// Every gate that was read, in order.
    pub gates: Vec<GateReading>,
    /// Every way the question was asked.
    pub rewrites: Vec<RewriteReport>,
    /// What each lane brought back.
    pub lanes: Vec<LaneReport>,
    /// What the curated memory held for the question.
    pub memory: Vec<MemoryReport>,
    /// The pool, best first, and what became of each passage in it.
    pub candidates: Vec<CandidateReport>,
    /// Passages that were found and not used, with the reason.
    pub dropped: Vec<DroppedPassage>,
    /// What was looked up by name; none if the question names nothing.
    pub lookup: Option<LookupReport>,
    /// What the judge read; none if no judge is configured.
    pub judge: Option<JudgeReport>,
    /// What the writing model did; none if the evidence's own sentences are quoted.
    pub writer: Option<WriterReport>,
    /// The fallbacks that were used, as one word each.
    pub fallbacks: Vec<&'static str>,
    /// Time spent, stage by stage.
    pub timings: Vec<StageTiming>,
}

/// What a writing model did.
#[derive(Debug, Clone, Default, PartialEq)]
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
    pub drops: Vec<(&'static str, usize)>,
    /// Sentences that did not pass, with the reason.
    pub left_out: Vec<(String, String)>,
    /// How many of those it has mended.
    pub mended: usize,
    /// Why it did not finish, if it did not.
    pub failure: Option<String>,
    /// Whether the evidence's own sentences stand in for what it should have written.
    pub is_quoted_instead: bool,
    /// Whether it was not even asked, because its server has failed too often recently.
    pub is_circuit_open: bool,
}

/// One gate's reading.
#[derive(Debug, Clone, PartialEq)]
pub struct GateReading {
    /// The gate's name in the profile.
    pub name: &'static str,
    /// What it measured, on the scale its threshold is on.
    pub reading: f32,
    /// The same measurement before any mapping, if there was one.
    pub raw: Option<f32>,
    /// The figure it was compared with.
    pub threshold: f32,
    /// Whether the question may go on.
    pub passed: bool,
    /// What it found, for a person.
    pub sentence: String,
}

/// One way the question was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RewriteReport {
    /// Why, as one word.
    pub kind: &'static str,
    /// Its words.
    pub text: String,
}

/// One entry of the curated memory that was considered.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryReport {
    /// The entry.
    pub id: String,
    /// Its kind, as one word.
    pub kind: &'static str,
    /// The text of it that is nearest to the question.
    pub text: String,
    /// How near, as the embedder says.
    pub cosine: f32,
    /// The same on the scale of the thresholds.
    pub likeness: f32,
    /// How well the judge thinks they fit, if it was asked.
    pub judged: Option<f32>,
    /// `accepted`, or why not.
    pub verdict: &'static str,
}

/// One passage of the pool.
#[derive(Debug, Clone, PartialEq)]
pub struct CandidateReport {
    /// Which passage.
    pub source_id: String,
    /// The collection of its document.
    pub collection: String,
    /// Who found it.
    pub found_by: Vec<LaneRank>,
    /// Its place in the common order.
    pub fused_score: f32,
    /// How near it is in meaning, as the embedder says; none if it was not weighed.
    pub cosine: Option<f32>,
    /// The same on the gates' scale.
    pub relevance: Option<f32>,
    /// How likely the judge finds the answer in it; none if it was not read.
    pub answerable: Option<f32>,
    /// How well the judge thinks it fits.
    pub relevant: Option<f32>,
    /// The lane that forced it into the pool, if one did.
    pub forced_by: Option<&'static str>,
    /// Its number in the evidence, if it is used.
    pub marker: Option<u32>,
    /// Whether only its kind's reserve let it in.
    pub is_reserve: bool,
    /// Why it was not used, if it was not.
    pub dropped: Option<&'static str>,
}

/// A passage's place in one lane's list for one rewrite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaneRank {
    /// The lane.
    pub lane: &'static str,
    /// The place, from 1.
    pub rank: usize,
    /// The rewrite, counted from the question itself.
    pub rewrite: usize,
}

/// What one lane did.
#[derive(Debug, Clone, PartialEq)]
pub struct LaneReport {
    /// The lane's name.
    pub lane: &'static str,
    /// How many passages it found.
    pub hits: usize,
    /// How many of them it forces into the pool.
    pub forced: usize,
    /// Why it failed, if it did.
    pub failure: Option<String>,
    /// What sort of failure that was.
    pub fault: Option<Fault>,
}

impl LaneReport {
    /// What stood in for lanes that were down, as one word each; empty if all of them answered.
    #[must_use]
    pub fn fallbacks(lanes: &[Self]) -> Vec<&'static str> {
        let fault = |lane: &str| lanes.iter().filter(|one| one.lane == lane).find_map(|one| one.fault);
        let (dense, lexical) = (fault("dense"), fault("lexical"));
        let is_open = |fault: Option<Fault>| fault == Some(Fault::CircuitOpen);
        let flags = [
            (dense.is_some(), "bm25_only"),
            (lexical.is_some(), "dense_only"),
            (is_open(dense) || is_open(lexical), "circuit_open"),
        ];
        flags.into_iter().filter_map(|(is_up, flag)| is_up.then_some(flag)).collect()
    }
}

/// A passage that was found and not used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DroppedPassage {
    /// Which passage.
    pub source_id: String,
    /// Why it was not used.
    pub reason: &'static str,
}

/// What the judge did.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgeReport {
    /// The judge's name.
    pub name: String,
    /// How many passages it was given.
    pub given: usize,
    /// What it made of those it read, best first.
    pub readings: Vec<PassageReading>,
    /// Why it read less than it was given, if it did.
    pub failure: Option<String>,
}

/// What the judge made of one passage.
#[derive(Debug, Clone, PartialEq)]
pub struct PassageReading {
    /// Which passage.
    pub source_id: String,
    /// How likely the answer is in it, 0 to 1.
    pub answerable: f32,
    /// How well it fits the question, 0 to 1.
    pub relevant: f32,
}

/// What was looked up by name, and what became of it.
#[derive(Debug, Clone, PartialEq)]
pub struct LookupReport {
    /// Who was asked.
    pub backend: &'static str,
    /// For what.
    pub asked: String,
    /// `hit`, `miss`, `several`, `timeout`, `error` or `circuit_open`.
    pub outcome: &'static str,
    /// Whether it was known from before.
    pub is_cached: bool,
    /// How long that took, in milliseconds.
    pub waited_ms: f64,
}

/// Time one stage took.
#[derive(Debug, Clone, PartialEq)]
pub struct StageTiming {
    /// The stage.
    pub stage: &'static str,
    /// Milliseconds.
    pub elapsed_ms: f64,
}
