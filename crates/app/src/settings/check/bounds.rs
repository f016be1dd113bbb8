//! Every figure within its bounds, or the key that is not; sections in the order of the file.

use vouch_engine::{
    model_registry::is_same_model,
    policy::{BoostPolicy, BreakerPolicy, GatePolicy},
};

use super::{
    super::{JobSettings, JudgeModel, JudgeSettings, PassageOrder, ServeSettings, Settings, StoreSettings, TermSource},
    dense, ingest, models, oidc,
    range::{SettingError, check_range},
    sources,
};

/// Most names of products that passages are looked through for.
const BOOSTED_NAMES_MAX: usize = 1_000;
/// Most questions that are offered to begin with, and the longest, in characters.
const EXAMPLES_MAX: usize = 12;
const EXAMPLE_CHARS_MAX: usize = 200;
/// The most words of a gate that a question must go beyond.
const GENERAL_WORDS_MAX: usize = 500;

/// The bounds of a section; a field that the file calls something else says so with `as`.
macro_rules! bounds {
    ($settings:ident.$section:ident { $($field:ident $(as $key:ident)?: $low:literal ..= $high:expr),+ $(,)? }) => {
        $(check_range(bounds!(@key $section $field $($key)?), $settings.$section.$field, $low, $high)?;)+
    };
    (@key $section:ident $field:ident) => { concat!(stringify!($section), ".", stringify!($field)) };
    (@key $section:ident $field:ident $key:ident) => { concat!(stringify!($section), ".", stringify!($key)) };
}

pub(super) fn check(settings: &Settings) -> Result<(), SettingError> {
    bounds!(settings.understand { question_chars_max: 1..=100_000, rewrites_max: 0..=16 });
    bounds!(settings.terminology { timeout_ms: 1..=60_000, cache_max: 0..=10_000_000, cache_ttl_s: 0..=604_800 });
    if settings.terminology.source == TermSource::Skosmos && settings.terminology.skosmos_url.is_none() {
        return Err(SettingError::new("terminology.skosmos_url", "must be set, since terminology.source is skosmos"));
    }
    bounds!(settings.retrieve {
        lane_limit: 1..=10_000,
        dense_weight: 0.0..=100.0,
        lexical_weight: 0.0..=100.0,
        rewrite_weight: 0.0..=1.0,
        rare_holders_max: 0..=100,
        pool_max: 1..=10_000,
        lane_timeout as lane_timeout_ms: 1..=600_000,
    });
    bounds!(settings.memory {
        pinned_at_least: 0.0..=1.0,
        border_from: 0.0..=1.0,
        border_judge_at_least: 0.0..=1.0,
        border_answer_at_least: 0.0..=1.0,
        note_at_least: 0.0..=1.0,
        strong_note_at_least: 0.0..=1.0,
        strong_references_min: 1..=100,
        reference_relevance: 0.0..=1.0,
        judge_timeout as judge_timeout_ms: 1..=600_000,
    });
    check_judge(settings)?;
    models::bounds(&settings.models)?;
    bounds!(settings.compose { sentences_max: 1..=100, writer_timeout_ms: 1..=3_600_000 });
    if settings.models.out_of_corpus.is_some() && settings.compose.out_of_corpus_disclaimer.is_none() {
        return Err(SettingError::new(
            "compose.out_of_corpus_disclaimer",
            "must be set, since models.out_of_corpus is",
        ));
    }
    bounds!(settings.verify { support_at_least: 0.0..=1.0, support_timeout as support_timeout_ms: 1..=600_000 });
    check_judge_model(settings)?;
    if settings.decide.refusal_message.trim().is_empty() {
        return Err(SettingError::new("decide.refusal_message", "must not be empty"));
    }
    check_range("decide.confidence_at_least", settings.decide.confidence_at_least.unwrap_or(0), 0, 100)?;
    bounds!(settings.decide { fallback_confidence_at_least: 0..=100, suggestions_max: 0..=10 });
    check_breaker("circuit_breaker.embeddings", &settings.circuit_breaker.embeddings)?;
    check_breaker("circuit_breaker.llm", &settings.circuit_breaker.llm)?;
    check_breaker("circuit_breaker.skosmos", &settings.circuit_breaker.skosmos)?;
    bounds!(settings.ingest {
        passage_tokens: 20..=400,
        batch_passages: 1..=10_000,
        passages_max: 1..=1_000_000,
        file_bytes_max: 1..=1 << 32,
        parse_timeout_ms: 100..=3_600_000,
        parse_memory_bytes_max: 268_435_456..=1 << 40,
    });
    ingest::check(&settings.ingest)?;
    check_serve(settings)?;
    sources::bounds(settings)?;
    check_range("audit.keep_days", settings.audit.keep_days.unwrap_or(1), 1, 36_500)?;
    bounds!(settings.audit { bytes_max: 1_048_576..=1 << 50, check_timeout_ms: 1..=60_000 });
    dense::check(settings)?;
    check_store(&settings.store)
}

