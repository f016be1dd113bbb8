//! `vouch-bench encoder`: this encoder beside other runtimes on the same files, interleaved in one run.

#[cfg(feature = "compare")]
mod onnx_runtime;
mod own;
#[cfg(feature = "compare")]
mod rten;
mod table;

use std::{process::ExitCode, time::Instant};

use anyhow::Context;
use vouch_models::{Path, gte_small, judge};

use crate::cli::EncoderArgs;
use table::{Cell, Report, Row};
use vouch_app::cli::Common;

const TOKENS: [usize; 3] = [32, 128, 256];
const BATCHES: [usize; 3] = [1, 8, 32];
const THREADS: [usize; 2] = [1, 2];
/// A question.
const QUERY_TOKENS: usize = 12;
const PAIR_TOKENS: usize = 160;
const PAIRS: [usize; 2] = [8, 30];

/// Something that runs a model.
pub(super) trait Runtime {
    fn name(&self) -> String;
    /// Runs texts of one length together; the second half of each is a second text where the model reads pairs.
    fn run(&mut self, texts: &[Vec<u32>]) -> anyhow::Result<()>;
}

/// Which model, on how many threads.
#[derive(Debug, Clone, Copy)]
pub(super) struct Setting {
    pub(super) weights: &'static [u8],
    pub(super) reads_pairs: bool,
    pub(super) threads: usize,
}

pub(super) fn run(common: &Common, args: &EncoderArgs) -> anyhow::Result<ExitCode> {
    let mut report = Report { absent: absent(args), cells: Vec::new(), memory: Vec::new() };
    for threads in THREADS {
        let embedder = Setting { weights: gte_small::WEIGHTS, reads_pairs: false, threads };
        let mut runtimes = runtimes(embedder, args, &mut report)?;
        let shapes = TOKENS.iter().flat_map(|tokens| BATCHES.iter().map(|batch| (*tokens, *batch)));
        for (tokens, batch) in shapes.chain([(QUERY_TOKENS, 1)]) {
            let what = if tokens == QUERY_TOKENS { "question" } else { "passages" };
            report.cells.push(measure(what, tokens, batch, (threads, args.rounds), &mut runtimes)?);
        }
        let judge = Setting { weights: judge::WEIGHTS, reads_pairs: true, threads };
        let mut runtimes = self::runtimes(judge, args, &mut report)?;
        for pairs in PAIRS {
            report.cells.push(measure("pairs", PAIR_TOKENS, pairs, (threads, args.rounds), &mut runtimes)?);
        }
    }
    table::print(&report, common.json)?;
    Ok(ExitCode::SUCCESS)
}

/// Every runtime there is for a setting; the memory each takes is noted.
fn runtimes(setting: Setting, args: &EncoderArgs, report: &mut Report) -> anyhow::Result<Vec<Box<dyn Runtime>>> {
    let mut made: Vec<Box<dyn Runtime>> = Vec::new();
    let mut take = |load: &dyn Fn() -> anyhow::Result<Box<dyn Runtime>>| -> anyhow::Result<()> {
        let before = table::resident_bytes();
        let began = Instant::now();
        let mut runtime = load()?;
        runtime.run(&texts(128, 1))?;
        let ready_ms = began.elapsed().as_secs_f64() * 1e3;
        let resident_mb = before.zip(table::resident_bytes()).map(|(before, after)| (after - before) / 1e6);
        report.memory.push(table::Memory {
            runtime: runtime.name(),
            reads_pairs: setting.reads_pairs,
            threads: setting.threads,
            resident_mb,
            ready_ms,
        });
        made.push(runtime);
        Ok(())
    };
    let best = Path::best();
    let own = |path: Path| own::load(setting, path).context("the weights could not be read");
    take(&|| own(best))?;
    #[cfg(feature = "compare")]
    {
        take(&|| rten::load(setting))?;
        if let Some(library) = onnx_runtime::library(args.onnxruntime.as_deref()) {
            take(&|| onnx_runtime::load(setting, &library))?;
        }
    }
    if args.paths {
        for path in Path::available().into_iter().filter(|path| *path != best && *path != Path::PORTABLE) {
            take(&|| own(path))?;
        }
    }
    Ok(made)
}

/// What is left out of the comparison, in a sentence; nothing if all are there.
fn absent(args: &EncoderArgs) -> Option<String> {
    #[cfg(feature = "compare")]
    {
        let found = onnx_runtime::library(args.onnxruntime.as_deref());
        found
            .is_none()
            .then(|| "ONNX Runtime is left out: its library was not found (--onnxruntime FILE names it).".to_owned())
    }
    #[cfg(not(feature = "compare"))]
    {
        let _ = args;
        Some("rten and ONNX Runtime are left out: build with `--features compare` to have them.".to_owned())
    }
}

fn measure(
    what: &'static str,
    tokens: usize,
    batch: usize,
    (threads, rounds): (usize, u32),
    runtimes: &mut [Box<dyn Runtime>],
) -> anyhow::Result<Cell> {
    let texts = texts(tokens, batch);
    let mut times: Vec<Vec<f64>> = vec![Vec::new(); runtimes.len()];
    // The first round only wakes them.
    for round in 0..=rounds {
        for (runtime, times) in runtimes.iter_mut().zip(&mut times) {
            let began = Instant::now();
            runtime.run(&texts)?;
            if round > 0 {
                times.push(began.elapsed().as_secs_f64() * 1e3);
            }
        }
    }
    let rows = runtimes.iter().zip(times).map(|(runtime, times)| Row::new(runtime.name(), batch, times)).collect();
    Ok(Cell { what, tokens, batch, threads, rows })
}

/// Texts of one length, no two alike.
fn texts(tokens: usize, batch: usize) -> Vec<Vec<u32>> {
    const FIRST_WORD: u32 = 2_000;
    let mut seed = 7u32;
    let mut text = || -> Vec<u32> {
        let words = (2..tokens).map(|_| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            FIRST_WORD + (seed >> 12) % 20_000
        });
        [101].into_iter().chain(words.collect::<Vec<u32>>()).chain([102]).collect()
    };
    (0..batch).map(|_| text()).collect()
}
