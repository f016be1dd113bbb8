//! Scenes that several tests share.

pub mod cuts;
pub mod filled_store;
pub mod issuer;
pub mod model_server;
pub mod tool_calls;
