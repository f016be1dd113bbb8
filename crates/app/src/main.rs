//! The binary `vouch`: one command line over one engine. Exit codes are told in `exit`.

mod cli;
mod commands;
mod exit;
mod explain;
mod logs;
mod memory_file;
mod people_file;
mod profiles;
mod render;
mod settings;
mod terminal;
mod wiring;

use std::{process::ExitCode, time::Duration};

use clap::Parser;

/// A question's walk is deep, and deeper where nothing is optimised.
const STACK_BYTES: usize = 8 << 20;
/// How long unfinished work is waited for at the end.
const LINGER: Duration = Duration::from_secs(2);

fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    logs::start(&cli);
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().thread_stack_size(STACK_BYTES).build()
    {
        Ok(runtime) => runtime,
        Err(error) => return exit::report(&error.into()),
    };
    let code = match runtime.block_on(commands::run(cli)) {
        Ok(code) => code,
        Err(error) => exit::report(&error),
    };
    logs::release();
    // Work that outlived its deadline must not keep the process.
    runtime.shutdown_timeout(LINGER);
    code
}
