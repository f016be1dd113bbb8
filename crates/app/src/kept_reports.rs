//! Reports of evaluations in a data folder: the last few, for the page and for whoever asks the server.
//!
//! Invariant: a report is there whole or not at all, and one that cannot be read hides no other.

use std::{
    collections::BTreeSet,
    fs::File,
    io::Read,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::Context;
use serde::{Deserialize, Serialize};
use vouch_evals::report::Report;
use vouch_service::evaluations::{KeptReport, ReadReports};

const FOLDER: &str = "evaluations";
const ENDING: &str = ".json";
/// How many reports are kept, and how large one may be to be read.
const REPORTS_MAX: usize = 20;
const BYTES_MAX: u64 = 8 << 20;

/// A report and whose documents it is about.
#[derive(Serialize, Deserialize)]
struct Kept {
    tenants: BTreeSet<String>,
    report: Report,
}

/// Keeps a report under the time it was made at; the oldest go.
pub fn keep(folder: &Path, report: Report, tenants: BTreeSet<String>) -> anyhow::Result<()> {
    let own = folder.join(FOLDER);
    let cannot = || format!("cannot write into {}", own.display());
    std::fs::create_dir_all(&own).with_context(cannot)?;
    let name: String =
        report.meta.timestamp.chars().filter(|sign| sign.is_ascii_alphanumeric() || *sign == '-').collect();
    let aside = own.join(format!("{name}.new"));
    std::fs::write(&aside, serde_json::to_string(&Kept { tenants, report })? + "\n").with_context(cannot)?;
    std::fs::rename(&aside, path(&own, &name)).with_context(cannot)?;
    for old in names(&own).into_iter().skip(REPORTS_MAX) {
        std::fs::remove_file(path(&own, &old)).with_context(cannot)?;
    }
    Ok(())
}

/// Reads the reports of a folder each time it is asked, since an evaluation may be copied in while a server runs.
pub fn of_folder(folder: &Path) -> ReadReports {
    let own = folder.join(FOLDER);
    Arc::new(move |wanted: Option<&str>| {
        // A name is looked for among those that are there, so it leads nowhere else.
        let names = names(&own).into_iter().take(REPORTS_MAX).filter(|name| wanted.is_none_or(|wanted| wanted == name));
        names.filter_map(|name| read(&own, name)).collect()
    })
}

/// The names of the reports, newest first.
fn names(folder: &Path) -> Vec<String> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        files.filter_map(|file| file.file_name().into_string().ok()?.strip_suffix(ENDING).map(str::to_owned)).collect();
    names.sort_unstable_by(|a, b| b.cmp(a));
    names
}

fn path(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}{ENDING}"))
}

fn read(folder: &Path, name: String) -> Option<KeptReport> {
    let mut text = String::new();
    File::open(path(folder, &name)).ok()?.take(BYTES_MAX).read_to_string(&mut text).ok()?;
    let Kept { tenants, report } = serde_json::from_str(&text).ok()?;
    let report = serde_json::to_value(report).ok()?;
    Some(KeptReport { name, tenants: tenants.into_iter().collect(), report })
}
