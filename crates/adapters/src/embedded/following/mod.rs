//! A catalogue that follows another: the truth lies elsewhere, and the file is this node's copy of it.
//!
//! Everything that reads goes to the copy, so a question needs nothing but this machine. A change is made in the copy first, in a
//! transaction that nobody sees, while the truth is locked; the rows it wrote go to the truth, and where the truth has them
//! the copy keeps them too. Whoever follows asks for the rows that were written after the change they have.
//!
//! Invariant: the copy is the truth as it was at one of its changes, never half of one; it holds no change that the truth lacks.

mod apply;
mod derived;
mod key_text;
mod progress;
mod recorder;
mod shape;
mod truth;

pub(crate) use key_text::{key_of, key_text};
pub(crate) use progress::FollowProgress;
pub use progress::FollowState;
pub(crate) use shape::{ColumnKind, TableShape};
pub use truth::Unfinished;
pub(crate) use truth::{Changed, CopyTarget, Head, Origin, Place, Truth, Turn, Visit};

pub(super) use apply::{apply, apply_without_lookups};
pub(super) use derived::make_all as make_lookups;
pub(crate) use recorder::size;
pub(super) use recorder::{Recorder, every_row, rows_from};

/// Under which name a copy keeps the change that it has come to.
pub(super) const FOLLOWED: &str = "followed";
/// Under which name a copy that is being filled keeps how far it has come.
pub(super) const FILLING: &str = "filling";
/// Under which name a file keeps what tells it from other copies of its store. What is made of a store elsewhere (an index of vectors,
/// snapshots) is of one of them.
pub(super) const LINEAGE: &str = "lineage";
/// What a file says of itself alone and not of the truth.
pub(super) const OWN_FACTS: [&str; 4] = [FOLLOWED, FILLING, LINEAGE, "revision"];
