//! `vouch eval`: golden sets against the store, and reports against each other.

mod asked;
mod calibrate;
mod certify;
mod check;
mod circumstances;
mod judge;
mod lint;
mod resume;
mod run;
mod self_exam;
mod verify_certificate;

use std::{path::Path, process::ExitCode};

use anyhow::Context;
use vouch_evals::{
    golden::{self, GoldenQuestion},
    report::Report,
};

use super::{open_filled, print, print_json, tell};
use crate::{
    cli::{Common, EvalCommand, SELF_EXAM_QUESTIONS},
    exit::Usage,
};

pub(super) async fn run(common: &Common, command: EvalCommand) -> anyhow::Result<ExitCode> {
    match command {
        EvalCommand::Run(args) => run::run(common, &args).await,
        EvalCommand::Check(args) => check::run(common, &args),
        EvalCommand::Calibrate(args) => calibrate::run(common, &args).await,
        EvalCommand::VerifyCertificate(args) => verify_certificate::run(common, &args).await,
        EvalCommand::SelfExam { questions, tenant } => self_exam::run(common, usize::from(questions), &tenant).await,
        EvalCommand::Judge(args) => judge::run(common, &args).await,
        EvalCommand::Lint { golden } => lint::run(common, &golden).await,
    }
}

/// Examines the documents of a tenant with questions made by rule.
pub(super) async fn examine(common: &Common, tenant: &str) -> anyhow::Result<()> {
    self_exam::run(common, usize::from(SELF_EXAM_QUESTIONS), tenant).await.map(|_| ())
}

/// The questions of a golden set, or of one half of it, and the bytes of the file.
fn read(path: &Path, split: Option<&str>) -> anyhow::Result<(Vec<GoldenQuestion>, Vec<u8>)> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let text = std::str::from_utf8(&bytes).map_err(|_| Usage(format!("{} is not valid UTF-8 text", path.display())))?;
    let mut questions =
        golden::read(text).map_err(|error| Usage(format!("{}: {error}: {}", path.display(), error.source)))?;
    questions.retain(|question| split.is_none_or(|split| question.split == split));
    if questions.is_empty() {
        return Err(Usage(format!("{} has no questions in this split", path.display())).into());
    }
    Ok((questions, bytes))
}

/// A report that was written before.
fn read_report(path: &Path) -> anyhow::Result<Report> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let report = serde_json::from_str(&text);
    report.map_err(|error| Usage(format!("{} is not an evaluation report: {error}", path.display())).into())
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
