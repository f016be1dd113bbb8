//! One worker, from the side of its asker: it is asked, waited for, and killed where it takes too long.

use std::{
    io::{self, Read, Write},
    os::unix::process::{CommandExt, ExitStatusExt},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio},
    sync::mpsc::{self, RecvTimeoutError},
    thread,
};

use rustix::process::{Pid, Signal, kill_process};
use vouch_domain::ports::ParseError;

use super::{
    child::NO_MEMORY,
    limits::WorkerLimits,
    wire::{self, Request},
};
use crate::fault::whole;

/// How much of a worker's last words is looked at.
const LAST_WORDS_BYTES: u64 = 4_096;

/// A worker; it ends with this value.
pub(super) struct Worker {
    process: Child,
    input: ChildStdin,
    output: ChildStdout,
    limits: WorkerLimits,
    served: u32,
}

impl Worker {
    pub(super) fn start(program: &Path, argument: &str, limits: WorkerLimits) -> io::Result<Self> {
        let mut process = Command::new(program)
            .arg0("vouch")
            .arg(argument)
            .args(limits.arguments())
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        match (process.stdin.take(), process.stdout.take()) {
            (Some(input), Some(output)) => Ok(Self { process, input, output, limits, served: 0 }),
            (_, _) => Err(io::Error::other("it has no input or no output")),
        }
    }

    /// How many sources it has answered for.
    pub(super) fn served(&self) -> u32 {
        self.served
    }

    /// What it answers for a source. After a fault it must not be asked again.
    pub(super) fn ask(&mut self, request: &Request, bytes: &[u8]) -> Result<Vec<u8>, ParseError> {
        let pid = i32::try_from(self.process.id()).ok().and_then(Pid::from_raw);
        let (done, watched) = mpsc::channel::<()>();
        let (input, output, limits) = (&mut self.input, &mut self.output, self.limits);
        let (answer, is_late) = thread::scope(|scope| {
            let watch = scope.spawn(move || {
                let is_late = watched.recv_timeout(limits.time) == Err(RecvTimeoutError::Timeout);
                // The process has not been waited for yet, so that its number is nobody else's.
                if let (true, Some(pid)) = (is_late, pid) {
                    let _ = kill_process(pid, Signal::KILL);
                }
                is_late
            });
            let answer = send(input, request, bytes).and_then(|()| receive(output, limits.memory_bytes));
            drop(done);
            (answer, watch.join().unwrap_or(true))
        });
        match answer {
            Ok(reply) if !is_late => {
                self.served += 1;
                Ok(reply)
            }
            Ok(_) | Err(_) => Err(self.post_mortem(is_late)),
        }
    }

    /// Why there is no answer; the process is over by the end of it.
    fn post_mortem(&mut self, is_late: bool) -> ParseError {
        // Either it has ended by itself or it will say nothing more that is of use.
        let status = match self.process.try_wait() {
            Ok(Some(status)) => Some(status),
            Ok(None) | Err(_) => {
                let ended = (0..20).find_map(|_| {
                    thread::sleep(std::time::Duration::from_millis(10));
                    self.process.try_wait().ok().flatten()
                });
                ended.or_else(|| {
                    let _ = self.process.kill();
                    self.process.wait().ok()
                })
            }
        };
        if is_late {
            let seconds = self.limits.time.as_secs_f32();
            return whole(&format!("reading it took longer than {seconds} s (ingest.parse_timeout_ms)"));
        }
        let mut last_words = Vec::new();
        if let Some(errors) = self.process.stderr.take() {
            let _ = errors.take(LAST_WORDS_BYTES).read_to_end(&mut last_words);
        }
        whole(&cause(&String::from_utf8_lossy(&last_words), status, self.limits))
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn cause(last_words: &str, status: Option<ExitStatus>, limits: WorkerLimits) -> String {
    if last_words.contains(NO_MEMORY) {
        let megabytes = limits.memory_bytes >> 20;
        return format!("reading it takes more than {megabytes} MiB of memory (ingest.parse_memory_bytes_max)");
    }
    if last_words.contains("overflowed its stack") {
        return "its contents are nested too deeply to be read".to_owned();
    }
    match status.and_then(|status| status.signal()) {
        Some(signal) => format!("the process that read it was ended by signal {signal}"),
        None => "the process that read it ended without an answer".to_owned(),
    }
}

fn send(input: &mut ChildStdin, request: &Request, bytes: &[u8]) -> io::Result<()> {
    let head = serde_json::to_vec(request).map_err(io::Error::other)?;
    input.write_all(&wire::length(head.len()))?;
    input.write_all(&wire::length(bytes.len()))?;
    input.write_all(&head)?;
    input.write_all(bytes)?;
    input.flush()
}

fn receive(output: &mut ChildStdout, bytes_max: u64) -> io::Result<Vec<u8>> {
    let mut length = [0; 8];
    output.read_exact(&mut length)?;
    let length = u64::from_le_bytes(length);
    if length > bytes_max {
        return Err(io::Error::other("its answer is too long"));
    }
    let mut reply = Vec::new();
    let read = output.take(length).read_to_end(&mut reply)?;
    if read as u64 == length { Ok(reply) } else { Err(io::Error::from(io::ErrorKind::UnexpectedEof)) }
}
