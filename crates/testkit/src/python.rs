//! Packages of PyPI → a Python interpreter that has them, in a folder that keeps it for the next run.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

/// Some of them are large.
const INSTALLED_WITHIN: Duration = Duration::from_secs(600);

/// Whether what the packages need comes with them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dependencies {
    /// They come with the packages.
    Brought,
    /// Every package that is needed is named.
    LeftOut,
}

/// An interpreter that has the packages, named with their versions. Whoever comes at the same time waits.
///
/// # Errors
/// The reason why there can be none on this machine.
pub fn with_packages(folder: &Path, packages: &[&str], dependencies: Dependencies) -> Result<PathBuf, String> {
    let cannot = |what: &str, error: &dyn std::fmt::Display| format!("{what}: {error}");
    fs::create_dir_all(folder).map_err(|error| cannot("no folder for the packages", &error))?;
    let lock = File::create(folder.join("lock")).map_err(|error| cannot("no lock for the packages", &error))?;
    lock.lock().map_err(|error| cannot("no lock for the packages", &error))?;
    let environment = folder.join("python");
    let python = environment.join("bin/python");
    let installed = folder.join("installed");
    let wanted = packages.join("\n");
    if fs::read_to_string(&installed).is_ok_and(|found| found == wanted) && python.exists() {
        return Ok(python);
    }
    let _ = fs::remove_file(&installed);
    let _ = fs::remove_dir_all(&environment);
    run(Command::new("python3").args(["-m", "venv"]).arg(&environment))?;
    let mut pip = Command::new(&python);
    pip.args(["-m", "pip", "install", "--only-binary", ":all:", "--retries", "1", "--quiet"]);
    if dependencies == Dependencies::LeftOut {
        pip.arg("--no-deps");
    }
    run(pip.args(packages))?;
    fs::write(&installed, wanted).map_err(|error| cannot("no note of the packages", &error))?;
    Ok(python)
}

fn run(command: &mut Command) -> Result<(), String> {
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
