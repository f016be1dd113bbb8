//! Arguments of `vouch store`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// The documents as they were at an earlier time; memory, vocabulary and people are kept as they are.
#[derive(Debug, Args)]
pub(crate) struct PointArgs {
    /// The documents as they were at this generation (`vouch audit show` names the one that a question was answered at)
    #[arg(long, value_name = "NUMBER", conflicts_with = "at")]
    pub(crate) generation: Option<u64>,
    /// The documents that had been taken in by this moment, such as 2026-05-21T10:30Z, or 2026-05-21 for the start of that day; UTC
    /// where no zone is named. A removal counts from the next document that was taken in after it
    #[arg(long, value_name = "MOMENT")]
    pub(crate) at: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum StoreCommand {
    /// Copy documents, vocabulary, memory, people, trail and keys into a new folder; works while a server runs
    #[command(
        after_help = "Examples:\n  vouch store backup backups/2026-05-21\n  vouch store backup backups/before-the-import --generation 1"
    )]
    Backup {
        /// Target folder; must be empty or not exist yet
        folder: PathBuf,
        #[command(flatten)]
        point: PointArgs,
    },
    /// Restore a backup into the data folder, which no server may use; what was there is moved aside
    #[command(after_help = "Example:\n  vouch store restore backups/2026-05-21 --replace")]
    Restore {
        /// The folder that `vouch store backup` made
        folder: PathBuf,
        /// Replace the store that the data folder already holds
        #[arg(long)]
        replace: bool,
        /// Also restore documents that more people could see then than can now
        #[arg(long)]
        open: bool,
        #[command(flatten)]
        point: PointArgs,
    },
    /// Remove versions of documents older than store.keep_versions_days and give their disk space back
    #[command(after_help = "Example:\n  vouch store compact --dry-run\n  vouch store compact")]
    Compact {
        /// Only show what would be removed
        #[arg(long)]
        dry_run: bool,
    },
    /// Copy everything that is kept of documents, memory, vocabulary and people to or from the database of store.postgres
    ///
    /// An interrupted copy continues where it stopped when it is run again; an incomplete copy cannot be used.
    #[command(
        after_help = "Example:\n  vouch store copy --from .vouch --to postgres\n  vouch store copy --from postgres --to copy"
    )]
    Copy {
        /// A data folder that is not in use, or `postgres`
        #[arg(long)]
        from: String,
        /// A data folder without a store, or `postgres`, where the database must be empty
        #[arg(long)]
        to: String,
        /// Remove what an interrupted copy left in the database, and copy everything again
        #[arg(long)]
        start_over: bool,
    },
    /// Print one digest of every row of the data folder's store; stores with the same digest hold the same
    #[command(after_help = "Example:\n  vouch store digest --json")]
    Digest,
    /// Write a snapshot of this server's copy of the database to the folder of store.snapshots; works while a server runs
    #[command(after_help = "Example:\n  vouch store snapshot")]
    Snapshot,
    /// Bring the tables of the database of store.postgres to this version's form; servers do so themselves if their role may
    #[command(after_help = "Example:\n  vouch store migrate")]
    Migrate,
    /// Keep the intact part of a damaged store and report what is lost; damaged files are moved aside, never deleted
    #[command(after_help = "Example:\n  vouch doctor; vouch store repair; vouch doctor")]
    Repair,
}
