//! The figures every stage decides by, checked once at start; no stage looks anywhere else.

mod writing;

use std::{collections::BTreeMap, time::Duration};

use regex::Regex;

use crate::trace::RewriteKind;

pub use writing::{
    BudgetPolicy, ComposePolicy, DecidePolicy, MarkerStyle, OnFailure, ReferralPolicy, Unsupported, VerifyPolicy,
};

/// Everything one profile decides by.
#[derive(Debug, Clone, PartialEq)]
pub struct Policies {
    /// How questions are read.
    pub understand: UnderstandPolicy,
    /// How terms are looked up.
    pub terminology: TerminologyPolicy,
    /// How passages are found.
    pub retrieve: RetrievePolicy,
    /// When what an editor prepared is used.
    pub memory: MemoryPolicy,
    /// What is good enough to answer from.
    pub judge: JudgePolicy,
    /// How an answer is written.
    pub compose: ComposePolicy,
    /// What a sentence must pass to be shown.
    pub verify: VerifyPolicy,
    /// What is said in the end.
    pub decide: DecidePolicy,
    /// How documents are ingested.
    pub ingest: IngestPolicy,
}

/// When a service is no longer asked, and when again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BreakerPolicy {
    /// Failures in a row that open it.
    pub failure_threshold: u32,
    /// Successes in a row that close it again.
    pub success_threshold: u32,
    /// How long it stays open before it is tried.
    pub open_for: Duration,
}

impl Default for BreakerPolicy {
    fn default() -> Self {
        Self { failure_threshold: 5, success_threshold: 2, open_for: Duration::from_secs(30) }
    }
}

/// How questions are read.
#[derive(Debug, Clone, PartialEq)]
pub struct UnderstandPolicy {
    /// The longest question, in characters.
    pub question_chars_max: usize,
    /// How documents are called by name.
    pub addresses: Vec<AddressScheme>,
    /// What people call a kind of document: their word, and the kind.
    pub kind_names: Vec<(String, String)>,
    /// Which rewrites are made.
    pub rewrites: Vec<RewriteKind>,
    /// How many are made at most, besides the question itself.
    pub rewrites_max: usize,
}

impl UnderstandPolicy {
    /// All the rewrites there are rules for, but statements: they cost a search and found nothing more where it was measured.
    #[must_use]
    pub fn usual_rewrites() -> Vec<RewriteKind> {
        use RewriteKind::{Item, Spelling, SubQuestion, Subject, Synonym};
        vec![Subject, Spelling, SubQuestion, Item, Synonym]
    }

    pub(crate) fn uses(&self, kind: RewriteKind) -> bool {
        self.rewrites.contains(&kind)
    }
}

/// How documents of a kind are addressed: how people write it, and its normal form.
#[derive(Debug, Clone)]
pub struct AddressScheme {
    /// The kind of document it leads to, if it is one kind.
    pub kind: Option<String>,
    /// What is an address; named groups are the parts of its normal form, `to` the end of a range.
    pub pattern: Regex,
    /// The normal form, with `{group}` or, filled up with zeros to a width, `{group:4}`.
    pub normal: String,
    /// Where a document of this kind has no address of its own: how its name tells it, with the same groups.
    pub from_name: Option<Regex>,
    /// The section that answers a question for the document as a whole.
    pub lead_section: Option<String>,
}

impl PartialEq for AddressScheme {
    fn eq(&self, other: &Self) -> bool {
        let parts = |scheme: &Self| {
            let from_name = scheme.from_name.as_ref().map(|pattern| pattern.as_str().to_owned());
            let pattern = scheme.pattern.as_str().to_owned();
            (scheme.kind.clone(), pattern, scheme.normal.clone(), from_name, scheme.lead_section.clone())
        };
        parts(self) == parts(other)
    }
}

