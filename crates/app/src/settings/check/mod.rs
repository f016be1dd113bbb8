//! Settings → policies: every figure within its bounds, or the key that is not.

mod breakers;
mod models;
mod oidc;
mod writing;

use std::time::Duration;

use vouch_engine::policy::{
    AddressScheme, DiversityPolicy, GatePolicy, IngestPolicy, JudgePolicy, MemoryPolicy, Policies, RetrievePolicy,
    TerminologyPolicy, Thresholds, UnderstandPolicy,
};
use vouch_engine::trace::RewriteKind;

use super::{
    AddressSettings, GateSettings, JudgeModel, MemorySettings, RewriteName, ServeSettings, Settings, TermSource,
};

/// A key whose value cannot be used.
#[derive(Debug)]
pub(super) struct SettingError {
    pub(super) key: &'static str,
    pub(super) sentence: String,
}

pub(super) fn policies(settings: &Settings) -> Result<Policies, SettingError> {
    bounds(settings)?;
    let addresses = settings.understand.addresses.iter().map(address).collect::<Result<Vec<_>, _>>()?;
    let (retrieve, judge, terminology) = (&settings.retrieve, &settings.judge, &settings.terminology);
    Ok(Policies {
        understand: UnderstandPolicy {
            question_chars_max: settings.understand.question_chars_max,
            addresses: addresses.clone(),
            kind_names: kind_names(settings),
            rewrites: settings.understand.rewrites.iter().map(rewrite).collect(),
            rewrites_max: settings.understand.rewrites_max,
        },
        terminology: TerminologyPolicy {
            language: terminology.language.clone(),
            timeout: Duration::from_millis(terminology.timeout_ms),
            cache_max: terminology.cache_max,
            cache_ttl: Duration::from_secs(terminology.cache_ttl_s),
            synonyms: terminology.source != TermSource::Skosmos,
        },
        retrieve: RetrievePolicy {
            lane_limit: retrieve.lane_limit,
            dense_weight: retrieve.dense_weight,
            lexical_weight: retrieve.lexical_weight,
            rewrite_weight: retrieve.rewrite_weight,
            rare_holders_max: retrieve.rare_holders_max,
            pool_max: retrieve.pool_max,
            lane_timeout: Duration::from_millis(retrieve.lane_timeout_ms),
        },
        memory: memory(&settings.memory),
        judge: JudgePolicy {
            relevance_floor: judge.relevance_floor,
            relevance_floor_unread: judge.relevance_floor_unread,
            thresholds: Thresholds::default(),
            duplicate_similarity: judge.duplicate_similarity,
            passages_per_document_max: judge.passages_per_document_max,
            passages_max: judge.passages_max,
            kind_reserves: judge.kind_reserves.iter().map(|(kind, least)| (kind.clone(), *least)).collect(),
            kind_boost: judge.kind_boost,
            diversity: judge.diversity.map(|own| DiversityPolicy {
                fetch: own.fetch,
                keep: own.keep,
                relevance_share: own.relevance_share,
            }),
            read_max: judge.read_max,
            reading_weight: judge.reading_weight,
            read_timeout: Duration::from_millis(judge.read_timeout_ms),
            gates: judge.gates.iter().map(gate).collect::<Result<_, _>>()?,
        },
        compose: writing::compose(settings),
        verify: writing::verify(&settings.verify),
        decide: writing::decide(&settings.decide)?,
        ingest: IngestPolicy {
            addresses,
            passage_tokens: settings.ingest.passage_tokens,
            batch_passages: settings.ingest.batch_passages,
            passages_max: settings.ingest.passages_max,
        },
    })
}

