//! A database and the servers on it: settings, folders, the commands that need no server.

use std::{
    path::{Path, PathBuf},
    process::{Command, ExitCode},
    sync::Arc,
    time::Instant,
};

use anyhow::{Context, bail};
use serde::Serialize;
use serde_json::json;
use vouch_app::{
    console::{print, print_json, tell},
    exit::Usage,
};

use super::{
    args::FleetArgs,
    node::{Node, Setup},
    truth::Truth,
};

/// How many sources jobs can be asked for; a source has one job at a time.
pub(super) const SOURCES: usize = 8;
/// Few, so that dozens of servers fit into the connections that a database allows as it comes.
const CONNECTIONS_MAX: u32 = 6;

/// Servers on one database.
pub(super) struct Fleet {
    pub(super) nodes: Vec<Arc<Node>>,
    pub(super) truth: Truth,
    pub(super) began: Instant,
    setup: Setup,
}

impl Fleet {
    /// Folders, settings and an empty store in the database; no server yet.
    pub(super) async fn prepare(args: &FleetArgs) -> anyhow::Result<Self> {
        Self::prepare_over(args, &args.database).await
    }

    /// The same with servers that reach the database by an address of their own.
    pub(super) async fn prepare_over(args: &FleetArgs, address: &str) -> anyhow::Result<Self> {
        let folder = args
            .work
            .clone()
            .unwrap_or_else(|| std::env::temp_dir().join(format!("vouch-bench-nodes-{}", std::process::id())));
        if folder.exists() {
            return Err(Usage(format!(
                "{} is there already; name a folder that is not, with --work",
                folder.display()
            ))
            .into());
        }
        let binary = binary(args)?;
        let sources: Vec<PathBuf> = (0..SOURCES).map(|slot| source(&folder, slot)).collect();
        for source in &sources {
            std::fs::create_dir_all(source).with_context(|| format!("cannot make {}", source.display()))?;
        }
        let config = folder.join("vouch.yaml");
        let named: Vec<_> =
            (0..).zip(&sources).map(|(slot, path)| json!({ "name": source_name(slot), "folder": path })).collect();
        // JSON is YAML.
        let settings = json!({
            "store": { "postgres": { "url": address, "connections_max": CONNECTIONS_MAX } },
            "sources": named,
        });
        std::fs::write(&config, settings.to_string())?;
        let setup = Setup { binary, config, folder, began: Instant::now() };
        setup.run(&["store", "migrate"])?;
        let truth = Truth::connect(&args.database).await?;
        if truth.documents().await? > 0 {
            let why = "the database of --database holds documents already; name one without a store";
            return Err(Usage(why.to_owned()).into());
        }
        Ok(Self { nodes: Vec::new(), truth, began: setup.began, setup })
    }

    /// Adds this many servers, one after the other.
    pub(super) async fn start(&mut self, nodes: usize) -> anyhow::Result<()> {
        for _ in 0..nodes {
            let node = Node::new(self.nodes.len(), &self.setup);
            tell(&format!("starting server {}", node.number));
            node.start().await?;
            self.nodes.push(Arc::new(node));
        }
        Ok(())
    }

    /// Ends all servers; their folders and logs stay.
    pub(super) fn stop(&self) -> anyhow::Result<()> {
        self.nodes.iter().try_for_each(|node| node.kill())
    }

    /// Ends all servers and prints a report; logs and data stay where something was wrong.
    pub(super) fn conclude(
        &self,
        report: &impl Serialize,
        as_json: bool,
        (is_right, shown): (bool, &str),
    ) -> anyhow::Result<ExitCode> {
        self.stop()?;
        match as_json {
            true => print_json(report)?,
            false => print(shown)?,
        }
        if is_right {
            std::fs::remove_dir_all(self.folder())?;
            return Ok(ExitCode::SUCCESS);
        }
        tell(&format!("the servers' logs and data are in {}", self.folder().display()));
        Ok(ExitCode::FAILURE)
    }

    /// Ends all servers and removes their folders, so that others can take their place.
    pub(super) fn clear(&mut self) -> anyhow::Result<()> {
        self.stop()?;
        for node in self.nodes.drain(..) {
            std::fs::remove_dir_all(self.setup.folder.join(format!("node-{}", node.number)))?;
        }
        Ok(())
    }

    /// A file of documents into the store, by a command beside the servers.
    pub(super) fn ingest(&self, documents: &str) -> anyhow::Result<()> {
        let file = self.setup.folder.join("documents.jsonl");
        std::fs::write(&file, documents)?;
        self.setup.run(&["ingest", &file.display().to_string()])
    }

    pub(super) fn folder(&self) -> &Path {
        &self.setup.folder
    }
}

impl Setup {
    /// Runs a command of `vouch` with a data folder of its own.
    fn run(&self, words: &[&str]) -> anyhow::Result<()> {
        let mut command = Command::new(&self.binary);
        command.args(words).arg("--config").arg(&self.config).arg("--data").arg(self.folder.join("command"));
        let ran = command.output().with_context(|| format!("cannot run {}", self.binary.display()))?;
        if !ran.status.success() {
            bail!("vouch {} failed: {}", words.join(" "), String::from_utf8_lossy(&ran.stderr).trim());
        }
        Ok(())
    }
}

/// The folder of a source.
pub(super) fn source(folder: &Path, slot: usize) -> PathBuf {
    folder.join(source_name(slot))
}

pub(super) fn source_name(slot: usize) -> String {
    format!("jobs-{slot}")
}

fn binary(args: &FleetArgs) -> anyhow::Result<PathBuf> {
    let beside = || -> anyhow::Result<PathBuf> {
        Ok(std::env::current_exe()?.with_file_name(format!("vouch{}", std::env::consts::EXE_SUFFIX)))
    };
    let path = args.binary.clone().map_or_else(beside, Ok)?;
    if path.is_file() {
        Ok(path)
    } else {
        Err(Usage(format!("there is no program {}; name `vouch` with --binary", path.display())).into())
    }
}
