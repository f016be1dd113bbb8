//! Arguments of `vouch audit`.

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// List the latest requests, newest first; works while a server runs
    #[command(after_help = "Example:\n  vouch audit list --tenant tarn --limit 50 --json")]
    List {
        /// Tenant whose requests to list
        #[arg(long, default_value = "default")]
        tenant: String,
        /// Most requests to list, 1 to 10000
        #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=10_000))]
        limit: u16,
    },
    /// Show one request: question, passages found, gates, reply, and feedback on it; works while a server runs
    #[command(after_help = "Example:\n  vouch audit show req-19a8c3f21b0-1f4-0 --json")]
    Show {
        /// The request's id, as in the reply and in `vouch audit list`
        id: String,
        /// Tenant the request belongs to
        #[arg(long, default_value = "default")]
        tenant: String,
    },
    /// List answers that cite a source since removed, superseded or changed, newest first; works while a server runs
    #[command(after_help = "Example:\n  vouch audit recalls --since 2026-05-01 --json")]
    Recalls {
        /// Tenant whose answers to compare
        #[arg(long, default_value = "default")]
        tenant: String,
        /// Only answers of this day and later, such as 2026-05-21, in UTC
        #[arg(long, value_name = "DAY")]
        since: Option<String>,
        /// Most answers to list, 1 to 1000
        #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u16).range(1..=1_000))]
        limit: u16,
    },
    /// Ask a request again on the corpus as it was then; exits with 0 if the reply is the same, else with 1
    #[command(after_help = "Example:\n  vouch audit replay req-19a8c3f21b0-1f4-0")]
    Replay {
        /// The request's id, as in the reply and in `vouch audit list`
        id: String,
        /// Tenant the request belongs to
        #[arg(long, default_value = "default")]
        tenant: String,
    },
}