/// How terms are looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TerminologyPolicy {
    /// The language definitions are given in where there are several.
    pub language: String,
    /// How long a look-up may take.
    pub timeout: Duration,
    /// How many terms are kept.
    pub cache_max: u64,
    /// How long a term is kept.
    pub cache_ttl: Duration,
    /// Whether other labels of a term are searched for too; not where the vocabulary is behind a network.
    pub synonyms: bool,
}

impl Default for TerminologyPolicy {
    fn default() -> Self {
        Self {
            language: "en".to_owned(),
            timeout: Duration::from_millis(300),
            cache_max: 5_000,
            cache_ttl: Duration::from_secs(600),
            synonyms: true,
        }
    }
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
    /// What a rewrite's score counts beside the question's own.
    pub rewrite_weight: f32,
    /// A word that at most this many passages hold forces them into the pool.
    pub rare_holders_max: usize,
    /// How many fused candidates go on to be judged.
    pub pool_max: usize,
    /// How long a lane may take.
    pub lane_timeout: Duration,
}

/// When what an editor prepared is used. Figures are on the scale of likeness of two questions.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryPolicy {
    /// A pinned question this near is the same question.
    pub pinned_at_least: f32,
    /// From here up to that the judge decides.
    pub border_from: f32,
    /// What the judge must find.
    pub border_judge_at_least: f32,
    /// A note this near frames the answer.
    pub note_at_least: f32,
    /// A note this near, with enough references, spares the search.
    pub strong_note_at_least: f32,
    /// How many references that takes.
    pub strong_references_min: usize,
    /// What the passages of a note's references count as, at the least.
    pub reference_relevance: f32,
    /// The language questions are asked in.
    pub language: String,
    /// How long the judge may read.
    pub judge_timeout: Duration,
}

impl Default for MemoryPolicy {
    fn default() -> Self {
        Self {
            pinned_at_least: 0.85,
            border_from: 0.70,
            border_judge_at_least: 0.50,
            note_at_least: 0.60,
            strong_note_at_least: 0.70,
            strong_references_min: 3,
            reference_relevance: 0.75,
            language: "en".to_owned(),
            judge_timeout: Duration::from_secs(2),
        }
    }
}

/// What is good enough to answer from.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgePolicy {
    /// A passage less relevant than this is noise, where a judge reads the rest.
    pub relevance_floor: f32,
    /// The same where there is no judge.
    pub relevance_floor_unread: f32,
    /// Floors of single collections.
    pub thresholds: Thresholds,
    /// Two passages more alike than this are one.
    pub duplicate_similarity: f32,
    /// How many passages of one document may be used.
    pub passages_per_document_max: usize,
    /// How many passages may be used at all.
    pub passages_max: usize,
    /// How many passages of a kind are kept at the least, if there are any.
    pub kind_reserves: Vec<(String, usize)>,
    /// What a passage of a kind the question names gains in the order.
    pub kind_boost: f32,
    /// How passages are chosen where there is no judge; by relevance alone where absent.
    pub diversity: Option<DiversityPolicy>,
    /// How many of the best passages the judge reads.
    pub read_max: usize,
    /// How much the judge's word counts beside the fused score when passages are put in order.
    pub reading_weight: f32,
    /// How long the judge may read.
    pub read_timeout: Duration,
    /// The gates, in the order they are read.
    pub gates: Vec<GatePolicy>,
}

/// Choosing by what is relevant and new (maximal marginal relevance).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DiversityPolicy {
    /// From how many of the best is chosen.
    pub fetch: usize,
    /// How many are chosen.
    pub keep: usize,
    /// How much relevance counts against novelty, 0 to 1.
    pub relevance_share: f32,
}

/// Figures of single collections, and those of the rest.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Thresholds {
    /// By collection.
    pub collections: BTreeMap<String, CollectionThreshold>,
    /// For collections that are not named; none if they have no figures of their own.
    pub default: Option<CollectionThreshold>,
}

