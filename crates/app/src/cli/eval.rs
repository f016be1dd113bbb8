//! The words of `vouch eval`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// How many questions an examination by rule has where nobody says.
pub(crate) const SELF_EXAM_QUESTIONS: u16 = 120;

#[derive(Debug, Subcommand)]
pub(crate) enum EvalCommand {
    /// Ask every question of a golden set and score the replies
    #[command(
        after_help = "Examples:\n  vouch eval run --golden profiles/book/golden.jsonl --split test\n  vouch eval run --golden \
                            profiles/book/golden.jsonl --output report.json --html report.html"
    )]
    Run(EvalRunArgs),
    /// Compare a report with a baseline; exits with 1 if precision or recall fell too far
    #[command(after_help = "Example:\n  vouch eval check --current report.json --baseline profiles/book/baseline.json")]
    Check(EvalCheckArgs),
    /// Choose on one half of golden sets how sure an answer must be, and prove on the other how often it is wrong at most
    ///
    /// Exits with 1 if both targets cannot be met; the trade-off between them is printed in any case.
    #[command(
        after_help = "Examples:\n  vouch eval calibrate --golden golden.jsonl --max-hallucination 0.05 --max-false-refusal 0.15\n  \
                      vouch eval calibrate --golden golden.jsonl --max-hallucination 0.1 --write\n  vouch eval calibrate \
                      --asked asked.jsonl --certificate certificate.json"
    )]
    Calibrate(EvalCalibrateArgs),
    /// Check a certificate again: its sums, its errors, and whether corpus, settings and models are still the same
    ///
    /// Exits with 1 if it does not hold.
    #[command(
        after_help = "Examples:\n  vouch eval verify-certificate certificate.json\n  vouch eval verify-certificate \
                      certificate.json --golden golden.jsonl"
    )]
    VerifyCertificate(EvalVerifyArgs),
    /// Examine the documents with questions made by rule from their own sentences, for when there is no golden set
    ///
    /// Shows whether they can be read and searched, and lists what could not be answered. It says nothing about the
    /// questions people will ask.
    #[command(name = "self", after_help = "Example:\n  vouch eval self --questions 60")]
    SelfExam {
        /// How many questions to make: half answerable, half not
        #[arg(long, value_name = "COUNT", default_value_t = SELF_EXAM_QUESTIONS, value_parser = clap::value_parser!(u16).range(4..=2000))]
        questions: u16,
        /// Whose documents
        #[arg(long, default_value = "default")]
        tenant: String,
    },
    /// Compare two versions of the answers pair by pair: blind, in both orders, by a model that wrote neither
    ///
    /// A preference counts if both orders agree on it. Exits with 1 if no pair could be judged.
    #[command(
        after_help = "Examples:\n  vouch ask --batch questions.jsonl --json > before.jsonl\n  vouch eval judge --a before.jsonl --b \
                      after.jsonl --golden golden.jsonl\n  vouch eval judge --a before.jsonl --b after.jsonl --heuristic"
    )]
    Judge(EvalJudgeArgs),
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
    /// Write the report here as an HTML page
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Write a report to compare others with, without times
    #[arg(long, value_name = "FILE")]
    pub(crate) write_baseline: Option<PathBuf>,
    /// Keep the replies in this file, and continue from it
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

#[derive(Debug, Args)]
pub(crate) struct EvalCalibrateArgs {
    /// Golden set to ask now, both halves of it
    #[arg(long, value_name = "FILE", required_unless_present = "asked", conflicts_with = "asked")]
    pub(crate) golden: Option<PathBuf>,
    /// File that `vouch eval run --resume` kept of both halves; give several for a bound over several sets
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(crate) asked: Vec<PathBuf>,
    /// The highest share of all questions that may be answered wrongly, 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.05)]
    pub(crate) max_hallucination: f64,
    /// The highest share of the answerable questions that may be refused, 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.15)]
    pub(crate) max_false_refusal: f64,
    /// How sure the bound on wrong answers must be, 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.95)]
    pub(crate) confidence: f64,
    /// The lowest share of all questions that must be answered, 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.1)]
    pub(crate) min_answered: f64,
    /// Write the thresholds into the settings file and, once they have proved themselves, the certificate into the data folder
    #[arg(long, conflicts_with = "asked")]
    pub(crate) write: bool,
    /// Write the certificate here: for the thresholds written with `--write`, otherwise for the current settings
    #[arg(long, value_name = "FILE")]
    pub(crate) certificate: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct EvalVerifyArgs {
    /// Certificate of `vouch eval calibrate`
    #[arg(value_name = "FILE")]
    pub(crate) certificate: PathBuf,
    /// Golden set to ask again; without one only its sums and circumstances are checked
    #[arg(long, value_name = "FILE")]
    pub(crate) golden: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct EvalJudgeArgs {
    /// Replies of one version, as `vouch ask --batch --json` prints them
    #[arg(long, value_name = "FILE")]
    pub(crate) a: PathBuf,
    /// Replies of the other version to the same questions
    #[arg(long, value_name = "FILE")]
    pub(crate) b: PathBuf,
    /// Golden set with the questions by id: the judge is told what is known of their answers
    #[arg(long, value_name = "FILE")]
    pub(crate) golden: Option<PathBuf>,
    /// Judge by counting words and citations instead of asking `models.pairwise`: checks the machinery, measures no quality
    #[arg(long)]
    pub(crate) heuristic: bool,
}
