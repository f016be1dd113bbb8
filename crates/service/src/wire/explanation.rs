//! The trace, as `--explain` shows it.

use serde::Serialize;
use utoipa::ToSchema;
use vouch_domain::Trace;

/// How an answer came about: what each stage saw, chose and spent.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Explanation {
    /// Every gate that was read, in order; the first that did not pass refused the question.
    pub(super) gates: Vec<GateWire>,
    /// Every way the question was searched for; the first is the question itself.
    pub(super) rewrites: Vec<RewriteWire>,
    /// What each search lane found.
    pub(super) lanes: Vec<LaneWire>,
    /// Entries of the curated memory that came near the question.
    pub(super) memory: Vec<MemoryWire>,
    /// Passages that were considered, best first.
    pub(super) candidates: Vec<CandidateWire>,
    /// Passages that were found but not used.
    pub(super) dropped: Vec<DroppedWire>,
    /// The look-up by name; null if the question names no term or document.
    pub(super) lookup: Option<LookupWire>,
    /// What the judge read; null if no judge is configured.
    pub(super) judge: Option<JudgeWire>,
    /// What the writing model did; null if sentences were quoted without one.
    pub(super) writer: Option<WriterWire>,
    /// Time per stage.
    pub(super) timings_ms: Vec<TimingWire>,
}

/// A check that lets a question go on or refuses it.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = TraceGate)]
pub(super) struct GateWire {
    /// Name of the gate in the settings.
    pub(super) name: &'static str,
    /// What it measured, on the scale of `threshold`.
    pub(super) reading: f32,
    /// The cosine behind the reading; null if there is none.
    pub(super) raw: Option<f32>,
    /// The figure the reading was compared with.
    pub(super) threshold: f32,
    /// Whether the question went on.
    pub(super) passed: bool,
    /// The same in words.
    pub(super) sentence: String,
}

/// One wording of the question that was searched for.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = TraceRewrite)]
pub(super) struct RewriteWire {
    /// Why: `original`, `subject`, `spelling`, `sub_question`, `item`, `synonym`, `statement` or `planned`.
    pub(super) kind: &'static str,
    /// The wording.
    pub(super) text: String,
}

/// An entry of the curated memory that came near the question.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = TraceMemory)]
pub(super) struct MemoryWire {
    /// Id of the entry.
    pub(super) id: String,
    /// `pinned` or `note`.
    pub(super) kind: &'static str,
    /// The phrase of the entry nearest to the question.
    pub(super) text: String,
    /// Cosine of phrase and question, -1 to 1.
    pub(super) cosine: f32,
    /// The same on the scale of the thresholds, 0 to 1.
    pub(super) likeness: f32,
    /// How well the judge finds them to match, 0 to 1; null if it was not asked.
    pub(super) judged: Option<f32>,
    /// `accepted`, or why not.
    pub(super) verdict: &'static str,
}

/// A passage that was considered.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = TraceCandidate)]
pub(super) struct CandidateWire {
    /// Id of the passage.
    pub(super) source_id: String,
    /// Where each lane ranked it.
    pub(super) found_by: Vec<LaneRankWire>,
    /// Its score in the common ranking; comparable within one reply only.
    pub(super) fused_score: f32,
    /// Cosine of passage and question, -1 to 1; null if it was not measured.
    pub(super) cosine: Option<f32>,
    /// The same on the scale of the gates, 0 to 1.
    pub(super) relevance: Option<f32>,
    /// How likely the judge finds the answer in it, 0 to 1; null if it was not read.
    pub(super) answerable: Option<f32>,
    /// How well the judge finds it to fit the question, 0 to 1; null if it was not read.
    pub(super) relevant: Option<f32>,
    /// Lane that put it in whatever its score; null if none did.
    pub(super) forced_by: Option<&'static str>,
    /// Its number in the evidence; null if it was not used.
    pub(super) marker: Option<u32>,
    /// True if it was only used because its kind has reserved places.
    pub(super) reserve: bool,
    /// Why it was not used; null if it was.
    pub(super) dropped: Option<&'static str>,
}

