//! One file per command: arguments in, a result on standard output, an exit code out.

mod aloud;
mod ask;
mod audit;
mod batch;
mod bench;
mod chat;
mod check;
mod demo;
mod doctor;
mod eval;
mod ingest;
mod init;
mod key;
mod list;
mod mcp;
mod memory;
mod metrics;
mod reader;
mod reembed;
mod search;
mod serve;
mod show;
mod stop;
mod store;
mod tag;
mod term;
mod user;
mod vocab;

use std::{io::Write, process::ExitCode};

use vouch_adapters::embedded::EmbedderCheck;

use crate::{
    cli::{Cli, Command, Common},
    exit::Usage,
    settings::{self, Loaded},
    terminal,
    wiring::{self, House},
};

/// Runs one command.
pub(crate) async fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    let common = &cli.common;
    match cli.command {
        Command::Demo { profile, chat: true, .. } => demo::chat(common, &profile).await,
        Command::Demo { profile, listen, chat: false } => demo::serve(common, &profile, listen).await,
        Command::Init { folder, profile } => init::run(&folder, profile.as_deref()),
        Command::Ingest(args) => ingest::run(common, &args).await,
        Command::Ask(args) => ask::run(common, &args).await,
        Command::Check(args) => check::run(common, &args).await,
        Command::Chat { reader } => chat::run(common, &reader).await,
        Command::Search(args) => search::run(common, &args).await,
        Command::Term { term, reader } => term::run(common, &term, &reader).await,
        Command::Memory(command) => memory::run(common, command).await,
        Command::User(command) => user::run(common, command).await,
        Command::Tag(command) => tag::run(common, command).await,
        Command::Key(command) => key::run(common, command).await,
        Command::Vocab(command) => vocab::run(common, &command),
        Command::List { kind, about, reader } => list::run(common, &kind, about.as_deref(), &reader).await,
        Command::Show { address, reader } => show::run(common, &address, &reader).await,
        Command::Audit(command) => audit::run(common, command).await,
        Command::Reembed => reembed::run(common).await,
        Command::Mcp { reader, admin } => mcp::run(common, &reader, admin).await,
        Command::Serve { listen } => serve::run(common, listen).await,
        Command::Metrics(args) => metrics::run(common, &args).await,
        Command::Doctor => doctor::run(common).await,
        Command::Store(command) => store::run(common, &command),
        Command::Eval(command) => eval::run(common, command).await,
        Command::Bench(command) => bench::run(common, command).await,
    }
}

fn load(common: &Common) -> anyhow::Result<Loaded> {
    settings::load(common.config.as_deref(), None).map_err(|error| Usage(format!("{error:#}")).into())
}

fn open(common: &Common) -> anyhow::Result<House> {
    let loaded = load(common)?;
    warn_of_self_judgement(&loaded);
    wiring::build(&loaded, &common.data, EmbedderCheck::Enforce)
}

/// Prints a result without what would steer a terminal. A reader that has gone away, such as `head`, is no error.
fn print(text: &str) -> anyhow::Result<()> {
    write_out(&terminal::shown(text))
}

fn print_json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    write_out(&format!("{}\n", terminal::escaped(&serde_json::to_string(value)?)))
}

fn write_out(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => std::process::exit(0),
        outcome => Ok(outcome?),
    }
}

/// Prints a message on standard error.
#[expect(clippy::print_stderr, reason = "progress goes to standard error")]
fn tell(sentence: &str) {
    eprintln!("{}", terminal::shown(sentence));
}

/// A model must not judge its own output: it would find it good.
fn warn_of_self_judgement(loaded: &Loaded) {
    let models = &loaded.settings.models;
    if let (Some(answer), Some(judge)) = (&models.answer, &models.judge)
        && answer.model == judge.model
    {
        tell(&format!(
            "vouch: models.judge is {}, which also writes the answers; a model should not judge its own output",
            judge.model
        ));
    }
}
