//! `vouch memory`: its commands and their arguments.

use std::path::PathBuf;

use clap::Subcommand;

use super::ReaderArgs;

#[derive(Debug, Subcommand)]
pub(crate) enum MemoryCommand {
    /// Add an entry, or change the one with the same id
    #[command(
        after_help = "Examples:\n  vouch memory add first-turn --phrase \"Who drinks first?\" --reference \"CV 2.4\"\n  vouch memory add dry-years --phrase \"dry year\" --note \"Read the order first.\" --reference \"CB 9.1\""
    )]
    Add {
        /// The entry's id
        id: String,
        /// A question to pin, or a phrase that brings the note up; may be repeated, several are better
        #[arg(long = "phrase", required = true)]
        phrases: Vec<String>,
        /// The note; without one, the phrases are pinned questions
        #[arg(long)]
        note: Option<String>,
        /// A source: an address or a document id, with ` t=SECONDS` after it for a recording; may be repeated
        #[arg(long = "reference")]
        references: Vec<String>,
        /// Tags of the people who may see it [default: everyone in the tenant]
        #[arg(long, value_delimiter = ',')]
        tags: Vec<String>,
        /// Tenant the entry belongs to
        #[arg(long, default_value = "default")]
        tenant: String,
    },
    /// List every entry, by id
    #[command(after_help = "Example:\n  vouch memory list --json")]
    List {
        #[command(flatten)]
        reader: ReaderArgs,
    },
    /// Remove entries
    #[command(after_help = "Example:\n  vouch memory remove first-turn")]
    Remove {
        /// Ids of the entries
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
        /// Tenant the entries belong to
        #[arg(long, default_value = "default")]
        tenant: String,
    },
    /// Import entries from a YAML file: all of them, or none if one is invalid
    #[command(after_help = "Example:\n  vouch memory import memory.yaml")]
    Import {
        /// YAML list of entries: id, kind, questions or triggers, note, references, tags
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Tenant the entries belong to
        #[arg(long, default_value = "default")]
        tenant: String,
    },
}
