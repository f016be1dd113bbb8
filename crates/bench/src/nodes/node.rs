//! One `vouch serve` as a process: started, killed, started again, and when it was not there.

use std::{
    fs::File,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use anyhow::{Context, bail};

use crate::client::{Client, HttpRequest, Target};

/// Longer no server takes to start, also on a machine with much else to do.
const STARTS_WITHIN: Duration = Duration::from_secs(180);
const LOOKED_AT_EVERY: Duration = Duration::from_millis(20);

/// What a server is started with.
#[derive(Debug, Clone)]
pub(super) struct Setup {
    pub(super) binary: PathBuf,
    pub(super) config: PathBuf,
    pub(super) folder: PathBuf,
    /// When the run began; every time is told from here.
    pub(super) began: Instant,
}

/// Where a server is to be found, and which of its processes that is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) address: String,
    pub(super) process: u32,
}

/// A time in which a server was not there.
#[derive(Debug, Clone, Copy)]
struct Outage {
    from: Duration,
    until: Option<Duration>,
}

#[derive(Default)]
struct State {
    child: Option<Child>,
    place: Option<Place>,
    processes: u32,
    outages: Vec<Outage>,
}

/// A server with a data folder of its own.
pub(super) struct Node {
    pub(super) number: usize,
    setup: Setup,
    state: Mutex<State>,
}

impl Node {
    pub(super) fn new(number: usize, setup: &Setup) -> Self {
        let setup = Setup { folder: setup.folder.join(format!("node-{number}")), ..setup.clone() };
        Self { number, setup, state: Mutex::default() }
    }

    /// Starts it and waits until it answers; the time that took.
    pub(super) async fn start(&self) -> anyhow::Result<Duration> {
        let clock = Instant::now();
        let process = self.state().processes + 1;
        std::fs::create_dir_all(&self.setup.folder)?;
        let log = self.log(process);
        let child = Command::new(&self.setup.binary)
            .args(["serve", "--listen", "127.0.0.1:0", "--config"])
            .arg(&self.setup.config)
            .arg("--data")
            .arg(self.setup.folder.join("data"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(&log).with_context(|| format!("cannot write {}", log.display()))?)
            .spawn()
            .with_context(|| format!("cannot start {}", self.setup.binary.display()))?;
        {
            let mut state = self.state();
            state.child = Some(child);
            state.processes = process;
        }
        let address = self.wait_until_ready(&log, clock).await?;
        let mut state = self.state();
        state.place = Some(Place { address, process });
        let now = self.setup.began.elapsed();
        if let Some(last) = state.outages.last_mut() {
            last.until.get_or_insert(now);
        }
        Ok(clock.elapsed())
    }

    async fn wait_until_ready(&self, log: &Path, clock: Instant) -> anyhow::Result<String> {
        while clock.elapsed() < STARTS_WITHIN {
            tokio::time::sleep(LOOKED_AT_EVERY).await;
            let told = std::fs::read_to_string(log).unwrap_or_default();
            if let Some(address) = listening(&told) {
                let mut client = Client::new(&Target { address: address.clone(), key: None });
                if client.send(&HttpRequest::get("/readyz")).await.is_ok_and(|reply| reply.status == 200) {
                    return Ok(address);
                }
            }
            let mut state = self.state();
            if let Some(status) = state.child.as_mut().and_then(|child| child.try_wait().ok().flatten()) {
                bail!("server {} ended with {status}: {}", self.number, told.lines().last().unwrap_or_default());
            }
        }
        bail!("server {} was not ready within {STARTS_WITHIN:?}, its log is {}", self.number, log.display())
    }

    /// Ends it with SIGKILL. From this moment until it is ready again its connections may fail.
    pub(super) fn kill(&self) -> anyhow::Result<()> {
        let mut state = self.state();
        state.outages.push(Outage { from: self.setup.began.elapsed(), until: None });
        state.place = None;
        if let Some(mut child) = state.child.take() {
            child.kill()?;
            child.wait()?;
        }
        Ok(())
    }

    /// Where it is; nowhere while it is not there.
    pub(super) fn place(&self) -> Option<Place> {
        self.state().place.clone()
    }

    pub(super) fn pid(&self) -> Option<u32> {
        self.state().child.as_ref().map(Child::id)
    }

    /// Whether a connection of this time may have been cut by a kill.
    pub(super) fn was_away(&self, from: Duration, until: Duration) -> bool {
        self.state().outages.iter().any(|one| one.from <= until && one.until.is_none_or(|end| from <= end))
    }

    /// What all its processes have logged.
    pub(super) fn logs(&self) -> Vec<PathBuf> {
        (1..=self.state().processes).map(|process| self.log(process)).collect()
    }

    fn log(&self, process: u32) -> PathBuf {
        self.setup.folder.join(format!("log-{process}.jsonl"))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        if let Some(mut child) = self.state().child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// The address in the line that a server writes when it listens; none before that line is whole.
fn listening(told: &str) -> Option<String> {
    let (_, rest) = told.split_once("Listening on http://")?;
    let (line, _) = rest.split_once('\n')?;
    Some(line.split(',').next()?.to_owned())
}
