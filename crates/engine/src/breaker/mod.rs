//! A service that keeps failing → not asked for a while, then tried with one request at a time.
//!
//! Closed, it lets every request through; after a number of failures in a row it opens and lets none through; after a
//! while it is half open and lets exactly one probe through at a time; after a number of successful probes in a row it
//! closes.
//!
//! Invariant: an outcome counts only in the state its request was let through in, so that late failures of a storm do not
//! open a breaker that has just closed.

mod dense;
mod model;
mod reranker;

use std::{
    future::Future,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use vouch_domain::{Fault, PortError, ports::Clock};

use crate::policy::BreakerPolicy;

pub use dense::GuardedDense;
pub(crate) use dense::as_one_request;
pub use model::GuardedModel;
pub use reranker::GuardedReranker;

/// Whether a service is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BreakerState {
    /// It is.
    Closed,
    /// One request at a time, to see whether it has recovered.
    HalfOpen,
    /// It is not.
    Open,
}

impl BreakerState {
    /// The state as one word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::HalfOpen => "half_open",
            Self::Open => "open",
        }
    }
}

/// What a breaker has seen so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BreakerCounts {
    /// Requests that were let through.
    pub requests: u64,
    /// Those that failed.
    pub failures: u64,
    /// Requests that were not let through.
    pub turned_away: u64,
    /// How often it opened.
    pub trips: u64,
}

/// The breaker of one service.
pub struct Breaker {
    service: String,
    policy: BreakerPolicy,
    clock: Arc<dyn Clock>,
    inner: Mutex<Inner>,
    requests: AtomicU64,
    failures: AtomicU64,
    turned_away: AtomicU64,
    trips: AtomicU64,
}

/// The state, and a number that changes with it.
struct Inner {
    circuit: Circuit,
    /// Until when the first failure opens it, since the service has failed elsewhere.
    warned_until: Duration,
    epoch: u64,
}

enum Circuit {
    Closed { failures_in_a_row: u32 },
    Open { since: Duration },
    HalfOpen { successes_in_a_row: u32, is_probed: bool },
}

/// Permission to ask the service once. Dropped without an outcome it counts for nothing: the caller has left.
pub struct Permit {
    breaker: Arc<Breaker>,
    epoch: u64,
    is_open_ended: bool,
}

impl Breaker {
    /// A closed breaker.
    #[must_use]
    pub fn new(service: impl Into<String>, policy: BreakerPolicy, clock: Arc<dyn Clock>) -> Self {
        Self {
            service: service.into(),
            policy,
            clock,
            inner: Mutex::new(Inner {
                circuit: Circuit::Closed { failures_in_a_row: 0 },
                warned_until: Duration::ZERO,
                epoch: 0,
            }),
            requests: AtomicU64::new(0),
            failures: AtomicU64::new(0),
            turned_away: AtomicU64::new(0),
            trips: AtomicU64::new(0),
        }
    }

    /// A closed breaker with the usual figures.
    #[must_use]
    pub fn with_default_policy(service: impl Into<String>, clock: Arc<dyn Clock>) -> Self {
        Self::new(service, BreakerPolicy::default(), clock)
    }

    /// The service, as people call it.
    #[must_use]
    pub fn service(&self) -> &str {
        &self.service
    }

    /// Whether the service is asked. An open breaker whose time is over counts as half open.
    #[must_use]
    pub fn state(&self) -> BreakerState {
        match self.inner().circuit {
            Circuit::Closed { .. } => BreakerState::Closed,
            Circuit::Open { since } if self.is_over(since) => BreakerState::HalfOpen,
            Circuit::Open { .. } => BreakerState::Open,
            Circuit::HalfOpen { .. } => BreakerState::HalfOpen,
        }
    }

    /// Hears that another process found the service to fail so long ago: for as long as that process asks it no more, the first failure
    /// here opens this breaker. By itself that opens nothing, since the fault may be the other's own.
    pub fn warn(&self, opened_ago: Duration) {
        let left = self.policy.open_for.saturating_sub(opened_ago);
        let until = self.clock.since_start().saturating_add(left);
        let mut inner = self.inner();
        if !left.is_zero() && until > inner.warned_until {
            inner.warned_until = until;
        }
    }

    /// Whether the service would be asked, without asking.
    ///
    /// # Errors
    /// Fails with `Fault::CircuitOpen` where it would not.
    pub fn check_closed(&self) -> Result<(), PortError> {
        match self.state() {
            BreakerState::Open => Err(self.refusal()),
            BreakerState::Closed | BreakerState::HalfOpen => Ok(()),
        }
    }

    /// The figures so far.
    #[must_use]
    pub fn counts(&self) -> BreakerCounts {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        BreakerCounts {
            requests: read(&self.requests),
            failures: read(&self.failures),
            turned_away: read(&self.turned_away),
            trips: read(&self.trips),
        }
    }

