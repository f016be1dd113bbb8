//! Programs that people write, convert and print documents with: of this machine, or of its package registry.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    browser,
    install::{lock, run},
};

/// A program that makes documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Producer {
    /// Markdown to everything, and to PDF with groff's help.
    Pandoc,
    /// Every office format to every other, and to PDF.
    LibreOffice,
    /// Sources of its macros `-ms` to PDF.
    Groff,
    /// Web pages to PDF.
    Chromium,
    /// `AsciiDoc` to web pages.
    Asciidoctor,
    /// reStructuredText to web pages.
    Docutils,
}

impl Producer {
    /// Converts a file into one of another ending, which is written to a folder; answers where it is. The program is
    /// installed from Debian's registry where it is missing and may be installed.
    ///
    /// # Errors
    /// The reason why that cannot be done on this machine.
    pub fn convert(self, file: &Path, ending: &str, folder: &Path) -> Result<PathBuf, String> {
        let made = self.convert_all(&[file.to_owned()], ending, folder)?;
        made.into_iter().next().ok_or_else(|| format!("{self:?} made nothing of {}", file.display()))
    }

    /// Converts many files; LibreOffice, which is slow to start, is started once. The name of its filter, or of pandoc's
    /// format, may stand behind the ending, as in `csv:Text - txt - csv (StarCalc):59,34,76` or `md:gfm`.
    ///
    /// # Errors
    /// The reason why that cannot be done on this machine.
    pub fn convert_all(self, files: &[PathBuf], ending: &str, folder: &Path) -> Result<Vec<PathBuf>, String> {
        let program = self.found()?;
        let made = |file: &PathBuf| {
            let stem = file.file_stem().ok_or_else(|| format!("{} has no name", file.display()))?;
            // A stem may have a dot of its own.
            let name = format!("{}.{}", stem.to_string_lossy(), ending.split(':').next().unwrap_or_default());
            Ok(folder.join(name))
        };
        let made: Vec<PathBuf> = files.iter().map(made).collect::<Result<_, String>>()?;
        if self == Self::LibreOffice {
            let mut office = Command::new(&program);
            // Two of them cannot share a profile, and the one of the person at this machine is left alone.
            let profile = format!("-env:UserInstallation=file://{}", folder.join("profile").display());
            office.args([&profile, "--headless", "--convert-to", ending, "--outdir"]).arg(folder).args(files);
            run(&mut office)?;
        } else {
            for (file, made) in files.iter().zip(&made) {
                run(self.command(&program, file, made).args(self.format(ending)))?;
            }
        }
        match made.iter().find(|made| !made.is_file()) {
            Some(missing) => Err(format!("{self:?} made no {}", missing.display())),
            None => Ok(made),
        }
    }

    /// Prints a file to a PDF file beside it.
    ///
    /// # Errors
    /// The reason why that cannot be done on this machine.
    pub fn print(self, file: &Path) -> Result<PathBuf, String> {
        self.convert(file, "pdf", file.parent().unwrap_or(Path::new(".")))
    }

    fn format(self, ending: &str) -> Vec<&str> {
        let format = ending.split_once(':').filter(|_| self == Self::Pandoc).map(|(_, format)| format);
        format.map_or_else(Vec::new, |format| vec!["-t", format])
    }

    fn command(self, program: &Path, file: &Path, made: &Path) -> Command {
        let mut command = Command::new(program);
        match self {
            // Of its ways to print, the one that needs no TeX.
            Self::Pandoc => command.args(["--standalone", "--pdf-engine=pdfroff"]).arg(file).arg("-o").arg(made),
            Self::LibreOffice => command.arg(file),
            Self::Groff => {
                command = Command::new("sh");
                command.args(["-c", "groff -K utf8 -Tpdf -ms -t \"$0\" > \"$1\""]).arg(file).arg(made)
            }
            Self::Chromium => {
                let profile = made.with_extension("profile");
                command.args(["--headless", "--no-sandbox", "--disable-gpu"]);
                command.arg(format!("--user-data-dir={}", profile.display()));
                command.arg(format!("--print-to-pdf={}", made.display())).arg(file)
            }
            Self::Asciidoctor => command.arg("-o").arg(made).arg(file),
            Self::Docutils => command.arg(file).arg(made),
        };
        command
    }

