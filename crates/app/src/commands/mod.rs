//! One file per command: arguments in, a result on standard output, an exit code out.

mod ask;
mod ask_stream;
mod audit;
mod breaker_exchange;
mod change_counts;
mod chat;
mod check;
mod demo;
mod doctor;
mod eval;
mod failure;
mod find_document;
mod follow;
mod hang_up;
mod ingest;
mod init;
mod jobs;
mod key;
mod list;
mod mcp;
mod memory;
mod metrics;
mod reader;
mod reembed;
mod review;
mod search;
mod serve;
mod show;
mod snapshots;
mod stop;
mod store;
mod sync;
mod tag;
mod term;
mod user;
mod verify;
mod vocab;

use std::{process::ExitCode, sync::Arc};

use crate::{
    batch,
    cli::{Cli, Command},
    console::{load, open, open_filled, open_to_ask, open_to_fill, print, print_json, print_styled, tell},
    delegation::runner::Runner,
};

/// Runs one command.
pub(crate) async fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    let common = &cli.common;
    match cli.command {
        Command::Demo { profile, chat: true, .. } => demo::chat(common, &profile).await,
        Command::Demo { profile, listen, chat: false } => demo::serve(common, &profile, listen, runner()).await,
        Command::Init { folder, profile } => init::run(&folder, profile.as_deref()),
        Command::Ingest(args) => {
            let code = ingest::run(common, &args).await?;
            if args.self_exam {
                eval::examine(common, &args.tenant).await?;
            }
            Ok(code)
        }
        Command::Sync(args) => sync::run(common, &args).await,
        Command::Jobs(command) => jobs::run(common, command).await,
        Command::Ask(args) => ask::run(common, &args).await,
        Command::Verify { certificate } => verify::run(common, &certificate).await,
        Command::Check(args) => check::run(common, &args).await,
        Command::Chat { reader } => chat::run(common, &reader).await,
        Command::Search(args) => search::run(common, &args).await,
        Command::Term { term, reader } => term::run(common, &term, &reader).await,
        Command::Review(args) => review::run(common, &args).await,
        Command::Memory(command) => memory::run(common, command).await,
        Command::User(command) => user::run(common, command).await,
        Command::Tag(command) => tag::run(common, command).await,
        Command::Key(command) => key::run(common, command).await,
        Command::Vocab(command) => vocab::run(common, &command).await,
        Command::List { kind, about, topic, reader } => {
            let wanted = list::Wanted { kind: kind.as_deref(), about: about.as_deref(), topic: topic.as_deref() };
            list::run(common, wanted, &reader).await
        }
        Command::Show(args) => show::run(common, &args).await,
        Command::Audit(command) => audit::run(common, command).await,
        Command::Reembed => reembed::run(common).await,
        Command::Mcp { reader, admin } => mcp::run(common, (&reader, admin), runner()).await,
        Command::Serve { listen } => serve::run(common, listen, runner()).await,
        Command::Metrics(args) => metrics::run(common, &args).await,
        Command::Doctor => doctor::run(common).await,
        Command::Completions { shell } => completions(shell),
        Command::Store(command) => store::run(common, &command).await,
        Command::Eval(command) => eval::run(common, command).await,
    }
}

/// Who runs commands for others.
fn runner() -> Runner {
    Arc::new(|cli| Box::pin(run(cli)))
}

/// What a shell needs to complete commands and options.
fn completions(shell: clap_complete::Shell) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut <Cli as clap::CommandFactory>::command(), "vouch", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}
