//! A question and the agents of a profile → `Routing`: whose question it is, how surely, and whether a tool is meant.
//!
//! Invariant: where nothing is sure and nothing was spoken of before, the question is nobody's: the fallback says what the
//! agents can do. A linear rule decides, fitted on the profile's own examples when the first question comes.

mod agents;
mod features;
mod router;
mod rule;

pub use crate::trace::{ConsideredAgent, Routing};
pub use agents::Agents;
pub use router::{NoSuchAgent, Router};
