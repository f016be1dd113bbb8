//! What every command does first and last: read the settings, open what they name, print a result, tell what goes on.

use std::io::Write;

use vouch_adapters::embedded::{EmbedderCheck, holds_store};

use crate::{
    cli::Common,
    delegation::{borrowed_app, protocol::Event, remote_output::RemoteOutput},
    exit::{NothingIngested, Usage},
    markdown::Styled,
    message,
    settings::{self, LoadedSettings},
    terminal,
    wiring::{self, App},
};

pub fn load(common: &Common) -> anyhow::Result<LoadedSettings> {
    if let Some(app) = borrowed_app::current() {
        return Ok(LoadedSettings::clone(&app.loaded));
    }
    settings::load(common.config.as_deref(), None).map_err(|error| Usage(format!("{error:#}")).into())
}

pub fn open(common: &Common) -> anyhow::Result<App> {
    if borrowed_app::current().is_none() {
        warn_of_self_judgement(&load(common)?);
    }
    open_to_fill(common)
}

/// The same for a command that asks no model for an answer.
pub fn open_to_fill(common: &Common) -> anyhow::Result<App> {
    match borrowed_app::current() {
        Some(app) => Ok(app),
        None => wiring::build(&load(common)?, &common.data, EmbedderCheck::Enforce),
    }
}

/// The same for a command that reads: where nothing was ever ingested it says so, and creates nothing.
pub fn open_filled(common: &Common) -> anyhow::Result<App> {
    check_filled(common)?;
    open(common)
}

fn check_filled(common: &Common) -> anyhow::Result<()> {
    // What is wrong with the settings is told first.
    let is_node = load(common)?.settings.store.postgres.is_some();
    // A node's folder is filled from its database when it is opened.
    if is_node || holds_store(&common.data) {
        Ok(())
    } else {
        Err(NothingIngested(common.data.display().to_string()).into())
    }
}

/// The same for a command that asks at once.
pub fn open_to_ask(common: &Common) -> anyhow::Result<App> {
    check_filled(common)?;
    if let Some(app) = borrowed_app::current() {
        return Ok(app);
    }
    let loaded = load(common)?;
    warn_of_self_judgement(&loaded);
    wiring::build_to_ask(&loaded, &common.data)
}

/// Prints a result without what would steer a terminal. A reader that has gone away, such as `head`, is no error.
pub fn print(text: &str) -> anyhow::Result<()> {
    write_out(&terminal::sanitize(text))
}

/// Prints what was made for the terminal that standard output is.
pub(crate) fn print_styled(text: &Styled) -> anyhow::Result<()> {
    write_out(text.as_str())
}

pub fn print_json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    write_out(&format!("{}\n", terminal::escaped(&serde_json::to_string(value)?)))
}

fn write_out(text: &str) -> anyhow::Result<()> {
    match RemoteOutput::current() {
        Some(output) => Ok(output.send(&Event::Out(text.to_owned()))?),
        None => print_raw(text),
    }
}

/// Prints what another process has made ready to be printed.
pub(crate) fn print_raw(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => std::process::exit(0),
        outcome => Ok(outcome?),
    }
}

/// Prints a message on standard error.
pub fn tell(sentence: &str) {
    message::inform(sentence);
}

/// A model must not judge its own output: it would find it good.
fn warn_of_self_judgement(loaded: &LoadedSettings) {
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