/// Every figure within its bounds.
fn bounds(settings: &Settings) -> Result<(), SettingError> {
    let (retrieve, judge) = (&settings.retrieve, &settings.judge);
    check_range("understand.question_chars_max", settings.understand.question_chars_max, 1, 100_000)?;
    let terminology = &settings.terminology;
    check_range("terminology.timeout_ms", terminology.timeout_ms, 1, 60_000)?;
    check_range("terminology.cache_max", terminology.cache_max, 0, 10_000_000)?;
    check_range("terminology.cache_ttl_s", terminology.cache_ttl_s, 0, 604_800)?;
    if terminology.source == TermSource::Skosmos && terminology.skosmos_url.is_none() {
        let sentence = "must be set, since terminology.source is skosmos".to_owned();
        return Err(SettingError { key: "terminology.skosmos_url", sentence });
    }
    check_range("retrieve.lane_limit", retrieve.lane_limit, 1, 10_000)?;
    check_range("retrieve.pool_max", retrieve.pool_max, 1, 10_000)?;
    check_range("retrieve.lane_timeout_ms", retrieve.lane_timeout_ms, 1, 600_000)?;
    check_range("retrieve.dense_weight", retrieve.dense_weight, 0.0, 100.0)?;
    check_range("retrieve.lexical_weight", retrieve.lexical_weight, 0.0, 100.0)?;
    check_range("judge.relevance_floor", judge.relevance_floor, 0.0, 1.0)?;
    check_range("understand.rewrites_max", settings.understand.rewrites_max, 0, 16)?;
    check_range("retrieve.rewrite_weight", retrieve.rewrite_weight, 0.0, 1.0)?;
    check_range("retrieve.rare_holders_max", retrieve.rare_holders_max, 0, 100)?;
    memory_bounds(&settings.memory)?;
    check_range("judge.relevance_floor_unread", judge.relevance_floor_unread, 0.0, 1.0)?;
    check_range("judge.kind_boost", judge.kind_boost, 0.0, 10.0)?;
    for least in judge.kind_reserves.values() {
        check_range("judge.kind_reserves", *least, 0, 100)?;
    }
    if let Some(diversity) = judge.diversity {
        check_range("judge.diversity", diversity.fetch, 1, 1_000)?;
        check_range("judge.diversity", diversity.keep, 1, 1_000)?;
        check_range("judge.diversity", diversity.relevance_share, 0.0, 1.0)?;
    }
    check_range("judge.duplicate_similarity", judge.duplicate_similarity, 0.0, 1.0)?;
    check_range("judge.passages_per_document_max", judge.passages_per_document_max, 1, 1_000)?;
    check_range("judge.passages_max", judge.passages_max, 1, 1_000)?;
    check_range("judge.read_max", judge.read_max, 1, 100)?;
    check_range("judge.reading_weight", judge.reading_weight, 0.0, 100.0)?;
    check_range("judge.read_timeout_ms", judge.read_timeout_ms, 1, 600_000)?;
    check_range("verify.support_at_least", settings.verify.support_at_least, 0.0, 1.0)?;
    check_range("verify.support_timeout_ms", settings.verify.support_timeout_ms, 1, 600_000)?;
    let asks_judge = judge.gates.iter().any(|gate| matches!(gate, GateSettings::Answerability { .. }));
    if judge.model == JudgeModel::None && asks_judge {
        let sentence = "has the gate answerability, which needs a judge, and judge.model is none".to_owned();
        return Err(SettingError { key: "judge.gates", sentence });
    }
    check_range("compose.sentences_max", settings.compose.sentences_max, 1, 100)?;
    check_range("compose.writer_timeout_ms", settings.compose.writer_timeout_ms, 1, 3_600_000)?;
    check_range("decide.confidence_at_least", settings.decide.confidence_at_least.unwrap_or(0), 0, 100)?;
    check_range("decide.fallback_confidence_at_least", settings.decide.fallback_confidence_at_least, 0, 100)?;
    breakers::check(&settings.circuit_breaker)?;
    models::bounds(&settings.models)?;
    serve_bounds(&settings.serve)?;
    oidc::bounds(settings.serve.oidc.as_ref())?;
    check_range("audit.keep_days", settings.audit.keep_days.unwrap_or(1), 1, 36_500)?;
    check_range("audit.bytes_max", settings.audit.bytes_max, 1 << 20, 1 << 50)?;
    check_range("audit.check_timeout_ms", settings.audit.check_timeout_ms, 1, 60_000)?;
    if settings.models.out_of_corpus.is_some() && settings.compose.out_of_corpus_disclaimer.is_none() {
        let sentence = "must be set, since models.out_of_corpus is".to_owned();
        return Err(SettingError { key: "compose.out_of_corpus_disclaimer", sentence });
    }
    check_range("decide.suggestions_max", settings.decide.suggestions_max, 0, 10)?;
    check_range("ingest.passage_tokens", settings.ingest.passage_tokens, 20, 400)?;
    check_range("ingest.batch_passages", settings.ingest.batch_passages, 1, 10_000)?;
    check_range("ingest.passages_max", settings.ingest.passages_max, 1, 1_000_000)?;
    check_range("ingest.file_bytes_max", settings.ingest.file_bytes_max, 1, 1 << 32)?;
    if settings.decide.refusal_message.trim().is_empty() {
        return Err(SettingError { key: "decide.refusal_message", sentence: "must not be empty".to_owned() });
    }
    Ok(())
}

