//! Another program, run with little around it and ended for sure when its time is over.

use std::{
    io::Read,
    process::{Child, Command, ExitStatus, Stdio},
    thread::JoinHandle,
    time::{Duration, Instant},
};

use vouch_domain::{Fault, PortError};

use super::PORT;

/// How often a program is looked after.
const LOOKED_AT_EVERY: Duration = Duration::from_millis(20);
/// How much of what it says is kept.
const OUTPUT_BYTES_MAX: u64 = 64 * 1024;

/// What ends a program before it ends by itself.
pub(super) struct Limits<'a> {
    /// How long it may run.
    pub(super) timeout: Duration,
    /// Says why it must end, looked at again and again.
    pub(super) objection: &'a dyn Fn() -> Option<PortError>,
}

/// What a program said.
pub(super) struct Ran {
    pub(super) status: ExitStatus,
    pub(super) out: String,
    pub(super) err: String,
}

/// Runs a program to its end, its time or an objection; whatever it started ends with it.
pub(super) fn run(mut command: Command, limits: &Limits<'_>) -> Result<Ran, PortError> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    in_a_group(&mut command);
    let name = command.get_program().to_string_lossy().into_owned();
    let absent =
        |error| PortError::new(PORT, Fault::Unavailable, format!("the program {name} cannot be run ({error})"));
    let mut child = command.spawn().map_err(absent)?;
    let (out, err) = (collect(child.stdout.take()), collect(child.stderr.take()));
    let began = Instant::now();
    let ended = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Ok(status),
            Ok(None) => {}
            Err(error) => {
                break Err(PortError::new(PORT, Fault::Internal, format!("{name} cannot be waited for ({error})")));
            }
        }
        if began.elapsed() >= limits.timeout {
            let sentence = format!("{name} took longer than {} s and was stopped", limits.timeout.as_secs());
            break Err(PortError::new(PORT, Fault::Timeout, sentence));
        }
        if let Some(objection) = (limits.objection)() {
            break Err(objection);
        }
        std::thread::sleep(LOOKED_AT_EVERY);
    };
    if ended.is_err() {
        end(&mut child);
    }
    let (out, err) = (out.join().unwrap_or_default(), err.join().unwrap_or_default());
    ended.map(|status| Ran { status, out, err })
}

/// What comes out of a pipe, up to a limit; the rest is read and dropped, so that nobody waits for it to be.
fn collect(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<String> {
    std::thread::spawn(move || {
        let Some(mut pipe) = pipe else { return String::new() };
        let mut kept = Vec::new();
        // A pipe that breaks has said all it will.
        let _ = pipe.by_ref().take(OUTPUT_BYTES_MAX).read_to_end(&mut kept);
        let _ = std::io::copy(&mut pipe, &mut std::io::sink());
        String::from_utf8_lossy(&kept).into_owned()
    })
}

#[cfg(unix)]
fn in_a_group(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

#[cfg(not(unix))]
fn in_a_group(_: &mut Command) {}

/// Ends a program and, where the system has groups, everything that it started.
fn end(child: &mut Child) {
    #[cfg(unix)]
    {
        let group = format!("-{}", child.id());
        let killed =
            Command::new("kill").args(["-KILL", "--", &group]).stdout(Stdio::null()).stderr(Stdio::null()).status();
        if let Err(error) = killed {
            tracing::warn!(%error, "the group of a program could not be ended");
        }
    }
    // It may have ended by itself meanwhile.
    let _ = child.kill();
    let _ = child.wait();
}
