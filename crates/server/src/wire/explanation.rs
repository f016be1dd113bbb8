//! The trace, as `--explain` shows it.

use serde::Serialize;
use utoipa::ToSchema;
use vouch_domain::Trace;

/// What each stage saw, chose and spent.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Explanation {
    gates: Vec<GateWire>,
    rewrites: Vec<RewriteWire>,
    lanes: Vec<LaneWire>,
    memory: Vec<MemoryWire>,
    candidates: Vec<CandidateWire>,
    dropped: Vec<DroppedWire>,
    lookup: Option<LookupWire>,
    judge: Option<JudgeWire>,
    writer: Option<WriterWire>,
    timings_ms: Vec<TimingWire>,
}

#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = TraceGate)]
struct GateWire {
    name: &'static str,
    reading: f32,
    raw: Option<f32>,
    threshold: f32,
    passed: bool,
    sentence: String,
}

#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = TraceRewrite)]
struct RewriteWire {
    kind: &'static str,
    text: String,
}

#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = TraceMemory)]
struct MemoryWire {
    id: String,
    kind: &'static str,
    text: String,
    cosine: f32,
    likeness: f32,
    judged: Option<f32>,
    verdict: &'static str,
}

#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = TraceCandidate)]
struct CandidateWire {
    source_id: String,
    found_by: Vec<LaneRankWire>,
    fused_score: f32,
    cosine: Option<f32>,
    relevance: Option<f32>,
    answerable: Option<f32>,
    relevant: Option<f32>,
    forced_by: Option<&'static str>,
    marker: Option<u32>,
    reserve: bool,
    dropped: Option<&'static str>,
}

#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = TraceLaneRank)]
struct LaneRankWire {
    lane: &'static str,
    rank: usize,
    rewrite: usize,
}

#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = TraceLane)]
struct LaneWire {
    lane: &'static str,
    hits: usize,
    forced: usize,
    failure: Option<String>,
}

#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = TraceDropped)]
struct DroppedWire {
    source_id: String,
    reason: &'static str,
}

#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = TraceLookup)]
struct LookupWire {
    backend: &'static str,
    asked: String,
    outcome: &'static str,
    cached: bool,
    latency_ms: f64,
}

#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = TraceJudge)]
struct JudgeWire {
    name: String,
    given: usize,
    readings: Vec<ReadingWire>,
    failure: Option<String>,
}

#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = TraceReading)]
struct ReadingWire {
    source_id: String,
    answerable: f32,
    relevant: f32,
}

#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = TraceWriter)]
struct WriterWire {
    model: String,
    notes: Vec<u32>,
    context_tokens: usize,
    history_tokens: usize,
    drops: std::collections::BTreeMap<&'static str, usize>,
    left_out: Vec<LeftOutWire>,
    mended: usize,
    failure: Option<String>,
    quoted_instead: bool,
}

#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = TraceLeftOut)]
struct LeftOutWire {
    text: String,
    reason: String,
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
struct TimingWire {
    stage: &'static str,
    elapsed_ms: f64,
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
