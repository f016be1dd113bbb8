//! `deny.toml` and the crates of a build → what the one forbids of the others.
//!
//! Invariant: every key of `deny.toml` is known here, so that none is passed over in silence.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::licence;

/// The registry that needs no name.
const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// The whole file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deny {
    /// Which crates are looked at; `cargo metadata` is asked for all features.
    #[expect(dead_code, reason = "read so that it may stand there")]
    graph: Option<toml::Value>,
    /// Told by `cargo deny check advisories`, which needs a database of them.
    #[expect(dead_code, reason = "read so that it may stand there")]
    advisories: Option<toml::Value>,
    pub licenses: Licenses,
    pub bans: Bans,
    pub sources: Sources,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Licenses {
    #[expect(dead_code, reason = "read so that it may stand there")]
    version: u8,
    pub allow: BTreeSet<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Bans {
    pub multiple_versions: Level,
    wildcards: Level,
    #[serde(default)]
    allow_wildcard_paths: bool,
    #[serde(default)]
    pub deny: Vec<Banned>,
    #[serde(default)]
    skip: Vec<Banned>,
}

/// A crate by its name, as `cargo deny` lets one write it.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum Banned {
    Name(String),
    Named {
        #[serde(alias = "crate")]
        name: String,
    },
}

impl Banned {
    fn name(&self) -> &str {
        let (Self::Name(name) | Self::Named { name }) = self;
        name.split('@').next().unwrap_or_default()
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Sources {
    unknown_registry: Level,
    unknown_git: Level,
    #[serde(default)]
    allow_registry: BTreeSet<String>,
    #[serde(default)]
    allow_git: BTreeSet<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    Deny,
    Warn,
    Allow,
}

/// What `cargo metadata` says.
#[derive(Debug, Clone, Deserialize)]
pub struct Metadata {
    pub packages: Vec<Package>,
    workspace_members: BTreeSet<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Package {
    id: String,
    pub name: String,
    version: String,
    pub license: Option<String>,
    pub source: Option<String>,
    pub dependencies: Vec<Dependency>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Dependency {
    name: String,
    pub req: String,
    path: Option<String>,
}

/// Everything that is forbidden, as a sentence each.
pub fn forbidden(deny: &Deny, metadata: &Metadata) -> Vec<String> {
    let each = metadata.packages.iter().flat_map(|package| {
        [licence_of(deny, package), source_of(deny, package, metadata), banned(deny, package)]
            .into_iter()
            .flatten()
            .chain(wildcards(deny, package, metadata))
            .collect::<Vec<_>>()
    });
    each.chain(duplicates(deny, metadata)).collect()
}

fn licence_of(deny: &Deny, package: &Package) -> Option<String> {
    let (name, version) = (&package.name, &package.version);
    let Some(licence) = &package.license else { return Some(format!("{name} {version} names no licence")) };
    match licence::is_allowed(licence, &deny.licenses.allow) {
        Some(true) => None,
        Some(false) => Some(format!("{name} {version} is under {licence}, which deny.toml does not allow")),
        None => Some(format!("{name} {version}: \"{licence}\" cannot be read as licences")),
    }
}

fn source_of(deny: &Deny, package: &Package, metadata: &Metadata) -> Option<String> {
    let (sources, name) = (&deny.sources, &package.name);
    let Some(source) = &package.source else {
        let is_ours = metadata.workspace_members.contains(&package.id);
        return (!is_ours).then(|| format!("{name} comes from a folder outside the workspace"));
    };
    let (kind, address) = source.split_once('+').unwrap_or(("", source));
    let (level, known) = match kind {
        "git" => (sources.unknown_git, &sources.allow_git),
        _ => (sources.unknown_registry, &sources.allow_registry),
    };
    let address = address.split(['?', '#']).next().unwrap_or_default();
    let is_known = source == CRATES_IO && known.is_empty() || known.contains(address);
    (level == Level::Deny && !is_known).then(|| format!("{name} comes from {source}, which deny.toml does not know"))
}

fn banned(deny: &Deny, package: &Package) -> Option<String> {
    let is_banned = deny.bans.deny.iter().any(|banned| banned.name() == package.name);
    is_banned.then(|| format!("{} is banned by deny.toml", package.name))
}

/// Requirements of our own crates that take any version.
fn wildcards(deny: &Deny, package: &Package, metadata: &Metadata) -> Vec<String> {
    let is_looked_at = deny.bans.wildcards == Level::Deny && metadata.workspace_members.contains(&package.id);
    let is_wild = |dependency: &&Dependency| {
        is_looked_at && dependency.req == "*" && !(deny.bans.allow_wildcard_paths && dependency.path.is_some())
    };
    let sentence = |dependency: &Dependency| format!("{} takes any version of {}", package.name, dependency.name);
    package.dependencies.iter().filter(is_wild).map(sentence).collect()
}

fn duplicates(deny: &Deny, metadata: &Metadata) -> Vec<String> {
    if deny.bans.multiple_versions != Level::Deny {
        return Vec::new();
    }
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for package in &metadata.packages {
        versions.entry(&package.name).or_default().insert(&package.version);
    }
    let is_skipped = |name: &str| deny.bans.skip.iter().any(|skipped| skipped.name() == name);
    let twice = versions.into_iter().filter(|(name, versions)| versions.len() > 1 && !is_skipped(name));
    twice.map(|(name, versions)| format!("{name} is there in versions {versions:?}")).collect()
}
