//! Work that arrives at random and queues at machines → how long each piece took and how busy the machines were.
//!
//! Invariant: the same seed gives the same figures; whatever arrives leaves, and nothing is served before it has arrived.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, VecDeque},
};

use super::service_time::{Nanos, exponential_ms, nanos};
use crate::seed::Seed;

/// One step of a piece of work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// Tasks that run side by side, each on a core of its station, and wait for it in the order they came; the step ends with the last.
    Work { tasks: Vec<Task> },
    /// Waiting that takes nobody's time, such as that for a network.
    Delay(Nanos),
    /// One of a station's permits, which are given in the order they were asked for.
    Take { permits: usize },
    /// The permit given back.
    Give { permits: usize },
}

/// Work that one core does without a pause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Task {
    pub(super) station: usize,
    pub(super) time: Nanos,
}

/// Draws the steps of the next piece.
pub(super) type Steps<'a> = Box<dyn Fn(&mut Seed) -> Vec<Step> + 'a>;

/// Work of one kind that arrives at random.
pub(super) struct Stream<'a> {
    pub(super) per_second: f64,
    pub(super) steps: Steps<'a>,
}

/// What there is to wait for, and what arrives.
pub(super) struct Simulation<'a> {
    /// Cores of each station.
    pub(super) stations: Vec<usize>,
    /// Permits of each set of permits.
    pub(super) permits: Vec<usize>,
    pub(super) streams: Vec<Stream<'a>>,
    /// Pieces of the first stream to count, after a tenth as many that are not.
    pub(super) counted: usize,
    pub(super) seed: u64,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Outcome {
    /// Milliseconds from arrival to end, per stream, sorted.
    pub(super) times: Vec<Vec<f64>>,
    /// Share of each station's cores that worked while pieces were counted.
    pub(super) busy: Vec<f64>,
    /// Mean number of pieces of the first stream that were under way.
    pub(super) under_way: f64,
    /// Arrivals of the first stream per second, as they came.
    pub(super) per_second: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Arrival { stream: usize },
    TaskEnd { piece: usize, station: usize },
    DelayEnd { piece: usize },
}

struct Piece {
    stream: usize,
    arrived: Nanos,
    steps: VecDeque<Step>,
    tasks_open: usize,
    is_counted: bool,
}

#[derive(Default)]
struct Station {
    free: usize,
    queue: VecDeque<(usize, Nanos)>,
    worked: Nanos,
}

#[derive(Default)]
struct Permits {
    free: usize,
    waiting: VecDeque<usize>,
}

struct Run<'a, 'b> {
    simulation: &'b Simulation<'a>,
    seed: Seed,
    now: Nanos,
    events: BinaryHeap<Reverse<(Nanos, u64, Event)>>,
    scheduled: u64,
    pieces: Vec<Piece>,
    stations: Vec<Station>,
    permits: Vec<Permits>,
    times: Vec<Vec<f64>>,
    /// Pieces of the first stream that have arrived, and the counted ones that are still under way.
    arrived: usize,
    open: usize,
    /// When counting began and when the last counted piece arrived.
    window: (Nanos, Nanos),
    under_way: usize,
    area: f64,
}

impl Simulation<'_> {
    pub(super) fn run(&self) -> Outcome {
        let station = |cores: &usize| Station { free: *cores, ..Station::default() };
        let permits = |free: &usize| Permits { free: *free, ..Permits::default() };
        let mut run = Run {
            simulation: self,
            seed: Seed::new(self.seed),
            now: 0,
            events: BinaryHeap::new(),
            scheduled: 0,
            pieces: Vec::new(),
            stations: self.stations.iter().map(station).collect(),
            permits: self.permits.iter().map(permits).collect(),
            times: self.streams.iter().map(|_| Vec::new()).collect(),
            arrived: 0,
            open: 0,
            window: (0, 0),
            under_way: 0,
            area: 0.0,
        };
        run.go();
        run.outcome()
    }

    fn warm_up(&self) -> usize {
        self.counted / 10
    }
}

impl Run<'_, '_> {
    fn go(&mut self) {
        for stream in 0..self.simulation.streams.len() {
            self.schedule_arrival(stream);
        }
        while let Some(Reverse((at, _, event))) = self.events.pop() {
            self.pass_to(at);
            match event {
                Event::Arrival { stream } => self.arrive(stream),
                Event::DelayEnd { piece } => self.advance(piece),
                Event::TaskEnd { piece, station } => self.end_task(piece, station),
            }
            if self.is_over() {
                return;
            }
        }
    }

    /// Whether all counted pieces have arrived and ended.
    fn is_over(&self) -> bool {
        self.arrived >= self.simulation.warm_up() + self.simulation.counted && self.open == 0
    }

    fn pass_to(&mut self, at: Nanos) {
        if self.is_in_window() {
            #[expect(clippy::cast_precision_loss, reason = "a simulated time")]
            let passed = (at - self.now) as f64;
            #[expect(clippy::cast_precision_loss, reason = "a count of pieces")]
            let under_way = self.under_way as f64;
            self.area += passed * under_way;
        }
        self.now = at;
    }

    /// Whether the mean of what is under way is being taken: from the first counted arrival to the last.
    fn is_in_window(&self) -> bool {
        (self.simulation.warm_up() + 1..self.simulation.warm_up() + self.simulation.counted).contains(&self.arrived)
    }

