//! Crashes at every step: a store that is stopped, torn or loses what was not synced opens again with all it said it had.
//!
//! A worker makes changes while a recorder writes down every operation on its files. Each schedule is one crash: it
//! rebuilds the folder that the crash can leave (`disk.rs` says what that is), opens it and compares.
//!
//! `VOUCH_FAULT_SCHEDULES` says how many crashes (300), `VOUCH_FAULT_SEED` which ones (1). `VOUCH_FAULT_LOG` and
//! `VOUCH_FAULT_ONLY` repeat one crash of a log that a failed run has left.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]
#![expect(clippy::print_stderr, reason = "what came of the crashes is for people to read")]

mod check;
mod disk;
mod draw;
mod inspect;
mod recording;
mod schedule;
mod texts;
mod worker;
mod workload;

use std::{
    collections::BTreeMap,
    io::Write,
    panic::AssertUnwindSafe,
    path::{Path, PathBuf},
    str::FromStr,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use check::Acknowledged;
use disk::Disk;
use inspect::{Bad, Secrets};
use recording::Op;
use schedule::{Mode, Schedule};
use vouch_testkit::skip;
use workload::Workload;

const WORKER: &str = "VOUCH_FAULT_WORKER";
/// Changes of one workload, without the refreshes between them.
const LENGTH: u32 = 90;
/// So many schedules of one recording before another one is made.
const PER_WORKLOAD: usize = 25_000;
const THREADS: usize = 2;
const SHOWN_MAX: usize = 12;
const THREAD_ROUNDS: usize = 200;
/// No crash takes nearly as long to open from and to look at.
const HANG_MS: u64 = 120_000;

fn variable<T: FromStr>(name: &str, otherwise: T) -> T {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// A folder in memory where there is one: what is measured is the store, not the disk.
fn scratch() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.expect("a folder")
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

/// One recorded workload.
struct Recording {
    workload: Workload,
    ops: Vec<Op>,
    log: PathBuf,
}

impl Recording {
    fn make(recorder: &Path, folder: &Path, seed: u64) -> Result<Self, String> {
        let (root, log) = (folder.join(format!("root-{seed}")), folder.join(format!("log-{seed}")));
        std::fs::create_dir_all(root.join(worker::STORE)).map_err(|error| error.to_string())?;
        let variables = [(WORKER, root.display().to_string()), ("VOUCH_FAULT_SEED", seed.to_string())];
        recording::record(recorder, (&root, &log), "faults::the_workload_leaves_what_it_is_meant_to", &variables)?;
        Self::read(log, seed)
    }

    fn read(log: PathBuf, seed: u64) -> Result<Self, String> {
        let ops = recording::parse(&std::fs::read(&log).map_err(|error| error.to_string())?)?;
        Ok(Self { workload: Workload::of(seed, LENGTH), ops, log })
    }

    /// What had been acknowledged when the operations before a cut had happened.
    fn acknowledged(&self, cut: usize) -> Acknowledged<'_> {
        let marks = self.ops.iter().take(cut).filter_map(|op| {
            let Op::Write { path, bytes, .. } = op else { return None };
            (path == worker::MARKS).then(|| String::from_utf8_lossy(bytes).into_owned())
        });
        let (mut steps, mut secrets) = (0, Secrets::new());
        for mark in marks {
            let words: Vec<&str> = mark.split_whitespace().collect();
            steps = words.first().and_then(|number| number.parse::<usize>().ok()).map_or(steps, |number| number + 1);
            if let [_, name, secret] = words.as_slice() {
                secrets.insert(name.parse().unwrap_or_default(), (*secret).to_owned());
            }
        }
        Acknowledged { workload: &self.workload, steps, secrets }
    }
}

/// Replays one crash in a folder of its own.
fn replay(recording: &Recording, disk: &Disk, schedule: Schedule, folder: &Path) -> Result<(), Bad> {
    let image = match schedule.mode {
        Mode::Stop => disk.seen(),
        Mode::Lose => disk.after_power_loss(schedule.seed),
        Mode::Tear => {
            let mut torn = disk.seen();
            if let Some(op @ Op::Write { bytes, .. }) = recording.ops.get(schedule.cut) {
                let span = u64::try_from(bytes.len()).unwrap_or(2).saturating_sub(1).max(1);
                torn.tear(op, usize::try_from(1 + schedule.seed % span).unwrap_or(1));
            }
            torn
        }
    };
    image.write(worker::STORE, folder).expect("a folder for the crash");
    let told = recording.acknowledged(schedule.cut);
    let checked = std::panic::catch_unwind(AssertUnwindSafe(|| runtime().block_on(check::check(folder, &told))));
    let _ = std::fs::remove_dir_all(folder);
    checked.unwrap_or_else(|_| Err(Bad::of("panic", "the store panicked")))
}

type Outcomes = Mutex<Vec<(Schedule, Bad)>>;

/// Ends the whole test where one crash takes so long that it hangs: a store that cannot be opened must say so.
struct Watch {
    since: Instant,
    /// Milliseconds after the start at which the present crash began.
    began: AtomicU64,
    is_over: AtomicBool,
}

impl Watch {
    fn start() -> Self {
        Self { since: Instant::now(), began: AtomicU64::new(0), is_over: AtomicBool::new(false) }
    }

    fn now(&self) -> u64 {
        u64::try_from(self.since.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn keep(&self, recording: &Recording) {
        while !self.is_over.load(Ordering::Acquire) {
            std::thread::sleep(Duration::from_millis(100));
            if self.now().saturating_sub(self.began.load(Ordering::Acquire)) > HANG_MS {
                let log = keep_log(recording);
                // Past the test runner, whose notes end with the process. A thread that hangs cannot be stopped alone, so
                // the tests beside this one end too.
                let (mut stderr, seed) = (std::io::stderr().lock(), recording.workload.seed);
                let _ = writeln!(stderr, "faults: a crash of workload {seed} hangs; its log is {}", log.display());
                std::process::exit(1);
            }
        }
    }
}

/// Copies a recording's log to where it outlives the test.
fn keep_log(recording: &Recording) -> PathBuf {
    let log = std::env::temp_dir().join(format!("vouch-fault-{}.log", recording.workload.seed));
    if log != recording.log {
        let _ = std::fs::copy(&recording.log, &log);
    }
    log
}

/// Replays every so many-th of the schedules, which are sorted by their cuts.
fn replay_share(recording: &Recording, schedules: &[Schedule], share: usize, bad: &Outcomes) -> usize {
    let (watch, scratch) = (Watch::start(), scratch());
    std::thread::scope(|scope| {
        scope.spawn(|| watch.keep(recording));
        let count = replay_each(recording, schedules, share, (bad, &watch, scratch.path()));
        watch.is_over.store(true, Ordering::Release);
        count
    })
}

fn replay_each(
    recording: &Recording,
    schedules: &[Schedule],
    share: usize,
    (bad, watch, scratch): (&Outcomes, &Watch, &Path),
) -> usize {
    let (mut disk, mut at, mut count) = (Disk::with_folders(&[worker::STORE]), 0, 0);
    for schedule in schedules.iter().skip(share).step_by(THREADS) {
        recording.ops.iter().take(schedule.cut).skip(at).for_each(|op| disk.apply(op));
        at = at.max(schedule.cut);
        count += 1;
        watch.began.store(watch.now(), Ordering::Release);
        if let Err(found) = replay(recording, &disk, *schedule, &scratch.join("crash")) {
            bad.lock().expect("a lock").push((*schedule, found));
        }
    }
    count
}

/// Counts by what is wrong, with examples and the command that shows one again.
fn report(count: usize, recordings: &[Recording], bad: &[(Schedule, Bad)]) {
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    bad.iter().for_each(|(_, bad)| *kinds.entry(bad.kind).or_default() += 1);
    let operations: usize = recordings.iter().map(|recording| recording.ops.len()).sum();
    eprintln!(
        "fault schedules: {count} over {operations} operations of {} workloads, {} bad {kinds:?}",
        recordings.len(),
        bad.len()
    );
    let mut shown: BTreeMap<&str, usize> = BTreeMap::new();
    for (schedule, bad) in bad {
        let times = shown.entry(bad.kind).or_default();
        *times += 1;
        let Some(recording) = recordings.iter().find(|one| one.workload.seed == schedule.workload) else { continue };
        if *times > (SHOWN_MAX / kinds.len().max(1)).max(1) {
            continue;
        }
        let log = keep_log(recording);
        eprintln!(
            "  {}: {}\n    again: VOUCH_FAULT_LOG={} VOUCH_FAULT_ONLY={schedule} cargo test --workspace --test \
             adapters faults::no_crash -- --nocapture{}",
            bad.kind,
            bad.what,
            log.display(),
            recording::shown(&recording.ops, schedule.cut)
        );
    }
}

/// The recordings of a run and the schedules of each; nothing if this machine does not let itself be observed.
fn prepared(folder: &Path) -> Option<Vec<(Recording, Vec<Schedule>)>> {
    let only = std::env::var("VOUCH_FAULT_ONLY").ok().map(|text| text.parse::<Schedule>().expect("a schedule"));
    if let (Ok(log), Some(only)) = (std::env::var("VOUCH_FAULT_LOG"), only) {
        return Some(vec![(Recording::read(log.into(), only.workload).expect("a log"), vec![only])]);
    }
    let recorder = recording::recorder(folder).expect("a C compiler, as the project needs one anyway");
    let (count, first) = (variable("VOUCH_FAULT_SCHEDULES", 300usize), variable("VOUCH_FAULT_SEED", 1u64));
    let workloads = count.div_ceil(PER_WORKLOAD).max(2);
    let mut prepared = Vec::new();
    for seed in (first..).take(workloads) {
        let recording = match Recording::make(&recorder, folder, seed) {
            Err(reason) if reason.contains("is not permitted") => {
                skip("crashes of the store", &reason);
                return None;
            }
            made => made.expect("a recording"),
        };
        let schedules = schedule::schedules(seed, &recording.ops, count / workloads, first);
        prepared.push((recording, schedules));
    }
    Some(prepared)
}

#[test]
fn no_crash_loses_what_was_acknowledged_or_leaves_it_half_there() {
    let folder = scratch();
    let Some(prepared) = prepared(folder.path()) else { return };
    let (bad, count) = (Outcomes::default(), AtomicUsize::new(0));
    for (recording, schedules) in &prepared {
        std::thread::scope(|scope| {
            for share in 0..THREADS {
                let (bad, count) = (&bad, &count);
                scope.spawn(move || {
                    count.fetch_add(replay_share(recording, schedules, share, bad), Ordering::Relaxed);
                });
            }
        });
    }
    let (mut bad, count) = (bad.into_inner().expect("a lock"), count.into_inner());
    bad.sort_by_key(|(schedule, _)| *schedule);
    let recordings: Vec<Recording> = prepared.into_iter().map(|(recording, _)| recording).collect();
    report(count, &recordings, &bad);
    assert!(count > 0 && bad.is_empty(), "{} of {count} crashes leave a bad store", bad.len());
}

#[test]
fn the_workload_leaves_what_it_is_meant_to() {
    let workload = Workload::of(variable("VOUCH_FAULT_SEED", 1), LENGTH);
    let own = scratch();
    let root = std::env::var(WORKER).map_or_else(|_| own.path().to_owned(), PathBuf::from);
    runtime().block_on(worker::run(&root, &workload)).expect("every change is made");
    if std::env::var(WORKER).is_err() {
        let told = Acknowledged { workload: &workload, steps: workload.steps.len(), secrets: Secrets::new() };
        let checked = runtime().block_on(check::check(&root.join(worker::STORE), &told));
        assert!(checked.is_ok(), "{checked:?}");
    }
}

#[test]
fn a_replay_of_everything_is_the_folder_as_it_was_left() {
    let folder = scratch();
    let recorder = recording::recorder(folder.path()).expect("a C compiler, as the project needs one anyway");
    let recording = match Recording::make(&recorder, folder.path(), 7) {
        Err(reason) if reason.contains("is not permitted") => {
            return skip("crashes of the store", &reason);
        }
        made => made.expect("a recording"),
    };
    let mut disk = Disk::with_folders(&[worker::STORE]);
    recording.ops.iter().for_each(|op| disk.apply(op));
    let image = disk.seen();
    let root = folder.path().join("root-7");
    let files = image.files.iter().filter(|(path, _)| path.starts_with(worker::STORE));
    for (path, bytes) in files.clone() {
        let there = std::fs::read(root.join(path)).expect("a file that the recording has");
        assert!(there == *bytes, "{path} has {} bytes, its replay {}", there.len(), bytes.len());
    }
    let left = walk(&root.join(worker::STORE));
    assert_eq!(files.count(), left, "as many files as were left");
}

/// Threads that end while others are inside a call.
fn write_in_threads(root: &Path) {
    for round in 0..THREAD_ROUNDS {
        std::thread::scope(|scope| {
            for thread in 0..4 {
                scope.spawn(move || {
                    for write in 0..=thread {
                        let name = format!("{round}-{thread}-{write}");
                        std::fs::write(root.join(&name), &name).expect("a file");
                    }
                });
            }
        });
    }
}

#[test]
fn the_recorder_misses_no_write_while_other_threads_end() {
    if let Ok(root) = std::env::var(WORKER) {
        return write_in_threads(Path::new(&root));
    }
    let folder = scratch();
    let recorder = recording::recorder(folder.path()).expect("a C compiler, as the project needs one anyway");
    let (root, log) = (folder.path().join("threads"), folder.path().join("log"));
    std::fs::create_dir_all(&root).expect("a folder");
    let variables = [(WORKER, root.display().to_string())];
    let own = "faults::the_recorder_misses_no_write_while_other_threads_end";
    match recording::record(&recorder, (&root, &log), own, &variables) {
        Err(reason) if reason.contains("is not permitted") => {
            return skip("crashes of the store", &reason);
        }
        recorded => recorded.expect("a recording"),
    }
    let ops = recording::parse(&std::fs::read(&log).expect("a log")).expect("operations");
    let writes = ops.iter().filter(|op| matches!(op, Op::Write { path, bytes, .. } if path.as_bytes() == bytes));
    assert_eq!(writes.count(), THREAD_ROUNDS * (1 + 2 + 3 + 4), "every write of every thread is recorded");
}

/// How many files lie below a folder, SQLite's shared memory apart.
fn walk(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let count = |path: PathBuf| match path.is_dir() {
        true => walk(&path),
        false => usize::from(!path.to_string_lossy().ends_with("-shm")),
    };
    entries.map(count).sum()
}
