//! How long a request may take → whether there is time left, and what to say where there is none.
//!
//! Invariant: time runs from the moment the request is begun, and only a word that was said ends the wait for the first.

use std::{future::Future, time::Duration};

use tokio::time::{Instant, timeout_at};
use vouch_domain::ModelError;

use super::ServerName;

/// Longer than any request: stands for deadlines no clock can hold.
const FOREVER: Duration = Duration::from_secs(60 * 60 * 24 * 365);

/// The deadlines of one request.
#[derive(Debug, Clone)]
pub(crate) struct Deadlines {
    started: Instant,
    first_word: Option<Duration>,
    whole: Duration,
}

impl Deadlines {
    /// From now, for an answer that comes whole.
    pub(crate) fn whole(whole: Duration) -> Self {
        Self { started: Instant::now(), first_word: None, whole }
    }

    /// From now, for an answer that comes word by word.
    pub(crate) fn for_stream(first_word: Duration, whole: Duration) -> Self {
        Self { first_word: Some(first_word), ..Self::whole(whole) }
    }

    /// The first word has arrived.
    pub(super) fn note_first_token(&mut self) {
        self.first_word = None;
    }

    /// Does the work, or reports which deadline it missed; this also ends work that never yields.
    pub(super) async fn run<T>(&self, server: &ServerName, work: impl Future<Output = T>) -> Result<T, ModelError> {
        let end = self.end();
        if Instant::now() >= end {
            return Err(self.missed(server));
        }
        timeout_at(end, work).await.map_err(|_| self.missed(server))
    }

    fn wait(&self) -> Duration {
        self.first_word.map_or(self.whole, |first| first.min(self.whole))
    }

    fn end(&self) -> Instant {
        self.started.checked_add(self.wait().min(FOREVER)).unwrap_or(self.started)
    }

    fn missed(&self, server: &ServerName) -> ModelError {
        let wait = self.wait().as_millis();
        match self.first_word {
            Some(first) if first <= self.whole => server.timeout(format!("said nothing within {wait} ms")),
            Some(_) | None => server.timeout(format!("did not finish within {wait} ms")),
        }
    }
}