    fn schedule(&mut self, after: Nanos, event: Event) {
        self.scheduled += 1;
        self.events.push(Reverse((self.now + after, self.scheduled, event)));
    }

    fn schedule_arrival(&mut self, stream: usize) {
        let rate = self.simulation.streams.get(stream).map_or(0.0, |stream| stream.per_second);
        if rate > 0.0 {
            let wait = nanos(exponential_ms(1e3 / rate, &mut self.seed));
            self.schedule(wait, Event::Arrival { stream });
        }
    }

    fn arrive(&mut self, stream: usize) {
        let Some(of) = self.simulation.streams.get(stream) else { return };
        let last = self.simulation.warm_up() + self.simulation.counted;
        let mut is_counted = self.arrived > self.simulation.warm_up();
        if stream == 0 {
            self.arrived += 1;
            is_counted = self.arrived > self.simulation.warm_up();
            self.under_way += 1;
            if is_counted {
                self.open += 1;
                self.window.1 = self.now;
            } else {
                self.window.0 = self.now;
            }
        }
        let steps = (of.steps)(&mut self.seed).into();
        let piece = self.pieces.len();
        self.pieces.push(Piece { stream, arrived: self.now, steps, tasks_open: 0, is_counted });
        if self.arrived < last {
            self.schedule_arrival(stream);
        }
        self.advance(piece);
    }

    /// Goes through a piece's steps up to one that takes time; permits that it gives back let others go on.
    fn advance(&mut self, piece: usize) {
        let mut ready = VecDeque::from([piece]);
        while let Some(piece) = ready.pop_front() {
            if self.has_ended(piece, &mut ready) {
                self.end(piece);
            }
        }
    }

    /// Takes steps until one has to be waited for; true if none is left.
    fn has_ended(&mut self, piece: usize, ready: &mut VecDeque<usize>) -> bool {
        while let Some(step) = self.pieces.get_mut(piece).and_then(|piece| piece.steps.pop_front()) {
            match step {
                Step::Work { tasks } if !tasks.is_empty() => {
                    self.work(piece, &tasks);
                    return false;
                }
                Step::Work { .. } => {}
                Step::Delay(wait) => {
                    self.schedule(wait, Event::DelayEnd { piece });
                    return false;
                }
                Step::Take { permits } => {
                    let Some(permits) = self.permits.get_mut(permits) else { continue };
                    if permits.free == 0 {
                        permits.waiting.push_back(piece);
                        return false;
                    }
                    permits.free -= 1;
                }
                Step::Give { permits } => {
                    let Some(permits) = self.permits.get_mut(permits) else { continue };
                    match permits.waiting.pop_front() {
                        Some(next) => ready.push_back(next),
                        None => permits.free += 1,
                    }
                }
            }
        }
        true
    }

    fn work(&mut self, piece: usize, tasks: &[Task]) {
        if let Some(piece) = self.pieces.get_mut(piece) {
            piece.tasks_open = tasks.len();
        }
        for task in tasks {
            let Some(at) = self.stations.get_mut(task.station) else { continue };
            at.queue.push_back((piece, task.time));
            self.serve(task.station);
        }
    }

    /// Gives free cores to those who wait.
    fn serve(&mut self, station: usize) {
        let counts = self.is_in_window();
        loop {
            let Some(at) = self.stations.get_mut(station) else { return };
            if at.free == 0 {
                return;
            }
            let Some((piece, task)) = at.queue.pop_front() else { return };
            at.free -= 1;
            if counts {
                at.worked += task;
            }
            self.schedule(task, Event::TaskEnd { piece, station });
        }
    }

    fn end_task(&mut self, piece: usize, station: usize) {
        if let Some(at) = self.stations.get_mut(station) {
            at.free += 1;
        }
        self.serve(station);
        let Some(of) = self.pieces.get_mut(piece) else { return };
        of.tasks_open = of.tasks_open.saturating_sub(1);
        if of.tasks_open == 0 {
            self.advance(piece);
        }
    }

    fn end(&mut self, piece: usize) {
        let Some(Piece { stream, arrived, is_counted, .. }) = self.pieces.get(piece) else { return };
        if *stream == 0 {
            self.under_way -= 1;
            self.open -= usize::from(*is_counted);
        }
        if *is_counted && let Some(times) = self.times.get_mut(*stream) {
            #[expect(clippy::cast_precision_loss, reason = "a simulated time")]
            times.push((self.now - arrived) as f64 / 1e6);
        }
    }

    fn outcome(mut self) -> Outcome {
        self.times.iter_mut().for_each(|times| times.sort_by(f64::total_cmp));
        #[expect(clippy::cast_precision_loss, reason = "a simulated time")]
        let length = (self.window.1 - self.window.0).max(1) as f64;
        let cores = self.simulation.stations.iter();
        #[expect(clippy::cast_precision_loss, reason = "a simulated time and a count of cores")]
        let busy = self.stations.iter().zip(cores).map(|(one, cores)| one.worked as f64 / length / *cores as f64);
        #[expect(clippy::cast_precision_loss, reason = "a count of pieces")]
        let per_second = self.simulation.counted as f64 / length * 1e9;
        Outcome { busy: busy.collect(), under_way: self.area / length, per_second, times: self.times }
    }
}

/// A percentile of sorted times.
pub(super) fn percentile(sorted: &[f64], share: usize) -> f64 {
    sorted.get(sorted.len() * share / 100).or(sorted.last()).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests;
