//! How much work a check may take, and whether anybody still waits for it.
//!
//! Invariant: work that polls its budget ends soon after the budget is spent or cancelled; what it has not read by then
//! counts as unread, never as fine.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

/// Tokens of evidence that one check may look at, each look counted. An ordinary check needs some ten thousand.
const STEPS_MAX: u64 = 100_000_000;

/// The budget of one check, shared with whoever may cancel it.
///
/// Steps are counted and not seconds, so that the same texts always have the same outcome; deadlines and clients that
/// leave cancel it from outside.
#[derive(Debug, Clone)]
pub struct Budget {
    left: Arc<AtomicU64>,
    is_cancelled: Arc<AtomicBool>,
}

impl Default for Budget {
    fn default() -> Self {
        Self::with_steps(STEPS_MAX)
    }
}

impl Budget {
    /// A budget of this many steps.
    #[must_use]
    pub fn with_steps(steps: u64) -> Self {
        Self { left: Arc::new(AtomicU64::new(steps)), is_cancelled: Arc::default() }
    }

    /// Takes steps away; answers whether the work may go on.
    pub fn spend(&self, steps: usize) -> bool {
        let left = self.left.load(Ordering::Relaxed);
        let steps = u64::try_from(steps).unwrap_or(u64::MAX);
        self.left.store(left.saturating_sub(steps), Ordering::Relaxed);
        left > steps && !self.is_cancelled.load(Ordering::Relaxed)
    }

    /// Whether the work had to stop before its end.
    #[must_use]
    pub fn is_spent(&self) -> bool {
        self.left.load(Ordering::Relaxed) == 0 || self.is_cancelled.load(Ordering::Relaxed)
    }

    /// Stops the work at its next step.
    pub fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
    }

    /// Cancels the work when the guard is dropped: by a deadline that has passed, or a client that has left.
    #[must_use]
    pub fn cancel_on_drop(&self) -> CancelOnDrop {
        CancelOnDrop(self.clone())
    }
}

/// See `Budget::cancel_on_drop`.
#[derive(Debug)]
pub struct CancelOnDrop(Budget);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

#[cfg(test)]
mod tests {
    use super::Budget;

    #[test]
    fn a_budget_lasts_for_its_steps() {
        let budget = Budget::with_steps(10);
        assert!(budget.spend(4) && budget.spend(4) && !budget.is_spent());
        assert!(!budget.spend(4) && budget.is_spent());
    }

    #[test]
    fn a_dropped_guard_stops_the_work() {
        let budget = Budget::with_steps(10);
        drop(budget.cancel_on_drop());
        assert!(budget.is_spent() && !budget.spend(1));
    }
}
