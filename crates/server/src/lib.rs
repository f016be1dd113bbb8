//! The surfaces that programs and people use, and the only place that knows the names on the wire.

pub mod admission;
mod body_room;
pub mod connections;
mod context;
mod description;
pub mod desk;
pub mod door;
mod edge;
mod endpoints;
mod guards;
pub mod keeper;
mod loopback;
pub mod mcp;
pub mod metrics;
pub mod problem;
pub mod rate;
pub mod readiness;
mod routes;
pub mod service;
pub mod turns;
pub mod walks;
pub mod wire;
