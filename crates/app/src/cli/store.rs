//! The words of `vouch store`.

use std::path::PathBuf;

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum StoreCommand {
    /// Copy documents, vocabulary, memory, people, trail and keys into a new folder; works while a server runs
    #[command(after_help = "Example:\n  vouch store backup backups/2026-05-21")]
    Backup {
        /// Where to: a folder that does not exist yet or is empty
        folder: PathBuf,
    },
    /// Put a backup in the place of what the data folder holds; what was there is moved aside
    #[command(after_help = "Example:\n  vouch store restore backups/2026-05-21 --replace")]
    Restore {
        /// The folder that `vouch store backup` made
        folder: PathBuf,
        /// Also where the data folder holds a store
        #[arg(long)]
        replace: bool,
    },
    /// Keep what is sound of a damaged store and say what is lost; damaged files are moved aside, never deleted
    #[command(after_help = "Example:\n  vouch doctor; vouch store repair; vouch doctor")]
    Repair,
}
