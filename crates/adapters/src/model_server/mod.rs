//! What servers of language models have in common: an address and its bounds → what the server says, in time and
//! within its limits.
//!
//! Invariant: no wait outlasts its deadline, nothing grows beyond its limit, and no failure carries what was asked, the
//! key, or a password from the address. What a server says of its own failure may repeat the question: it goes to the
//! log at `debug`, and failures are told in our own words.

mod address;
mod allowance;
mod connection;
mod deadlines;
mod embedding;
mod line_reader;
mod model_stream;
mod overflow;
mod reply;
mod server_name;
mod tool_calls;
mod tools;

pub use embedding::EmbedderSettings;

pub(crate) use address::ServerAddress;
pub(crate) use allowance::Allowance;
pub(crate) use connection::{Access, Connection, PlainRequest};
pub(crate) use deadlines::Deadlines;
pub(crate) use embedding::EmbedderCard;
pub(crate) use model_stream::{Fragment, LineDecoder, ModelStream};
pub(crate) use overflow::read_overflow;
pub(crate) use reply::{RefusedReply, Reply};
pub(crate) use server_name::ServerName;
pub(crate) use tool_calls::{Heard, whole_calls};
pub(crate) use tools::tools;

/// The port of models that write, as its failures name it.
pub(crate) const PORT: &str = "language model";
