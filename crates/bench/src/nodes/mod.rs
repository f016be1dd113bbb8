//! `vouch-bench nodes`: several servers on one PostgreSQL database, started, asked and killed here.

mod args;
mod changes;
mod ferries;
mod fleet;
mod jobs;
mod kills;
mod load;
mod node;
mod outage;
mod throughput;
mod timeline;
mod trail;
mod truth;
mod verdict;
mod way;

use std::process::ExitCode;

pub(crate) use args::NodesArgs;
use args::NodesCommand;

pub(crate) async fn run(args: &NodesArgs, as_json: bool) -> anyhow::Result<ExitCode> {
    match &args.command {
        NodesCommand::Throughput(args) => throughput::run(args, as_json).await,
        NodesCommand::Kills(args) => kills::run(args, as_json).await,
        NodesCommand::Outage(args) => outage::run(args, as_json).await,
    }
}
