//! A folder changed at random, taken in by commands and by jobs that are killed in between: the catalogue is the folder each time.
//!
//! `VOUCH_CHANGES` says how many changes (240), `VOUCH_CHANGES_SEED` which (1).
#![cfg(unix)]
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]
#![expect(clippy::indexing_slicing, reason = "what a JSON value does not have is null")]

use std::{
    collections::BTreeMap,
    path::Path,
    str::FromStr,
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::support::{
    Place,
    draw::Draw,
    process::{Server, run, run_for, vouch},
};

/// How many changes are made before the folder is taken in again.
const CHANGES_PER_ROUND: u64 = 25;
/// About how many files there are.
const FILES: usize = 60;
const PATIENCE: Duration = Duration::from_secs(120);

fn variable<T: FromStr>(name: &str, otherwise: T) -> T {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// The folder as it should be, and what became of it.
#[derive(Default)]
struct Tally {
    added: u64,
    edited: u64,
    deleted: u64,
    renamed: u64,
    kills: u64,
    jobs: u64,
}

struct Run {
    place: Place,
    draw: Draw,
    /// Paths below the folder with what they say.
    files: BTreeMap<String, String>,
    /// Every path with its text and its document's id, as the catalogue was when it was last whole.
    known: BTreeMap<String, (String, String)>,
    tally: Tally,
    /// Whether something was killed since the catalogue was last whole.
    is_torn: bool,
}

impl Run {
    fn change(&mut self) {
        let number = self.draw.next();
        let kind = if self.files.len() < FILES / 2 { 0 } else { self.draw.below(4) };
        let some = self.pick();
        match (kind, some) {
            (1, Some(path)) => {
                self.tally.edited += 1;
                self.write(path, number);
            }
            (2, Some(path)) => {
                self.tally.deleted += 1;
                std::fs::remove_file(self.place.path("docs").join(&path)).expect("it goes");
                self.files.remove(&path);
            }
            (3, Some(path)) => {
                let target = self.fresh();
                let (from, to) = (self.place.path("docs").join(&path), self.place.path("docs").join(&target));
                std::fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
                std::fs::rename(from, to).expect("a rename");
                let text = self.files.remove(&path).expect("its text");
                // A move onto another file is one of its deletions.
                self.files.insert(target, text);
                self.tally.renamed += 1;
            }
            _ => {
                self.tally.added += 1;
                let path = self.fresh();
                self.write(path, number);
            }
        }
    }

    fn pick(&mut self) -> Option<String> {
        let at = self.draw.below(self.files.len().max(1) as u64);
        self.files.keys().nth(usize::try_from(at).unwrap_or_default()).cloned()
    }

    /// A path that may well have been there before, or be there now.
    fn fresh(&mut self) -> String {
        let (folder, name) = (self.draw.below(4), self.draw.below(200));
        format!("{folder}/{name}.{}", if name % 2 == 0 { "md" } else { "txt" })
    }

    fn write(&mut self, path: String, number: u64) {
        let text = format!("Lantern {number} hangs beside gate {}.\n", self.draw.word(8));
        self.place.write(&format!("docs/{path}"), &text);
        self.files.insert(path, text);
    }

    /// Takes the folder in, sometimes with a kill first.
    fn take_in(&mut self) {
        let by_job = self.draw.below(4) == 0;
        if self.draw.below(2) == 0 {
            let after = Duration::from_millis(50 + self.draw.below(1_500));
            self.is_torn = true;
            self.tally.kills += 1;
            match by_job {
                true => self.by_job(Some(after)),
                false => drop(run_for(vouch(&self.place.path(""), &["ingest", "docs", "--prune-many"]), after)),
            }
        }
        match by_job {
            true => self.by_job(None),
            false => {
                let ran = run(&self.place.path(""), &["ingest", "docs", "--prune-many", "--json"]);
                assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
            }
        }
    }

    fn by_job(&mut self, killed_after: Option<Duration>) {
        self.tally.jobs += 1;
        let folder = self.place.path("");
        let queued = run(&folder, &["ingest", "docs", "--prune-many", "--background", "--json"]);
        let id = queued.json()[0]["id"].as_str().expect("a job").to_owned();
        let mut server = Server::start(&folder).expect("a server");
        if let Some(after) = killed_after {
            std::thread::sleep(after);
            server.kill();
            return;
        }
        let began = Instant::now();
        let state = || run(&folder, &["jobs", "show", &id, "--json"]).json();
        let mut job: Value = state();
        while job["state"] != "done" && began.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(50));
            job = state();
        }
        assert_eq!((&job["state"], &job["progress"]["failed"]), (&"done".into(), &0.into()), "{job}");
        server.kill();
    }

    /// Compares the catalogue with the folder, and the ids of files that were moved with what they were.
    fn check(&mut self, round: u64) {
        let root = self.place.path("docs").display().to_string();
        let now = stored(&self.place.path(".vouch/catalogue.sqlite"), &root);
        let texts: BTreeMap<&String, &str> = now.iter().map(|(path, (text, _))| (path, text.trim())).collect();
        let files: BTreeMap<&String, &str> = self.files.iter().map(|(path, text)| (path, text.trim())).collect();
        assert_eq!(texts, files, "round {round}: the catalogue and the folder");
        if !self.is_torn {
            for (path, (text, id)) in now.iter().filter(|(path, _)| !self.known.contains_key(*path)) {
                let before = self.known.iter().find(|(old, (said, _))| said == text && !now.contains_key(*old));
                if let Some((old, (_, old_id))) = before {
                    assert_eq!(id, old_id, "round {round}: {old} was moved to {path}");
                }
            }
        }
        (self.known, self.is_torn) = (now, false);
    }
}

