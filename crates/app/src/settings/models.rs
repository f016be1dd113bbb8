//! Settings of the models that help: where they run, which may be used, and who does which job.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use vouch_engine::policy::BudgetPolicy;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ModelSettings {
    pub servers: BTreeMap<String, ServerSettings>,
    pub allowed: BTreeMap<String, AllowedSettings>,
    pub answer: Option<JobSettings>,
    pub answer_also: Vec<HelpingJob>,
    pub stand_in: Option<JobSettings>,
    pub outline: Option<JobSettings>,
    pub planning: Option<JobSettings>,
    pub routing: Option<JobSettings>,
    pub judge: Option<JobSettings>,
    pub out_of_corpus: Option<JobSettings>,
    pub pairwise: Option<JobSettings>,
    pub embedder: Option<EmbedderJob>,
    pub reranker: Option<RerankerJob>,
    pub temperature: f32,
    pub connect_timeout_ms: u64,
    pub first_token_timeout_ms: u64,
    pub gap_timeout_ms: u64,
    pub timeout_ms: u64,
    pub context_tokens_max: usize,
    pub history_tokens_max: usize,
    pub response_tokens_max: usize,
    pub system_tokens_reserved: usize,
}

/// Where models run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerSettings {
    pub kind: ServerKind,
    pub url: String,
    /// The environment variable that holds the key; the key itself has no place in a file.
    #[serde(default)]
    pub key_variable: Option<String>,
}

/// How a server is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ServerKind {
    Ollama,
    Openai,
}

/// A model that may be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AllowedSettings {
    pub context_window: usize,
    pub max_response: usize,
    /// A `tokenizer.json` of the model; its tokens are estimated from above where there is none.
    #[serde(default)]
    pub tokenizer: Option<String>,
}

/// A job that helps whoever writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HelpingJob {
    Outline,
    Planning,
    Routing,
}

/// The model for a job; what is not set has the common value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobSettings {
    pub server: String,
    pub model: String,
    #[serde(default)]
    pub temperature: Option<f32>,
    #[serde(default)]
    pub max_response: Option<usize>,
    #[serde(default)]
    pub first_token_timeout_ms: Option<u64>,
    #[serde(default)]
    pub gap_timeout_ms: Option<u64>,
    #[serde(default)]
    pub timeout_ms: Option<u64>,
}

impl JobSettings {
    /// A model at a server, everything else as for all models.
    #[must_use]
    pub fn at(server: &str, model: &str) -> Self {
        Self {
            server: server.to_owned(),
            model: model.to_owned(),
            temperature: None,
            max_response: None,
            first_token_timeout_ms: None,
            gap_timeout_ms: None,
            timeout_ms: None,
        }
    }
}

/// Who turns text into vectors, in the place of the built-in embedder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EmbedderJob {
    pub server: String,
    pub model: String,
    pub dimensions: usize,
    #[serde(default = "batch_max")]
    pub batch_max: usize,
    #[serde(default = "embed_timeout_ms")]
    pub timeout_ms: u64,
    #[serde(default)]
    pub relevance_map: Option<String>,
    #[serde(default)]
    pub likeness_map: Option<String>,
}

fn batch_max() -> usize {
    32
}

fn embed_timeout_ms() -> u64 {
    30_000
}

/// Who puts passages in order, in the place of the built-in judge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RerankerJob {
    pub server: String,
    pub model: String,
    #[serde(default = "rerank_timeout_ms")]
    pub timeout_ms: u64,
}

fn rerank_timeout_ms() -> u64 {
    5_000
}

impl ModelSettings {
    /// Who does a helping job: its own model, or the one that writes where that does it too.
    pub fn helper(&self, job: HelpingJob) -> &Option<JobSettings> {
        let own = match job {
            HelpingJob::Outline => &self.outline,
            HelpingJob::Planning => &self.planning,
            HelpingJob::Routing => &self.routing,
        };
        if own.is_none() && self.answer_also.contains(&job) { &self.answer } else { own }
    }

    /// Every job that has a model, by its name in the file.
    pub fn jobs(&self) -> impl Iterator<Item = (&'static str, &JobSettings)> {
        let jobs = [
            ("models.answer", &self.answer),
            ("models.stand_in", &self.stand_in),
            ("models.outline", &self.outline),
            ("models.planning", &self.planning),
            ("models.routing", &self.routing),
            ("models.judge", &self.judge),
            ("models.out_of_corpus", &self.out_of_corpus),
            ("models.pairwise", &self.pairwise),
        ];
        jobs.into_iter().filter_map(|(key, job)| Some((key, job.as_ref()?)))
    }
}

impl Default for ModelSettings {
    fn default() -> Self {
        let budget = BudgetPolicy::default();
        let local =
            ServerSettings { kind: ServerKind::Ollama, url: "http://localhost:11434".to_owned(), key_variable: None };
        let allowed = [("llama3.2", 8_192, 1_024), ("qwen3:8b", 32_768, 2_048), ("deepseek-r1:32b", 65_536, 4_096)];
        let allowed = allowed.map(|(name, context_window, max_response)| {
            (name.to_owned(), AllowedSettings { context_window, max_response, tokenizer: None })
        });
        Self {
            servers: BTreeMap::from([("local".to_owned(), local)]),
            allowed: BTreeMap::from(allowed),
            answer: None,
            answer_also: Vec::new(),
            stand_in: None,
            outline: None,
            planning: None,
            routing: None,
            judge: None,
            out_of_corpus: None,
            pairwise: None,
            embedder: None,
            reranker: None,
            temperature: 0.1,
            connect_timeout_ms: 3_000,
            first_token_timeout_ms: 30_000,
            gap_timeout_ms: 10_000,
            timeout_ms: 60_000,
            context_tokens_max: budget.context_max,
            history_tokens_max: budget.history_max,
            response_tokens_max: budget.response_max,
            system_tokens_reserved: budget.system_reserved,
        }
    }
}