impl Thresholds {
    /// The figures of a collection.
    #[must_use]
    pub fn for_collection(&self, collection: &str) -> Option<CollectionThreshold> {
        self.collections.get(collection).copied().or(self.default)
    }
}

/// What passages of one collection must reach.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CollectionThreshold {
    /// How far a passage may be from the question: 1 less its relevance.
    pub distance_threshold: f32,
    /// The share of the question's key terms its passages must hold together.
    pub min_query_coverage: f32,
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
        /// The kind that counts; where none is named any does that is itself fair.
        main_kind: Option<String>,
    },
    /// The share of the question's key terms found in the evidence; too few warn.
    Keywords {
        /// The share below which a warning is due.
        warn_below: f32,
    },
    /// Enough passages, and relevant enough on average.
    NoContext {
        /// How many there must be.
        hits_min: usize,
        /// How relevant they must be on average.
        mean_at_least: f32,
    },
    /// Nothing is near enough to go on looking.
    BailOut {
        /// The best passage must reach this.
        below: f32,
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

/// How documents are ingested.
#[derive(Debug, Clone, PartialEq)]
pub struct IngestPolicy {
    /// How a document without an address of its own is called.
    pub addresses: Vec<AddressScheme>,
    /// About how many tokens a passage has.
    pub passage_tokens: usize,
    /// How many passages are embedded and stored together.
    pub batch_passages: usize,
    /// A document of more passages is refused.
    pub passages_max: usize,
}

impl Default for Policies {
    fn default() -> Self {
        Self {
            understand: UnderstandPolicy {
                question_chars_max: 4_000,
                addresses: Vec::new(),
                kind_names: Vec::new(),
                rewrites: UnderstandPolicy::usual_rewrites(),
                rewrites_max: 4,
            },
            terminology: TerminologyPolicy::default(),
            retrieve: RetrievePolicy {
                lane_limit: 100,
                dense_weight: 1.0,
                lexical_weight: 0.5,
                rewrite_weight: 0.6,
                rare_holders_max: 3,
                pool_max: 60,
                lane_timeout: Duration::from_secs(5),
            },
            memory: MemoryPolicy::default(),
            judge: JudgePolicy {
                relevance_floor: 0.3,
                relevance_floor_unread: 0.45,
                thresholds: Thresholds::default(),
                duplicate_similarity: 0.9,
                passages_per_document_max: 3,
                passages_max: 5,
                kind_reserves: Vec::new(),
                kind_boost: 0.15,
                diversity: Some(DiversityPolicy { fetch: 24, keep: 8, relevance_share: 0.5 }),
                read_max: 8,
                reading_weight: 0.01,
                read_timeout: Duration::from_secs(2),
                gates: vec![
                    GatePolicy::Coverage { strong: 0.65, fair: 0.55, fair_passages: 2, main_kind: None },
                    GatePolicy::Keywords { warn_below: 1.0 },
                    GatePolicy::QueryCoverage { at_least: 0.5 },
                    GatePolicy::Answerability { at_least: 0.3 },
                ],
            },
            compose: ComposePolicy {
                sentences_max: 8,
                writer_timeout: Duration::from_secs(30),
                markers: MarkerStyle::default(),
                budget: BudgetPolicy::default(),
                on_failure: OnFailure::default(),
                out_of_corpus_disclaimer: None,
            },
            verify: VerifyPolicy {
                support_at_least: 0.5,
                support_timeout: Duration::from_secs(5),
                unsupported: Unsupported::default(),
            },
            decide: DecidePolicy {
                refusal_message: "The documents do not contain enough to answer this question.".to_owned(),
                fallback_confidence_at_least: 50,
                confidence_at_least: None,
                route: None,
                suggestions_max: 3,
                stale_after_days: Some(183),
            },
            ingest: IngestPolicy {
                addresses: Vec::new(),
                passage_tokens: 200,
                batch_passages: 64,
                passages_max: 20_000,
            },
        }
    }
}
