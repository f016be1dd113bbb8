//! `/v1/questions`: questions that found no answer, sent to whoever answers for their topic.

pub(crate) mod answer;
pub(crate) mod list;
pub(crate) mod send;
pub(crate) mod withdraw;
