//! HTTP: its paths and who may call them, OpenAI's protocol, MCP and the web page. The shapes of replies are in `vouch-service`.

pub mod access_control;
pub mod admission;
mod body_budget;
pub mod connections;
mod description;
mod edge;
mod endpoints;
mod faults;
mod guards;
mod loopback;
pub mod mcp;
mod openai;
pub mod problem;
pub mod rate;
pub mod readiness;
mod request_id;
pub mod router;
mod routes;
pub mod service;
pub mod service_slot;
mod wire;
