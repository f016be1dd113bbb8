//! The models the settings name → a registry of them by job, and an embedder behind a server where one is named.

use std::{collections::BTreeMap, path::Path, sync::Arc, time::Duration};

use anyhow::Context;
use vouch_adapters::{
    model_server::EmbedderSettings,
    ollama::{Ollama, OllamaEmbedder, OllamaSettings},
    openai_compatible::{HttpReranker, OpenAiCompatible, OpenAiEmbedder, OpenAiSettings, RerankerSettings},
};
use vouch_domain::{
    Fault, PortError, RelevanceMap,
    ports::{Embedder, LanguageModel, Reranker, TokenCounter},
};
use vouch_engine::{
    breaker::{GuardedModel, GuardedReranker},
    model_registry::{EstimatedTokens, JobModel, ModelLimits, ModelRegistry},
};
use vouch_models::{TokenizerFile, relevance_map};

use super::breakers::Breakers;
use crate::settings::{EmbedderJob, HelpingJob, JobSettings, ModelSettings, RerankerJob, ServerKind, ServerSettings};

/// Every job's model; a server is spoken to first when it is first needed.
pub(super) fn model_registry(
    settings: &ModelSettings,
    breakers: &mut Breakers<'_>,
) -> Result<ModelRegistry, PortError> {
    let allowed = limits(settings)?;
    let mut job_model = |job: &Option<JobSettings>| match job {
        None => Ok(None),
        Some(job) => job_model(job, settings, &allowed, breakers).map(Some),
    };
    let on_request = on_request(settings);
    Ok(ModelRegistry {
        routing: job_model(settings.helper(HelpingJob::Routing))?,
        planning: job_model(settings.helper(HelpingJob::Planning))?,
        outline: job_model(settings.helper(HelpingJob::Outline))?,
        answer: job_model(&settings.answer)?,
        stand_in: job_model(&settings.stand_in)?,
        on_request: job_model(&on_request)?,
        judge: job_model(&settings.judge)?,
        out_of_corpus: job_model(&settings.out_of_corpus)?,
        allowed,
    })
}

/// The model that compares answers, which no walk asks.
pub(super) fn pairwise_model(
    settings: &ModelSettings,
    breakers: &mut Breakers<'_>,
) -> Result<Option<JobModel>, PortError> {
    let Some(job) = &settings.pairwise else { return Ok(None) };
    job_model(job, settings, &limits(settings)?, breakers).map(Some)
}

/// What each allowed model may read and write.
fn limits(settings: &ModelSettings) -> Result<BTreeMap<String, ModelLimits>, PortError> {
    let mut allowed: BTreeMap<String, ModelLimits> = BTreeMap::new();
    for (name, own) in &settings.allowed {
        let counter: Arc<dyn TokenCounter> = match &own.tokenizer {
            Some(path) => Arc::new(TokenizerFile::load(Path::new(path))?),
            None => Arc::new(EstimatedTokens),
        };
        let (context_window, response_tokens_max) =
            (own.context_window, own.max_response.min(settings.response_tokens_max));
        allowed.insert(name.clone(), ModelLimits { context_window, response_tokens_max, counter });
    }
    Ok(allowed)
}

/// The job of a model that is asked for by name where none writes by default: at the server `local`, or at the only one.
fn on_request(settings: &ModelSettings) -> Option<JobSettings> {
    let only = || settings.servers.keys().next().filter(|_| settings.servers.len() == 1);
    let server = settings.servers.keys().find(|name| *name == "local").or_else(only)?;
    let model = settings.allowed.keys().next()?;
    settings.answer.is_none().then(|| JobSettings::at(server, model))
}

