//! A path → settings, or what is wrong and in which line.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use vouch_engine::policy::{AgentsPolicy, Policies};

use super::{Settings, check, environment, thresholds};

const FILE_BYTES_MAX: u64 = 1 << 20;
const DEFAULT_PATH: &str = "vouch.yaml";
/// Settings of earlier versions, and where they are now.
const MOVED: &[(&str, &str)] = &[("unsupported", "compose.on_unsupported")];

/// Settings and the policies checked from them.
#[derive(Debug, Clone)]
pub struct LoadedSettings {
    pub settings: Settings,
    pub policies: Policies,
    /// Who answers which questions; none where one engine answers all.
    pub agents: Option<AgentsPolicy>,
}

impl LoadedSettings {
    /// The same for a folder that is no copy of a database, such as one of the past.
    #[must_use]
    pub fn without_database(&self) -> Self {
        let mut alone = self.clone();
        alone.settings.store.postgres = None;
        // An index elsewhere is of the store as it is.
        alone.settings.dense = None;
        alone
    }
}

/// The file that was named, else `./vouch.yaml`, whether or not it is there.
pub fn path(named: Option<&Path>) -> PathBuf {
    named.map_or_else(|| DEFAULT_PATH.into(), Path::to_owned)
}

/// Loads the file that was named, else `./vouch.yaml` where there is one, else a given text or the defaults.
pub fn load(named: Option<&Path>, otherwise: Option<&str>) -> anyhow::Result<LoadedSettings> {
    let found = named.map(Path::to_owned).or_else(|| Path::new(DEFAULT_PATH).exists().then(|| DEFAULT_PATH.into()));
    let folder = found.as_deref().and_then(Path::parent).map(Path::to_owned);
    let (name, text) = match found {
        Some(path) => (path.display().to_string(), read(&path)?),
        None => ("the built-in settings".to_owned(), otherwise.unwrap_or_default().to_owned()),
    };
    let settings = parse(&name, &text)?;
    let environment::OverlaidSettings { settings, changed } = environment::overlay(settings, readable_variables())?;
    let told = |wrong: check::SettingError| {
        let variable = changed.iter().find(|(key, _)| key == wrong.key).map(|(_, name)| name.clone());
        let line = || line_of(&text, wrong.key).map(|line| format!("{name}, line {line}"));
        let place = variable.or_else(line).unwrap_or_else(|| name.clone());
        anyhow::anyhow!("{place}: {} {}", wrong.key, wrong.sentence)
    };
    let mut policies = check::policies(&settings).map_err(told)?;
    policies.judge.thresholds = thresholds::thresholds(settings.judge.thresholds.as_ref(), folder.as_deref())?;
    let agents = check::agents(&settings, &policies.judge.thresholds).map_err(told)?;
    Ok(LoadedSettings { settings, policies, agents })
}

/// Settings from a text alone, for parts that bring their own; neither a file nor the environment counts.
pub fn parse_text(name: &str, text: &str) -> anyhow::Result<LoadedSettings> {
    let settings = parse(name, text)?;
    let told = |wrong: check::SettingError| anyhow::anyhow!("{name}: {} {}", wrong.key, wrong.sentence);
    let mut policies = check::policies(&settings).map_err(told)?;
    policies.judge.thresholds = thresholds::thresholds(settings.judge.thresholds.as_ref(), None)?;
    let agents = check::agents(&settings, &policies.judge.thresholds).map_err(told)?;
    Ok(LoadedSettings { settings, policies, agents })
}

/// The environment variables that are valid Unicode; all of ours are.
fn readable_variables() -> impl Iterator<Item = (String, String)> {
    std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
}

fn read(path: &Path) -> anyhow::Result<String> {
    let size = std::fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?.len();
    if size > FILE_BYTES_MAX {
        bail!("{} has {size} bytes, the limit is {FILE_BYTES_MAX}", path.display());
    }
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

pub(super) fn parse(name: &str, text: &str) -> anyhow::Result<Settings> {
    let has_settings = text.lines().any(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
    if !has_settings {
        return Ok(Settings::default());
    }
    serde_saphyr::from_str(text).map_err(|error| {
        let line = error.location().map(|location| format!(", line {}", location.line())).unwrap_or_default();
        let told = error.without_snippet().to_string();
        let first_line = told.lines().next().unwrap_or_default();
        let moved = MOVED.iter().find(|(old, _)| first_line.contains(&format!("unknown field `{old}`")));
        let hint = moved.map_or_else(String::new, |(old, new)| format!("; {old} is now {new}"));
        anyhow::anyhow!("{name}{line}: {}{hint}", first_line.split(" at line ").next().unwrap_or_default())
    })
}

/// The line of a key such as `judge.gates`.
fn line_of(text: &str, key: &str) -> Option<usize> {
    let (section, name) = key.split_once('.')?;
    let mut lines = (1usize..).zip(text.lines()).skip_while(|(_, line)| !line.starts_with(&format!("{section}:")));
    lines.find(|(_, line)| line.trim_start().starts_with(&format!("{name}:"))).map(|(number, _)| number)
}
