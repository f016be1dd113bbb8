//! A git repository: the files of one commit, brought here with the `git` program.
//!
//! Invariant: nothing of the repository is run and nobody is asked anything; only the protocols that are allowed are spoken. A
//! commit is brought whole or not at all: it is cloned beside the last one and takes its place when it is there.

use std::{
    cell::Cell,
    path::{Path, PathBuf},
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use async_trait::async_trait;
use vouch_domain::{
    Fault, PortError, RawDocument,
    ports::{DocumentSource, IsWanted, OpenSource, SourceFault},
};
use walkdir::WalkDir;

use super::{
    PORT,
    program::{Limits, Ran, run},
};
use crate::{
    embedded::blocking::blocking,
    files::{self, Links, Reading},
};

/// The protocols that are spoken. `ext` runs programs, `git` and `http` have no proof of who answers.
const PROTOCOLS: &str = "https:ssh:file";
/// Where programs are looked for if the environment does not say.
const PROGRAMS: &str = "/usr/local/bin:/usr/bin:/bin";
/// How much of what git says is told.
const TOLD_CHARS_MAX: usize = 300;
/// How often somebody who waits is asked whether they still do.
const ASKED_EVERY: Duration = Duration::from_millis(100);

/// How often a clone is measured while it grows.
const MEASURED_EVERY: Duration = Duration::from_millis(500);

/// A repository, and how it is read.
#[derive(Debug, Clone)]
pub struct GitSettings {
    /// The source's name.
    pub name: String,
    /// An address with https, ssh or file, or a path.
    pub url: String,
    /// The branch or tag; the repository's own choice if none is named.
    pub branch: Option<String>,
    /// The folder or file of the repository that is read; all of it if none is named.
    pub path: Option<String>,
    /// Where people open a file, with `{commit}` and `{path}`.
    pub page_url: Option<String>,
    /// The folder that commits are kept in.
    pub folder: PathBuf,
    /// How long git may take for one thing.
    pub timeout: Duration,
    /// The largest clone.
    pub bytes_max: u64,
    /// How files are read.
    pub reading: Reading,
}

/// A repository as a source of documents.
#[derive(Debug, Clone)]
pub struct GitSource {
    settings: GitSettings,
}

/// Why an address of a repository cannot be used.
#[must_use]
pub fn git_fault(url: &str) -> Option<&'static str> {
    let is_remote = ["https://", "ssh://", "file://"].iter().any(|scheme| url.starts_with(scheme));
    if url.is_empty() || url.starts_with('-') || url.chars().any(char::is_control) {
        return Some("must be an address or a path");
    }
    if is_remote || !url.contains("::") && (!url.contains("://")) {
        return None;
    }
    Some("must be a path or an address with https, ssh or file")
}

impl GitSource {
    /// A repository.
    #[must_use]
    pub fn new(settings: GitSettings) -> Self {
        Self { settings: GitSettings { reading: Reading { links: Links::Within, ..settings.reading }, ..settings } }
    }
}

#[async_trait]
impl DocumentSource for GitSource {
    async fn open(&self, is_wanted: IsWanted<'_>) -> Result<OpenSource, PortError> {
        let settings = self.settings.clone();
        let stop = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&stop);
        let work = blocking(PORT, move || {
            let checkout = bring(&settings, &told)?;
            open(&settings, &checkout)
        });
        tokio::pin!(work);
        loop {
            tokio::select! {
                opened = &mut work => return opened,
                () = tokio::time::sleep(ASKED_EVERY) => stop.fetch_or(!is_wanted(), Ordering::AcqRel),
            };
        }
    }
}

/// A commit that lies here, whole.
struct Checkout {
    commit: String,
    folder: PathBuf,
}

