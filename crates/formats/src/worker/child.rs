//! What a worker does: limits itself, then reads a source, answers, and waits for the next.

use std::{
    io::{self, BufReader, BufWriter, Read, Stdin, Stdout, Write},
    panic::{AssertUnwindSafe, catch_unwind},
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Resource, Rlimit, setpriority_process, setrlimit};
use vouch_domain::ports::Parser;

use super::{
    limits::WorkerLimits,
    wire::{self, Reply, Request},
};
use crate::{FileParser, fault::whole};

/// The message for a source on which a parser panicked.
const GAVE_UP: &str = "the parser stopped on it with an internal error";
/// What Rust itself says where memory cannot be had; its asker looks for it.
pub(super) const NO_MEMORY: &str = "memory allocation of";
/// Room for parsers that call themselves.
const STACK_BYTES: usize = 64 << 20;
/// What a worker is niced by.
const NICE: i32 = 5;
/// How much longer than its asker a worker itself waits before it ends.
const GRACE: Duration = Duration::from_secs(5);

pub(super) fn run(limits: &WorkerLimits) -> ExitCode {
    if limit(limits).is_err() {
        return ExitCode::FAILURE;
    }
    // Whoever asks questions goes before whoever reads files; where that cannot be had files are read all the same.
    let _ = setpriority_process(None, NICE);
    // What a parser would say about its own end is of no use to anybody: the asker says what happened.
    std::panic::set_hook(Box::new(|_| {}));
    let busy_since = Arc::new(AtomicU64::new(0));
    watch(Arc::clone(&busy_since), limits.time + GRACE);
    let reader = thread::Builder::new().stack_size(STACK_BYTES).spawn(move || serve(&busy_since));
    match reader.map(thread::JoinHandle::join) {
        Ok(Ok(Ok(()))) => ExitCode::SUCCESS,
        Ok(Ok(Err(error))) => {
            if error.kind() == io::ErrorKind::OutOfMemory {
                let _ = io::stderr().write_all(NO_MEMORY.as_bytes());
            }
            ExitCode::FAILURE
        }
        Ok(Err(_)) | Err(_) => ExitCode::FAILURE,
    }
}

/// A worker writes no file, leaves no image of its memory, and takes no more of it than it may.
fn limit(limits: &WorkerLimits) -> io::Result<()> {
    let both = |most: u64| Rlimit { current: Some(most), maximum: Some(most) };
    setrlimit(Resource::Core, both(0))?;
    setrlimit(Resource::Fsize, both(0))?;
    setrlimit(Resource::As, both(limits.memory_bytes))?;
    Ok(())
}

/// Ends this process where a source takes too long, also if nobody is there any more to kill it.
fn watch(busy_since: Arc<AtomicU64>, longest: Duration) {
    let start = Instant::now();
    let now = move || u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
    let longest = u64::try_from(longest.as_millis()).unwrap_or(u64::MAX);
    // Without it the asker's own deadline still holds.
    let _ = thread::Builder::new().spawn(move || {
        let (mut seen, mut since) = (0, now());
        loop {
            thread::sleep(Duration::from_millis(500));
            let turn = busy_since.load(Ordering::Acquire);
            if turn != seen || turn.is_multiple_of(2) {
                (seen, since) = (turn, now());
            } else if now().saturating_sub(since) > longest {
                std::process::exit(1);
            }
        }
    });
}

/// Reads sources until standard input ends. The counter is odd while one is being read.
fn serve(turn: &AtomicU64) -> io::Result<()> {
    let (mut input, mut output): (BufReader<Stdin>, BufWriter<Stdout>) =
        (BufReader::new(io::stdin()), BufWriter::new(io::stdout()));
    while let Some((request, bytes)) = receive(&mut input)? {
        turn.fetch_add(1, Ordering::AcqRel);
        let reply = read(request, bytes);
        turn.fetch_add(1, Ordering::AcqRel);
        let reply = serde_json::to_vec(&reply).map_err(io::Error::other)?;
        output.write_all(&wire::length(reply.len()))?;
        output.write_all(&reply)?;
        output.flush()?;
    }
    Ok(())
}

fn receive(input: &mut impl Read) -> io::Result<Option<(Request, Vec<u8>)>> {
    let mut lengths = [0; 16];
    match input.read_exact(&mut lengths) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error),
    }
    let (head, body) = lengths.split_at(8);
    let mut read = |length: &[u8]| -> io::Result<Vec<u8>> {
        let length = length.try_into().map(u64::from_le_bytes).map_err(io::Error::other)?;
        let mut bytes = Vec::new();
        input.by_ref().take(length).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let head = read(head)?;
    let request = serde_json::from_slice(&head).map_err(io::Error::other)?;
    Ok(Some((request, read(body)?)))
}

fn read(request: Request, bytes: Vec<u8>) -> Vec<Reply> {
    let (parser, raw) = match request.into_raw(bytes) {
        Ok((access_from, raw)) => (FileParser { access_from }, raw),
        Err(fault) => return vec![Reply::from(Err(fault))],
    };
    let parsed = catch_unwind(AssertUnwindSafe(|| parser.parse(raw)));
    parsed.unwrap_or_else(|_| vec![Err(whole(GAVE_UP))]).into_iter().map(Reply::from).collect()
}
