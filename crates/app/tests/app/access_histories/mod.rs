//! Random histories of documents: written, edited, renamed, taken away and brought back, taken in by folder, source, file and
//! request, pruned and compacted, with tags, statements of their own and two tenants. Nobody ever sees what they could not see
//! before, unless the step says `open`.
//!
//! `VOUCH_HISTORIES` says how many (60), `VOUCH_HISTORIES_SEED` from which seed on (1).
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a broken test should stop where it breaks"
)]

mod changes;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    str::FromStr,
    sync::Arc,
};

use vouch_adapters::{
    embedded::{EmbeddedStore, EmbedderCheck},
    files::source_name,
};
use vouch_domain::{
    NameWords, Reader,
    ports::{Catalogue, Embedder, PageRequest, Register},
};
use vouch_engine::{
    ingest::{Failure, Ingest, Progress},
    policy::IngestPolicy,
};
use vouch_formats::FileParser;
use vouch_service::{admin_service::AdminService, tenant_locks::TenantLocks};
use vouch_testkit::fakes::{FakeEmbedder, MemoryStore, StoppedClock};

use crate::support::draw::Draw;

const STEPS: usize = 30;
const BYTES_MAX: u64 = 1 << 20;
/// Everybody who may be told apart: somebody without tags, and somebody with each.
const READERS: [&str; 4] = ["", "hr", "it", "staff"];
const FOLDERS: [&str; 3] = ["docs", "docs/pay", "other"];

type Readers = BTreeSet<&'static str>;

fn variable<T: FromStr>(name: &str, otherwise: T) -> T {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

struct Silent;

impl Progress for Silent {
    fn prepared(&self, _: usize) {}
    fn embedded(&self, _: usize) {}
    fn failed(&self, _: &Failure) {}
}

/// One store for all histories, each with tenants of its own.
struct Shared {
    _folder: tempfile::TempDir,
    store: EmbeddedStore,
    admin: AdminService,
}

impl Shared {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let embedder = FakeEmbedder::named("fake");
        let store = EmbeddedStore::open(folder.path(), embedder.identity(), EmbedderCheck::Enforce).expect("a store");
        // Who sees what is decided in the catalogue; the indexes only follow it.
        let indexes = Arc::new(MemoryStore::default());
        let ingest = Ingest {
            parser: Arc::new(FileParser { access_from: Vec::new() }),
            catalogue: store.catalogue.clone(),
            lexical: indexes.clone(),
            dense: indexes,
            embedder: Arc::new(embedder),
            findings: None,
            clock: Arc::new(StoppedClock::at(7)),
            policy: IngestPolicy {
                addresses: Vec::new(),
                passage_tokens: 200,
                batch_passages: 64,
                passages_max: 20_000,
            },
        };
        let admin = AdminService {
            ingest,
            register: store.register.clone(),
            versions: store.versions.clone(),
            memory: store.memory.clone(),
            directory: store.directory.clone(),
            questions: store.questions.clone(),
            findings: store.findings.clone(),
            tenant_locks: TenantLocks::default(),
        };
        Self { _folder: folder, store, admin }
    }
}

/// A file as it is on the disk.
#[derive(Clone)]
struct File {
    word: String,
    text: String,
    /// The tenants that have taken in exactly this text.
    taken_by: BTreeSet<String>,
    /// Whether it had another name before.
    is_moved: bool,
}

struct History<'a> {
    shared: &'a Shared,
    folder: PathBuf,
    draw: Draw,
    tenants: [String; 2],
    files: BTreeMap<String, File>,
    away: Vec<(String, File)>,
    /// Who could see each word, by tenant; only a step that says `open` adds to it.
    allowed: BTreeMap<(String, String), Readers>,
    /// Who could see what was last at a path.
    at_path: BTreeMap<(String, String), Readers>,
    log: Vec<String>,
    seed: u64,
    closed: usize,
    returned: usize,
}

