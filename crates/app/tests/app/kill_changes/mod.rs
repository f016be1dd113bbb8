//! A server or a command killed in the middle of changes: everything acknowledged is there, nothing is half there.
//!
//! `VOUCH_KILL_ROUNDS` says how many kills (12), `VOUCH_KILL_SEED` which delays and changes (1), `VOUCH_BINARY` which
//! binary. What a kill meets depends on the machine too, so a folder that was left bad is kept.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

mod checks;
mod ledger;
mod rounds;
mod scene;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    str::FromStr,
    sync::Mutex,
    time::Duration,
};

use checks::Bad;
use ledger::Ledger;
use rounds::Kind;
use serde_json::Value;

use crate::support::{
    draw::Draw,
    process::{self, Server},
};

const SHOWN_MAX: usize = 20;
/// The longest time a server works before it is killed, after the first change.
const LOAD_MS_MAX: u64 = 900;

fn variable<T: FromStr>(name: &str, otherwise: T) -> T {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// One run over many kills.
struct Run {
    folder: PathBuf,
    /// The folder as it was at first, for the case that a kill leaves one that cannot be used.
    template: PathBuf,
    secret: String,
    fixed: Vec<Value>,
    /// How long each command takes where nothing kills it.
    whole: BTreeMap<Kind, Duration>,
    ledger: Ledger,
    server: Option<Server>,
    draw: Draw,
    killed: BTreeMap<Kind, u64>,
    /// Changes that clients of a server had acknowledged.
    acknowledged: u64,
    bad: Vec<(u64, Kind, Bad)>,
}

impl Run {
    fn start(root: &Path, seed: u64) -> Self {
        let (folder, template) = (root.join("here"), root.join("template"));
        std::fs::create_dir_all(&folder).expect("a folder");
        let secret = scene::make(&folder);
        let mut run = Self {
            folder,
            template,
            secret,
            fixed: Vec::new(),
            whole: BTreeMap::new(),
            ledger: Ledger::default(),
            server: None,
            draw: Draw::from(seed),
            killed: BTreeMap::new(),
            acknowledged: 0,
            bad: Vec::new(),
        };
        process::copy(&run.folder, &run.template).expect("a copy");
        let server = Server::start(&run.folder).expect("a server");
        run.fixed = scene::replies(&scene::admin(&server, &run.secret)).expect("replies");
        drop(server);
        for kind in [Kind::Ingest, Kind::Terms, Kind::Memory, Kind::KeyAdd, Kind::KeyRevoke, Kind::Reembed] {
            let limit = Duration::from_secs(60);
            let (ended, refused) = rounds::command(kind, &run.folder, &mut run.ledger, &mut run.draw, limit);
            assert_eq!(refused, Vec::<String>::new(), "nothing was killed yet");
            run.whole.insert(kind, ended.took);
        }
        run
    }

    fn round(&mut self, round: u64) {
        let kind = Kind::of(round);
        let (was_killed, refused) = match kind {
            Kind::Http => self.kill_server(round),
            Kind::Ingest | Kind::Terms | Kind::Memory | Kind::KeyAdd | Kind::KeyRevoke | Kind::Reembed => {
                self.kill_command(kind)
            }
        };
        *self.killed.entry(kind).or_default() += u64::from(was_killed);
        let mut bad: Vec<Bad> = refused.into_iter().map(|why| ("refused", why)).collect();
        match checks::open(&self.folder) {
            Ok(server) => {
                bad.extend(checks::compare(&scene::admin(&server, &self.secret), &mut self.ledger, &self.fixed));
                self.server = Some(server);
            }
            Err(why) => {
                bad.push(why);
                self.start_over(round);
            }
        }
        self.bad.extend(bad.into_iter().map(|bad| (round, kind, bad)));
    }

    fn kill_server(&mut self, round: u64) -> (bool, Vec<String>) {
        let server = match self.server.take() {
            Some(server) => Ok(server),
            None => Server::start(&self.folder),
        };
        let mut server = match server {
            Ok(server) => server,
            Err(ended) => return (false, vec![format!("{ended:?}")]),
        };
        let after = Duration::from_millis(self.draw.below(LOAD_MS_MAX));
        let (seed, ledger) = (self.draw.next() ^ round, Mutex::new(std::mem::take(&mut self.ledger)));
        let (count, refused) = rounds::hammer(&mut server, &self.secret, &ledger, seed, after);
        self.acknowledged += u64::from(count);
        self.ledger = ledger.into_inner().expect("a lock");
        (true, refused)
    }

    fn kill_command(&mut self, kind: Kind) -> (bool, Vec<String>) {
        // The folder's lock is the server's until it is gone.
        drop(self.server.take());
        let whole = self.whole.get(&kind).copied().unwrap_or_default();
        let share = u32::try_from(self.draw.below(1_050)).unwrap_or_default();
        let limit = whole * share / 1_000;
        let (ended, refused) = rounds::command(kind, &self.folder, &mut self.ledger, &mut self.draw, limit);
        (ended.code.is_none(), refused)
    }

    /// Keeps a folder that cannot be used and goes on from the first one.
    fn start_over(&mut self, round: u64) {
        let kept = std::env::temp_dir().join(format!("vouch-kill-{round}"));
        let _ = std::fs::remove_dir_all(&kept);
        let _ = process::copy(&self.folder, &kept);
        std::fs::remove_dir_all(&self.folder).expect("our own folder");
        process::copy(&self.template, &self.folder).expect("a copy");
        let mut ledger = Ledger::default();
        // Editions stay unique, so that nothing old can pass for new.
        let reached = self.ledger.next();
        while ledger.next() < reached {}
        self.ledger = ledger;
    }
}

#[test]
fn no_kill_loses_what_was_acknowledged_or_leaves_it_half_there() {
    let (rounds, seed) = (variable("VOUCH_KILL_ROUNDS", 12u64), variable("VOUCH_KILL_SEED", 1u64));
    let root = tempfile::tempdir().expect("a folder");
    let mut run = Run::start(root.path(), seed);
    for round in 0..rounds {
        run.round(round);
    }
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    run.bad.iter().for_each(|(_, _, (kind, _))| *kinds.entry(kind).or_default() += 1);
    let bad_rounds: std::collections::BTreeSet<u64> = run.bad.iter().map(|(round, _, _)| *round).collect();
    eprintln!(
        "kills: {rounds} rounds of seed {seed}, killed while running {:?} with {} changes acknowledged over HTTP, {} rounds \
         bad {kinds:?}",
        run.killed,
        run.acknowledged,
        bad_rounds.len()
    );
    for (round, kind, (class, what)) in run.bad.iter().take(SHOWN_MAX) {
        let what: String = what.chars().take(600).collect();
        eprintln!("  round {round} ({kind:?}), {class}: {what}");
    }
    let killed: u64 = run.killed.values().sum();
    assert!(killed >= rounds / 2, "only {killed} of {rounds} rounds killed anything");
    assert!(
        run.bad.is_empty(),
        "{} of {rounds} kills leave something bad; again: VOUCH_KILL_SEED={seed} VOUCH_KILL_ROUNDS={rounds} cargo test \
         --workspace --test app kill_changes:: -- --nocapture; folders that do not open are kept as {}/vouch-kill-ROUND",
        bad_rounds.len(),
        std::env::temp_dir().display()
    );
}
