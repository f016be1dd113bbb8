//! Background jobs: what admins may ask for, and the worker that does it.

mod attempt;
mod job_service;
mod running;
mod worker;

pub use attempt::{JobPolicy, OpenTarget, Opened};
pub use job_service::{JobService, SourceCard};
pub use worker::{JobWorker, Schedule, Worker};