fn serve_bounds(serve: &ServeSettings) -> Result<(), SettingError> {
    check_range("serve.running_max", serve.running_max, 1, 10_000)?;
    check_range("serve.waiting_max", serve.waiting_max, 0, 100_000)?;
    check_range("serve.timeout_ms", serve.timeout_ms, 1, 3_600_000)?;
    check_range("serve.body_bytes_max", serve.body_bytes_max, 1_024, 64 << 20)?;
    check_range("serve.connections_max", serve.connections_max, 1, 100_000)?;
    check_range("serve.connections_per_address", serve.connections_per_address, 1, 100_000)?;
    check_range("serve.head_timeout_ms", serve.head_timeout_ms, 10, 3_600_000)?;
    check_range("serve.client_timeout_ms", serve.client_timeout_ms, 10, 3_600_000)?;
    check_range("serve.half_closed_ms", serve.half_closed_ms, 0, 3_600_000)?;
    check_range("serve.shutdown_ms", serve.shutdown_ms, 0, 3_600_000)?;
    let is_web = |url: &str| url.starts_with("http://") || url.starts_with("https://");
    if serve.otlp_endpoint.as_deref().is_some_and(|url| !is_web(url)) {
        let sentence = "must be an address such as http://localhost:4318".to_owned();
        return Err(SettingError { key: "serve.otlp_endpoint", sentence });
    }
    Ok(())
}

fn memory_bounds(memory: &MemorySettings) -> Result<(), SettingError> {
    check_range("memory.pinned_at_least", memory.pinned_at_least, 0.0, 1.0)?;
    check_range("memory.border_from", memory.border_from, 0.0, 1.0)?;
    check_range("memory.border_judge_at_least", memory.border_judge_at_least, 0.0, 1.0)?;
    check_range("memory.note_at_least", memory.note_at_least, 0.0, 1.0)?;
    check_range("memory.strong_note_at_least", memory.strong_note_at_least, 0.0, 1.0)?;
    check_range("memory.strong_references_min", memory.strong_references_min, 1, 100)?;
    check_range("memory.reference_relevance", memory.reference_relevance, 0.0, 1.0)?;
    check_range("memory.judge_timeout_ms", memory.judge_timeout_ms, 1, 600_000)
}

fn memory(settings: &MemorySettings) -> MemoryPolicy {
    MemoryPolicy {
        pinned_at_least: settings.pinned_at_least,
        border_from: settings.border_from,
        border_judge_at_least: settings.border_judge_at_least,
        note_at_least: settings.note_at_least,
        strong_note_at_least: settings.strong_note_at_least,
        strong_references_min: settings.strong_references_min,
        reference_relevance: settings.reference_relevance,
        language: settings.language.clone(),
        judge_timeout: Duration::from_millis(settings.judge_timeout_ms),
    }
}

fn rewrite(name: &RewriteName) -> RewriteKind {
    match name {
        RewriteName::Subject => RewriteKind::Subject,
        RewriteName::Spelling => RewriteKind::Spelling,
        RewriteName::SubQuestion => RewriteKind::SubQuestion,
        RewriteName::Item => RewriteKind::Item,
        RewriteName::Synonym => RewriteKind::Synonym,
        RewriteName::Statement => RewriteKind::Statement,
    }
}

