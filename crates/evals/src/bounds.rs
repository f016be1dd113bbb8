//! Counts → what they prove: exact bounds on a rate, after Clopper and Pearson.
//!
//! Invariant: a bound is never too low. With so many errors among so many independent questions, a rate above the bound would have shown
//! so few errors at most with the probability that the confidence leaves.

use serde::{Deserialize, Serialize};

/// The confidence of the intervals in a report.
pub const USUAL_CONFIDENCE: f64 = 0.95;
/// Halvings of the interval a bound is looked for in; more than a number's digits.
const HALVINGS: u32 = 60;

/// A share of some questions, with the interval that holds the true one with 95 % confidence.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Rate {
    /// How many.
    pub part: usize,
    /// Of how many.
    pub of: usize,
    /// The share; 0 of nothing.
    pub share: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end; 1 of nothing.
    pub high: f64,
}

impl Rate {
    /// A share with its interval.
    #[must_use]
    pub fn new(part: usize, of: usize) -> Self {
        let side = f64::midpoint(USUAL_CONFIDENCE, 1.0);
        Self { part, of, share: share(part, of), low: lower_bound(part, of, side), high: upper_bound(part, of, side) }
    }
}

impl Rate {
    /// The share for a person; of nothing there is none.
    #[must_use]
    pub fn percent(&self) -> String {
        if self.of == 0 { "none".to_owned() } else { format!("{:.1} %", self.share * 100.0) }
    }

    /// The share, where there is one.
    #[must_use]
    pub fn known(&self) -> Option<f64> {
        (self.of > 0).then_some(self.share)
    }
}

/// A part of a whole; 0 of nothing.
pub(crate) fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// The highest rate that so many errors among so many trials do not rule out with this confidence.
#[must_use]
pub fn upper_bound(errors: usize, trials: usize, confidence: f64) -> f64 {
    if errors >= trials {
        return 1.0;
    }
    // The rate under which that few errors or fewer have the probability that is left.
    root(|rate| at_most(errors, trials, rate) > 1.0 - confidence)
}

/// The lowest rate that so many errors among so many trials do not rule out with this confidence.
#[must_use]
pub fn lower_bound(errors: usize, trials: usize, confidence: f64) -> f64 {
    if errors == 0 {
        return 0.0;
    }
    1.0 - upper_bound(trials.saturating_sub(errors), trials, confidence)
}

/// The chance that a sign falls one way at least so often of so many times, where either way is as likely; two-sided.
#[must_use]
pub fn sign_test(one_way: usize, other_way: usize) -> f64 {
    let trials = one_way + other_way;
    if trials == 0 {
        return 1.0;
    }
    (2.0 * at_most(one_way.min(other_way), trials, 0.5)).min(1.0)
}

/// Where a condition that holds from 0 up to some rate ends; the end that does not hold any more.
fn root(holds: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if holds(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// The probability of at most so many errors among so many trials at a rate.
fn at_most(errors: usize, trials: usize, rate: f64) -> f64 {
    if rate <= 0.0 || errors >= trials {
        return 1.0;
    }
    if rate >= 1.0 {
        return 0.0;
    }
    let (yes, no) = (rate.ln(), (-rate).ln_1p());
    // The logarithm of each term, from the one before it.
    let mut term = trials as f64 * no;
    let mut terms = vec![term];
    for count in 0..errors {
        term += ((trials - count) as f64).ln() - ((count + 1) as f64).ln() + yes - no;
        terms.push(term);
    }
    let most = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (most + terms.iter().map(|term| (term - most).exp()).sum::<f64>().ln()).exp().min(1.0)
}

#[cfg(test)]
mod tests {
    use super::{Rate, lower_bound, sign_test, upper_bound};

    #[test]
    fn bounds_are_those_of_the_books() {
        // Without an error among 149 a rate of 2 % is ruled out with 95 % confidence, with one it takes 236.
        assert!(upper_bound(0, 149, 0.95) <= 0.02 && upper_bound(0, 148, 0.95) > 0.02);
        assert!(upper_bound(1, 236, 0.95) <= 0.02 && upper_bound(1, 235, 0.95) > 0.02);
        for (errors, trials, bound) in [(0, 10, 0.2589), (1, 10, 0.3942), (5, 50, 0.1988), (10, 100, 0.1637)] {
            assert!((upper_bound(errors, trials, 0.95) - bound).abs() < 2e-4, "{errors} of {trials}");
        }
        let rate = Rate::new(5, 50);
        assert!((rate.low - 0.0333).abs() < 2e-4 && (rate.high - 0.2181).abs() < 2e-4, "{rate:?}");
    }

    #[test]
    fn of_nothing_nothing_is_known() {
        assert_eq!((upper_bound(0, 0, 0.95), lower_bound(0, 0, 0.95)), (1.0, 0.0));
        assert_eq!((upper_bound(7, 7, 0.95), lower_bound(0, 7, 0.95)), (1.0, 0.0));
        assert_eq!(Rate::new(0, 0).share, 0.0);
    }

    #[test]
    fn a_large_set_has_a_bound_as_well() {
        let bound = upper_bound(1_000, 100_000, 0.95);
        assert!(bound > 0.01 && bound < 0.0106, "{bound}");
    }

    #[test]
    fn a_sign_that_falls_one_way_alone_is_no_chance() {
        assert!((sign_test(0, 10) - 2.0 / 1_024.0).abs() < 1e-9);
        assert_eq!((sign_test(5, 5), sign_test(0, 0)), (1.0, 1.0));
    }
}
