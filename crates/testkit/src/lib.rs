//! For tests alone: fakes of every port, the contract suite of each, a tiny corpus, and programs of others to test with.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]
#![expect(clippy::missing_panics_doc, reason = "a contract suite speaks by panicking")]

#[cfg(unix)]
pub mod browser;
pub mod contracts;
pub mod corpus;
pub mod fakes;
pub mod growth;
mod install;
#[cfg(target_os = "linux")]
pub mod milvus;
#[cfg(unix)]
pub mod object_server;
#[cfg(unix)]
pub mod postgres;
#[cfg(unix)]
pub mod producers;
pub mod python;
pub mod real_model;
mod skip;

pub use skip::skip;
