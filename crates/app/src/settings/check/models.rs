//! Settings of models: every figure within its bounds, every job of a known server and an allowed model.

use super::{
    super::{ModelSettings, ServerKind},
    range::{SettingError, check_range},
};

pub(super) fn bounds(settings: &ModelSettings) -> Result<(), SettingError> {
    check_range("models.temperature", settings.temperature, 0.0, 2.0)?;
    check_range("models.connect_timeout_ms", settings.connect_timeout_ms, 1, 60_000)?;
    check_range("models.first_token_timeout_ms", settings.first_token_timeout_ms, 1, 3_600_000)?;
    check_range("models.gap_timeout_ms", settings.gap_timeout_ms, 1, 3_600_000)?;
    check_range("models.timeout_ms", settings.timeout_ms, 1, 3_600_000)?;
    check_range("models.context_tokens_max", settings.context_tokens_max, 1, 10_000_000)?;
    check_range("models.history_tokens_max", settings.history_tokens_max, 0, 10_000_000)?;
    check_range("models.response_tokens_max", settings.response_tokens_max, 1, 1_000_000)?;
    check_range("models.system_tokens_reserved", settings.system_tokens_reserved, 0, 1_000_000)?;
    for allowed in settings.allowed.values() {
        check_range("models.allowed", allowed.context_window, 256, 100_000_000)?;
        check_range("models.allowed", allowed.max_response, 1, 1_000_000)?;
    }
    if let Some(job) = &settings.embedder {
        let key = "models.embedder";
        if !settings.servers.contains_key(&job.server) {
            let sentence = format!("names the server '{}', which is not in models.servers", job.server);
            return Err(SettingError { key, sentence });
        }
        check_range(key, job.dimensions, 1, 65_536)?;
        check_range(key, job.batch_max, 1, 10_000)?;
        check_range(key, job.timeout_ms, 1, 3_600_000)?;
    }
    if let Some(job) = &settings.reranker {
        let key = "models.reranker";
        let Some(server) = settings.servers.get(&job.server) else {
            let sentence = format!("names the server '{}', which is not in models.servers", job.server);
            return Err(SettingError { key, sentence });
        };
        if server.kind != ServerKind::Openai {
            let sentence = format!("needs a server of kind openai with a path /rerank, and '{}' is none", job.server);
            return Err(SettingError { key, sentence });
        }
        check_range(key, job.timeout_ms, 1, 600_000)?;
    }
    for (key, job) in settings.jobs() {
        if !settings.servers.contains_key(&job.server) {
            return Err(SettingError {
                key,
                sentence: format!("names the server '{}', which is not in models.servers", job.server),
            });
        }
        if !settings.allowed.contains_key(&job.model) {
            return Err(SettingError {
                key,
                sentence: format!("names the model '{}', which is not in models.allowed", job.model),
            });
        }
        check_range(key, job.temperature.unwrap_or_default(), 0.0, 2.0)?;
        check_range(key, job.max_response.unwrap_or(1), 1, 1_000_000)?;
        check_range(key, job.timeout_ms.unwrap_or(1), 1, 3_600_000)?;
        check_range(key, job.first_token_timeout_ms.unwrap_or(1), 1, 3_600_000)?;
        check_range(key, job.gap_timeout_ms.unwrap_or(1), 1, 3_600_000)?;
    }
    Ok(())
}
