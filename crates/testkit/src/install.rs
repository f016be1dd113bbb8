//! A folder for programs of others, one who fills it at a time, and the commands that fill it, each with a deadline.

use std::{
    fs::{self, File},
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

/// Some of them are large.
const INSTALLED_WITHIN: Duration = Duration::from_secs(600);

/// Makes the folder and waits until nobody else fills it.
pub(crate) fn lock(folder: &Path) -> Result<File, String> {
    fs::create_dir_all(folder).map_err(|error| format!("no folder for the packages: {error}"))?;
    let lock = File::create(folder.join("lock")).map_err(|error| format!("no lock for the packages: {error}"))?;
    lock.lock().map_err(|error| format!("no lock for the packages: {error}"))?;
    Ok(lock)
}

/// Runs a command to its end.
pub(crate) fn run(command: &mut Command) -> Result<(), String> {
    let name = format!("`{} {}`", Path::new(command.get_program()).display(), arguments(command));
    let started = Instant::now();
    let spawned = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    let mut process = spawned.map_err(|error| format!("{name} cannot be run: {error}"))?;
    while process.try_wait().expect("a process").is_none() {
        if started.elapsed() > INSTALLED_WITHIN {
            let _ = process.kill();
            let _ = process.wait();
            return Err(format!("{name} did not end within {INSTALLED_WITHIN:?}"));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let ended = process.wait_with_output().expect("an ended process");
    let said = String::from_utf8_lossy(&ended.stderr);
    if ended.status.success() { Ok(()) } else { Err(format!("{name} failed: {}", said.trim())) }
}

fn arguments(command: &Command) -> String {
    command.get_args().map(|argument| argument.to_string_lossy()).collect::<Vec<_>>().join(" ")
}
