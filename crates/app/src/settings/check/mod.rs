//! Settings → policies: every figure within its bounds, or the key that is not.

mod agents;
mod bounds;
mod dense;
mod examples;
mod ingest;
mod models;
mod oidc;
mod range;
mod sources;
mod writing;

use std::time::Duration;

use vouch_engine::policy::{
    AddressScheme, IngestPolicy, JudgePolicy, Policies, TerminologyPolicy, Thresholds, UnderstandPolicy,
};

use super::{AddressSettings, Settings, TermSource};
pub(super) use agents::agents;
pub(super) use range::SettingError;

pub(super) fn policies(settings: &Settings) -> Result<Policies, SettingError> {
    bounds::check(settings)?;
    let addresses = settings.understand.addresses.iter().map(address).collect::<Result<Vec<_>, _>>()?;
    let (judge, terminology) = (&settings.judge, &settings.terminology);
    Ok(Policies {
        understand: UnderstandPolicy {
            question_chars_max: settings.understand.question_chars_max,
            addresses: addresses.clone(),
            kind_names: kind_names(settings),
            search_beyond_named: settings.understand.search_beyond_named,
            rewrites: settings.understand.rewrites.clone(),
            rewrites_max: settings.understand.rewrites_max,
        },
        terminology: TerminologyPolicy {
            language: terminology.language.clone(),
            timeout: Duration::from_millis(terminology.timeout_ms),
            cache_max: terminology.cache_max,
            cache_ttl: Duration::from_secs(terminology.cache_ttl_s),
            unknown: terminology.unknown,
            synonyms: terminology.source != TermSource::Skosmos,
            logs_terms: settings.serve.log_questions,
        },
        retrieve: settings.retrieve.clone(),
        memory: settings.memory.clone(),
        judge: JudgePolicy {
            relevance_floor: judge.relevance_floor,
            relevance_floor_unread: judge.relevance_floor_unread,
            thresholds: Thresholds::default(),
            duplicate_similarity: judge.duplicate_similarity,
            passages_per_document_max: judge.passages_per_document_max,
            passages_max: judge.passages_max,
            kind_reserves: judge.kind_reserves.iter().map(|(kind, least)| (kind.clone(), *least)).collect(),
            kind_boost: judge.kind_boost,
            boosts: judge.boosts.clone(),
            diversity: judge.diversity,
            read_max: judge.read_max,
            reading_weight: judge.reading_weight,
            read_timeout: Duration::from_millis(judge.read_timeout_ms),
            gates: judge.gates.clone(),
        },
        compose: writing::compose(settings),
        verify: settings.verify.clone(),
        decide: writing::decide(&settings.decide)?,
        ingest: IngestPolicy {
            addresses,
            passage_tokens: settings.ingest.passage_tokens,
            batch_passages: settings.ingest.batch_passages,
            passages_max: settings.ingest.passages_max,
        },
    })
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
        let refused =
            |error: regex::Error| SettingError { key, sentence: format!("has a pattern that cannot be read: {error}") };
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

#[cfg(test)]
mod tests {
    use super::{Settings, policies};

    #[test]
    fn the_defaults_are_the_engines_own() {
        assert_eq!(policies(&Settings::default()).ok(), Some(vouch_engine::policy::Policies::default()));
    }

    #[test]
    fn boosts_out_of_bounds_name_their_key() {
        use vouch_engine::policy::BoostPolicy;
        let named = |names: Vec<String>| BoostPolicy { names, name: 0.1, section: 0.05 };
        let boosted = |boosts: BoostPolicy| {
            let mut settings = Settings::default();
            settings.judge.boosts = boosts;
            policies(&settings).map(|_| ()).map_err(|wrong| wrong.key)
        };
        assert_eq!(boosted(named(vec!["Tarn Mail".to_owned()])), Ok(()));
        assert_eq!(boosted(named(vec!["Tarn".to_owned(); 1_000])), Ok(()));
        for wrong in [
            named(vec!["Tarn".to_owned(); 1_001]),
            named(vec![" - ".to_owned()]),
            BoostPolicy { name: 1.1, ..BoostPolicy::default() },
            BoostPolicy { section: -0.1, ..BoostPolicy::default() },
        ] {
            assert_eq!(boosted(wrong), Err("judge.boosts"));
        }
    }

    #[test]
    fn a_figure_out_of_bounds_names_its_key() {
        let mut settings = Settings::default();
        settings.judge.relevance_floor = 1.5;
        assert_eq!(policies(&settings).err().map(|wrong| wrong.key), Some("judge.relevance_floor"));
    }
}
