//! What is good enough to answer from.

use std::{collections::BTreeMap, time::Duration};

use serde::{Deserialize, Serialize};

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
    /// What a passage's relevance gains for what it shares with the question.
    pub boosts: BoostPolicy,
    /// How passages are chosen where there is no judge, or before it reads; by relevance alone where absent.
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

impl Default for JudgePolicy {
    fn default() -> Self {
        Self {
            relevance_floor: 0.3,
            relevance_floor_unread: 0.45,
            thresholds: Thresholds::default(),
            duplicate_similarity: 0.9,
            passages_per_document_max: 3,
            passages_max: 5,
            kind_reserves: Vec::new(),
            kind_boost: 0.15,
            boosts: BoostPolicy::default(),
            diversity: Some(DiversityPolicy { fetch: 24, keep: 8, relevance_share: 0.5, before_judge: false }),
            read_max: 8,
            reading_weight: 0.01,
            read_timeout: Duration::from_secs(30),
            gates: vec![
                GatePolicy::Coverage {
                    strong: 0.65,
                    fair: 0.55,
                    fair_passages: 2,
                    main_kind: None,
                    sure_reading: Some(0.85),
                },
                GatePolicy::Keywords { warn_below: 0.5 },
                GatePolicy::Answerability { at_least: 0.45 },
                GatePolicy::Constraints,
            ],
        }
    }
}

/// Choosing by what is relevant and new (maximal marginal relevance).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiversityPolicy {
    /// From how many of the best is chosen.
    pub fetch: usize,
    /// How many are chosen.
    pub keep: usize,
    /// How much relevance counts against novelty, 0 to 1.
    pub relevance_share: f32,
    /// Whether the pool is cut so before the judge reads, too.
    #[serde(default)]
    pub before_judge: bool,
}

/// What moves a passage's relevance before the gates read it; the cosine and the floors are not moved.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BoostPolicy {
    /// The names of products.
    pub names: Vec<String>,
    /// What a passage gains that holds a product's name which the question names.
    pub name: f32,
    /// What a passage gains whose section title has no word of meaning that the question lacks.
    pub section: f32,
}

/// Figures of single collections, and those of the rest.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
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
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CollectionThreshold {
    /// How far a passage may be from the question: 1 less its relevance.
    pub distance_threshold: f32,
    /// The share of the question's key terms its passages must hold together.
    pub min_query_coverage: f32,
}

/// One gate and its figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "gate", rename_all = "snake_case", deny_unknown_fields)]
pub enum GatePolicy {
    /// The best passage must be more relevant than this.
    Top1 {
        /// The figure it must exceed.
        above: f32,
        /// A judge that finds the answer with this probability overrides it; none does where there is no figure.
        #[serde(default)]
        sure_reading: Option<f32>,
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
        /// A judge that finds the answer with this probability overrides it; none does where there is no figure.
        #[serde(default)]
        sure_reading: Option<f32>,
    },
    /// The share of the question's key terms found in the evidence; too few warn.
    Keywords {
        /// The share below which a warning is due.
        warn_below: f32,
    },
    /// The question must say more than that something is wrong.
    Specific {
        /// Words that say no more than that.
        beyond: Vec<String>,
    },
    /// Enough passages, and relevant enough on average.
    NoContext {
        /// How many there must be.
        hits_min: usize,
        /// How relevant they must be on average.
        mean_at_least: f32,
        /// A judge that finds the answer with this probability overrides it; none does where there is no figure.
        #[serde(default)]
        sure_reading: Option<f32>,
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
    /// What would answer must hold the years, names and sort of thing that the question asks for.
    Constraints,
    /// The share of the question's key terms found in the evidence; too few refuse.
    QueryCoverage {
        /// The share that must be reached.
        at_least: f32,
    },
}
