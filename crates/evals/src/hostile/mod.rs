//! A true answer → lies told in it by a hostile scribe, and true sentences in other words.
//!
//! Invariant: the same seed gives the same lies. What a lie must not show is known beforehand, so that nobody has to judge
//! whether it got through.

mod lie;
mod markers;
mod reword;
mod scribe;
mod sentences;
mod subjects;
mod truth;

pub use lie::{Lie, LieKind, lies};
pub use reword::reword;
pub use scribe::{HostileScribe, Manner};
pub use sentences::claims;
pub use truth::{TruePiece, Truth};

pub use crate::alter::Names;