fn check_store(store: &StoreSettings) -> Result<(), SettingError> {
    if let Some(postgres) = &store.postgres {
        if postgres.url.is_some() == postgres.url_variable.is_some() {
            return Err(SettingError::new("store.postgres", "needs one of url and url_variable"));
        }
        check_range("store.postgres.connections_max", postgres.connections_max, 2, 1_000)?;
        check_range("store.postgres.timeout_ms", postgres.timeout_ms, 100, 600_000)?;
    }
    if let Some(snapshots) = &store.snapshots {
        if store.postgres.is_none() {
            return Err(SettingError::new(
                "store.snapshots",
                "needs store.postgres: nodes of a database start from them",
            ));
        }
        check_range("store.snapshots.keep", snapshots.keep, 1, 40)?;
        check_range("store.snapshots.every_hours", snapshots.every_hours.unwrap_or(1), 1, 8_760)?;
    }
    check_range("store.keep_versions_days", store.keep_versions_days.unwrap_or(1), 1, 36_500)?;
    Ok(())
}

/// A model that is to judge sentences is named, and is not the one that writes them.
fn check_judge_model(settings: &Settings) -> Result<(), SettingError> {
    if !settings.verify.ask_judge_model {
        return Ok(());
    }
    let key = "verify.ask_judge_model";
    let Some(judge) = &settings.models.judge else {
        return Err(SettingError::new(key, "is true, but models.judge names no model to ask"));
    };
    let writes = |answer: &JobSettings| is_same_model(&answer.model, &judge.model);
    match settings.models.answer.as_ref().is_some_and(writes) {
        true => {
            Err(SettingError::new(key, "is true, but models.judge is the model that writes, which cannot judge itself"))
        }
        false => Ok(()),
    }
}

fn check_judge(settings: &Settings) -> Result<(), SettingError> {
    bounds!(settings.judge {
        relevance_floor: 0.0..=1.0,
        relevance_floor_unread: 0.0..=1.0,
        duplicate_similarity: 0.0..=1.0,
        passages_per_document_max: 1..=1_000,
        passages_max: 1..=1_000,
        kind_boost: 0.0..=10.0,
        read_max: 1..=100,
        reading_weight: 0.0..=100.0,
        read_timeout_ms: 1..=600_000,
    });
    let JudgeSettings { kind_reserves, boosts, diversity, model, order, gates, .. } = &settings.judge;
    for least in kind_reserves.values() {
        check_range("judge.kind_reserves", *least, 0, 100)?;
    }
    check_boosts(boosts)?;
    if let Some(diversity) = diversity {
        check_range("judge.diversity", diversity.fetch, 1, 1_000)?;
        check_range("judge.diversity", diversity.keep, 1, 1_000)?;
        check_range("judge.diversity", diversity.relevance_share, 0.0, 1.0)?;
    }
    let reranker = &settings.models.reranker;
    if *order == PassageOrder::Blended && reranker.is_some() {
        return Err(SettingError::new("models.reranker", "is only used with judge.order: reranked"));
    }
    if *order == PassageOrder::Reranked && *model == JudgeModel::None && reranker.is_none() {
        return Err(SettingError::new(
            "judge.order",
            "is reranked, which needs models.reranker or a judge, but judge.model is none",
        ));
    }
    let asks_judge = gates.iter().any(|gate| matches!(gate, GatePolicy::Answerability { .. }));
    if *model == JudgeModel::None && asks_judge {
        return Err(SettingError::new(
            "judge.gates",
            "has the gate answerability, which needs a judge, but judge.model is none",
        ));
    }
    gates.iter().try_for_each(check_gate)
}

