//! The shapes of OpenAI's protocol, as far as they are spoken here.

mod chat_request;
mod completion;

pub(crate) use chat_request::{ChatRequest, DEFAULT_MODEL};
pub(crate) use completion::{Chunk, Completion, CompletionProblem, Heading, Usage, referral};
