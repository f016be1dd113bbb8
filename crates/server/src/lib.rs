//! The ways in from outside, and the only place where names on the wire are known.

pub mod admission;
pub mod connections;
mod description;
pub mod desk;
pub mod door;
mod endpoints;
mod guards;
pub mod keeper;
pub mod problem;
pub mod rate;
mod routes;
pub mod service;
pub mod wire;
