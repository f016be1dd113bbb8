//! Environment variables over the file's settings: the names of the RAG service, and `VOUCH_SECTION_KEY` for the rest.

use anyhow::{Context, bail};
use serde_json::{Value, json};

use super::Settings;

/// Names of environment variables that other RAG services use, and the keys they set here.
const KNOWN: &[(&str, &str, &str)] = &[
    ("RAG_MIN_SIMILARITY_SCORE", "judge", "relevance_floor"),
    ("RAG_MAX_CHUNKS_PER_DOC", "judge", "passages_per_document_max"),
    ("RAG_TOTAL_CONTEXT_CHUNKS", "judge", "passages_max"),
    ("RAG_CHUNK_OVERLAP_THRESHOLD", "judge", "duplicate_similarity"),
    ("RAG_TEMPERATURE", "models", "temperature"),
    ("RAG_MAX_CONTEXT_TOKENS", "models", "context_tokens_max"),
    ("RAG_MAX_HISTORY_TOKENS", "models", "history_tokens_max"),
    ("RAG_MAX_RESPONSE_TOKENS", "models", "response_tokens_max"),
    ("RAG_SYSTEM_PROMPT_TOKENS", "models", "system_tokens_reserved"),
];

/// Settings, and which variable set which key.
#[derive(Debug)]
pub(super) struct OverlaidSettings {
    pub(super) settings: Settings,
    pub(super) changed: Vec<(String, String)>,
}

pub(super) fn overlay(
    settings: Settings,
    variables: impl Iterator<Item = (String, String)>,
) -> anyhow::Result<OverlaidSettings> {
    let mut tree = serde_json::to_value(&settings).context("settings cannot be written as JSON")?;
    let mut changed: Vec<(String, String)> = Vec::new();
    let mut variables: Vec<(String, String)> = variables.collect();
    variables.sort();
    for (name, text) in variables {
        let known = KNOWN.iter().find(|(known, _, _)| *known == name).map(|(_, section, key)| (*section, *key));
        if let Some((section, key)) = known {
            set(&mut tree, section, key, &text);
            changed.push((format!("{section}.{key}"), name));
        } else if name == "RAG_TIMEOUT_SECONDS" {
            let seconds: f64 = text.trim().parse().with_context(|| format!("{name} must be a number of seconds"))?;
            for (section, key) in [("compose", "writer_timeout_ms"), ("models", "timeout_ms")] {
                set(&mut tree, section, key, &format!("{:.0}", seconds * 1e3));
                changed.push((format!("{section}.{key}"), name.clone()));
            }
        } else if name == "RAG_CONFIDENCE_THRESHOLD" {
            // In a profile that routes to people, less certain answers go to a person; elsewhere they are refused.
            let routes = tree.pointer("/decide/route_below").is_some_and(|below| !below.is_null());
            let key = if routes { "route_below" } else { "confidence_at_least" };
            set(&mut tree, "decide", key, &text);
            changed.push((format!("decide.{key}"), name));
        } else if name == "OLLAMA_BASE_URL" {
            if let Some(servers) = tree.pointer_mut("/models/servers") {
                servers["local"] = json!({ "kind": "ollama", "url": text });
            }
            changed.push(("models.servers".to_owned(), name));
        } else if name == "CHAT_MODEL" {
            if let Some(answer) = tree.pointer_mut("/models/answer") {
                match (text.trim(), answer.is_object()) {
                    ("" | "extractive", _) => *answer = Value::Null,
                    (model, true) => answer["model"] = json!(model),
                    (model, false) => *answer = json!({ "server": "local", "model": model }),
                }
            }
            changed.push(("models.answer".to_owned(), name));
        } else if let Some(path) = name.strip_prefix("VOUCH_") {
            let lower = path.to_lowercase();
            let Some((section, key)) = lower.split_once('_') else { continue };
            if set(&mut tree, section, key, &text) {
                changed.push((format!("{section}.{key}"), name));
            } else if tree.get(section).is_some_and(Value::is_object) && !names(&tree, &name) {
                bail!("{name} sets nothing: the settings have no {section}.{key}");
            }
        }
    }
    if changed.is_empty() {
        return Ok(OverlaidSettings { settings, changed });
    }
    let names: Vec<&str> = changed.iter().map(|(_, name)| name.as_str()).collect();
    let settings =
        serde_json::from_value(tree).with_context(|| format!("one of {} has an invalid value", names.join(", ")))?;
    Ok(OverlaidSettings { settings, changed })
}