    fn found(self) -> Result<PathBuf, String> {
        match self {
            Self::Pandoc => {
                program("gs", &["ghostscript"])?;
                program("pdfroff", &["groff"])?;
                program("pandoc", &["pandoc"])
            }
            Self::LibreOffice => {
                install_fonts()?;
                program("soffice", &["libreoffice-writer-nogui", "libreoffice-calc-nogui", "libreoffice-impress-nogui"])
            }
            Self::Groff => program("gropdf", &["groff"]),
            Self::Chromium => browser::chromium(&folder()),
            Self::Asciidoctor => program("asciidoctor", &["asciidoctor"]),
            Self::Docutils => program("rst2html", &["python3-docutils"]),
        }
    }
}

/// Encrypts a PDF file for people who have the password, which may be empty; answers where it is.
///
/// # Errors
/// The reason why that cannot be done on this machine.
pub fn encrypt(file: &Path, password: &str) -> Result<PathBuf, String> {
    let locked = file.with_extension("locked.pdf");
    let mut qpdf = Command::new(program("qpdf", &["qpdf"])?);
    run(qpdf.args(["--encrypt", password, "owner", "256", "--"]).arg(file).arg(&locked))?;
    Ok(locked)
}

/// The words on each page of a PDF file, as poppler reads them.
///
/// # Errors
/// The reason why that cannot be done on this machine.
pub fn pages(file: &Path) -> Result<Vec<String>, String> {
    let text = file.with_extension("poppler");
    run(Command::new(program("pdftotext", &["poppler-utils"])?).args(["-enc", "UTF-8"]).arg(file).arg(&text))?;
    let text = fs::read_to_string(&text).map_err(|error| format!("pdftotext made no text: {error}"))?;
    Ok(text.strip_suffix('\u{c}').unwrap_or(&text).split('\u{c}').map(str::to_owned).collect())
}

fn folder() -> PathBuf {
    env::temp_dir().join("vouch-producers")
}

/// Fonts that documents to test with name, and their packages: in others lines break elsewhere, and words that are wider than a
/// column are cut.
const FONTS: [(&str, &str); 4] = [
    ("Liberation Serif", "fonts-liberation2"),
    ("DejaVu Serif", "fonts-dejavu-core"),
    ("P052", "fonts-urw-base35"),
    ("Latin Modern Roman", "fonts-lmodern"),
];

fn install_fonts() -> Result<(), String> {
    let list = program("fc-list", &["fontconfig"])?;
    let _lock = lock(&folder())?;
    let is_there = |family: &str| Command::new(&list).arg(family).output().is_ok_and(|found| !found.stdout.is_empty());
    let missing: Vec<&str> =
        FONTS.iter().filter(|(family, _)| !is_there(family)).map(|(_, package)| *package).collect();
    if missing.is_empty() {
        return Ok(());
    }
    run(Command::new("apt-get").arg("update").arg("-qq"))?;
    run(Command::new("apt-get").args(["install", "-y", "-qq", "--no-install-recommends"]).args(missing))
}

fn program(name: &str, packages: &[&str]) -> Result<PathBuf, String> {
    let in_path = || {
        let folders = env::var_os("PATH")?;
        env::split_paths(&folders).map(|folder| folder.join(name)).find(|place| place.is_file())
    };
    let _lock = lock(&folder())?;
    if let Some(found) = in_path() {
        return Ok(found);
    }
    run(Command::new("apt-get").arg("update").arg("-qq"))?;
    run(Command::new("apt-get").args(["install", "-y", "-qq", "--no-install-recommends"]).args(packages))?;
    in_path().ok_or_else(|| format!("{name} was installed and is not there"))
}
