//! What was kept or taken out, as lines for people and as JSON.

use std::process::ExitCode;

use serde::Serialize;

use super::{print, print_json};
use crate::cli::Common;

#[derive(Serialize)]
pub(super) struct ChangeCounts {
    pub(super) added: usize,
    pub(super) changed: usize,
}

/// Says what was kept.
pub(super) fn print_counts(common: &Common, kept: &ChangeCounts) -> anyhow::Result<ExitCode> {
    if common.json {
        print_json(kept)?;
    } else {
        print(&format!("added {}, changed {}\n", kept.added, kept.changed))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints how many were removed.
pub(super) fn print_removed(common: &Common, removed: usize) -> anyhow::Result<ExitCode> {
    if common.json {
        print_json(&serde_json::json!({ "removed": removed }))?;
    } else {
        print(&format!("removed {removed}\n"))?;
    }
    Ok(ExitCode::SUCCESS)
}
