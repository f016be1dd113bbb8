//! Parsers in processes of their own, which may die without taking anybody along.
//!
//! What reads files of strangers may loop, take all memory or overflow its stack; nothing in the same process can stop that.
//! So a source is read by a worker, the same program started again: it limits its own memory, and is killed where it takes
//! too long. A worker that died is replaced, and what it died on is a fault of that source alone.
//!
//! Invariant: every source has an answer within the time limit. Of what a worker says only sound documents are taken, of
//! the source and the tenant that were asked for.

mod child;
mod limits;
mod process;
mod wire;

use std::{
    path::PathBuf,
    process::ExitCode,
    sync::{Mutex, PoisonError},
};

use vouch_domain::{
    Document, RawDocument,
    ports::{ParseError, Parser},
};

pub use limits::WorkerLimits;

use crate::{fault::whole, file_parser};
use process::Worker;
use wire::Request;

/// What a program that parses in workers is called with, as its first argument.
const ARGUMENT: &str = "parse-worker";
/// A worker that has read this many sources ends, and whatever it had not given back goes with it.
const SOURCES_PER_WORKER: u32 = 1_000;
/// Workers that wait for the next source.
const IDLE_MAX: usize = 2;

/// Reads every format, each source in a worker.
pub struct WorkerParser {
    program: PathBuf,
    limits: WorkerLimits,
    access_from: Vec<String>,
    idle: Mutex<Vec<Worker>>,
}

impl WorkerParser {
    /// Parses in workers of this program, which must call `run_if_asked` first thing.
    #[must_use]
    pub fn of_this_program(limits: WorkerLimits, access_from: Vec<String>) -> Self {
        // The link leads to this program even where its file was replaced by a newer one meanwhile.
        let link = PathBuf::from("/proc/self/exe");
        let program = if link.exists() { link } else { std::env::current_exe().unwrap_or_default() };
        Self::of(program, limits, access_from)
    }

    /// Parses in workers of another program.
    #[must_use]
    pub fn of(program: PathBuf, limits: WorkerLimits, access_from: Vec<String>) -> Self {
        Self { program, limits, access_from, idle: Mutex::default() }
    }

    fn idle(&self) -> Option<Worker> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    fn fresh(&self) -> Result<Worker, ParseError> {
        let cannot = |error| whole(&format!("no process could be started to read it in: {error}"));
        Worker::start(&self.program, ARGUMENT, self.limits).map_err(cannot)
    }

    fn give_back(&self, worker: Worker) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < IDLE_MAX && worker.served() < SOURCES_PER_WORKER {
            idle.push(worker);
        }
    }

    fn ask(&self, raw: &RawDocument) -> Result<Vec<Result<Document, ParseError>>, ParseError> {
        let request = Request::new(raw, &self.access_from);
        // One that had waited may have died of something else than this source.
        let answered = self.idle().and_then(|mut worker| Some((worker.ask(&request, &raw.bytes).ok()?, worker)));
        let (reply, worker) = match answered {
            Some(answered) => answered,
            None => {
                let mut worker = self.fresh()?;
                (worker.ask(&request, &raw.bytes)?, worker)
            }
        };
        let documents = wire::documents(&reply, raw)?;
        self.give_back(worker);
        Ok(documents)
    }
}

impl Parser for WorkerParser {
    fn parse(&self, raw: RawDocument) -> Vec<Result<Document, ParseError>> {
        self.ask(&raw).unwrap_or_else(|fault| vec![Err(fault)])
    }

    fn recipe(&self) -> Option<String> {
        Some(file_parser::recipe(&self.access_from))
    }
}

/// Where this process was started as a worker: reads sources from standard input until there are no more.
#[must_use]
pub fn run_if_asked() -> Option<ExitCode> {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() != Some(ARGUMENT) {
        return None;
    }
    Some(child::run(&WorkerLimits::from_arguments(arguments)))
}
