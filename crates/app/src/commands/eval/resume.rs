//! What an evaluation has already asked, in a file that a later run goes on with.
//!
//! Invariant: lines of another golden set, corpus, settings or model count as none.

use std::{
    collections::BTreeMap,
    fs::{File, OpenOptions},
    io::Write,
    path::Path,
};

use anyhow::Context;
use serde::{Deserialize, Serialize};
use vouch_evals::{graded::Graded, report::Meta};

use crate::exit::Usage;

/// What the lines of a file were asked of.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Heading {
    config_hash: String,
    golden_set_hash: String,
    corpus: String,
    embedder: String,
    judge: Option<String>,
    version: String,
}

/// Every question that a file holds, whatever it was asked of.
pub(super) fn read(path: &Path) -> anyhow::Result<Vec<Graded>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let unreadable = || Usage(format!("{} is no file that `vouch eval run --resume` keeps", path.display()));
    let mut lines = text.lines();
    lines.next().and_then(|line| serde_json::from_str::<Heading>(line).ok()).ok_or_else(unreadable)?;
    lines.map(|line| serde_json::from_str(line).map_err(|_| unreadable().into())).collect()
}

/// Questions that need not be asked again, and the file that the others are added to.
pub(super) struct Resumed {
    pub(super) known: BTreeMap<String, Graded>,
    file: Option<File>,
}

impl Resumed {
    /// What a file holds; nothing where it is not there or of another run. Without a file nothing is kept.
    pub(super) fn open(path: Option<&Path>, meta: &Meta) -> anyhow::Result<Self> {
        let Some(path) = path else { return Ok(Self { known: BTreeMap::new(), file: None }) };
        let heading = Heading {
            config_hash: meta.config_hash.clone(),
            golden_set_hash: meta.golden_set_hash.clone(),
            corpus: meta.corpus.clone(),
            embedder: meta.embedder.clone(),
            judge: meta.judge.clone(),
            version: meta.version.clone(),
        };
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let mut lines = text.lines();
        let is_same =
            lines.next().and_then(|line| serde_json::from_str::<Heading>(line).ok()).as_ref() == Some(&heading);
        // A line that was cut off is asked again.
        let graded = lines.filter_map(|line| serde_json::from_str::<Graded>(line).ok()).filter(|_| is_same);
        let known: BTreeMap<String, Graded> = graded.map(|one| (one.id.clone(), one)).collect();
        let cannot = || format!("cannot write {}", path.display());
        let mut file = OpenOptions::new().create(true).write(true).truncate(true).open(path).with_context(cannot)?;
        writeln!(file, "{}", serde_json::to_string(&heading)?).with_context(cannot)?;
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
