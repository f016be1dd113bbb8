//! What an evaluation has already asked, in a file that a later run goes on with.
//!
//! Invariant: lines of another golden set, corpus, settings or model count as none.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{File, OpenOptions},
    io::Write,
    path::Path,
};

use anyhow::Context;
use serde::{Deserialize, Serialize};
use vouch_evals::{golden::GoldenQuestion, graded::Graded, report::Meta};
use vouch_service::certificate::CertifiedState;

use crate::exit::Usage;

/// What the lines of a file were asked of.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Heading {
    pub(super) config_hash: String,
    pub(super) golden_set_hash: String,
    #[serde(default)]
    pub(super) golden_set_version: Option<String>,
    pub(super) corpus: String,
    pub(super) embedder: String,
    pub(super) judge: Option<String>,
    pub(super) version: String,
    #[serde(default)]
    pub(super) state: CertifiedState,
    /// How many questions there are to ask.
    #[serde(default)]
    pub(super) questions: usize,
    /// Whose documents they are asked of.
    #[serde(default)]
    pub(super) tenants: BTreeSet<String>,
}

impl Heading {
    pub(super) fn new(meta: &Meta, state: &CertifiedState, questions: &[GoldenQuestion]) -> Self {
        Self {
            config_hash: meta.config_hash.clone(),
            golden_set_hash: meta.golden_set_hash.clone(),
            golden_set_version: meta.golden_set_version.clone(),
            corpus: meta.corpus.clone(),
            embedder: meta.embedder.clone(),
            judge: meta.judge.clone(),
            version: meta.version.clone(),
            state: state.clone(),
            questions: questions.len(),
            tenants: questions.iter().map(|one| one.reader().tenant).collect(),
        }
    }

    /// Whether the same questions asked of both have the same answers; another store that was filled alike is the same.
    fn is_same(&self, other: &Self) -> bool {
        let of = |own: &Self| {
            [&own.config_hash, &own.golden_set_hash, &own.corpus, &own.embedder, &own.version].map(Clone::clone)
        };
        of(self) == of(other) && self.judge == other.judge
    }
}

/// What was asked, and every question that a file holds.
pub(super) fn read(path: &Path) -> anyhow::Result<(Heading, Vec<Graded>)> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let unreadable = || Usage(format!("{} was not written by `vouch eval run --resume`", path.display()));
    let mut lines = text.lines();
    let heading: Heading = lines.next().and_then(|line| serde_json::from_str(line).ok()).ok_or_else(unreadable)?;
    let graded = lines.map(|line| serde_json::from_str::<Graded>(line).map_err(|_| unreadable().into()));
    let graded = graded.collect::<anyhow::Result<Vec<Graded>>>()?;
    let ids: BTreeSet<&str> = graded.iter().map(|one| one.id.as_str()).collect();
    if ids.len() != heading.questions || graded.len() != heading.questions {
        let name = path.display();
        let sentence = format!(
            "{name} does not contain each of its {} questions exactly once; let the run end first",
            heading.questions
        );
        return Err(Usage(sentence).into());
    }
    Ok((heading, graded))
}

/// Questions that need not be asked again, and the file that the others are added to.
pub(super) struct Resumed {
    pub(super) known: BTreeMap<String, Graded>,
    file: Option<File>,
}

impl Resumed {
    /// What a file holds; nothing where it is not there or of another run. Without a file nothing is kept.
    pub(super) fn open(path: Option<&Path>, heading: &Heading) -> anyhow::Result<Self> {
        let Some(path) = path else { return Ok(Self { known: BTreeMap::new(), file: None }) };
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let mut lines = text.lines();
        let before = lines.next().and_then(|line| serde_json::from_str::<Heading>(line).ok());
        let is_same = before.is_some_and(|before| before.is_same(heading));
        // A line that was cut off is asked again.
        let graded = lines.filter_map(|line| serde_json::from_str::<Graded>(line).ok()).filter(|_| is_same);
        let known: BTreeMap<String, Graded> = graded.map(|one| (one.id.clone(), one)).collect();
        let cannot = || format!("cannot write {}", path.display());
        let mut file = OpenOptions::new().create(true).write(true).truncate(true).open(path).with_context(cannot)?;
        writeln!(file, "{}", serde_json::to_string(heading)?).with_context(cannot)?;
        for one in known.values() {
            writeln!(file, "{}", serde_json::to_string(one)?).with_context(cannot)?;
        }
        Ok(Self { known, file: Some(file) })
    }

    /// Keeps one more.
    pub(super) fn add(&mut self, graded: &Graded) -> anyhow::Result<()> {
        if let Some(file) = &mut self.file {
            writeln!(file, "{}", serde_json::to_string(graded)?).context("cannot keep what was asked")?;
        }
        Ok(())
    }
}
