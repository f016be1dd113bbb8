//! The figures every stage decides by, checked once at start; no stage looks anywhere else.
//!
//! A policy whose figures are all set in `vouch.yaml` is its section there too: it has the names it is written under.

mod agents;
mod judge;
mod time;
mod writing;

use std::time::Duration;

use regex::Regex;
use serde::{Deserialize, Serialize};

use crate::trace::RewriteKind;

pub use agents::{
    AgentPolicy, AgentsPolicy, FallbackPolicy, FieldKind, NoContextPolicy, SlotPolicy, SlotSource, ToolPolicy,
    ToolWords,
};
pub use judge::{BoostPolicy, CollectionThreshold, DiversityPolicy, GatePolicy, JudgePolicy, Thresholds};
pub use writing::{
    BudgetPolicy, ComposePolicy, ConfidenceFormula, DecidePolicy, MarkerStyle, OnEmptyOutline, OnFailure,
    OnUnsupported, ReferralPolicy, VerifyPolicy,
};

/// Everything one profile decides by.
#[derive(Debug, Clone, PartialEq, Default)]
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

/// As long as any wait may be: what nobody waits for at a screen.
const PATIENCE: Duration = Duration::from_secs(600);

impl Policies {
    /// Waits for the judge and the search as long as it takes, so that no busy moment changes a decision.
    pub fn be_patient(&mut self) {
        self.judge.read_timeout = PATIENCE;
        self.verify.support_timeout = PATIENCE;
        self.memory.judge_timeout = PATIENCE;
        self.retrieve.lane_timeout = PATIENCE;
    }
}

/// When a service is no longer asked, and when again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BreakerPolicy {
    /// Failures in a row that open it.
    pub failure_threshold: u32,
    /// Successes in a row that close it again.
    pub success_threshold: u32,
    /// How long it stays open before it is tried.
    #[serde(rename = "timeout_seconds", with = "time::seconds")]
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
    /// Whether a question about a document that it names is answered from others, too.
    pub search_beyond_named: bool,
    /// Which rewrites are made.
    pub rewrites: Vec<RewriteKind>,
    /// How many are made at most, besides the question itself.
    pub rewrites_max: usize,
}

impl Default for UnderstandPolicy {
    fn default() -> Self {
        Self {
            question_chars_max: 4_000,
            addresses: Vec::new(),
            kind_names: Vec::new(),
            search_beyond_named: false,
            rewrites: Self::usual_rewrites(),
            rewrites_max: 4,
        }
    }
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
    /// What is done with a term that it does not define.
    pub unknown: UnknownTerm,
    /// Whether other labels of a term are searched for too; not where the vocabulary is behind a network.
    pub synonyms: bool,
    /// Whether terms are written to the log; they are words of whoever asks.
    pub logs_terms: bool,
}

/// What is done with a term that no vocabulary defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnknownTerm {
    /// The documents are searched, and it is said that what they say is no definition from the vocabulary.
    #[default]
    Documents,
    /// The question is refused.
    Abstain,
}

impl Default for TerminologyPolicy {
    fn default() -> Self {
        Self {
            language: "en".to_owned(),
            timeout: Duration::from_millis(300),
            cache_max: 5_000,
            cache_ttl: Duration::from_secs(600),
            unknown: UnknownTerm::default(),
            synonyms: true,
            logs_terms: false,
        }
    }
}

/// How passages are found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
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
    #[serde(rename = "lane_timeout_ms", with = "time::millis")]
    pub lane_timeout: Duration,
}

impl Default for RetrievePolicy {
    fn default() -> Self {
        Self {
            lane_limit: 100,
            dense_weight: 1.0,
            lexical_weight: 0.5,
            rewrite_weight: 0.6,
            rare_holders_max: 3,
            pool_max: 60,
            lane_timeout: Duration::from_secs(5),
        }
    }
}

/// When what an editor prepared is used. Figures are on the scale of likeness of two questions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MemoryPolicy {
    /// A pinned question this near is the same question.
    pub pinned_at_least: f32,
    /// From here up to that the judge decides.
    pub border_from: f32,
    /// What the judge must find.
    pub border_judge_at_least: f32,
    /// Or how surely the sources of the entry must answer the question.
    pub border_answer_at_least: f32,
    /// A note this near frames the answer; and where there is no good answer, an entry this near is offered to be asked instead.
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
    #[serde(rename = "judge_timeout_ms", with = "time::millis")]
    pub judge_timeout: Duration,
}

impl Default for MemoryPolicy {
    fn default() -> Self {
        Self {
            pinned_at_least: 0.85,
            border_from: 0.70,
            border_judge_at_least: 0.50,
            border_answer_at_least: 0.70,
            note_at_least: 0.60,
            strong_note_at_least: 0.70,
            strong_references_min: 3,
            reference_relevance: 0.75,
            language: "en".to_owned(),
            judge_timeout: Duration::from_secs(30),
        }
    }
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

impl Default for IngestPolicy {
    fn default() -> Self {
        Self { addresses: Vec::new(), passage_tokens: 200, batch_passages: 64, passages_max: 20_000 }
    }
}
