//! Arguments of `vouch key`.

use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Subcommand)]
pub(crate) enum KeyCommand {
    /// Make a key and print its secret, which cannot be shown again; works while a server runs
    #[command(
        after_help = "Examples:\n  vouch key add intranet --tags staff --expires-days 90\n  vouch key add mira-laptop --user mira --tenant tarn\n  vouch key add prometheus --role monitor\n\nA key with --user gives access to what that user's tags allow at the time of each request, and to nothing while there is no such user.\nA key with neither --user nor --tags reads the whole tenant."
    )]
    Add(KeyArgs),
    /// List every key, oldest first, without its secret
    #[command(after_help = "Example:\n  vouch key list --json")]
    List,
    /// Revoke keys for good; takes effect at once, also on a running server
    #[command(after_help = "Example:\n  vouch key revoke 0f3a9c1d22b4")]
    Revoke {
        /// Ids of the keys, as `vouch key list` shows them
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
    },
    /// Start over without keys when the key store is lost or damaged; every old key stops working
    #[command(
        after_help = "Example:\n  vouch key reset --yes\n\nThe files of the old key store are kept under other names. A key is still required: every request is\nrejected until you make one with `vouch key add`."
    )]
    Reset {
        /// Confirm the reset
        #[arg(long, required = true)]
        yes: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct KeyArgs {
    /// A name for the key, to recognise it in `vouch key list`
    pub(crate) name: String,
    /// Tenant whose documents it gives access to
    #[arg(long, default_value = "default")]
    pub(crate) tenant: String,
    /// Give access to what this user may see, by the tags that `vouch user` has for them
    #[arg(long, value_name = "ID", conflicts_with = "tags")]
    pub(crate) user: Option<String>,
    /// Give access to documents that have one of these tags, or none
    #[arg(long, value_delimiter = ',')]
    pub(crate) tags: Option<Vec<String>>,
    /// What the key may be used for
    #[arg(long, value_enum, default_value = "reader")]
    pub(crate) role: RoleArg,
    /// Days until the key expires [default: never]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=36_500))]
    pub(crate) expires_days: Option<u32>,
    /// Most requests per minute [default: unlimited]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) per_minute: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RoleArg {
    /// Asks, searches, checks claims
    Reader,
    /// As reader, and also changes the tenant's documents and memory and reads its audit trail
    Admin,
    /// Reads the server's metrics, and no documents
    Monitor,
}
