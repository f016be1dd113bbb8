//! Programs that people write documents with: of this machine, or of its package registry.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

use crate::install::{lock, run};

/// A program that makes documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Producer {
    /// Markdown to everything.
    Pandoc,
    /// Every office format to every other.
    LibreOffice,
}

impl Producer {
    fn program(self) -> &'static str {
        match self {
            Self::Pandoc => "pandoc",
            Self::LibreOffice => "soffice",
        }
    }

    fn packages(self) -> &'static [&'static str] {
        match self {
            Self::Pandoc => &["pandoc"],
            Self::LibreOffice => &["libreoffice-writer-nogui", "libreoffice-calc-nogui", "libreoffice-impress-nogui"],
        }
    }

    /// Converts a file into one of another ending, which is written to a folder; answers where it is. The program is installed
    /// from Debian's registry where it is missing and may be installed.
    ///
    /// # Errors
    /// The reason why that cannot be done on this machine.
    pub fn convert(self, file: &Path, ending: &str, folder: &Path) -> Result<PathBuf, String> {
        let program = self.found(folder)?;
        let stem = file.file_stem().ok_or_else(|| format!("{} has no name", file.display()))?;
        let made = folder.join(stem).with_extension(ending);
        let mut command = Command::new(program);
        match self {
            Self::Pandoc => command.arg(file).arg("-o").arg(&made),
            Self::LibreOffice => {
                // Two of them cannot share a profile, and the one of the person at this machine is left alone.
                let profile = format!("-env:UserInstallation=file://{}", folder.join("profile").display());
                command.args([&profile, "--headless", "--convert-to", ending, "--outdir"]).arg(folder).arg(file)
            }
        };
        run(&mut command)?;
        if made.is_file() { Ok(made) } else { Err(format!("{} made no {}", self.program(), made.display())) }
    }

    fn found(self, folder: &Path) -> Result<PathBuf, String> {
        let _lock = lock(&env::temp_dir().join("vouch-producers"))?;
        if let Some(found) = in_path(self.program()) {
            return Ok(found);
        }
        std::fs::create_dir_all(folder).map_err(|error| format!("no folder for the documents: {error}"))?;
        run(Command::new("apt-get").arg("update").arg("-qq"))?;
        run(Command::new("apt-get").args(["install", "-y", "-qq", "--no-install-recommends"]).args(self.packages()))?;
        in_path(self.program()).ok_or_else(|| format!("{} was installed and is not there", self.program()))
    }
}

fn in_path(program: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders).map(|folder| folder.join(program)).find(|place| place.is_file())
}
