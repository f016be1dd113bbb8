//! The words of `vouch audit`.

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// The newest requests, newest first; also while a server runs
    #[command(after_help = "Example:\n  vouch audit list --tenant tarn --limit 50 --json")]
    List {
        /// Whose requests
        #[arg(long, default_value = "default")]
        tenant: String,
        /// How many at most
        #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=10_000))]
        limit: u16,
    },
    /// One request: what was asked, found, weighed and replied, and what was said of it since; also while a server runs
    #[command(after_help = "Example:\n  vouch audit show req-19a8c3f21b0-1f4-0 --json")]
    Show {
        /// The request's id
        id: String,
        /// Whose request it is
        #[arg(long, default_value = "default")]
        tenant: String,
    },
    /// Ask a request again on the corpus as it was then, and compare; ends with 0 where the same is replied, else with 1
    #[command(after_help = "Example:\n  vouch audit replay req-19a8c3f21b0-1f4-0")]
    Replay {
        /// The request's id
        id: String,
        /// Whose request it is
        #[arg(long, default_value = "default")]
        tenant: String,
    },
}
