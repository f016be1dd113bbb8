//! What the program notices → lines on standard error: JSON for a server, text elsewhere, or as `--log` says.
//!
//! Invariant: a server says where it listens before anything else is written.

mod line;

use std::{
    io::{self, Write},
    sync::{Mutex, PoisonError},
};

use tracing_subscriber::{EnvFilter, Layer, filter::LevelFilter, layer::SubscriberExt, util::SubscriberInitExt};

use crate::{
    cli::{Cli, Command},
    message,
    settings::{self, LogForm},
};

/// The log level of a server unless `VOUCH_LOG` sets another: warnings only from dependencies.
const SERVED: &str = "warn,vouch=info";
/// The same for a command, and what the store has repaired by itself.
const COMMAND: &str = "error,vouch_adapters::embedded=warn";
/// Lines held back until the server has said where it listens, in bytes; more are lost.
const HELD_BYTES_MAX: usize = 1 << 20;

/// What is held back; none once everything may be written.
static HELD: Mutex<Option<Vec<u8>>> = Mutex::new(None);

/// Where lines go.
struct Out;

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match HELD.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            Some(held) if held.len() + bytes.len() <= HELD_BYTES_MAX => held.extend_from_slice(bytes),
            Some(_) => {}
            None => io::stderr().write_all(bytes)?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

/// Begins to write what is noticed, in the form the command has.
pub(crate) fn start(cli: &Cli) {
    let is_server = matches!(cli.command, Command::Serve { .. });
    // Settings that cannot be read are reported by the command itself.
    let of_server = || {
        let loaded = settings::load(cli.common.config.as_deref(), None);
        is_server.then(|| loaded.map_or(LogForm::Json, |own| own.settings.serve.logs))
    };
    let form = cli.common.log.or_else(of_server);
    if cli.common.log == Some(LogForm::Json) {
        message::use_json();
    }
    if is_server {
        *HELD.lock().unwrap_or_else(PoisonError::into_inner) = Some(Vec::new());
    }
    let filter = EnvFilter::try_from_env("VOUCH_LOG")
        .unwrap_or_else(|_| if form.is_some() { SERVED.into() } else { COMMAND.into() });
    let layer = match form {
        Some(LogForm::Json) => line::Lines::to(|| Out).boxed(),
        Some(LogForm::Text) | None => tracing_subscriber::fmt::layer().with_writer(|| Out).boxed(),
    };
    tracing_subscriber::registry().with(filter).with(layer.with_filter(LevelFilter::TRACE)).init();
}

/// Begins to write what a measurement notices.
pub fn start_plain() {
    let filter = EnvFilter::try_from_env("VOUCH_LOG").unwrap_or_else(|_| COMMAND.into());
    tracing_subscriber::registry().with(filter).with(tracing_subscriber::fmt::layer().with_writer(|| Out)).init();
}

/// Writes the lines that were held back, and every line from now on.
pub(crate) fn release() {
    let held = HELD.lock().unwrap_or_else(PoisonError::into_inner).take();
    // If standard error is closed there is nowhere to report it.
    let _ = io::stderr().write_all(&held.unwrap_or_default());
}
