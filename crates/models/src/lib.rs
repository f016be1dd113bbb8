//! Local inference on this machine, with weights that travel in the binary: text to vectors, and the judge.

pub mod gte_small;
pub mod judge;
mod workers;

pub use gte_small::GteSmall;
pub use judge::Judge;
