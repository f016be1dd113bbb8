//! The trace, as `--explain` shows it.

use serde::Serialize;
use utoipa::ToSchema;
use vouch_domain::Trace;

/// What each stage saw, chose and spent.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Explanation {
    pub(super) gates: Vec<GateWire>,
    pub(super) rewrites: Vec<RewriteWire>,
    pub(super) lanes: Vec<LaneWire>,
    pub(super) memory: Vec<MemoryWire>,
    pub(super) candidates: Vec<CandidateWire>,
    pub(super) dropped: Vec<DroppedWire>,
    pub(super) lookup: Option<LookupWire>,
    pub(super) judge: Option<JudgeWire>,
    pub(super) writer: Option<WriterWire>,
    pub(super) timings_ms: Vec<TimingWire>,
}

#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = TraceGate)]
pub(super) struct GateWire {
    pub(super) name: &'static str,
    pub(super) reading: f32,
    pub(super) raw: Option<f32>,
    pub(super) threshold: f32,
    pub(super) passed: bool,
    pub(super) sentence: String,
}

#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = TraceRewrite)]
pub(super) struct RewriteWire {
    pub(super) kind: &'static str,
    pub(super) text: String,
}

#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = TraceMemory)]
pub(super) struct MemoryWire {
    pub(super) id: String,
    pub(super) kind: &'static str,
    pub(super) text: String,
    pub(super) cosine: f32,
    pub(super) likeness: f32,
    pub(super) judged: Option<f32>,
    pub(super) verdict: &'static str,
}

#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = TraceCandidate)]
pub(super) struct CandidateWire {
    pub(super) source_id: String,
    pub(super) found_by: Vec<LaneRankWire>,
    pub(super) fused_score: f32,
    pub(super) cosine: Option<f32>,
    pub(super) relevance: Option<f32>,
    pub(super) answerable: Option<f32>,
    pub(super) relevant: Option<f32>,
    pub(super) forced_by: Option<&'static str>,
    pub(super) marker: Option<u32>,
    pub(super) reserve: bool,
    pub(super) dropped: Option<&'static str>,
}

#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = TraceLaneRank)]
pub(super) struct LaneRankWire {
    pub(super) lane: &'static str,
    pub(super) rank: usize,
    pub(super) rewrite: usize,
}

#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = TraceLane)]
pub(super) struct LaneWire {
    pub(super) lane: &'static str,
    pub(super) hits: usize,
    pub(super) forced: usize,
    pub(super) failure: Option<String>,
}

#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = TraceDropped)]
pub(super) struct DroppedWire {
    pub(super) source_id: String,
    pub(super) reason: &'static str,
}

#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = TraceLookup)]
pub(super) struct LookupWire {
    pub(super) backend: &'static str,
    pub(super) asked: String,
    pub(super) outcome: &'static str,
    pub(super) cached: bool,
    pub(super) latency_ms: f64,
}

#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = TraceJudge)]
pub(super) struct JudgeWire {
    pub(super) name: String,
    pub(super) given: usize,
    pub(super) readings: Vec<ReadingWire>,
    pub(super) failure: Option<String>,
}

#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = TraceReading)]
pub(super) struct ReadingWire {
    pub(super) source_id: String,
    pub(super) answerable: f32,
    pub(super) relevant: f32,
}

#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = TraceWriter)]
pub(super) struct WriterWire {
    pub(super) model: String,
    pub(super) notes: Vec<u32>,
    pub(super) context_tokens: usize,
    pub(super) history_tokens: usize,
    pub(super) drops: std::collections::BTreeMap<&'static str, usize>,
    pub(super) left_out: Vec<LeftOutWire>,
    pub(super) mended: usize,
    pub(super) failure: Option<String>,
    pub(super) quoted_instead: bool,
}

#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = TraceLeftOut)]
pub(super) struct LeftOutWire {
    pub(super) text: String,
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

#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = TraceTiming)]
pub(super) struct TimingWire {
    pub(super) stage: &'static str,
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
    pub fn of(trace: &Trace) -> Self {
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
