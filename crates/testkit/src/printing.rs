//! Programs that write PDF files: of this machine, or of its package registry.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    browser,
    install::{lock, run},
};

/// A program that writes PDF files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Printer {
    /// Sources of its macros `-ms`.
    Groff,
    /// Web pages.
    Chromium,
    /// Web pages and office files.
    LibreOffice,
}

impl Printer {
    /// Prints a file to a PDF file beside it. The program is installed from Debian's registry where it is missing and may
    /// be installed.
    ///
    /// # Errors
    /// The reason why that cannot be done on this machine.
    pub fn print(self, file: &Path) -> Result<PathBuf, String> {
        let printed = file.with_extension("pdf");
        let folder = file.parent().unwrap_or(Path::new("."));
        let mut command = match self {
            Self::Groff => {
                program("gropdf", "groff")?;
                let mut shell = Command::new("sh");
                shell.args(["-c", "groff -Tpdf -ms -t \"$0\" > \"$1\""]).arg(file).arg(&printed);
                shell
            }
            Self::Chromium => {
                let mut chromium = Command::new(browser::chromium(&env::temp_dir().join("vouch-printing"))?);
                let profile = format!("--user-data-dir={}", folder.join("profile").display());
                chromium.args(["--headless", "--no-sandbox", "--disable-gpu", &profile]);
                chromium.arg(format!("--print-to-pdf={}", printed.display())).arg(file);
                chromium
            }
            Self::LibreOffice => {
                let mut office = Command::new(program("soffice", "libreoffice-writer-nogui")?);
                // Two of them cannot share a profile, and the one of the person at this machine is left alone.
                let profile = format!("-env:UserInstallation=file://{}", folder.join("profile").display());
                office.args([&profile, "--headless", "--convert-to", "pdf", "--outdir"]).arg(folder).arg(file);
                office
            }
        };
        run(&mut command)?;
        if printed.is_file() { Ok(printed) } else { Err(format!("{self:?} made no {}", printed.display())) }
    }
}

/// Encrypts a PDF file for people who have the password, which may be empty; answers where it is.
///
/// # Errors
/// The reason why that cannot be done on this machine.
pub fn encrypt(file: &Path, password: &str) -> Result<PathBuf, String> {
    let locked = file.with_extension("locked.pdf");
    let mut qpdf = Command::new(program("qpdf", "qpdf")?);
    run(qpdf.args(["--encrypt", password, "owner", "256", "--"]).arg(file).arg(&locked))?;
    Ok(locked)
}

fn program(name: &str, package: &str) -> Result<PathBuf, String> {
    let in_path = || {
        let folders = env::var_os("PATH")?;
        env::split_paths(&folders).map(|folder| folder.join(name)).find(|place| place.is_file())
    };
    let _lock = lock(&env::temp_dir().join("vouch-printing"))?;
    if let Some(found) = in_path() {
        return Ok(found);
    }
    run(Command::new("apt-get").arg("update").arg("-qq"))?;
    run(Command::new("apt-get").args(["install", "-y", "-qq", "--no-install-recommends", package]))?;
    in_path().ok_or_else(|| format!("{name} was installed and is not there"))
}
