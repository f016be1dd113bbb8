//! How long a request may take → whether there is time left, and what to say where there is none.
//!
//! Invariant: time runs from the moment the request is begun, and only a word that was said ends the wait for the first, or for the next.

use std::{future::Future, time::Duration};

use tokio::time::{Instant, timeout_at};
use vouch_domain::{ModelError, ports::CompletionRequest};

use super::ServerName;

/// Longer than any request: stands for deadlines no clock can hold.
const FOREVER: Duration = Duration::from_secs(60 * 60 * 24 * 365);

/// The deadlines of one request.
#[derive(Debug, Clone)]
pub(crate) struct Deadlines {
    started: Instant,
    whole: Duration,
    /// Until when the next word must come; none for an answer that comes whole.
    word: Option<NextWord>,
    gap: Duration,
}

/// The wait for a word.
#[derive(Debug, Clone, Copy)]
struct NextWord {
    since: Instant,
    wait: Duration,
    is_first: bool,
}

impl Deadlines {
    /// From now, for an answer that comes whole.
    pub(crate) fn whole(whole: Duration) -> Self {
        Self { started: Instant::now(), whole, word: None, gap: whole }
    }

    /// From now, for an answer that comes word by word.
    pub(crate) fn for_stream(request: &CompletionRequest) -> Self {
        let mut deadlines = Self::whole(request.timeout);
        let (since, wait) = (deadlines.started, request.first_token_timeout);
        deadlines.word = Some(NextWord { since, wait, is_first: true });
        deadlines.gap = request.gap_timeout;
        deadlines
    }

    /// A word has arrived.
    pub(super) fn note_word(&mut self) {
        self.word = Some(NextWord { since: Instant::now(), wait: self.gap, is_first: false });
    }

    /// Does the work, or reports which deadline it missed; this also ends work that never yields.
    pub(super) async fn run<T>(&self, server: &ServerName, work: impl Future<Output = T>) -> Result<T, ModelError> {
        let end = self.end();
        if Instant::now() >= end {
            return Err(self.missed(server));
        }
        timeout_at(end, work).await.map_err(|_| self.missed(server))
    }

    fn end(&self) -> Instant {
        let whole = after(self.started, self.whole);
        self.word.map_or(whole, |word| after(word.since, word.wait).min(whole))
    }

    fn missed(&self, server: &ServerName) -> ModelError {
        let whole = after(self.started, self.whole);
        match self.word.filter(|word| after(word.since, word.wait) <= whole) {
            Some(word) if word.is_first => server.timeout(format!("sent nothing within {} ms", word.wait.as_millis())),
            Some(word) => server.timeout(format!("stopped in the middle for {} ms", word.wait.as_millis())),
            None => server.timeout(format!("did not finish within {} ms", self.whole.as_millis())),
        }
    }
}

fn after(start: Instant, time: Duration) -> Instant {
    start.checked_add(time.min(FOREVER)).unwrap_or(start)
}
