//! Two versions of the answers → which is better: blind, in both orders, counted only where both agree.
//!
//! Invariant: whoever judges is shown a first and a second answer and nothing that tells which version is which. A verdict that cannot be read
//! counts as none, and a preference that turns with the order counts for neither side.

pub mod heuristic;
pub mod pairing;
pub mod prompt;
pub mod reply;
pub mod tally;
pub mod verdict;
