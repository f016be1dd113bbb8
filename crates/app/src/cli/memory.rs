//! `vouch memory`: its commands and their arguments.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{ReaderArgs, language};

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
        /// Show readers how the note begins; without this it only guides the writer and is never shown
        #[arg(long, requires = "note")]
        for_readers: bool,
        /// A source: an address, a document's id or its title; after it ` "WORDS"` for the section with this heading or the passage
        /// with these words, or ` t=SECONDS` for a recording; may be repeated
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
        /// YAML list of entries: id, kind, questions or triggers, note, for_readers, references, tags; proposals are skipped
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Tenant the entries belong to
        #[arg(long, default_value = "default")]
        tenant: String,
    },
    /// Export every entry as a YAML file that can be imported, with its languages side by side
    #[command(after_help = "Example:\n  vouch memory export > memory.yaml")]
    Export {
        #[command(flatten)]
        reader: ReaderArgs,
    },
    /// Have the configured model translate entries; translations written by a person are never replaced
    #[command(after_help = "Example:\n  vouch memory translate --to nl,de")]
    Translate(TranslateArgs),
    /// Propose entries from questions of the audit trail that were asked often, as a file for an editor to accept
    #[command(after_help = "Example:\n  vouch memory propose --asked-at-least 3 --output proposals.yaml")]
    Propose(ProposeArgs),
}

#[derive(Debug, Args)]
pub(crate) struct TranslateArgs {
    /// Languages to translate into, by their tags
    #[arg(long, required = true, value_delimiter = ',', value_name = "TAG", value_parser = language)]
    pub(crate) to: Vec<String>,
    /// Only these entries [default: all]
    #[arg(value_name = "ID")]
    pub(crate) ids: Vec<String>,
    /// Translate again what a model translated before; translations written by a person stay
    #[arg(long)]
    pub(crate) again: bool,
    /// Model that translates: one of `models.allowed` [default: the one that answers]
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// Tenant the entries belong to
    #[arg(long, default_value = "default")]
    pub(crate) tenant: String,
}

#[derive(Debug, Args)]
pub(crate) struct ProposeArgs {
    /// Propose only questions that were asked at least this often
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) asked_at_least: u16,
    /// Propose only questions that were not answered at least once
    #[arg(long)]
    pub(crate) unanswered: bool,
    /// Most proposals
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) limit: u16,
    /// How many of the newest requests are read
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) newest: u16,
    /// Write the file here [default: standard output]
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Tenant whose trail is read
    #[arg(long, default_value = "default")]
    pub(crate) tenant: String,
}