    /// Permission to ask the service; none if the breaker is open.
    #[must_use]
    pub fn try_acquire(self: &Arc<Self>) -> Option<Permit> {
        let mut inner = self.inner();
        if let Circuit::Open { since } = inner.circuit
            && self.is_over(since)
        {
            inner.turn(Circuit::HalfOpen { successes_in_a_row: 0, is_probed: false });
            tracing::info!(component = "breaker", event = "circuit_half_open", service = self.service);
        }
        let may = match &mut inner.circuit {
            Circuit::Closed { .. } => true,
            Circuit::Open { .. } => false,
            Circuit::HalfOpen { is_probed, .. } => !std::mem::replace(is_probed, true),
        };
        let counter = if may { &self.requests } else { &self.turned_away };
        counter.fetch_add(1, Ordering::Relaxed);
        may.then(|| Permit { breaker: Arc::clone(self), epoch: inner.epoch, is_open_ended: true })
    }

    /// Asks the service where it may be asked, and learns from what comes of it.
    ///
    /// # Errors
    /// Fails if the service does, and with `Fault::CircuitOpen` where it is not asked.
    pub async fn guard<T>(self: &Arc<Self>, work: impl Future<Output = Result<T, PortError>>) -> Result<T, PortError> {
        let permit = self.acquire()?;
        let outcome = work.await;
        permit.settle(&outcome);
        outcome
    }

    fn acquire(self: &Arc<Self>) -> Result<Permit, PortError> {
        self.try_acquire().ok_or_else(|| self.refusal())
    }

    fn refusal(&self) -> PortError {
        PortError::new("breaker", Fault::CircuitOpen, self.sentence())
    }

    fn sentence(&self) -> String {
        format!("{} has failed too often and will not be asked again for a while", self.service)
    }

    fn is_over(&self, since: Duration) -> bool {
        self.clock.since_start().saturating_sub(since) >= self.policy.open_for
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn succeeded(&self, epoch: u64) {
        let mut inner = self.inner();
        if inner.epoch != epoch {
            return;
        }
        let closes = match &mut inner.circuit {
            Circuit::Closed { failures_in_a_row } => {
                *failures_in_a_row = 0;
                false
            }
            Circuit::Open { .. } => false,
            Circuit::HalfOpen { successes_in_a_row, is_probed } => {
                *is_probed = false;
                *successes_in_a_row += 1;
                *successes_in_a_row >= self.policy.success_threshold
            }
        };
        if closes {
            inner.turn(Circuit::Closed { failures_in_a_row: 0 });
            tracing::info!(component = "breaker", event = "circuit_closed", service = self.service);
        }
    }

    fn failed(&self, epoch: u64) {
        self.failures.fetch_add(1, Ordering::Relaxed);
        let mut inner = self.inner();
        if inner.epoch != epoch {
            return;
        }
        let is_warned = self.clock.since_start() < inner.warned_until;
        let opens = match &mut inner.circuit {
            Circuit::Closed { failures_in_a_row } => {
                *failures_in_a_row += 1;
                is_warned || *failures_in_a_row >= self.policy.failure_threshold
            }
            Circuit::Open { .. } => false,
            Circuit::HalfOpen { .. } => true,
        };
        if opens {
            inner.turn(Circuit::Open { since: self.clock.since_start() });
            self.trips.fetch_add(1, Ordering::Relaxed);
            tracing::warn!(component = "breaker", event = "circuit_open", service = self.service);
        }
    }

    /// The outcome of a request is unknown; a probe makes room for the next one.
    fn left(&self, epoch: u64) {
        let mut inner = self.inner();
        if let (true, Circuit::HalfOpen { is_probed, .. }) = (inner.epoch == epoch, &mut inner.circuit) {
            *is_probed = false;
        }
    }
}

impl Inner {
    fn turn(&mut self, circuit: Circuit) {
        self.circuit = circuit;
        self.epoch += 1;
    }
}

impl Permit {
    /// The service answered.
    pub fn succeeded(mut self) {
        self.is_open_ended = false;
        self.breaker.succeeded(self.epoch);
    }

    /// The service failed.
    pub fn failed(mut self) {
        self.is_open_ended = false;
        self.breaker.failed(self.epoch);
    }

    fn settle<T>(self, outcome: &Result<T, PortError>) {
        match outcome {
            Err(error) if is_of_the_service(error.fault) => self.failed(),
            Ok(_) | Err(_) => self.succeeded(),
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        if self.is_open_ended {
            self.breaker.left(self.epoch);
        }
    }
}

/// Whether a failure says something of the service rather than of what it was asked.
fn is_of_the_service(fault: Fault) -> bool {
    match fault {
        Fault::Unavailable | Fault::Timeout | Fault::Corrupt | Fault::Internal => true,
        Fault::CircuitOpen | Fault::Full | Fault::Held | Fault::OtherEmbedder | Fault::Invalid => false,
    }
}
