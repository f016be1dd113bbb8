//! The words that stages and writers share, through the public surface of the crate.

mod unit;
