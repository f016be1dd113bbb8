//! Hostile documents read and cut into passages: memory in proportion to their size, and time too.
#![cfg(target_os = "linux")]
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use vouch_domain::{RawDocument, document::Labels, ports::Parser};
use vouch_engine::{ingest::chunk, policy::Policies};
use vouch_formats::FileParser;

use crate::support::{
    bombs::{BOMBS, Bomb},
    counting::{Cost, measured},
};

/// The most bytes held per byte of a document, and in any document. The first is what the Markdown parser takes for a
/// text of nothing but marks, its vectors counted twice while they grow.
const BYTES_PER_BYTE: usize = 160;
const BYTES_FLOOR: usize = 16 << 20;

const SMALL: usize = 10_000;
const GROWTH: usize = 16;
/// Work that grows with the square of its input takes 256 times as long for 16 times as much.
const GROWTH_MAX: u64 = 64;
/// Shorter times are noise.
const CPU_FLOOR_NS: u64 = 20_000_000;

struct Burst {
    size: usize,
    cost: Cost,
    cpu_ns: u64,
    told: String,
}

fn set_off(bomb: &Bomb, bytes: usize) -> Burst {
    let raw = RawDocument {
        source: "/d/x".to_owned(),
        fallback_id: "x".to_owned(),
        url: None,
        format: bomb.format,
        bytes: (bomb.make)(bytes).into_bytes(),
        labels: Labels::default(),
    };
    let policy = Policies::default().ingest;
    let size = raw.bytes.len();
    let started = cpu_ns();
    let (told, cost) = measured(|| {
        let mut told = String::new();
        for outcome in FileParser::default().parse(raw) {
            told = match outcome {
                Ok(document) => match chunk(&document, &policy) {
                    Ok(passages) => format!("{} passages", passages.len()),
                    Err(oversized) => oversized.to_string(),
                },
                Err(fault) => fault.sentence,
            };
        }
        told
    });
    Burst { size, cost, cpu_ns: cpu_ns() - started, told }
}

/// How long this thread ran, whatever else the machine had to do.
fn cpu_ns() -> u64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").expect("times of a thread");
    told.split(' ').next().and_then(|ns| ns.parse().ok()).expect("a number")
}

#[test]
fn every_bomb_takes_memory_and_time_in_proportion_to_its_size() {
    let mut wrong = Vec::new();
    for bomb in BOMBS {
        let (small, large) = (set_off(bomb, SMALL), set_off(bomb, SMALL * GROWTH));
        let name = format!("{:?}, {}: {}", bomb.format, bomb.name, large.told);
        for burst in [&small, &large] {
            let limit = burst.size * BYTES_PER_BYTE + BYTES_FLOOR;
            if burst.cost.peak > limit {
                wrong.push(format!("{name}: {} bytes held for {}", burst.cost.peak, burst.size));
            }
            assert!(burst.cost.calls > 0, "{name}: none of the work was done on this thread");
            assert!(burst.told.len() < 2_000, "{name}: a sentence of {} bytes", burst.told.len());
        }
        if large.cpu_ns > GROWTH_MAX * small.cpu_ns.max(CPU_FLOOR_NS) {
            wrong.push(format!("{name}: {} ns after {} ns", large.cpu_ns, small.cpu_ns));
        }
        println!(
            "{} B {}x {} calls {} ms: {name}",
            large.size,
            large.cost.peak / large.size,
            large.cost.calls,
            large.cpu_ns / 1_000_000
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
