//! The ways in from outside, and the only place where names on the wire are known.

pub mod admission;
mod context;
pub mod desk;
pub mod door;
mod edge;
mod endpoints;
mod loopback;
pub mod mcp;
pub mod metrics;
pub mod problem;
pub mod rate;
pub mod service;
pub mod walks;
pub mod wire;
