//! The words of `vouch user` and `vouch tag`.

use std::path::PathBuf;

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum UserCommand {
    /// Add a person, or change the one of the same id
    #[command(after_help = "Example:\n  vouch user add mira --email mira@tarnside.example --tags staff,hr")]
    Add {
        /// What they are called by
        id: String,
        /// Where they are reached
        #[arg(long)]
        email: String,
        /// What they may see beside documents without tags
        #[arg(long, value_delimiter = ',')]
        tags: Vec<String>,
        /// Where they belong
        #[arg(long, default_value = "default")]
        tenant: String,
    },
    /// Everybody of a tenant, by id
    #[command(after_help = "Example:\n  vouch user list --tenant tarn --json")]
    List {
        /// Whose people
        #[arg(long, default_value = "default")]
        tenant: String,
    },
    /// Take people out; topics they own stay, without an owner to be found
    #[command(after_help = "Example:\n  vouch user remove mira")]
    Remove {
        /// Who
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
        /// Where they belong
        #[arg(long, default_value = "default")]
        tenant: String,
    },
    /// Take in a YAML file of people and topics: all of them, or none where one is wrong
    #[command(after_help = "Example:\n  vouch user import people.yaml\n\nThe file, for any number of tenants:\n  \
                      tenants:\n    tarn:\n      people:\n        - {id: mira, email: mira@tarnside.example, tags: \
                      [staff, hr]}\n      topics:\n        - {tag: hr, owner: mira}\n\nWho and what is not in the \
                      file stays as it is.")]
    Import {
        /// People and topics by tenant
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum TagCommand {
    /// Add a topic, or change the one of the same tag
    #[command(after_help = "Example:\n  vouch tag add hr --owner mira")]
    Add {
        /// The tag of its documents
        tag: String,
        /// Who answers for it: a person's id; nobody where none is named
        #[arg(long, value_name = "USER")]
        owner: Option<String>,
        /// Where it belongs
        #[arg(long, default_value = "default")]
        tenant: String,
    },
    /// Every topic of a tenant, by tag, and who answers for it
    #[command(after_help = "Example:\n  vouch tag list --tenant tarn --json")]
    List {
        /// Whose topics
        #[arg(long, default_value = "default")]
        tenant: String,
    },
    /// Take topics out; documents keep their tags
    #[command(after_help = "Example:\n  vouch tag remove hr")]
    Remove {
        /// Which
        #[arg(required = true, value_name = "TAG")]
        tags: Vec<String>,
        /// Where they belong
        #[arg(long, default_value = "default")]
        tenant: String,
    },
}
