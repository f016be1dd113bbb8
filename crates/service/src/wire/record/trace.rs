//! What was found and how it was weighed: the passages retrieved, the gates, and the rest of the trace.
//!
//! Candidates are many and alike, so they are written as rows under one header; what the judge read and what was
//! dropped is in the rows.

use serde::{Serialize, Serializer, ser::SerializeSeq};
use vouch_domain::Question;
use vouch_engine::{
    ask::Response,
    judge::Piece,
    trace::{
        CandidateReport, Fallback, GateName, GateReading, LaneRank, LaneReport, LookupOutcome, MemoryVerdict, Removal,
        RerankReport, Rewrite, StageTiming, ToolReport, by_word,
    },
};

use super::words::Words;
use crate::{context, outcome::CallOutcome};

/// The columns of a candidate.
const COLUMNS: [&str; 11] = [
    "source_id",
    "found_by",
    "fused_score",
    "cosine",
    "relevance",
    "answerable",
    "relevant",
    "forced_by",
    "marker",
    "reserve",
    "dropped",
];

/// The search; absent where nothing was searched.
#[derive(Debug, Serialize)]
pub(super) struct RetrievalRecord<'a> {
    query: Option<&'a str>,
    no_context: bool,
    hits: usize,
    mean_score: Option<f32>,
    threshold_used: Option<f32>,
    sources: Vec<FoundRecord>,
}

#[derive(Debug, Serialize)]
struct FoundRecord {
    source_id: String,
    score: f32,
}

impl<'a> RetrievalRecord<'a> {
    pub(super) fn new(response: &'a Response, question: &'a Question, words: Words) -> Option<Self> {
        if response.trace.lanes.is_empty() {
            return None;
        }
        let (pieces, refused_by) = (response.evidence.pieces(), response.evidence.refused_by());
        let no_context_gate = response.trace.gates.iter().find(|gate| gate.name == GateName::NoContext);
        let sum: f32 = pieces.iter().map(|piece| piece.similarity.relevance).sum();
        let found =
            |piece: &Piece| FoundRecord { source_id: piece.passage.source_id(), score: piece.similarity.relevance };
        Some(Self {
            query: words.kept(response.trace.rewrites.first().map_or(question.text.as_str(), |first| &first.text)),
            no_context: pieces.is_empty() || refused_by.is_some(),
            hits: pieces.len(),
            mean_score: (!pieces.is_empty()).then(|| sum / pieces.len() as f32),
            // The figure of the gate that is called so, else of the one that refused, else of the first that was read.
            threshold_used: no_context_gate.or(refused_by).or(response.trace.gates.first()).map(|gate| gate.threshold),
            sources: pieces.iter().map(found).collect(),
        })
    }
}

#[derive(Debug, Serialize)]
pub(super) struct GateRecord<'a> {
    name: GateName,
    reading: f32,
    raw: Option<f32>,
    threshold: f32,
    passed: bool,
    sentence: Option<&'a str>,
}

impl<'a> GateRecord<'a> {
    pub(super) fn new(gate: &'a GateReading, words: Words) -> Self {
        Self {
            name: gate.name,
            reading: gate.reading,
            raw: gate.raw,
            threshold: gate.threshold,
            passed: gate.passed,
            sentence: words.kept(gate.sentence.as_str()),
        }
    }
}

#[derive(Debug, Serialize)]
pub(super) struct TraceRecord<'a> {
    rewrites: Option<&'a [Rewrite]>,
    lanes: &'a [LaneReport],
    memory: Vec<MemoryRecord<'a>>,
    candidates: CandidatesRecord<'a>,
    /// Whose documents were found or answered from.
    collections: Vec<&'a str>,
    /// Whether the question was turned into vectors; null if it had not to be.
    embedded: Option<bool>,
    lookup: Option<LookupRecord<'a>>,
    tools: Vec<CallRecord<'a>>,
    reranker: Option<&'a RerankReport>,
    judge: Option<JudgeRecord<'a>>,
    writer: Option<WriterRecord<'a>>,
    fallbacks: &'a [Fallback],
    timings_ms: &'a [StageTiming],
}

#[derive(Debug, Serialize)]
struct MemoryRecord<'a> {
    id: &'a str,
    kind: &'static str,
    cosine: f32,
    likeness: f32,
    judged: Option<f32>,
    answers: Option<f32>,
    verdict: MemoryVerdict,
}

#[derive(Debug, Serialize)]
struct CandidatesRecord<'a> {
    columns: [&'static str; 11],
    rows: Vec<Row<'a>>,
}

#[derive(Debug)]
struct Row<'a>(&'a CandidateReport);

