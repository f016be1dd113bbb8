//! How many commands run at once. Those that watch have places of their own: they end when somebody wants them to, and must not
//! keep out what is done in a moment.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::cli::Command;

/// Commands that run at once.
const COMMANDS_MAX: usize = 4;
/// Commands that watch at once, besides.
const WATCHERS_MAX: usize = 2;
const BUSY: &str = "the server on this data folder is already running as many commands as it can; try again in a \
                    moment";
const WATCHES: &str = "the server on this data folder is already watching files for as many commands as it allows; \
                       end one of them with Ctrl-C, or name the folder under `sources` in its settings, with `watch: \
                       true`";

/// The places of a server.
#[derive(Clone)]
pub(super) struct Room {
    commands: Arc<Semaphore>,
    watchers: Arc<Semaphore>,
}

impl Room {
    pub(super) fn new() -> Self {
        Self { commands: Arc::new(Semaphore::new(COMMANDS_MAX)), watchers: Arc::new(Semaphore::new(WATCHERS_MAX)) }
    }

    /// A place for a command, kept until it is dropped; or why there is none.
    pub(super) fn take(&self, command: &Command) -> Result<OwnedSemaphorePermit, String> {
        let watches = matches!(command, Command::Ingest(args) if args.watch);
        let (places, sentence) = if watches { (&self.watchers, WATCHES) } else { (&self.commands, BUSY) };
        Arc::clone(places).try_acquire_owned().map_err(|_| sentence.to_owned())
    }
}
