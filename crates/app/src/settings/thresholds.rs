//! The figures of single collections, from the settings or from a file such as `config/thresholds.yaml`.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use vouch_engine::policy::Thresholds;

const FILE_BYTES_MAX: u64 = 1 << 20;

/// Where the figures stand.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ThresholdSettings {
    /// In a file of their own, found from the settings' folder.
    File(PathBuf),
    /// Here.
    Here(Thresholds),
}

/// The figures the settings name; `folder` is where their file lies, if they come from one.
pub(super) fn thresholds(settings: Option<&ThresholdSettings>, folder: Option<&Path>) -> anyhow::Result<Thresholds> {
    match settings {
        None => Ok(Thresholds::default()),
        Some(ThresholdSettings::Here(figures)) => checked(figures.clone()).context("judge.thresholds"),
        Some(ThresholdSettings::File(path)) => load(&folder.unwrap_or(Path::new(".")).join(path)),
    }
}

/// Reads the file of thresholds.
pub fn load(path: &Path) -> anyhow::Result<Thresholds> {
    let shown = path.display();
    let size = std::fs::metadata(path).with_context(|| format!("cannot read {shown}"))?.len();
    if size > FILE_BYTES_MAX {
        bail!("{shown} is larger than {FILE_BYTES_MAX} bytes");
    }
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {shown}"))?;
    parse(&text).with_context(|| format!("{shown}"))
}

fn parse(text: &str) -> anyhow::Result<Thresholds> {
    checked(serde_saphyr::from_str(text)?)
}

fn checked(figures: Thresholds) -> anyhow::Result<Thresholds> {
    let named = figures.collections.iter().map(|(name, own)| (name.as_str(), own));
    for (name, own) in named.chain(figures.default.iter().map(|own| ("default", own))) {
        if !(0.0..=2.0).contains(&own.distance_threshold) || !(0.0..=1.0).contains(&own.min_query_coverage) {
            bail!("'{name}': distance_threshold must be between 0 and 2, min_query_coverage between 0 and 1");
        }
    }
    Ok(figures)
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn the_shipped_file_says_what_its_profile_says() {
        let file = parse(include_str!("../../../../profiles/architecture/config/thresholds.yaml")).unwrap();
        let profile: serde_json::Value =
            serde_saphyr::from_str(include_str!("../../../../profiles/architecture/vouch.yaml")).unwrap();
        let inline = profile.get("judge").and_then(|judge| judge.get("thresholds")).unwrap().to_string();
        assert_eq!(file, parse(&inline).unwrap());
        let figures =
            |name: &str| file.collections.get(name).map(|own| (own.distance_threshold, own.min_query_coverage));
        let all = ["adr", "vocabulary", "principles", "policies"].map(figures);
        assert_eq!(all, [(0.45, 0.20), (0.35, 0.30), (0.50, 0.15), (0.50, 0.20)].map(Some));
    }

    #[test]
    fn a_collection_has_its_figures_and_the_others_the_default() {
        let text = "collections:\n  ADR: {distance_threshold: 0.45, min_query_coverage: 0.2}\ndefault:\n  \
                    distance_threshold: 0.5\n  min_query_coverage: 0.1\n";
        let read = parse(text).expect("figures");
        assert_eq!(read.for_collection("ADR").map(|own| own.distance_threshold), Some(0.45));
        assert_eq!(read.for_collection("other").map(|own| own.distance_threshold), Some(0.5));
        let bad = parse("collections:\n  ADR: {distance_threshold: 4, min_query_coverage: 0.2}").expect_err("refused");
        assert!(bad.to_string().contains("'ADR'"), "{bad}");
    }
}