#[derive(Debug, Serialize)]
struct LookupRecord<'a> {
    backend: &'static str,
    asked: Option<&'a str>,
    outcome: LookupOutcome,
    cached: bool,
    latency_ms: f64,
}

/// A call of a tool in figures, which are kept whether words are or not.
#[derive(Debug, Serialize)]
struct CallRecord<'a> {
    name: &'a str,
    outcome: CallOutcome,
    elapsed_ms: f64,
}

#[derive(Debug, Serialize)]
struct JudgeRecord<'a> {
    name: &'a str,
    given: usize,
    failure: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct WriterRecord<'a> {
    model: &'a str,
    notes: &'a [u32],
    context_tokens: usize,
    history_tokens: usize,
    #[serde(serialize_with = "by_word")]
    drops: &'a [(Removal, usize)],
    left_out: Vec<LeftOutRecord<'a>>,
    mended: usize,
    instead_of: Option<&'a str>,
    failure: Option<&'a str>,
    found_no_answer: bool,
    quoted_instead: bool,
}

#[derive(Debug, Serialize)]
struct LeftOutRecord<'a> {
    text: Option<&'a str>,
    reason: Option<&'a str>,
}

impl<'a> TraceRecord<'a> {
    pub(super) fn new(response: &'a Response, words: Words) -> Self {
        let trace = &response.trace;
        let memory = trace.memory.iter().map(|one| MemoryRecord {
            id: &one.id,
            kind: one.kind.as_str(),
            cosine: one.cosine,
            likeness: one.likeness,
            judged: one.judged,
            answers: one.answers,
            verdict: one.verdict,
        });
        Self {
            rewrites: words.kept(trace.rewrites.as_slice()),
            lanes: &trace.lanes,
            fallbacks: &trace.fallbacks,
            memory: memory.collect(),
            candidates: CandidatesRecord { columns: COLUMNS, rows: trace.candidates.iter().map(Row).collect() },
            collections: context::collections(response).into_iter().collect(),
            embedded: trace.embedding.map(|embedding| embedding.fault.is_none()),
            lookup: trace.lookup.as_ref().map(|one| LookupRecord {
                backend: one.backend,
                asked: words.kept(one.asked.as_str()),
                outcome: one.outcome,
                cached: one.is_cached,
                latency_ms: one.waited_ms,
            }),
            tools: trace.tools.iter().map(CallRecord::new).collect(),
            reranker: trace.reranker.as_ref(),
            judge: trace.judge.as_ref().map(|one| JudgeRecord {
                name: &one.name,
                given: one.given,
                failure: one.failure.as_deref(),
            }),
            writer: trace.writer.as_ref().map(|one| WriterRecord {
                model: &one.model,
                notes: &one.notes,
                context_tokens: one.context_tokens,
                history_tokens: one.history_tokens,
                drops: &one.drops,
                left_out: one
                    .left_out
                    .iter()
                    .map(|left| LeftOutRecord {
                        text: words.kept(left.text.as_str()),
                        reason: words.kept(left.reason.as_str()),
                    })
                    .collect(),
                mended: one.mended,
                instead_of: one.instead_of.as_deref(),
                failure: one.failure.as_deref(),
                found_no_answer: one.has_found_no_answer,
                quoted_instead: one.is_quoted_instead,
            }),
            timings_ms: &trace.timings,
        }
    }
}

impl<'a> CallRecord<'a> {
    fn new(report: &'a ToolReport) -> Self {
        let (name, outcome) = (report.call.tool.as_str(), CallOutcome::from_report(report));
        Self { name, outcome, elapsed_ms: report.elapsed_ms }
    }
}

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (one, mut row) = (self.0, serializer.serialize_seq(Some(COLUMNS.len()))?);
        row.serialize_element(&one.source_id)?;
        row.serialize_element(&one.found_by.iter().map(place).collect::<Vec<_>>())?;
        row.serialize_element(&one.fused_score)?;
        for figure in [one.cosine, one.relevance, one.answerable, one.relevant] {
            row.serialize_element(&figure)?;
        }
        row.serialize_element(&one.forced_by)?;
        row.serialize_element(&one.marker)?;
        row.serialize_element(&one.is_reserve)?;
        row.serialize_element(&one.dropped)?;
        row.end()
    }
}

/// `dense#3` for the question itself, `dense#3@1` for its first rewrite.
fn place(rank: &LaneRank) -> String {
    match rank.rewrite {
        0 => format!("{}#{}", rank.lane, rank.rank),
        rewrite => format!("{}#{}@{rewrite}", rank.lane, rank.rank),
    }
}
