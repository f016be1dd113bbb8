//! Arguments of `vouch user` and `vouch tag`.

use std::path::PathBuf;

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum UserCommand {
    /// Add a user, or change the one with the same id
    #[command(after_help = "Example:\n  vouch user add mira --email mira@tarnside.example --tags staff,hr")]
    Add {
        /// The user's id, as `--user` takes it
        id: String,
        /// The user's e-mail address
        #[arg(long)]
        email: String,
        /// Tags of documents they may see, besides documents without tags
        #[arg(long, value_delimiter = ',')]
        tags: Vec<String>,
        /// Tenant they belong to
        #[arg(long, default_value = "default")]
        tenant: String,
    },
    /// List the users of a tenant, by id
    #[command(after_help = "Example:\n  vouch user list --tenant tarn --json")]
    List {
        /// Tenant whose users to list
        #[arg(long, default_value = "default")]
        tenant: String,
    },
    /// Remove users; topics they own stay, but their owner can no longer be found
    #[command(after_help = "Example:\n  vouch user remove mira")]
    Remove {
        /// Ids of the users
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
        /// Tenant they belong to
        #[arg(long, default_value = "default")]
        tenant: String,
    },
    /// Import users and topics from a YAML file: all of them, or none if one is invalid
    #[command(after_help = "Example:\n  vouch user import people.yaml\n\nThe file, for any number of tenants:\n  \
                      tenants:\n    tarn:\n      people:\n        - {id: mira, email: mira@tarnside.example, tags: \
                      [staff, hr]}\n      topics:\n        - {tag: hr, owner: mira}\n\nUsers and topics that are not in the \
                      file stay as they are.")]
    Import {
        /// YAML file of people and topics by tenant
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum TagCommand {
    /// Add a topic, or change the one with the same tag
    #[command(after_help = "Example:\n  vouch tag add hr --owner mira")]
    Add {
        /// The topic, or a tag of those who may see its documents
        tag: String,
        /// Id of the user who is responsible for it [default: nobody]
        #[arg(long, value_name = "USER")]
        owner: Option<String>,
        /// Tenant it belongs to
        #[arg(long, default_value = "default")]
        tenant: String,
    },
    /// List the topics of a tenant, by tag, and who is responsible for each
    #[command(after_help = "Example:\n  vouch tag list --tenant tarn --json")]
    List {
        /// Tenant whose topics to list
        #[arg(long, default_value = "default")]
        tenant: String,
    },
    /// Remove topics; documents keep their tags
    #[command(after_help = "Example:\n  vouch tag remove hr")]
    Remove {
        /// Tags of the topics
        #[arg(required = true, value_name = "TAG")]
        tags: Vec<String>,
        /// Tenant they belong to
        #[arg(long, default_value = "default")]
        tenant: String,
    },
}