/// Sets an existing key; returns whether there was one.
fn set(tree: &mut Value, section: &str, key: &str, text: &str) -> bool {
    let Some(place) = tree.get_mut(section).and_then(|section| section.get_mut(key)) else { return false };
    *place = match place {
        Value::String(_) => Value::String(text.to_owned()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            serde_json::from_str(text.trim()).unwrap_or_else(|_| Value::String(text.to_owned()))
        }
    };
    true
}

/// Whether a setting is this very text, as one is that names the variable of a secret.
fn names(tree: &Value, text: &str) -> bool {
    match tree {
        Value::String(own) => own == text,
        Value::Array(all) => all.iter().any(|one| names(one, text)),
        Value::Object(all) => all.values().any(|one| names(one, text)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{Settings, overlay};

    fn with(name: &str, value: &str) -> anyhow::Result<Settings> {
        overlay(Settings::default(), [(name.to_owned(), value.to_owned())].into_iter()).map(|done| done.settings)
    }

    #[test]
    fn a_known_name_overrides_its_setting() {
        let settings = with("RAG_TOTAL_CONTEXT_CHUNKS", "7").expect("valid");
        assert_eq!(settings.judge.passages_max, 7);
    }

    #[test]
    fn any_key_can_be_set_by_section_and_name() {
        let settings = with("VOUCH_DECIDE_REFUSAL_MESSAGE", "No.").expect("valid");
        assert_eq!(settings.decide.refusal_message, "No.");
    }

    #[test]
    fn a_key_that_no_section_has_is_an_error_and_the_name_of_a_secret_is_none() {
        let error = with("VOUCH_SERVE_REQUIRE_KEY", "true").expect_err("it is require_keys");
        assert!(error.to_string().contains("no serve.require_key"), "{error}");
        assert!(with("VOUCH_HISTORIES", "3").is_ok() && with("VOUCH_NOTHING_OF_OURS", "3").is_ok());
        let mut settings = Settings::default();
        settings.decide.refusal_message = "VOUCH_SERVE_SECRET".to_owned();
        let named = [("VOUCH_SERVE_SECRET".to_owned(), "x".to_owned())].into_iter();
        assert!(overlay(settings, named).is_ok());
    }

    #[test]
    fn a_value_that_does_not_fit_is_named() {
        let error = with("RAG_MAX_CHUNKS_PER_DOC", "many").expect_err("not a number");
        assert!(error.to_string().contains("RAG_MAX_CHUNKS_PER_DOC"), "{error}");
    }

    #[test]
    fn a_chat_model_writes_and_extractive_does_without() {
        let settings = with("CHAT_MODEL", "qwen3:8b").expect("valid");
        let answer = settings.models.answer.expect("a job");
        assert_eq!((answer.server.as_str(), answer.model.as_str()), ("local", "qwen3:8b"));
        assert_eq!(with("CHAT_MODEL", "extractive").expect("valid").models.answer, None);
        let settings = with("OLLAMA_BASE_URL", "http://llm.example:1").expect("valid");
        assert_eq!(
            settings.models.servers.get("local").map(|server| server.url.as_str()),
            Some("http://llm.example:1")
        );
    }

    #[test]
    fn seconds_become_milliseconds() {
        assert_eq!(with("RAG_TIMEOUT_SECONDS", "2.5").expect("valid").compose.writer_timeout_ms, 2_500);
    }
}
