//! Arguments of `vouch jobs` and `vouch sync`.

use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub(crate) enum JobsCommand {
    /// List background jobs, the newest first
    #[command(after_help = "Example:\n  vouch jobs list --limit 5")]
    List {
        /// Most jobs to list
        #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=1000))]
        limit: u16,
        /// Only the jobs of this tenant
        #[arg(long)]
        tenant: Option<String>,
    },
    /// Show one job: its progress, and what could not be read
    #[command(after_help = "Example:\n  vouch jobs show 9d41c07be2a5")]
    Show {
        /// Its id, as `vouch jobs list` shows it
        id: String,
    },
    /// Stop a job; one that runs ends at its next step, and what it has stored by then stays
    #[command(after_help = "Example:\n  vouch jobs cancel 9d41c07be2a5")]
    Cancel {
        /// Its id, as `vouch jobs list` shows it
        id: String,
    },
    /// Try a job again now
    #[command(after_help = "Example:\n  vouch jobs retry 9d41c07be2a5")]
    Retry {
        /// Its id, as `vouch jobs list` shows it
        id: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct SyncArgs {
    /// Sources of the settings; all of them if none is named
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// Let more people see documents than before: those with the source's tags or `access`, or everyone if it has neither
    #[arg(long)]
    pub(crate) open: bool,
    /// Remove documents that are gone even if they are more than a third of the source's
    #[arg(long)]
    pub(crate) prune_many: bool,
    /// Let the server on this data folder do it in the background
    #[arg(long, conflicts_with_all = ["open", "prune_many"])]
    pub(crate) background: bool,
}