/// Names that can stand in a text, and not so many that every question waits for them.
fn check_boosts(boosts: &BoostPolicy) -> Result<(), SettingError> {
    check_range("judge.boosts", boosts.name, 0.0, 1.0)?;
    check_range("judge.boosts", boosts.section, 0.0, 1.0)?;
    if boosts.names.len() > BOOSTED_NAMES_MAX {
        return Err(SettingError::new("judge.boosts", &format!("names more than {BOOSTED_NAMES_MAX} products")));
    }
    match boosts.names.iter().any(|name| !name.contains(char::is_alphanumeric)) {
        true => Err(SettingError::new("judge.boosts", "has a name without a letter or a digit")),
        false => Ok(()),
    }
}

fn check_gate(gate: &GatePolicy) -> Result<(), SettingError> {
    let share = |value: f32| check_range("judge.gates", value, 0.0, 1.0);
    match gate {
        GatePolicy::BailOut { below: value }
        | GatePolicy::Keywords { warn_below: value }
        | GatePolicy::Answerability { at_least: value }
        | GatePolicy::QueryCoverage { at_least: value } => share(*value),
        GatePolicy::Top1 { above, sure_reading } => {
            [Some(*above), *sure_reading].into_iter().flatten().try_for_each(share)
        }
        GatePolicy::Constraints => Ok(()),
        GatePolicy::Specific { beyond } if beyond.len() > GENERAL_WORDS_MAX => {
            Err(SettingError::new("judge.gates", &format!("has a gate with more than {GENERAL_WORDS_MAX} words")))
        }
        GatePolicy::Specific { .. } => Ok(()),
        GatePolicy::Coverage { strong, fair, sure_reading, .. } => {
            [Some(*strong), Some(*fair), *sure_reading].into_iter().flatten().try_for_each(share)
        }
        GatePolicy::NoContext { hits_min, mean_at_least, sure_reading } => {
            check_range("judge.gates", *hits_min, 1, 1_000)?;
            [Some(*mean_at_least), *sure_reading].into_iter().flatten().try_for_each(share)
        }
    }
}

fn check_breaker(key: &'static str, policy: &BreakerPolicy) -> Result<(), SettingError> {
    check_range(key, policy.failure_threshold, 1, 1_000)?;
    check_range(key, policy.success_threshold, 1, 1_000)?;
    check_range(key, policy.open_for.as_secs(), 1, 86_400)
}

fn check_serve(settings: &Settings) -> Result<(), SettingError> {
    bounds!(settings.serve {
        running_max: 1..=10_000,
        waiting_max: 0..=100_000,
        timeout_ms: 1..=3_600_000,
        body_bytes_max: 1_024..=64 << 20,
        file_bytes_max: 1_024..=256 << 20,
        connections_max: 1..=100_000,
        connections_per_address: 1..=100_000,
        head_timeout_ms: 10..=3_600_000,
        client_timeout_ms: 10..=3_600_000,
        half_closed_ms: 0..=3_600_000,
        shutdown_ms: 0..=3_600_000,
    });
    let ServeSettings { oidc, otlp_endpoint, examples, .. } = &settings.serve;
    let is_web = |url: &str| url.starts_with("http://") || url.starts_with("https://");
    if otlp_endpoint.as_deref().is_some_and(|url| !is_web(url)) {
        return Err(SettingError::new("serve.otlp_endpoint", "must be an address such as http://localhost:4318"));
    }
    examples_fault(examples).map_or(Ok(()), |sentence| Err(SettingError::new("serve.examples", sentence)))?;
    oidc::bounds(oidc.as_ref())
}

/// Why questions cannot be offered to begin with; nothing if they can.
fn examples_fault(examples: &[String]) -> Option<&'static str> {
    let is_question = |text: &String| !text.trim().is_empty() && text.chars().count() <= EXAMPLE_CHARS_MAX;
    if examples.len() > EXAMPLES_MAX {
        Some("must be at most 12 questions")
    } else if !examples.iter().all(is_question) {
        Some("must be questions of 1 to 200 characters")
    } else {
        None
    }
}
