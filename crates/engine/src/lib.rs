//! The stages of an answer and the two walks through them, `ask` and `ingest`.
//!
//! Invariant: the modules below stand in the order the data walks; no stage names a later one, and no stage
//! names a technology, reads a clock of its own or depends on the order of a hash map.

mod words;
pub mod trace;
pub mod policy;
pub mod breaker;
pub mod model_registry;
pub mod reading;
pub mod understand;
pub mod terminology;
pub mod retrieve;
pub mod route;
pub mod recall;
pub mod resolve;
pub mod judge;
pub mod compose;
pub mod verify;
pub mod tool;
pub mod findings;
pub mod decide;
pub mod ask;
pub mod auditor;
pub mod ingest;