/// Brings the newest commit here, unless it is here already.
fn bring(settings: &GitSettings, stop: &AtomicBool) -> Result<Checkout, PortError> {
    let GitSettings { folder, .. } = settings;
    let cannot = |error: std::io::Error| {
        PortError::new(PORT, Fault::Unavailable, format!("{} cannot be written ({error})", folder.display()))
    };
    std::fs::create_dir_all(folder).map_err(cannot)?;
    let url = address(&settings.url)?;
    let wanted = settings.branch.as_deref().unwrap_or("HEAD");
    let listed = git(settings, &["ls-remote", "--", &url, wanted], None, stop)?;
    let known = listed.out.split_whitespace().next().filter(|word| is_commit(word));
    let Some(known) = known else {
        let sentence = format!("{}: the repository has no branch or tag {wanted}", settings.url);
        return Err(PortError::new(PORT, Fault::Unavailable, sentence));
    };
    if folder.join(known).is_dir() {
        keep_only(folder, known);
        return Ok(Checkout { commit: known.to_owned(), folder: folder.join(known) });
    }
    let clone = folder.join("clone");
    match std::fs::remove_dir_all(&clone) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(cannot(error)),
        Ok(()) | Err(_) => {}
    }
    let into = clone.to_string_lossy().into_owned();
    let mut words = vec!["clone", "--quiet", "--depth=1", "--single-branch", "--no-tags", "--no-local"];
    words.extend(settings.branch.as_deref().map(|_| "--branch"));
    words.extend(settings.branch.as_deref());
    words.extend(["--", &url, &into]);
    git(settings, &words, Some(&clone), stop)?;
    let head = git(settings, &["-C", &into, "rev-parse", "HEAD"], None, stop)?;
    let commit = head.out.trim().to_owned();
    if !is_commit(&commit) {
        return Err(PortError::new(PORT, Fault::Internal, format!("{}: git reported no commit", settings.url)));
    }
    let place = folder.join(&commit);
    if !place.is_dir() {
        std::fs::rename(&clone, &place).map_err(cannot)?;
    }
    keep_only(folder, &commit);
    Ok(Checkout { commit, folder: place })
}

/// Removes every commit but one; what cannot be removed is tried again next time.
fn keep_only(folder: &Path, commit: &str) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_name().to_str() != Some(commit)) {
        if let Err(error) = std::fs::remove_dir_all(entry.path()) {
            tracing::warn!(%error, "an old commit could not be removed");
        }
    }
}

fn open(settings: &GitSettings, checkout: &Checkout) -> Result<OpenSource, PortError> {
    let gone = |_| {
        let sentence =
            format!("{}: the commit has no file or folder {}", settings.url, settings.path.as_deref().unwrap_or("."));
        PortError::new(PORT, Fault::Unavailable, sentence)
    };
    let root = std::fs::canonicalize(&checkout.folder).map_err(gone)?;
    let read_from = match &settings.path {
        Some(path) => std::fs::canonicalize(root.join(path)).map_err(gone)?,
        None => root.clone(),
    };
    if !read_from.starts_with(&root) {
        let sentence = format!("{}: its path leads out of the repository", settings.name);
        return Err(PortError::new(PORT, Fault::Invalid, sentence));
    }
    let paths = [read_from];
    let total = files::signature(&paths, &settings.reading).len() as u64;
    let names = Names {
        prefix: format!("git:{}", settings.name),
        settings: settings.clone(),
        root: root.clone(),
        commit: checkout.commit.clone(),
    };
    let prefix = names.prefix.clone();
    Ok(OpenSource {
        roots: vec![prefix.clone()],
        total: Some(total),
        documents: Box::new(files::read_all(&paths, &settings.reading).map(move |read| names.named(read))),
        exists: Box::new(move |source| {
            let below = source.strip_prefix(&prefix).and_then(|rest| rest.strip_prefix('/'));
            below.is_some_and(|path| root.join(path).exists())
        }),
    })
}

/// How files of a commit are called.
struct Names {
    prefix: String,
    settings: GitSettings,
    root: PathBuf,
    commit: String,
}

impl Names {
    fn named(&self, read: Result<RawDocument, files::FileError>) -> Result<RawDocument, SourceFault> {
        match read {
            Ok(raw) => {
                let path = self.path(&raw.source);
                let url = self.settings.page_url.as_deref().map(|template| page_url(template, &self.commit, &path));
                let source = format!("{}/{path}", self.prefix);
                Ok(RawDocument { source, fallback_id: format!("{}/{path}", self.settings.name), url, ..raw })
            }
            Err(fault) => {
                let path = self.path(&fault.source);
                Err(SourceFault { source: format!("{}/{path}", self.prefix), shown: path, sentence: fault.sentence })
            }
        }
    }

    /// A file's path in the repository.
    fn path(&self, file: &str) -> String {
        let below = Path::new(file).strip_prefix(&self.root).unwrap_or(Path::new(file));
        below.to_string_lossy().trim_start_matches('/').replace('\\', "/")
    }
}

