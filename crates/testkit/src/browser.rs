//! Chromium of this machine, or of its package registry, and packages of npm to drive it with.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::install::{lock, run};

/// What Chromium is called.
const NAMES: &[&str] = &["chromium", "chromium-browser", "google-chrome"];

/// Chromium; installed from Debian's registry where it is missing and may be installed. Whoever comes at the same time waits.
///
/// # Errors
/// The reason why there can be none on this machine.
pub fn chromium(folder: &Path) -> Result<PathBuf, String> {
    let _lock = lock(folder)?;
    if let Some(found) = in_path() {
        return Ok(found);
    }
    run(Command::new("apt-get").arg("update").arg("-qq"))?;
    run(Command::new("apt-get").args(["install", "-y", "-qq", "--no-install-recommends", "chromium"]))?;
    in_path().ok_or_else(|| "Chromium was installed and is not there".to_owned())
}

/// Packages of npm, named with their versions, in a folder that keeps them for the next run.
///
/// # Errors
/// The reason why they cannot be had on this machine.
pub fn packages(folder: &Path, wanted: &[&str]) -> Result<(), String> {
    let _lock = lock(folder)?;
    let (installed, names) = (folder.join("installed"), wanted.join("\n"));
    if fs::read_to_string(&installed).is_ok_and(|found| found == names) {
        return Ok(());
    }
    let _ = fs::remove_file(&installed);
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix"])
        .arg(folder)
        .args(wanted);
    run(&mut npm)?;
    fs::write(&installed, names).map_err(|error| format!("no note of the packages: {error}"))
}

fn in_path() -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    let places = env::split_paths(&folders).flat_map(|folder| NAMES.iter().map(move |name| folder.join(name)));
    places.into_iter().find(|place| place.is_file())
}
