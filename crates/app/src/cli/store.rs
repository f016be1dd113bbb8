//! Arguments of `vouch store`.

use std::path::PathBuf;

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum StoreCommand {
    /// Copy documents, vocabulary, memory, people, trail and keys into a new folder; works while a server runs
    #[command(after_help = "Example:\n  vouch store backup backups/2026-05-21")]
    Backup {
        /// Target folder; must be empty or not exist yet
        folder: PathBuf,
    },
    /// Restore a backup into the data folder; what was there is moved aside
    #[command(after_help = "Example:\n  vouch store restore backups/2026-05-21 --replace")]
    Restore {
        /// The folder that `vouch store backup` made
        folder: PathBuf,
        /// Replace the store that the data folder already holds
        #[arg(long)]
        replace: bool,
    },
    /// Remove versions of documents older than store.keep_versions_days and give their disk space back
    #[command(after_help = "Example:\n  vouch store compact --dry-run\n  vouch store compact")]
    Compact {
        /// Only say what would be removed
        #[arg(long)]
        dry_run: bool,
    },
    /// Copy everything that is kept of documents, memory, vocabulary and people to or from the database of store.postgres
    #[command(
        after_help = "Example:\n  vouch store copy --from .vouch --to postgres\n  vouch store copy --from postgres --to copy"
    )]
    Copy {
        /// A data folder that nobody uses, or `postgres`
        #[arg(long)]
        from: String,
        /// A data folder without a store, or `postgres`, where the database must be empty
        #[arg(long)]
        to: String,
    },
    /// Bring the tables of the database of store.postgres to this version's form; servers do so themselves where their role may
    #[command(after_help = "Example:\n  vouch store migrate")]
    Migrate,
    /// Keep the intact part of a damaged store and report what is lost; damaged files are moved aside, never deleted
    #[command(after_help = "Example:\n  vouch doctor; vouch store repair; vouch doctor")]
    Repair,
}
