//! How the work of a function grows with its input: measured at n, 4n and 16n over a catalogue of nasty texts.
//!
//! Work is the CPU time of the measuring thread, not wall-clock time, so a busy machine changes little. What decides is
//! the ratio between two sizes, never an absolute figure. `benches/growth.sh` counts instructions instead.

#![expect(clippy::print_stdout, reason = "a table is for people who run the test by hand")]

mod nasty;

use std::{fmt, hint::black_box};

pub use nasty::{CATALOGUE, Nasty};

/// The sizes measured, in multiples of the first.
pub const STEPS: [usize; 3] = [1, 4, 16];
/// Growth from 4n to 16n above this is more than linear times log: linear work gives 4, quadratic work 16.
const GROWTH_MAX: f64 = 7.0;
/// Work below this many nanoseconds at 16n is too small for a ratio to mean anything, and harms nobody.
const FLOOR_NS: u64 = 4_000_000;
/// A suspicious ratio is measured so many times before it is believed; the smallest figures count, since noise only adds.
const RUNS_MAX: usize = 4;

/// A function on outside text, under a name for people.
pub struct Subject {
    /// Its name in the table.
    pub name: &'static str,
    /// The size of its smallest input, in bytes.
    pub bytes: usize,
    /// What it does with a text.
    pub work: fn(&str),
}

/// What one function costs on one kind of text.
pub struct Growth {
    /// The function.
    pub subject: &'static str,
    /// The kind of text.
    pub text: &'static str,
    /// The largest input, in bytes.
    pub bytes: usize,
    /// Nanoseconds of CPU time at n, 4n and 16n.
    pub work: [u64; 3],
}

impl Growth {
    /// How much more work four times the largest input but one takes.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a ratio needs few digits")]
    pub fn ratio(&self) -> f64 {
        self.work[2] as f64 / self.work[1].max(1) as f64
    }

    /// Whether the work grows faster than linear times log.
    #[must_use]
    pub fn is_too_fast(&self) -> bool {
        self.work[2] > FLOOR_NS && self.ratio() > GROWTH_MAX
    }
}

impl fmt::Display for Growth {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let us = |at: usize| self.work.get(at).map_or(0, |ns| ns / 1_000);
        let (subject, text, bytes) = (self.subject, self.text, self.bytes);
        write!(out, "{subject:<26} {text:<20} {bytes:>9} {:>9} {:>9} {:>9}", us(0), us(1), us(2))?;
        write!(out, " {:>6.1}", self.ratio())
    }
}

/// The heading of a table of `Growth`.
#[must_use]
pub fn heading() -> String {
    let columns = ("function", "text", "bytes", "n µs", "4n µs", "16n µs", "growth");
    let (subject, text, bytes, first, second, third, ratio) = columns;
    format!("{subject:<26} {text:<20} {bytes:>9} {first:>9} {second:>9} {third:>9} {ratio:>6}")
}

/// Measures one function on every text of the catalogue.
#[must_use]
pub fn measure(subject: &Subject) -> Vec<Growth> {
    CATALOGUE.iter().map(|nasty| measure_on(subject, nasty)).collect()
}

/// Asserts that no function grows faster than linear times log on any text, and prints the worst text of each.
pub fn assert_linear(subjects: &[Subject]) {
    if cpu_ns().is_none() {
        return crate::skip("the growth of text functions", "this system does not tell the CPU time of a thread");
    }
    println!("{}", heading());
    let mut too_fast = Vec::new();
    for subject in subjects {
        let measured = measure(subject);
        let worst = measured.iter().max_by_key(|growth| growth.work[2]).expect("a catalogue");
        println!("{worst}");
        too_fast.extend(measured.iter().filter(|growth| growth.is_too_fast()).map(ToString::to_string));
    }
    assert!(too_fast.is_empty(), "more than linear:\n{}\n{}", heading(), too_fast.join("\n"));
}

fn measure_on(subject: &Subject, nasty: &Nasty) -> Growth {
    let texts = STEPS.map(|step| (nasty.make)(subject.bytes * step));
    let mut growth = Growth {
        subject: subject.name,
        text: nasty.name,
        bytes: texts.last().map_or(0, String::len),
        work: [u64::MAX; 3],
    };
    // A doubtful result is measured again: interference does not repeat itself, growth does.
    for _ in 0..RUNS_MAX {
        for (work, text) in growth.work.iter_mut().zip(&texts) {
            *work = (*work).min(work_ns(subject.work, text));
        }
        if !growth.is_too_fast() {
            break;
        }
    }
    growth
}

fn work_ns(work: fn(&str), text: &str) -> u64 {
    let before = cpu_ns().unwrap_or_default();
    work(black_box(text));
    cpu_ns().unwrap_or_default().saturating_sub(before)
}

/// The CPU time this thread has used.
fn cpu_ns() -> Option<u64> {
    // Giving the processor up makes the kernel book the time used so far.
    std::thread::yield_now();
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    told.split(' ').next()?.parse().ok()
}
