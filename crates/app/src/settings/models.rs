//! Settings of the models that help: where they run, which may be used, and who does which job.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ModelSettings {
    pub(crate) servers: BTreeMap<String, ServerSettings>,
    pub(crate) allowed: BTreeMap<String, AllowedSettings>,
    pub(crate) answer: Option<JobSettings>,
    pub(crate) outline: Option<JobSettings>,
    pub(crate) planning: Option<JobSettings>,
    pub(crate) routing: Option<JobSettings>,
    pub(crate) judge: Option<JobSettings>,
    pub(crate) out_of_corpus: Option<JobSettings>,
    pub(crate) embedder: Option<EmbedderJob>,
    pub(crate) temperature: f32,
    pub(crate) connect_timeout_ms: u64,
    pub(crate) first_token_timeout_ms: u64,
    pub(crate) timeout_ms: u64,
    pub(crate) context_tokens_max: usize,
    pub(crate) history_tokens_max: usize,
    pub(crate) response_tokens_max: usize,
    pub(crate) system_tokens_reserved: usize,
}

/// Where models run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ServerSettings {
    pub(crate) kind: ServerKind,
    pub(crate) url: String,
    /// The environment variable that holds the key; the key itself has no place in a file.
    #[serde(default)]
    pub(crate) key_variable: Option<String>,
}

/// How a server is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ServerKind {
    Ollama,
    Openai,
}

/// A model that may be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AllowedSettings {
    pub(crate) context_window: usize,
    pub(crate) max_response: usize,
    /// A `tokenizer.json` of the model; its tokens are estimated from above where there is none.
    #[serde(default)]
    pub(crate) tokenizer: Option<String>,
}

/// The model for a job; what is not set has the common value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct JobSettings {
    pub(crate) server: String,
    pub(crate) model: String,
    #[serde(default)]
    pub(crate) temperature: Option<f32>,
    #[serde(default)]
    pub(crate) max_response: Option<usize>,
    #[serde(default)]
    pub(crate) first_token_timeout_ms: Option<u64>,
    #[serde(default)]
    pub(crate) timeout_ms: Option<u64>,
}

/// Who turns text into vectors, in the place of the built-in embedder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EmbedderJob {
    pub(crate) server: String,
    pub(crate) model: String,
    pub(crate) dimensions: usize,
    #[serde(default = "batch_max")]
    pub(crate) batch_max: usize,
    #[serde(default = "embed_timeout_ms")]
    pub(crate) timeout_ms: u64,
    #[serde(default)]
    pub(crate) relevance_map: Option<String>,
    #[serde(default)]
    pub(crate) likeness_map: Option<String>,
}

fn batch_max() -> usize {
    32
}

fn embed_timeout_ms() -> u64 {
    30_000
}

impl ModelSettings {
    /// Every job that has a model, by its name in the file.
    pub(crate) fn jobs(&self) -> impl Iterator<Item = (&'static str, &JobSettings)> {
        let jobs = [
            ("models.answer", &self.answer),
            ("models.outline", &self.outline),
            ("models.planning", &self.planning),
            ("models.routing", &self.routing),
            ("models.judge", &self.judge),
            ("models.out_of_corpus", &self.out_of_corpus),
        ];
        jobs.into_iter().filter_map(|(key, job)| Some((key, job.as_ref()?)))
    }
}

impl Default for ModelSettings {
    fn default() -> Self {
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
            outline: None,
            planning: None,
            routing: None,
            judge: None,
            out_of_corpus: None,
            embedder: None,
            temperature: 0.1,
            connect_timeout_ms: 3_000,
            first_token_timeout_ms: 20_000,
            timeout_ms: 30_000,
            context_tokens_max: 3_000,
            history_tokens_max: 1_000,
            response_tokens_max: 1_024,
            system_tokens_reserved: 500,
        }
    }
}
