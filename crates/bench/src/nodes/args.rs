//! The words of `vouch-bench nodes`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Clone, Args)]
pub(crate) struct NodesArgs {
    #[command(subcommand)]
    pub(crate) command: NodesCommand,
}

#[derive(Debug, Clone, Subcommand)]
pub(crate) enum NodesCommand {
    /// Questions per second of 1, 2 and 4 servers on this machine, and what limits them
    #[command(
        after_help = "Example:\n  vouch-bench nodes throughput --database \"host=/tmp user=postgres dbname=bench\" --nodes 1,2,4"
    )]
    Throughput(ThroughputArgs),
    /// Kill one server after the other while documents change, and check every reply, the trail and the jobs
    #[command(
        after_help = "Example:\n  vouch-bench nodes kills --database \"host=/tmp user=postgres dbname=bench\" --nodes 3 --every 20 \
                      --minutes 10"
    )]
    Kills(KillsArgs),
    /// Take the database away from servers under load for a while, and check every reply, every change and how they recover
    #[command(
        after_help = "Example:\n  vouch-bench nodes outage --database \"host=/tmp user=postgres dbname=bench\" --away 30 --silent"
    )]
    Outage(OutageArgs),
}

/// What both need.
#[derive(Debug, Clone, Args)]
pub(crate) struct FleetArgs {
    /// Address of a PostgreSQL database without a store, which is filled
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) database: String,
    /// The program `vouch` [default: the one beside this program]
    #[arg(long, value_name = "FILE")]
    pub(crate) binary: Option<PathBuf>,
    /// Where the servers' folders and logs are kept; it must not exist yet, and is removed at the end unless something was wrong
    #[arg(long, value_name = "DIR")]
    pub(crate) work: Option<PathBuf>,
    /// Clients that ask one question after the other, over all servers together
    #[arg(long, default_value_t = 6, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    pub(crate) clients: u16,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct ThroughputArgs {
    #[command(flatten)]
    pub(crate) fleet: FleetArgs,
    /// Number of servers, load by load
    #[arg(long, value_delimiter = ',', default_value = "1,2,4", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) nodes: Vec<u16>,
    /// How long each load lasts, in seconds
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) seconds: u64,
    /// Number of documents; each is asked for in several wordings, so that few questions are asked twice
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u16).range(1..=5_000))]
    pub(crate) documents: u16,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct KillsArgs {
    #[command(flatten)]
    pub(crate) fleet: FleetArgs,
    /// Number of servers
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) nodes: u16,
    /// Seconds between two kills
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=3_600))]
    pub(crate) every: u64,
    /// How long the load lasts, in minutes
    #[arg(long, default_value_t = 10.0)]
    pub(crate) minutes: f64,
    /// Number of documents that change
    #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u16).range(1..=5_000))]
    pub(crate) documents: u16,
    /// Milliseconds between two changes of a document
    #[arg(long, default_value_t = 400, value_parser = clap::value_parser!(u64).range(1..=3_600_000))]
    pub(crate) change_every_ms: u64,
    /// Seconds between two background jobs
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=3_600))]
    pub(crate) job_every: u64,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct OutageArgs {
    #[command(flatten)]
    pub(crate) fleet: FleetArgs,
    /// Number of servers
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) nodes: u16,
    /// How long the database is away, in seconds; the load lasts half as long before it, and as long after it
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=3_600))]
    pub(crate) away: u64,
    /// Let connections stay and pass nothing, in place of cutting them
    #[arg(long)]
    pub(crate) silent: bool,
    /// Number of documents that change
    #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u16).range(1..=5_000))]
    pub(crate) documents: u16,
    /// Milliseconds between two changes of a document
    #[arg(long, default_value_t = 400, value_parser = clap::value_parser!(u64).range(1..=3_600_000))]
    pub(crate) change_every_ms: u64,
}
