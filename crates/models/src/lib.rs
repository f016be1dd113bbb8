//! Local inference: text to vectors on this machine, with weights that travel in the binary.

pub mod gte_small;

pub use gte_small::GteSmall;
