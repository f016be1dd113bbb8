//! The words of `vouch eval`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub(crate) enum EvalCommand {
    /// Ask every question of a golden set and score the replies
    #[command(
        after_help = "Examples:\n  vouch eval run --golden profiles/book/golden.jsonl --split test\n  vouch eval run --golden \
                            profiles/book/golden.jsonl --output report.json --html report.html"
    )]
    Run(EvalRunArgs),
    /// Compare a report with a baseline; ends with 1 where precision or recall fell too far
    #[command(after_help = "Example:\n  vouch eval check --current report.json --baseline profiles/book/baseline.json")]
    Check(EvalCheckArgs),
    /// Look for faults in a golden set, by itself and against the documents
    #[command(after_help = "Example:\n  vouch eval lint --golden profiles/book/golden.jsonl")]
    Lint {
        /// Questions as JSON Lines
        #[arg(long, value_name = "FILE")]
        golden: PathBuf,
    },
}

#[derive(Debug, Args)]
pub(crate) struct EvalRunArgs {
    /// Questions as JSON Lines {"id", "query", "answerable", "gold_ids", "gold_answers", "expected"}
    #[arg(long, value_name = "FILE")]
    pub(crate) golden: PathBuf,
    /// Only questions of this split
    #[arg(long)]
    pub(crate) split: Option<String>,
    /// YAML file of thresholds per collection, which override those of the settings
    #[arg(long, value_name = "FILE")]
    pub(crate) thresholds: Option<PathBuf>,
    /// Show what changed since this report
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Write the report here as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write the report here as a page
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Write a report to compare others with, without times
    #[arg(long, value_name = "FILE")]
    pub(crate) write_baseline: Option<PathBuf>,
    /// Keep what was asked here, and go on from there
    #[arg(long, value_name = "FILE")]
    pub(crate) resume: Option<PathBuf>,
    /// Write the trace of every question here as JSON Lines
    #[arg(long, value_name = "FILE")]
    pub(crate) traces: Option<PathBuf>,
    /// Ask as if the embedder were down, to measure answers by words alone
    #[arg(long)]
    pub(crate) embedder_down: bool,
    /// Fail if more than this share of unanswerable questions is answered, 0 to 1
    #[arg(long, value_name = "SHARE")]
    pub(crate) max_answered_unanswerable: Option<f64>,
    /// Fail if less than this share of answerable questions is answered with a gold answer, 0 to 1
    #[arg(long, value_name = "SHARE")]
    pub(crate) min_right: Option<f64>,
}

#[derive(Debug, Args)]
pub(crate) struct EvalCheckArgs {
    /// Report of `vouch eval run --output`
    #[arg(long, value_name = "FILE")]
    pub(crate) current: PathBuf,
    /// Report to compare it with
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: PathBuf,
    /// The most that precision may fall, 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.05)]
    pub(crate) precision_threshold: f64,
    /// The most that recall may fall, 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.05)]
    pub(crate) recall_threshold: f64,
}