impl History<'_> {
    fn pick<'b>(&mut self, of: &[&'b str]) -> &'b str {
        of[usize::try_from(self.draw.below(of.len() as u64)).unwrap_or_default()]
    }

    fn tenant(&mut self) -> String {
        self.tenants[usize::from(self.draw.below(4) == 0)].clone()
    }

    fn tags(&mut self) -> BTreeSet<String> {
        let tags = self.pick(&["", "", "", "hr", "hr", "it", "staff", "hr,it"]);
        tags.split(',').filter(|tag| !tag.is_empty()).map(str::to_owned).collect()
    }

    fn opens(&mut self) -> bool {
        self.draw.below(12) == 0
    }

    fn path(&mut self) -> String {
        let folder = self.pick(&FOLDERS);
        format!("{folder}/{}.md", self.draw.below(6))
    }

    /// What a file says: its word, and sometimes who may see it.
    fn text(&mut self, word: &str) -> String {
        let front = self.pick(&["", "", "", "", "access: [hr]", "access: [it]", "access: []", "access: [staff, hr]"]);
        let front = if front.is_empty() { String::new() } else { format!("---\n{front}\n---\n") };
        format!("{front}# Gates\n\nLantern {word} hangs at gate {}.\n", self.draw.below(1_000))
    }

    fn put(&mut self, path: &str, file: File) {
        let place = self.folder.join(path);
        std::fs::create_dir_all(place.parent().expect("a folder")).expect("a folder");
        std::fs::write(place, &file.text).expect("written");
        self.files.insert(path.to_owned(), file);
    }

    /// Words that are new at a path are not seen by more people than what was there last.
    fn new_word(&mut self, path: Option<&str>) -> String {
        let word = self.draw.word(10);
        for tenant in self.tenants.clone() {
            let before = path.and_then(|path| self.at_path.get(&(tenant.clone(), path.to_owned())));
            if let Some(before) = before.cloned() {
                self.allowed.insert((tenant, word.clone()), before);
            }
        }
        word
    }

    fn some_file(&mut self) -> Option<String> {
        let at = self.draw.below(self.files.len().max(1) as u64);
        self.files.keys().nth(usize::try_from(at).unwrap_or_default()).cloned()
    }

    fn write(&mut self) {
        let path = self.path();
        // What was moved and edited at once is known by nothing.
        let word = match self.files.get(&path).cloned() {
            Some(file) if !file.is_moved && self.is_known_as_it_is(&file) => file.word,
            Some(_) | None => self.new_word(Some(&path)),
        };
        let text = self.text(&word);
        self.log.push(format!("write {path}: {text:?}"));
        self.put(&path, File { word, text, taken_by: BTreeSet::new(), is_moved: false });
    }

    /// Whether every tenant that knows a file's word has taken in this text of it.
    fn is_known_as_it_is(&self, file: &File) -> bool {
        let knows = |tenant: &String| self.allowed.contains_key(&(tenant.clone(), file.word.clone()));
        self.tenants.iter().all(|tenant| !knows(tenant) || file.taken_by.contains(tenant))
    }

    /// Whoever knows a file by other words cannot know it under another name.
    fn unknown_if_edited(&mut self, file: &mut File) {
        if !self.is_known_as_it_is(file) {
            let word = self.new_word(None);
            file.text = file.text.replace(&file.word, &word);
            (file.word, file.taken_by) = (word, BTreeSet::new());
        }
    }

    fn rename(&mut self) {
        let (Some(from), to) = (self.some_file(), self.path()) else { return };
        let Some(mut file) = self.files.remove(&from) else { return };
        std::fs::remove_file(self.folder.join(&from)).expect("it goes");
        self.unknown_if_edited(&mut file);
        file.is_moved = true;
        self.log.push(format!("rename {from} to {to}"));
        self.put(&to, file);
    }

    fn take_away(&mut self, path: &str) {
        let Some(file) = self.files.remove(path) else { return };
        std::fs::remove_file(self.folder.join(path)).expect("it goes");
        self.log.push(format!("take away {path}"));
        self.away.push((path.to_owned(), file));
    }

    fn bring_back(&mut self) {
        if self.away.is_empty() {
            return;
        }
        let at = usize::try_from(self.draw.below(self.away.len() as u64)).unwrap_or_default();
        let (path, mut file) = self.away.remove(at);
        let to = if self.draw.below(3) == 0 { self.path() } else { path.clone() };
        if self.files.contains_key(&to) {
            return self.away.push((path, file));
        }
        if to != path {
            self.unknown_if_edited(&mut file);
            file.is_moved = true;
        }
        self.returned += 1;
        self.log.push(format!("bring back {path} as {to}"));
        self.put(&to, file);
    }

    async fn step(&mut self) {
        let opens = match self.draw.below(20) {
            0..=3 => {
                self.write();
                false
            }
            4 | 5 => {
                self.rename();
                false
            }
            6 => {
                if let Some(path) = self.some_file() {
                    self.take_away(&path);
                }
                false
            }
            7 => {
                // A mount that is lost.
                let folder = format!("{}/", self.pick(&FOLDERS));
                let all: Vec<String> = self.files.keys().filter(|path| path.starts_with(&folder)).cloned().collect();
                all.iter().for_each(|path| self.take_away(path));
                false
            }
            8 | 9 => {
                self.bring_back();
                false
            }
            10..=12 => self.take_in(false).await,
            13 | 14 => self.take_in(true).await,
            15 => self.upload().await,
            16 => self.post().await,
            17 => self.edit_card().await,
            18 => {
                self.delete().await;
                false
            }
            _ => {
                self.log.push("compact".to_owned());
                self.shared.store.compact(Some(u64::MAX)).expect("compacted");
                false
            }
        };
        self.check(opens).await;
    }

    /// Nobody sees a word that they could not see before.
    async fn check(&mut self, opens: bool) {
        let root = source_name(&self.folder);
        for tenant in self.tenants.clone() {
            let mut seen: BTreeMap<String, Readers> = BTreeMap::new();
            let all = Reader::of_tenant(&tenant);
            let wanted = PageRequest {
                kind: None,
                collection: None,
                topic: None,
                words: NameWords::default(),
                after: None,
                limit: 1_000,
            };
            for card in self.shared.store.register.page(&all, &wanted).await.expect("a page") {
                let text = self.shared.store.catalogue.text(&all, &card.id).await.expect("a text").unwrap_or_default();
                let word = text.split_whitespace().skip_while(|one| *one != "Lantern").nth(1);
                let readers: Readers =
                    READERS.into_iter().filter(|tag| card.tags.is_empty() || card.tags.contains(*tag)).collect();
                self.closed += usize::from(readers.len() < READERS.len());
                if let Some(path) = card.source.strip_prefix(&root) {
                    self.at_path.insert((tenant.clone(), path.trim_start_matches('/').to_owned()), readers.clone());
                }
                seen.entry(word.unwrap_or_default().to_owned()).or_default().extend(readers);
            }
            for (word, readers) in seen {
                let allowed = self.allowed.entry((tenant.clone(), word.clone())).or_insert_with(|| readers.clone());
                if opens || readers.is_subset(allowed) {
                    *allowed = readers;
                    continue;
                }
                let log = self.log.join("\n  ");
                panic!("seed {}: {word} of {tenant} was seen by {allowed:?}, now by {readers:?}\n  {log}", self.seed);
            }
        }
    }
}

#[tokio::test]
async fn what_was_closed_is_open_in_no_history_unless_somebody_opens_it() {
    let (histories, first) = (variable("VOUCH_HISTORIES", 60), variable("VOUCH_HISTORIES_SEED", 1));
    let shared = Shared::new();
    let (mut closed, mut returned) = (0, 0);
    for seed in first..first + histories {
        let folder = tempfile::tempdir().expect("a folder");
        let mut history = History {
            shared: &shared,
            folder: std::fs::canonicalize(folder.path()).expect("a path"),
            draw: Draw::from(seed),
            tenants: [format!("mill-{seed}"), format!("tarn-{seed}")],
            files: BTreeMap::new(),
            away: Vec::new(),
            allowed: BTreeMap::new(),
            at_path: BTreeMap::new(),
            log: Vec::new(),
            seed,
            closed: 0,
            returned: 0,
        };
        for _ in 0..STEPS {
            history.step().await;
        }
        closed += history.closed;
        returned += history.returned;
    }
    assert!(closed > 0 && returned > 0, "{closed} documents were closed, {returned} came back");
}
