//! A damaged data folder: nothing wrong is ever said from it, and whatever matters is named.
//!
//! Each round damages one file of a copy and looks at it as users do. `VOUCH_DAMAGE_ROUNDS` says how many (30),
//! `VOUCH_DAMAGE_SEED` which ones (1), `VOUCH_DAMAGE_ONLY` one round alone, `VOUCH_BINARY` which binary. Names of files
//! and rows differ from run to run, so folders that come out bad are kept.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]
#![expect(clippy::print_stderr, reason = "what came of the damages is for people to read")]

mod content;
mod harm;
mod probes;
mod scene;
mod verdict;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    str::FromStr,
};

use content::Content;
use harm::{Harm, Way};
use probes::Sight;
use scene::Scene;
use verdict::Verdict;

use crate::support::{draw::Draw, process};

const DATA: &str = ".vouch";
const SHOWN_MAX: usize = 25;
const KEPT_MAX: usize = 25;

fn variable<T: FromStr>(name: &str, otherwise: T) -> T {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// An undamaged folder and everything known of it.
struct Whole {
    folder: PathBuf,
    sight: Sight,
    content: Content,
    entries: Vec<String>,
}

impl Whole {
    fn of(folder: &Path, root: &Path, scene: &Scene) -> Self {
        let entries = entries(&folder.join(DATA));
        let (for_server, for_doctor, for_reading) = copies(folder, root);
        let content = content::content(&for_reading.join(DATA));
        let sight = probes::look(&for_server, &for_doctor, &scene.secrets, &entries);
        assert!(sight.is_called_sound(), "{}{}", sight.doctor.out, sight.doctor.err);
        Self { folder: folder.to_owned(), sight, content, entries }
    }
}

/// The requests that are in the trail of a folder, by name.
fn entries(data: &Path) -> Vec<String> {
    let copied = tempfile::tempdir().expect("a folder");
    process::copy(data, copied.path()).expect("a copy");
    let trail = rusqlite::Connection::open(copied.path().join("audit.sqlite")).expect("a trail");
    let mut statement = trail.prepare("SELECT id FROM entries ORDER BY id").expect("entries");
    let rows = statement.query_map([], |row| row.get(0)).expect("rows");
    rows.collect::<Result<_, _>>().expect("entries")
}

/// Three copies of a folder: one for a server, one for the doctor, one to read.
fn copies(folder: &Path, root: &Path) -> (PathBuf, PathBuf, PathBuf) {
    let copy = |name: &str| {
        let to = root.join(name);
        let _ = std::fs::remove_dir_all(&to);
        process::copy(folder, &to).expect("a copy");
        to
    };
    (copy("server"), copy("doctor"), copy("reading"))
}

/// One damage and what came of it.
struct Outcome {
    round: u64,
    variant: &'static str,
    harm: Harm,
    verdict: Verdict,
    why: String,
}

fn round(number: u64, seed: u64, root: &Path, scene: &Scene, wholes: &[(&'static str, Whole)]) -> Outcome {
    let mut draw = Draw::from(seed.wrapping_mul(0x9e37_79b9).wrapping_add(number << 20));
    let at = usize::try_from(number).unwrap_or_default() % wholes.len().max(1);
    let (variant, whole) = wholes.get(at).expect("a folder to damage");
    let damaged = root.join("damaged");
    let _ = std::fs::remove_dir_all(&damaged);
    process::copy(&whole.folder, &damaged).expect("a copy");
    let harm = harm::harm(&damaged.join(DATA), &scene.older.join(DATA), &mut draw);
    let (for_server, for_doctor, for_reading) = copies(&damaged, root);
    let changed = content::changed(&whole.content, &content::content(&for_reading.join(DATA)));
    let sight = probes::look(&for_server, &for_doctor, &scene.secrets, &whole.entries);
    let (verdict, why) = verdict::judge(&whole.sight, &sight, &changed);
    Outcome { round: number, variant, harm, verdict, why }
}

fn report(outcomes: &[Outcome], seed: u64) -> usize {
    let mut verdicts: BTreeMap<Verdict, usize> = BTreeMap::new();
    let mut sorts: BTreeMap<(&str, Verdict), usize> = BTreeMap::new();
    let mut ways: BTreeMap<(Way, Verdict), usize> = BTreeMap::new();
    for outcome in outcomes {
        *ways.entry((outcome.harm.way, outcome.verdict)).or_default() += 1;
        *verdicts.entry(outcome.verdict).or_default() += 1;
        *sorts.entry((&outcome.harm.sort, outcome.verdict)).or_default() += 1;
    }
    let bad: Vec<&Outcome> = outcomes.iter().filter(|outcome| outcome.verdict.is_bad()).collect();
    eprintln!("damages: {} of seed {seed}, {verdicts:?}, {} bad", outcomes.len(), bad.len());
    eprintln!("  by way: {ways:?}");
    for ((sort, verdict), count) in sorts {
        eprintln!("  {sort}: {verdict:?} {count}");
    }
    for Outcome { round, variant, harm, verdict, why } in bad.iter().take(SHOWN_MAX) {
        let why: String = why.chars().take(400).collect();
        eprintln!("  round {round}, {variant}: {verdict:?} after {harm}: {why}");
    }
    bad.len()
}

#[test]
fn no_damage_is_answered_from_and_the_doctor_names_every_one_that_matters() {
    let (rounds, seed) = (variable("VOUCH_DAMAGE_ROUNDS", 30u64), variable("VOUCH_DAMAGE_SEED", 1u64));
    let only: Option<u64> = std::env::var("VOUCH_DAMAGE_ONLY").ok().and_then(|text| text.parse().ok());
    let root = tempfile::tempdir().expect("a folder");
    let scene = Scene::make(root.path());
    let wholes = [
        ("closed", Whole::of(&scene.closed, root.path(), &scene)),
        ("killed", Whole::of(&scene.killed, root.path(), &scene)),
    ];
    let (mut outcomes, mut kept) = (Vec::new(), 0);
    for number in (0..rounds).filter(|number| only.is_none_or(|only| only == *number)) {
        let outcome = round(number, seed, root.path(), &scene, &wholes);
        if outcome.verdict.is_bad() && kept < KEPT_MAX {
            kept += 1;
            let folder = std::env::temp_dir().join(format!("vouch-damage-{number}"));
            let _ = std::fs::remove_dir_all(&folder);
            let _ = process::copy(&root.path().join("damaged"), &folder);
        }
        outcomes.push(outcome);
    }
    let bad = report(&outcomes, seed);
    assert!(!outcomes.is_empty(), "no round was run");
    assert!(
        bad == 0,
        "{bad} damages come out bad; again: VOUCH_DAMAGE_SEED={seed} VOUCH_DAMAGE_ROUNDS={rounds} \
         VOUCH_DAMAGE_ONLY=ROUND cargo test --workspace --test app damage:: -- --nocapture; their folders are kept as \
         {}/vouch-damage-ROUND",
        std::env::temp_dir().display()
    );
}
