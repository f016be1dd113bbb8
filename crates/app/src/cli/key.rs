//! The words of `vouch key`.

use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Subcommand)]
pub(crate) enum KeyCommand {
    /// Make a key and print its secret, which cannot be shown again; works while a server runs
    #[command(
        after_help = "Examples:\n  vouch key add intranet --tags staff --expires-days 90\n  vouch key add mira-laptop --user mira --tenant tarn\n  vouch key add prometheus --role monitor\n\nA key of a user opens what their tags open at the time of each request, and nothing where they are not known.\nA key with neither --user nor --tags reads the whole tenant."
    )]
    Add(KeyArgs),
    /// Every key, oldest first, without its secret
    #[command(after_help = "Example:\n  vouch key list --json")]
    List,
    /// End keys for good, at once, also on a server that runs
    #[command(after_help = "Example:\n  vouch key revoke 0f3a9c1d22b4")]
    Revoke {
        /// Which: the id that `vouch key list` shows
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
    },
    /// Begin anew with no keys where they are lost or damaged; every key there was opens nothing from then on
    #[command(
        after_help = "Example:\n  vouch key reset --yes\n\nThe files of the old key store are kept under other names. A key is still required: nobody is let in\nuntil one is made with `vouch key add`."
    )]
    Reset {
        /// Says that it is meant
        #[arg(long, required = true)]
        yes: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct KeyArgs {
    /// What people call it
    pub(crate) name: String,
    /// Whose documents it opens
    #[arg(long, default_value = "default")]
    pub(crate) tenant: String,
    /// Opens what this person may see, by their tags of `vouch user`
    #[arg(long, value_name = "ID", conflicts_with = "tags")]
    pub(crate) user: Option<String>,
    /// Opens documents with one of these tags, or without any
    #[arg(long, value_delimiter = ',')]
    pub(crate) tags: Option<Vec<String>>,
    /// What it is good for
    #[arg(long, value_enum, default_value = "reader")]
    pub(crate) role: RoleArg,
    /// Ends so many days from now; never where it is not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=36_500))]
    pub(crate) expires_days: Option<u32>,
    /// May be used so often in a minute; as often as it likes where it is not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) per_minute: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RoleArg {
    /// Asks, searches, checks claims
    Reader,
    /// The same, and keeps the tenant's documents and memory, and reads its audit trail
    Admin,
    /// Reads the service's figures, and no documents
    Monitor,
}