fn job_model(
    job: &JobSettings,
    settings: &ModelSettings,
    allowed: &BTreeMap<String, ModelLimits>,
    breakers: &mut Breakers<'_>,
) -> Result<JobModel, PortError> {
    let unknown = || {
        PortError::new("models", Fault::Invalid, format!("model '{}' is not configured in models.allowed", job.model))
    };
    let mut own = allowed.get(&job.model).ok_or_else(unknown)?.clone();
    own.response_tokens_max = own.response_tokens_max.min(job.max_response.unwrap_or(usize::MAX));
    let milliseconds = |own: Option<u64>, all: u64| Duration::from_millis(own.unwrap_or(all));
    let server = server(settings.servers.get(&job.server).ok_or_else(unknown)?, settings)?;
    Ok(JobModel {
        server: Arc::new(GuardedModel::new(server, breakers.llm(&job.server))),
        model: job.model.clone(),
        allowed: own,
        temperature: job.temperature.unwrap_or(settings.temperature),
        first_token_timeout: milliseconds(job.first_token_timeout_ms, settings.first_token_timeout_ms),
        gap_timeout: milliseconds(job.gap_timeout_ms, settings.gap_timeout_ms),
        timeout: milliseconds(job.timeout_ms, settings.timeout_ms),
    })
}

fn server(server: &ServerSettings, settings: &ModelSettings) -> Result<Arc<dyn LanguageModel>, PortError> {
    Ok(match server.kind {
        ServerKind::Ollama => Arc::new(Ollama::new(&ollama(server, settings))?),
        ServerKind::Openai => Arc::new(OpenAiCompatible::new(&openai(server, settings)?)?),
    })
}

fn ollama(server: &ServerSettings, settings: &ModelSettings) -> OllamaSettings {
    let connect_timeout = Duration::from_millis(settings.connect_timeout_ms);
    OllamaSettings { base_url: server.url.clone(), connect_timeout }
}

fn openai(server: &ServerSettings, settings: &ModelSettings) -> Result<OpenAiSettings, PortError> {
    let key = |name: &String| {
        let missing = |_| {
            PortError::new(
                "models",
                Fault::Invalid,
                format!("the environment variable {name} is not set; it must hold the server's key"),
            )
        };
        std::env::var(name).map_err(missing)
    };
    let api_key = server.key_variable.as_ref().map(key).transpose()?;
    let connect_timeout = Duration::from_millis(settings.connect_timeout_ms);
    Ok(OpenAiSettings { base_url: server.url.clone(), api_key, connect_timeout })
}

/// The embedder a server runs.
pub(super) fn embedder(job: &EmbedderJob, settings: &ModelSettings) -> anyhow::Result<Arc<dyn Embedder>> {
    let server =
        settings.servers.get(&job.server).context("models.embedder names a server that is not in models.servers")?;
    let own = EmbedderSettings {
        model: job.model.clone(),
        dimensions: job.dimensions,
        batch_max: job.batch_max,
        timeout: Duration::from_millis(job.timeout_ms),
        relevance_map: map(&job.relevance_map)?,
        likeness_map: map(&job.likeness_map)?,
    };
    Ok(match server.kind {
        ServerKind::Ollama => Arc::new(OllamaEmbedder::new(&ollama(server, settings), own)?),
        ServerKind::Openai => Arc::new(OpenAiEmbedder::new(&openai(server, settings)?, own)?),
    })
}

/// The reranker a server runs.
pub(super) fn reranker(
    job: &RerankerJob,
    settings: &ModelSettings,
    breakers: &mut Breakers<'_>,
) -> Result<Arc<dyn Reranker>, PortError> {
    let unknown =
        || PortError::new("models", Fault::Invalid, "models.reranker names a server that is not in models.servers");
    let server = openai(settings.servers.get(&job.server).ok_or_else(unknown)?, settings)?;
    let own = RerankerSettings { model: job.model.clone(), timeout: Duration::from_millis(job.timeout_ms) };
    let reranker = Arc::new(HttpReranker::new(&server, own)?);
    Ok(Arc::new(GuardedReranker::new(reranker, breakers.reranker())))
}

/// How its cosines are read: the map a file holds, or the cosines as they are.
fn map(path: &Option<String>) -> anyhow::Result<RelevanceMap> {
    let Some(path) = path else {
        return RelevanceMap::from_knots(vec![(-1.0, 0.0), (0.0, 0.0), (1.0, 1.0)]).context("a plain map");
    };
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {path}"))?;
    relevance_map(&text)
        .with_context(|| format!("{path} has no relevance map (`vouch-bench fit-relevance --write` makes one)"))
}
