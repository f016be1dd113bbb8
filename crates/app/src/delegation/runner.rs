//! What runs a command.

use std::{pin::Pin, process::ExitCode, sync::Arc};

use vouch_service::ask_service::AskService;

use crate::cli::Cli;

/// Runs a command to its exit code.
pub(crate) type Runner = Arc<dyn Fn(Cli) -> Pin<Box<dyn Future<Output = anyhow::Result<ExitCode>>>> + Send + Sync>;
/// What answers questions by now.
pub(crate) type CurrentService = Arc<dyn Fn() -> AskService + Send + Sync>;