/// Every document below a folder: its path there with its text and its id.
fn stored(catalogue: &Path, root: &str) -> BTreeMap<String, (String, String)> {
    let catalogue = rusqlite::Connection::open(catalogue).expect("the catalogue");
    let sql =
        "SELECT d.source, v.text, d.id FROM documents d JOIN versions v ON v.document = d.key AND v.number = d.version";
    let mut statement = catalogue.prepare(sql).expect("a statement");
    let row = |row: &rusqlite::Row<'_>| Ok((row.get::<_, String>(0)?, (row.get(1)?, row.get(2)?)));
    let below =
        |source: String| source.strip_prefix(root).expect("below the folder").trim_start_matches('/').to_owned();
    let rows = statement.query_map([], row).expect("rows").map(|row| row.expect("a row"));
    rows.map(|(source, rest)| (below(source), rest)).collect()
}

#[test]
fn whatever_changes_and_whatever_is_killed_the_catalogue_is_the_folder() {
    let (changes, seed) = (variable("VOUCH_CHANGES", 240), variable("VOUCH_CHANGES_SEED", 1));
    let place = Place::new();
    place.write("docs/0/0.md", "Lantern 0 hangs beside gate 0.\n");
    let mut run = Run {
        place,
        draw: Draw::from(seed),
        files: BTreeMap::from([("0/0.md".to_owned(), "Lantern 0 hangs beside gate 0.\n".to_owned())]),
        known: BTreeMap::new(),
        tally: Tally::default(),
        is_torn: true,
    };
    let began = Instant::now();
    let mut made: u64 = 0;
    while made < changes {
        for _ in 0..CHANGES_PER_ROUND.min(changes - made) {
            run.change();
            made += 1;
        }
        run.take_in();
        run.check(made / CHANGES_PER_ROUND);
    }
    let Tally { added, edited, deleted, renamed, kills, jobs } = run.tally;
    println!(
        "{made} changes (added {added}, edited {edited}, deleted {deleted}, renamed {renamed}), {kills} kills, {jobs} jobs, {:?}",
        began.elapsed()
    );
    assert!(renamed > 0 && kills > 0 && jobs > 0, "{renamed} {kills} {jobs}");
}
