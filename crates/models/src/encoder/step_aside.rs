//! A thread → one that runs while no other wants the processor.

/// What a thread of such work is niced by: questions then have nine parts of ten of a processor that both want.
#[cfg(target_os = "linux")]
const NICE: i32 = 10;

/// Puts this thread behind all others for the rest of its life.
pub(super) fn step_aside() {
    // On Linux the priority of "this process" is that of the calling thread. Where it cannot be lowered the work is done
    // all the same.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::setpriority_process(None, NICE);
}