/// Where one lane ranked a passage.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = TraceLaneRank)]
pub(super) struct LaneRankWire {
    /// Name of the lane.
    pub(super) lane: &'static str,
    /// Place in its list, from 1.
    pub(super) rank: usize,
    /// Index in `rewrites`; 0 is the question itself.
    pub(super) rewrite: usize,
}

/// What one search lane found.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = TraceLane)]
pub(super) struct LaneWire {
    /// `dense` (meaning), `lexical` (words), `address`, `memory` or `conversation`.
    pub(super) lane: &'static str,
    /// Number of passages found.
    pub(super) hits: usize,
    /// Number of passages it put in whatever their score.
    pub(super) forced: usize,
    /// Why it failed; null if it did not.
    pub(super) failure: Option<String>,
}

/// A passage that was found but not used.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = TraceDropped)]
pub(super) struct DroppedWire {
    /// Id of the passage.
    pub(super) source_id: String,
    /// Why it was not used.
    pub(super) reason: &'static str,
}

/// A look-up of a term or document by name.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = TraceLookup)]
pub(super) struct LookupWire {
    /// Where it was looked up, such as `catalogue` or `skosmos`.
    pub(super) backend: &'static str,
    /// The name that was looked up.
    pub(super) asked: String,
    /// `hit`, `miss`, `several`, `timeout`, `error` or `circuit_open`.
    pub(super) outcome: &'static str,
    /// Whether the answer came from the cache.
    pub(super) cached: bool,
    /// Time it took, in milliseconds.
    pub(super) latency_ms: f64,
}

/// What the judge read.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = TraceJudge)]
pub(super) struct JudgeWire {
    /// Name of the judge.
    pub(super) name: String,
    /// Number of passages it was given.
    pub(super) given: usize,
    /// Its scores, best first.
    pub(super) readings: Vec<ReadingWire>,
    /// Why it read fewer than it was given; null if it read all.
    pub(super) failure: Option<String>,
}

/// The judge's scores for one passage.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = TraceReading)]
pub(super) struct ReadingWire {
    /// Id of the passage.
    pub(super) source_id: String,
    /// How likely the answer is in it, 0 to 1.
    pub(super) answerable: f32,
    /// How well it fits the question, 0 to 1.
    pub(super) relevant: f32,
}

/// What the writing model did.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = TraceWriter)]
pub(super) struct WriterWire {
    /// Name of the model.
    pub(super) model: String,
    /// Markers of the passages it was given.
    pub(super) notes: Vec<u32>,
    /// Size of these passages in tokens.
    pub(super) context_tokens: usize,
    /// Size of the conversation it was given, in tokens.
    pub(super) history_tokens: usize,
    /// What was removed from its text, by kind.
    pub(super) drops: std::collections::BTreeMap<&'static str, usize>,
    /// Sentences that were not verified and left out.
    pub(super) left_out: Vec<LeftOutWire>,
    /// Number of sentences it corrected when asked again.
    pub(super) mended: usize,
    /// Why it did not finish; null if it did.
    pub(super) failure: Option<String>,
    /// True if sentences of the documents replace its answer.
    pub(super) quoted_instead: bool,
}

/// A sentence that was left out.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = TraceLeftOut)]
pub(super) struct LeftOutWire {
    /// The sentence.
    pub(super) text: String,
    /// Why it was not verified.
    pub(super) reason: String,
}

fn writer(report: &vouch_domain::WriterReport) -> WriterWire {
    let left_out = |(text, reason): &(String, String)| LeftOutWire { text: text.clone(), reason: reason.clone() };
    WriterWire {
        model: report.model.clone(),
        notes: report.notes.clone(),
        context_tokens: report.context_tokens,
        history_tokens: report.history_tokens,
        drops: report.drops.iter().copied().collect(),
        left_out: report.left_out.iter().map(left_out).collect(),
        mended: report.mended,
        failure: report.failure.clone(),
        quoted_instead: report.is_quoted_instead,
    }
}

