//! Errors → exit codes: 0 done (a refusal too), 2 usage or settings, 3 a dependency is down or nothing was ingested, 1 anything else.

use std::process::ExitCode;

use vouch_domain::{Fault, ModelError, PortError};
use vouch_engine::ask::AskError;

use crate::message;

/// The caller asked for something that makes no sense, or the settings do not.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Usage(pub String);

/// There is nothing to ask yet.
#[derive(Debug, thiserror::Error)]
#[error(
    "nothing has been ingested yet: there are no documents in {0}. Begin with `vouch ingest FOLDER`, or name the data folder with --data"
)]
pub struct NothingIngested(pub String);

/// Prints an error with its causes and returns its exit code.
pub fn report(error: &anyhow::Error) -> ExitCode {
    let mut told = error.to_string();
    for cause in error.chain().skip(1).filter(|cause| cause.downcast_ref::<PortError>().is_none()) {
        let cause = cause.to_string();
        if !told.contains(&cause) {
            told = format!("{told}: {cause}");
        }
    }
    message::complain(&told);
    ExitCode::from(code(error))
}

fn code(error: &anyhow::Error) -> u8 {
    if error.downcast_ref::<NothingIngested>().is_some() {
        return 3;
    }
    if error.downcast_ref::<Usage>().is_some()
        || matches!(error.downcast_ref(), Some(AskError::NotAQuestion(_) | AskError::Agent(_)))
    {
        return 2;
    }
    if let Some(AskError::Model(error)) = error.downcast_ref() {
        return match error {
            ModelError::NotAllowed { .. } | ModelError::TokenBudgetExceeded { .. } => 2,
            ModelError::Connection { .. }
            | ModelError::CircuitOpen { .. }
            | ModelError::Timeout { .. }
            | ModelError::Unavailable { .. } => 3,
            ModelError::Context { .. } => 1,
        };
    }
    // A transparent error hides its inner one from the chain, so both are looked at.
    let port = error.chain().find_map(|cause| {
        cause.downcast_ref::<PortError>().or_else(|| match cause.downcast_ref::<AskError>()? {
            AskError::Port(port) => Some(port),
            AskError::NotAQuestion(_) | AskError::Model(_) | AskError::Agent(_) => None,
        })
    });
    match port.map(|port| port.fault) {
        Some(Fault::Unavailable | Fault::CircuitOpen | Fault::Timeout) => 3,
        Some(Fault::Full | Fault::Held | Fault::Corrupt | Fault::OtherEmbedder | Fault::Invalid | Fault::Internal)
        | None => 1,
    }
}
