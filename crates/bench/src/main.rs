//! The binary `vouch-bench`: the project's own measurements, on data sets that are not part of it.

mod cli;
mod client;
mod confidence;
mod contradictions;
mod datasets;
mod dense;
mod encoder;
mod fit_likeness;
mod fit_relevance;
mod hostile;
mod judge;
mod lanes;
mod names;
mod nodes;
mod processor;
mod quotes;
mod retrieval;
mod scale;
mod scan;
mod seed;
mod serve;
mod speed;
mod stream;
mod support;
mod vectors;

use std::process::ExitCode;

use clap::Parser;
use vouch_app::{cli::Common, logs};

use cli::{BenchCommand, Cli};

fn main() -> ExitCode {
    if let Some(code) = vouch_formats::worker::run_if_asked() {
        return code;
    }
    let Cli { common, command } = Cli::parse();
    logs::start_plain();
    vouch_app::run(run(&common, command))
}

async fn run(common: &Common, command: BenchCommand) -> anyhow::Result<ExitCode> {
    match command {
        BenchCommand::Retrieval(args) => retrieval::run(common, &args).await,
        BenchCommand::Speed(args) => speed::run(common, &args).await,
        BenchCommand::Dense(args) => dense::run(common, &args).await,
        BenchCommand::Scan(args) => scan::run(common, &args),
        BenchCommand::SpeedOfStore { questions } => speed::measure_store(common, &questions).await,
        BenchCommand::JudgePairs { pairs } => judge::pairs::run(&pairs).await,
        BenchCommand::Encoder(args) => encoder::run(common, &args),
        BenchCommand::Judge(args) => judge::run(common, &args).await,
        BenchCommand::Vectors { texts } => vectors::run(&texts).await,
        BenchCommand::Lanes { questions, asked_max } => lanes::run(common, &questions, asked_max).await,
        BenchCommand::Names(args) => names::run(common, &args).await,
        BenchCommand::Quotes(args) => quotes::run(common, &args).await,
        BenchCommand::Support(args) => support::run(common, &args).await,
        BenchCommand::Stream(args) => stream::run(common, &args).await,
        BenchCommand::Nodes(args) => nodes::run(&args, common.json).await,
        BenchCommand::Scale(args) => scale::run(&args, common.json).await,
        BenchCommand::Serve(args) => serve::run(&args, common.json).await,
        BenchCommand::Contradictions(args) => contradictions::run(common, &args).await,
        BenchCommand::Hostile(args) => hostile::run(common, &args).await,
        BenchCommand::FitLikeness { pairs, write } => fit_likeness::run(common, &pairs, write.as_deref()).await,
        BenchCommand::FitConfidence { bench, questions } => confidence::run(common, &bench, questions).await,
        BenchCommand::FitRelevance { bench, write } => fit_relevance::run(common, &bench, write.as_deref()).await,
    }
}