/// Time one stage took.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = TraceTiming)]
pub(super) struct TimingWire {
    /// Name of the stage.
    pub(super) stage: &'static str,
    /// Milliseconds.
    pub(super) elapsed_ms: f64,
}

fn judge(report: &vouch_domain::JudgeReport) -> JudgeWire {
    let reading = |reading: &vouch_domain::PassageReading| ReadingWire {
        source_id: reading.source_id.clone(),
        answerable: reading.answerable,
        relevant: reading.relevant,
    };
    JudgeWire {
        name: report.name.clone(),
        given: report.given,
        readings: report.readings.iter().map(reading).collect(),
        failure: report.failure.clone(),
    }
}

fn memory(one: &vouch_domain::MemoryReport) -> MemoryWire {
    MemoryWire {
        id: one.id.clone(),
        kind: one.kind,
        text: one.text.clone(),
        cosine: one.cosine,
        likeness: one.likeness,
        judged: one.judged,
        verdict: one.verdict,
    }
}

fn candidate(one: &vouch_domain::CandidateReport) -> CandidateWire {
    let rank = |rank: &vouch_domain::LaneRank| LaneRankWire { lane: rank.lane, rank: rank.rank, rewrite: rank.rewrite };
    CandidateWire {
        source_id: one.source_id.clone(),
        found_by: one.found_by.iter().map(rank).collect(),
        fused_score: one.fused_score,
        cosine: one.cosine,
        relevance: one.relevance,
        answerable: one.answerable,
        relevant: one.relevant,
        forced_by: one.forced_by,
        marker: one.marker,
        reserve: one.is_reserve,
        dropped: one.dropped,
    }
}

impl Explanation {
    /// The trace in wire names.
    #[must_use]
    pub fn new(trace: &Trace) -> Self {
        let gate = |gate: &vouch_domain::GateReading| GateWire {
            name: gate.name,
            reading: gate.reading,
            raw: gate.raw,
            threshold: gate.threshold,
            passed: gate.passed,
            sentence: gate.sentence.clone(),
        };
        let lane = |lane: &vouch_domain::LaneReport| LaneWire {
            lane: lane.lane,
            hits: lane.hits,
            forced: lane.forced,
            failure: lane.failure.clone(),
        };
        let rewrite =
            |rewrite: &vouch_domain::RewriteReport| RewriteWire { kind: rewrite.kind, text: rewrite.text.clone() };
        let dropped = |dropped: &vouch_domain::DroppedPassage| DroppedWire {
            source_id: dropped.source_id.clone(),
            reason: dropped.reason,
        };
        let timing =
            |timing: &vouch_domain::StageTiming| TimingWire { stage: timing.stage, elapsed_ms: timing.elapsed_ms };
        let lookup = |lookup: &vouch_domain::LookupReport| LookupWire {
            backend: lookup.backend,
            asked: lookup.asked.clone(),
            outcome: lookup.outcome,
            cached: lookup.is_cached,
            latency_ms: lookup.waited_ms,
        };
        Self {
            gates: trace.gates.iter().map(gate).collect(),
            rewrites: trace.rewrites.iter().map(rewrite).collect(),
            lanes: trace.lanes.iter().map(lane).collect(),
            memory: trace.memory.iter().map(memory).collect(),
            candidates: trace.candidates.iter().map(candidate).collect(),
            dropped: trace.dropped.iter().map(dropped).collect(),
            lookup: trace.lookup.as_ref().map(lookup),
            judge: trace.judge.as_ref().map(judge),
            writer: trace.writer.as_ref().map(writer),
            timings_ms: trace.timings.iter().map(timing).collect(),
        }
    }
}
