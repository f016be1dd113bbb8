//! The figures every stage decides by, checked once at start; no stage looks anywhere else.

use std::time::Duration;

/// Everything one profile decides by.
#[derive(Debug, Clone, PartialEq)]
pub struct Policies {
    /// How questions are taken.
    pub understand: UnderstandPolicy,
    /// How passages are found.
    pub retrieve: RetrievePolicy,
    /// What is good enough to answer from.
    pub judge: JudgePolicy,
    /// How an answer is written.
    pub compose: ComposePolicy,
    /// What a sentence must pass to be shown.
    pub verify: VerifyPolicy,
    /// What is said in the end.
    pub decide: DecidePolicy,
    /// How documents are taken in.
    pub ingest: IngestPolicy,
}

/// How questions are taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnderstandPolicy {
    /// The longest question, in characters.
    pub question_chars_max: usize,
}

/// How passages are found.
#[derive(Debug, Clone, PartialEq)]
pub struct RetrievePolicy {
    /// How many passages each lane brings.
    pub lane_limit: usize,
    /// The weight of the dense lane's score in the fused one.
    pub dense_weight: f32,
    /// The weight of the lexical lane's score in the fused one.
    pub lexical_weight: f32,
    /// How many fused candidates go on to be judged.
    pub pool_max: usize,
    /// How long a lane may take.
    pub lane_timeout: Duration,
}

/// What is good enough to answer from.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgePolicy {
    /// A passage less relevant than this is noise.
    pub relevance_floor: f32,
    /// Two passages more alike than this are one.
    pub duplicate_similarity: f32,
    /// How many passages of one document may be used.
    pub passages_per_document_max: usize,
    /// How many passages may be used at all.
    pub passages_max: usize,
    /// How many of the best passages the judge reads.
    pub read_max: usize,
    /// How much the judge's word counts beside the fused score when passages are put in order.
    pub reading_weight: f32,
    /// How long the judge may read.
    pub read_timeout: Duration,
    /// The gates, in the order they are read.
    pub gates: Vec<GatePolicy>,
}

/// One gate and its figures.
#[derive(Debug, Clone, PartialEq)]
pub enum GatePolicy {
    /// The best passage must be more relevant than this.
    Top1 {
        /// The figure it must exceed.
        above: f32,
    },
    /// One strong passage, or two fair ones of the main kind.
    Coverage {
        /// One passage at least this relevant is enough.
        strong: f32,
        /// Otherwise the best must reach this.
        fair: f32,
        /// And this many passages of the main kind must be there.
        fair_passages: usize,
        /// The kind that counts; any kind where none is named.
        main_kind: Option<String>,
    },
    /// The share of the question's key terms found in the evidence; too few warn.
    Keywords {
        /// The share below which a warning is due.
        warn_below: f32,
    },
    /// The judge must find the answer in one of the passages.
    Answerability {
        /// How likely it must be, at the least.
        at_least: f32,
    },
    /// The share of the question's key terms found in the evidence; too few refuse.
    QueryCoverage {
        /// The share that must be reached.
        at_least: f32,
    },
}

/// How an answer is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComposePolicy {
    /// How many sentences an answer may have.
    pub sentences_max: usize,
    /// How long the writer may take.
    pub writer_timeout: Duration,
}

/// What a sentence must pass to be shown.
#[derive(Debug, Clone, PartialEq)]
pub struct VerifyPolicy {
    /// How well a claim must be supported, 0 to 1, after rules and judge.
    pub support_at_least: f32,
    /// How long the judge may weigh the claims of one answer.
    pub support_timeout: Duration,
}

/// What is said in the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecidePolicy {
    /// The sentence every refusal starts with.
    pub refusal_message: String,
    /// How many suggestions a refusal offers.
    pub suggestions_max: usize,
    /// A cited document older than this many days gets a notice; none where absent.
    pub stale_after_days: Option<u32>,
}

/// How documents are taken in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IngestPolicy {
    /// About how many tokens a passage has.
    pub passage_tokens: usize,
    /// How many passages are embedded and stored together.
    pub batch_passages: usize,
}

impl Default for Policies {
    fn default() -> Self {
        Self {
            understand: UnderstandPolicy { question_chars_max: 4_000 },
            retrieve: RetrievePolicy {
                lane_limit: 100,
                dense_weight: 1.0,
                lexical_weight: 0.5,
                pool_max: 60,
                lane_timeout: Duration::from_secs(5),
            },
            judge: JudgePolicy {
                relevance_floor: 0.3,
                duplicate_similarity: 0.9,
                passages_per_document_max: 3,
                passages_max: 5,
                read_max: 8,
                reading_weight: 0.01,
                read_timeout: Duration::from_secs(2),
                gates: vec![
                    GatePolicy::Coverage { strong: 0.65, fair: 0.55, fair_passages: 2, main_kind: None },
                    GatePolicy::Keywords { warn_below: 1.0 },
                    GatePolicy::QueryCoverage { at_least: 0.5 },
                    GatePolicy::Answerability { at_least: 0.4 },
                ],
            },
            compose: ComposePolicy { sentences_max: 8, writer_timeout: Duration::from_secs(30) },
            verify: VerifyPolicy { support_at_least: 0.5, support_timeout: Duration::from_secs(5) },
            decide: DecidePolicy {
                refusal_message: "The documents do not contain enough to answer this question.".to_owned(),
                suggestions_max: 3,
                stale_after_days: Some(183),
            },
            ingest: IngestPolicy { passage_tokens: 200, batch_passages: 64 },
        }
    }
}