/// Every word for a kind, with the kind; a kind is a word for itself.
fn kind_names(settings: &Settings) -> Vec<(String, String)> {
    let names = settings.understand.kind_names.iter();
    names
        .flat_map(|(kind, names)| {
            names.iter().chain(std::iter::once(kind)).map(|name| (name.clone(), kind.clone())).collect::<Vec<_>>()
        })
        .collect()
}

fn address(scheme: &AddressSettings) -> Result<AddressScheme, SettingError> {
    let key = "understand.addresses";
    let compiled = |pattern: &str| {
        let refused = |error: regex::Error| SettingError {
            key,
            sentence: format!("holds a pattern that cannot be read: {error}"),
        };
        regex::RegexBuilder::new(pattern).size_limit(1 << 20).build().map_err(refused)
    };
    let scheme = AddressScheme {
        kind: scheme.kind.clone(),
        pattern: compiled(&scheme.pattern)?,
        normal: scheme.normal.clone(),
        from_name: scheme.from_name.as_deref().map(compiled).transpose()?,
        lead_section: scheme.lead_section.clone(),
    };
    let groups: Vec<&str> = scheme.pattern.capture_names().flatten().collect();
    let parts = scheme.normal.split('{').skip(1).filter_map(|part| part.split(['}', ':']).next());
    for part in parts {
        if !groups.contains(&part) {
            let sentence =
                format!("has the normal form '{}', but its pattern has no group called '{part}'", scheme.normal);
            return Err(SettingError { key, sentence });
        }
    }
    Ok(scheme)
}

fn gate(gate: &GateSettings) -> Result<GatePolicy, SettingError> {
    let share = |value: f32| check_range("judge.gates", value, 0.0, 1.0);
    Ok(match gate {
        GateSettings::Top1 { above } => {
            share(*above)?;
            GatePolicy::Top1 { above: *above }
        }
        GateSettings::Coverage { strong, fair, fair_passages, main_kind } => {
            share(*strong)?;
            share(*fair)?;
            GatePolicy::Coverage {
                strong: *strong,
                fair: *fair,
                fair_passages: *fair_passages,
                main_kind: main_kind.clone(),
            }
        }
        GateSettings::NoContext { hits_min, mean_at_least } => {
            check_range("judge.gates", *hits_min, 1, 1_000)?;
            share(*mean_at_least)?;
            GatePolicy::NoContext { hits_min: *hits_min, mean_at_least: *mean_at_least }
        }
        GateSettings::BailOut { below } => {
            share(*below)?;
            GatePolicy::BailOut { below: *below }
        }
        GateSettings::Keywords { warn_below } => {
            share(*warn_below)?;
            GatePolicy::Keywords { warn_below: *warn_below }
        }
        GateSettings::Answerability { at_least } => {
            share(*at_least)?;
            GatePolicy::Answerability { at_least: *at_least }
        }
        GateSettings::QueryCoverage { at_least } => {
            share(*at_least)?;
            GatePolicy::QueryCoverage { at_least: *at_least }
        }
    })
}

fn check_range<T: PartialOrd + std::fmt::Display + Copy>(
    key: &'static str,
    value: T,
    low: T,
    high: T,
) -> Result<(), SettingError> {
    if value >= low && value <= high {
        return Ok(());
    }
    Err(SettingError { key, sentence: format!("is {value}, it must lie between {low} and {high}") })
}

#[cfg(test)]
mod tests {
    use super::{Settings, policies};

    #[test]
    fn the_defaults_are_the_engines_own() {
        assert_eq!(policies(&Settings::default()).ok(), Some(vouch_engine::policy::Policies::default()));
    }

    #[test]
    fn a_figure_out_of_bounds_names_its_key() {
        let mut settings = Settings::default();
        settings.judge.relevance_floor = 1.5;
        assert_eq!(policies(&settings).err().map(|wrong| wrong.key), Some("judge.relevance_floor"));
    }
}
