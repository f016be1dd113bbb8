//! The words of `vouch review`.

use clap::{Args, Subcommand, ValueEnum};

use super::ReaderArgs;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct ReviewArgs {
    #[command(subcommand)]
    pub(crate) command: Option<ReviewCommand>,
    /// List only findings of this kind
    #[arg(long, value_enum)]
    pub(crate) kind: Option<FindingKindArg>,
    #[command(flatten)]
    pub(crate) reader: ReaderArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ReviewCommand {
    /// Take a finding off the list until one of the two changes
    #[command(after_help = "Example:\n  vouch review dismiss FINDING")]
    Dismiss {
        /// Its id, as `vouch review` prints it
        id: String,
        /// Tenant it belongs to
        #[arg(long, default_value = "default")]
        tenant: String,
    },
}

/// What sort of finding is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FindingKindArg {
    /// Versions of one document that are both in force
    Versions,
    /// Documents that are nearly the same
    Duplicate,
    /// Sentences that may give another figure, date or name for the same thing: guesses, most of them false alarms
    Contradiction,
}
