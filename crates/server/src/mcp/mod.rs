//! The engine as tools for other people's models, over the Model Context Protocol: on standard input and output, or at
//! `/mcp` of a service.
//!
//! Invariant: a caller sees through a tool what they see over HTTP, and no more; only admins are told that there
//! are tools for admins.

mod call;
mod http;
mod reply;
mod stdio;
mod toolbox;
mod tools;

pub(crate) use http::routes;
pub use stdio::serve as serve_stdio;
