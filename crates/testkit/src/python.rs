//! Packages of PyPI → a Python interpreter that has them, in a folder that keeps it for the next run.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::install::{lock, run};

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
    let _lock = lock(folder)?;
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
    pip.args(["-m", "pip", "install", "--only-binary", ":all:", "--retries", "5", "--timeout", "30", "--quiet"]);
    if dependencies == Dependencies::LeftOut {
        pip.arg("--no-deps");
    }
    run(pip.args(packages))?;
    fs::write(&installed, wanted).map_err(|error| cannot("no note of the packages", &error))?;
    Ok(python)
}
