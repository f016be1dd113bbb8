//! The program `vouch`, as a library for the workspace's own binaries: settings, wiring, commands.
#![expect(missing_docs, reason = "its only readers are the binaries of this workspace")]

mod answer_certificate_file;
pub mod batch;
mod certificate_file;
pub mod cli;
mod commands;
pub mod console;
mod delegation;
pub mod exit;
mod explain;
mod kept_reports;
mod limited_file;
pub mod logs;
mod markdown;
pub mod memory_file;
mod message;
pub mod people_file;
mod plain_words;
mod profiles;
pub mod progress;
pub mod render;
mod screen;
pub mod settings;
mod terminal;
mod version;
pub mod wiring;

use std::{process::ExitCode, time::Duration};

use clap::Parser;

/// A question's walk is deep, and deeper where nothing is optimised.
const STACK_BYTES: usize = 8 << 20;
/// How long unfinished work is waited for at the end.
const LINGER: Duration = Duration::from_secs(2);

/// Runs the command of this process to its exit code.
pub fn main() -> ExitCode {
    if let Some(code) = vouch_formats::worker::run_if_asked() {
        return code;
    }
    let mut cli = cli::Cli::parse();
    logs::start(&cli);
    #[cfg(unix)]
    if let Some(code) = delegation::client::delegate(&mut cli) {
        return code;
    }
    let code = run(commands::run(cli));
    logs::release();
    code
}

/// Runs a command on a runtime of its own and reports how it failed.
pub fn run(command: impl Future<Output = anyhow::Result<ExitCode>>) -> ExitCode {
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().thread_stack_size(STACK_BYTES).build()
    {
        Ok(runtime) => runtime,
        Err(error) => return exit::report(&error.into()),
    };
    let code = match runtime.block_on(command) {
        Ok(code) => code,
        Err(error) => exit::report(&error),
    };
    // Work that outlived its deadline must not keep the process.
    runtime.shutdown_timeout(LINGER);
    code
}
