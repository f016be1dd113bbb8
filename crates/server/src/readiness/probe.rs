//! One thing that answers depend on → whether it works, found out again only where the last finding is old.
//!
//! Invariant: one check of a thing runs at a time. Callers wait for it with a deadline; whether they stay or leave, it
//! finishes before the next one begins.

use std::{
    error::Error,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures::{FutureExt, future::BoxFuture};
use vouch_domain::{Fault, ModelError, PortError, ports::Clock};

/// Finds out whether a thing works.
type Check = dyn Fn() -> BoxFuture<'static, Result<(), Failure>> + Send + Sync;

/// Whether a thing works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Finding {
    /// It does.
    Up,
    /// It does not, and this sentence may be told to anybody.
    Down(&'static str),
}

/// What is said of a thing that does not answer in time.
pub(super) const LATE: &str = "It did not answer in time.";
/// What is said of a server that cannot be reached.
const UNREACHABLE: &str = "It cannot be reached.";
/// What is said of a server that is left alone.
const UNASKED: &str = "It has failed too often and will not be asked again for a while.";

/// Why a thing does not work: a sentence for anybody, and its own error for the log.
pub(super) struct Failure {
    sentence: &'static str,
    error: Box<dyn Error + Send + Sync>,
}

impl From<PortError> for Failure {
    fn from(error: PortError) -> Self {
        let sentence = match error.fault {
            Fault::Unavailable => UNREACHABLE,
            Fault::CircuitOpen => UNASKED,
            Fault::Timeout => LATE,
            Fault::Full => "There is no room left to write.",
            Fault::Held => "Another process is using it.",
            Fault::Corrupt => "Its contents are damaged.",
            Fault::OtherEmbedder => "It contains the vectors of a different embedder.",
            Fault::Invalid | Fault::Internal => "It failed.",
        };
        Self { sentence, error: error.into() }
    }
}

impl From<ModelError> for Failure {
    fn from(error: ModelError) -> Self {
        let sentence = match error {
            ModelError::Connection { .. } => UNREACHABLE,
            ModelError::CircuitOpen { .. } => UNASKED,
            ModelError::Timeout { .. } => LATE,
            ModelError::Unavailable { .. } => "The server does not have the model.",
            ModelError::NotAllowed { .. } | ModelError::Context { .. } | ModelError::TokenBudgetExceeded { .. } => {
                "It failed."
            }
        };
        Self { sentence, error: error.into() }
    }
}

/// A thing, how to check it, and what was found last.
pub(super) struct Probe {
    pub(super) name: String,
    /// The model that runs there, for those who may know.
    pub(super) model: Option<String>,
    /// How long a finding is reused, so that frequent polling costs nothing.
    holds: Duration,
    clock: Arc<dyn Clock>,
    check: Arc<Check>,
    last: Arc<Mutex<Option<(Duration, Finding)>>>,
    turn: Arc<tokio::sync::Mutex<()>>,
}

impl Probe {
    pub(super) fn new<F>(
        name: impl Into<String>,
        (holds, clock): (Duration, &Arc<dyn Clock>),
        check: impl Fn() -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<(), Failure>> + Send + 'static,
    {
        Self {
            name: name.into(),
            model: None,
            holds,
            clock: Arc::clone(clock),
            check: Arc::new(move || check().boxed()),
            last: Arc::default(),
            turn: Arc::default(),
        }
    }

    pub(super) fn of_model(mut self, model: impl Into<String>) -> Self {
        self.model = Some(model.into());
        self
    }

    /// What was found last, however long ago.
    pub(super) fn last(&self) -> Option<Finding> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).map(|(_, finding)| finding)
    }

    /// What was found a moment ago, or is found now; none if that takes longer than it is waited for.
    pub(super) async fn found(&self, wait: Duration) -> Option<Finding> {
        tokio::time::timeout(wait, self.find()).await.ok()
    }

    async fn find(&self) -> Finding {
        let turn = Arc::clone(&self.turn).lock_owned().await;
        let last = *self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.clock.since_start();
        if let Some((_, finding)) = last.filter(|(at, _)| now.saturating_sub(*at) < self.holds) {
            return finding;
        }
        let (check, clock, last) = (Arc::clone(&self.check), Arc::clone(&self.clock), Arc::clone(&self.last));
        let name = self.name.clone();
        let finding = tokio::spawn(async move {
            let finding = match check().await {
                Ok(()) => Finding::Up,
                Err(Failure { sentence, error }) => {
                    tracing::warn!(%error, dependency = name, component = "readiness", "a dependency is down");
                    Finding::Down(sentence)
                }
            };
            *last.lock().unwrap_or_else(PoisonError::into_inner) = Some((clock.since_start(), finding));
            drop(turn);
            finding
        });
        finding.await.unwrap_or(Finding::Down("It failed."))
    }
}
