//! The simulation beside what is known of queues: M/M/1, M/M/c by Erlang's C formula, M/G/1 by Pollaczek and Khinchine, Little's law.

use super::*;
use crate::scale::service_time::ServiceTime;

/// A step of tasks at one station.
fn work(station: usize, times: Vec<Nanos>) -> Step {
    Step::Work { tasks: times.into_iter().map(|time| Task { station, time }).collect() }
}

/// The chance that an arrival waits at `cores` cores with `load` cores' worth of work (Erlang's C formula).
fn erlang_c(cores: usize, load: f64) -> f64 {
    // B of one more core from B of one less; C follows from B.
    let blocked = (1..=cores).fold(1.0, |blocked, core| load * blocked / (core as f64 + load * blocked));
    let busy = load / cores as f64;
    blocked / (1.0 - busy * (1.0 - blocked))
}

/// One station, one task per piece.
fn queue(cores: usize, per_second: f64, service: impl Fn(&mut Seed) -> f64 + 'static, counted: usize) -> Outcome {
    let steps = move |seed: &mut Seed| vec![work(0, vec![nanos(service(seed))])];
    let streams = vec![Stream { per_second, steps: Box::new(steps) }];
    Simulation { stations: vec![cores], permits: Vec::new(), streams, counted, seed: 11 }.run()
}

fn mean(times: &[f64]) -> f64 {
    times.iter().sum::<f64>() / times.len() as f64
}

fn is_near(told: f64, expected: f64, tolerance: f64) -> bool {
    (told / expected - 1.0).abs() < tolerance
}

#[test]
fn one_core_and_exponential_times_wait_as_m_m_1_does() {
    // 100 ms of work on average, arrivals at 3, 5 and 8 a second: the time in the system is 1 / (10 - rate).
    for rate in [3.0, 5.0, 8.0] {
        let told = queue(1, rate, |seed| exponential_ms(100.0, seed), 400_000);
        let expected = 1e3 / (10.0 - rate);
        assert!(is_near(mean(&told.times[0]), expected, 0.04), "{rate}: {} {expected}", mean(&told.times[0]));
        // That time is exponential too, so its 95th percentile is ln 20 times its mean.
        let p95 = percentile(&told.times[0], 95);
        assert!(is_near(p95, expected * 20.0_f64.ln(), 0.05), "{rate}: p95 {p95}");
        assert!(is_near(told.busy[0], rate / 10.0, 0.03), "{:?}", told.busy);
    }
}

#[test]
fn several_cores_wait_as_erlang_says() {
    for (cores, rate) in [(2, 12.0), (4, 32.0), (16, 140.0)] {
        let told = queue(cores, rate, |seed| exponential_ms(100.0, seed), 400_000);
        let load = rate * 0.1;
        let waits = erlang_c(cores, load) * 100.0 / (cores as f64 - load);
        let expected = 100.0 + waits;
        assert!(is_near(mean(&told.times[0]), expected, 0.04), "{cores}: {} {expected}", mean(&told.times[0]));
    }
}

#[test]
fn times_of_any_spread_wait_as_pollaczek_and_khinchine_say() {
    for spread in [0.0, 0.5, 1.5] {
        let service = ServiceTime::new(100.0, spread);
        let told = queue(1, 6.0, move |seed| service.draw_ms(seed), 600_000);
        let expected = 100.0 + 100.0 * 0.6 * (1.0 + spread * spread) / (2.0 * (1.0 - 0.6));
        assert!(is_near(mean(&told.times[0]), expected, 0.05), "{spread}: {} {expected}", mean(&told.times[0]));
    }
}

#[test]
fn what_is_under_way_is_the_rate_times_the_time_in_the_system() {
    // A network of three steps with permits, for which no formula is at hand.
    let steps = |seed: &mut Seed| {
        let mut task = || nanos(exponential_ms(20.0, seed));
        let halves = vec![task(), task()];
        vec![
            Step::Take { permits: 0 },
            work(0, halves),
            Step::Delay(task()),
            work(1, vec![task()]),
            Step::Give { permits: 0 },
        ]
    };
    let streams = vec![Stream { per_second: 25.0, steps: Box::new(steps) }];
    let told = Simulation { stations: vec![2, 1], permits: vec![6], streams, counted: 200_000, seed: 5 }.run();
    let expected = told.per_second * mean(&told.times[0]) / 1e3;
    assert!(is_near(told.under_way, expected, 0.02), "{} {expected}", told.under_way);
    assert_eq!(told.times[0].len(), 200_000);
}

#[test]
fn permits_bound_what_is_worked_on_at_once() {
    // One permit before four cores is one core.
    let service = |seed: &mut Seed| nanos(exponential_ms(100.0, seed));
    let steps =
        move |seed: &mut Seed| vec![Step::Take { permits: 0 }, work(0, vec![service(seed)]), Step::Give { permits: 0 }];
    let streams = vec![Stream { per_second: 5.0, steps: Box::new(steps) }];
    let told = Simulation { stations: vec![4], permits: vec![1], streams, counted: 300_000, seed: 3 }.run();
    assert!(is_near(mean(&told.times[0]), 200.0, 0.04), "{}", mean(&told.times[0]));
}

#[test]
fn without_others_a_piece_takes_its_longest_tasks_and_its_delays() {
    let steps = |_: &mut Seed| {
        vec![
            work(0, vec![nanos(30.0), nanos(10.0)]),
            work(0, Vec::new()),
            Step::Work {
                tasks: [(0, 20.0), (1, 40.0)].map(|(station, time)| Task { station, time: nanos(time) }).to_vec(),
            },
            Step::Delay(nanos(5.0)),
        ]
    };
    let streams = vec![Stream { per_second: 0.01, steps: Box::new(steps) }];
    let told = Simulation { stations: vec![2, 1], permits: Vec::new(), streams, counted: 50, seed: 3 }.run();
    assert!(told.times[0].iter().all(|time| is_near(*time, 75.0, 1e-9)), "{:?}", told.times[0]);
}

#[test]
fn the_same_seed_gives_the_same_figures() {
    let told = || queue(2, 15.0, |seed| exponential_ms(100.0, seed), 2_000);
    assert_eq!(told(), told());
}