/// The address of a file for people, with every sign of its path escaped that has a meaning in one.
fn page_url(template: &str, commit: &str, path: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let mut escaped = String::with_capacity(path.len());
    for byte in path.bytes() {
        match is_plain(byte) {
            true => escaped.push(char::from(byte)),
            false => escaped.push_str(&format!("%{byte:02X}")),
        }
    }
    template.replace("{commit}", commit).replace("{path}", &escaped)
}

fn is_commit(word: &str) -> bool {
    matches!(word.len(), 40 | 64) && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The address as git is told it. A path becomes one, since git copies whole repositories that it is told by their paths.
fn address(url: &str) -> Result<String, PortError> {
    if let Some(fault) = git_fault(url) {
        return Err(PortError::new(PORT, Fault::Invalid, format!("the address of the repository {fault}")));
    }
    if url.contains("://") || !Path::new(url).exists() {
        return Ok(url.to_owned());
    }
    let gone = |error| PortError::new(PORT, Fault::Unavailable, format!("{url} cannot be read ({error})"));
    std::fs::canonicalize(url).map(|path| format!("file://{}", path.display())).map_err(gone)
}

/// Runs git; where it fails, what it said last is the reason.
fn git(settings: &GitSettings, words: &[&str], clone: Option<&Path>, stop: &AtomicBool) -> Result<Ran, PortError> {
    let mut command = Command::new("git");
    command.env_clear();
    command.env("PATH", PROGRAMS);
    for kept in ["PATH", "HOME", "SSH_AUTH_SOCK"] {
        command.envs(std::env::var_os(kept).map(|value| (kept, value)));
    }
    let set = [
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("GIT_ASKPASS", "false"),
        ("SSH_ASKPASS", "false"),
        ("GIT_SSH_COMMAND", "ssh -o BatchMode=yes -o ConnectTimeout=20"),
        ("GIT_ALLOW_PROTOCOL", PROTOCOLS),
        ("GIT_LFS_SKIP_SMUDGE", "1"),
        ("LC_ALL", "C"),
    ];
    command.envs(set);
    for setting in [
        "core.hooksPath=/dev/null",
        "core.fsmonitor=false",
        "core.symlinks=false",
        "credential.helper=",
        "submodule.recurse=false",
        "filter.lfs.smudge=",
        "filter.lfs.required=false",
        "http.followRedirects=false",
    ] {
        command.args(["-c", setting]);
    }
    command.args(words);
    let measured = Cell::new(Instant::now());
    let objection = || {
        if stop.load(Ordering::Acquire) {
            return Some(PortError::new(
                PORT,
                Fault::Unavailable,
                "it was abandoned because nobody waits for it any more",
            ));
        }
        if measured.get().elapsed() < MEASURED_EVERY {
            return None;
        }
        measured.set(Instant::now());
        let size = clone.map(size).unwrap_or_default();
        (size > settings.bytes_max).then(|| {
            let sentence = format!("{}: the clone is larger than {} bytes", settings.url, settings.bytes_max);
            PortError::new(PORT, Fault::Invalid, sentence)
        })
    };
    let ran = run(command, &Limits { timeout: settings.timeout, objection: &objection })?;
    if ran.status.success() {
        return Ok(ran);
    }
    let lines = || ran.err.lines().filter(|line| !line.trim().is_empty());
    let said = lines().find_map(|line| line.strip_prefix("fatal: ")).or_else(|| lines().next_back());
    let said = said.unwrap_or("it said nothing");
    let said: String = said.chars().filter(|c| !c.is_control()).take(TOLD_CHARS_MAX).collect();
    Err(PortError::new(PORT, Fault::Unavailable, format!("{}: git failed: {said}", without_secret(&settings.url))))
}

/// An address without what stands before an `@`, which may be a password.
fn without_secret(url: &str) -> String {
    match url.split_once("://").and_then(|(scheme, rest)| Some((scheme, rest.rsplit_once('@')?.1))) {
        Some((scheme, host)) => format!("{scheme}://{host}"),
        None => url.to_owned(),
    }
}

fn size(folder: &Path) -> u64 {
    let files = WalkDir::new(folder).into_iter().flatten().filter_map(|entry| entry.metadata().ok());
    files.filter(std::fs::Metadata::is_file).map(|metadata| metadata.len()).sum()
}
