//! Where the parts live at a size: servers, database, engine → machines, memory, disk, and the walk of a question over them.

use serde::Serialize;

use super::{
    service_time::{ServiceTime, nanos},
    simulation::{Step, Stream, Task},
    unit_costs::{EngineCosts, UnitCosts},
};
use crate::seed::Seed;

const GIGA: f64 = 1e9;
const PASSAGES_OF_A_CHANGE: f64 = 64.0;
/// Changes per second, of 64 passages each, that servers follow while they answer.
const CHANGES_PER_SECOND: f64 = 1.0;

/// Where vectors are kept and looked at.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Vectors {
    /// Every server has all of them and looks at each.
    WholeScan,
    /// The tenants are divided over this many groups of servers with a database each; a question looks at the vectors of its group.
    GroupScan { groups: usize },
    /// An engine has them; servers keep words and texts.
    Engine { name: String, costs: EngineCosts },
}

/// A size and a layout, with the machines it needs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Layout {
    pub(super) vectors: Vectors,
    /// Passages that one server holds.
    pub(super) held: f64,
    pub(super) groups: usize,
    /// Servers of each group.
    pub(super) servers: usize,
    pub(super) engines: usize,
    pub(super) passages: f64,
}

/// What the layout asks of machines.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(super) struct Footprint {
    pub(super) machines: usize,
    pub(super) memory_gb_per_server: f64,
    pub(super) disk_gb_per_server: f64,
    pub(super) memory_gb_per_engine: f64,
    pub(super) memory_gb: f64,
    pub(super) disk_gb: f64,
    pub(super) cores: usize,
}

impl Vectors {
    pub(super) fn name(&self) -> String {
        match self {
            Self::WholeScan => "every server has all".to_owned(),
            Self::GroupScan { groups } => format!("tenants over {groups} groups"),
            Self::Engine { name, costs } if costs.is_measured => name.clone(),
            Self::Engine { name, .. } => format!("{name} (assumed)"),
        }
    }
}

impl Layout {
    /// As many machines as the questions need where none is to be busier than planned.
    pub(super) fn plan(costs: &UnitCosts, vectors: Vectors, passages: f64, per_second: f64) -> Self {
        let machine = &costs.machine;
        let groups = if let Vectors::GroupScan { groups } = vectors { groups.max(1) } else { 1 };
        let mut layout = Self { vectors, held: passages / count(groups), groups, servers: 1, engines: 0, passages };
        let room_ms = count(machine.cores) * machine.busy_max * 1e3;
        let of_a_group = per_second / count(groups);
        let by_work = whole(of_a_group * layout.server_ms(costs) / room_ms);
        let by_permits =
            whole(of_a_group * layout.held_ms(costs) / (count(costs.running_max) * machine.busy_max * 1e3));
        layout.servers = by_work.max(by_permits).max(machine.servers_min);
        if let Vectors::Engine { costs: engine, .. } = &layout.vectors {
            let by_work = whole(per_second * engine.query(passages).mean_ms / room_ms);
            let by_memory = whole(engine.memory_bytes_per_row * passages / GIGA / costs.bounds.memory_gb_per_machine);
            layout.engines = if engine.is_divisible { by_work.max(by_memory).max(1) } else { 1 };
        }
        layout
    }

    /// Processor time of a question at its server.
    pub(super) fn server_ms(&self, costs: &UnitCosts) -> f64 {
        costs.embed_question.mean_ms
            + self.words(costs).mean_ms
            + self.scan_ms(costs)
            + costs.judge_pair.mean_ms * costs.judged.mean
            + costs.rest.mean_ms
    }

    /// How long a question holds its permit where no other is in its way.
    fn held_ms(&self, costs: &UnitCosts) -> f64 {
        let cores = count(costs.machine.cores);
        let asked = if self.asks_engine() { costs.round_trip.mean_ms } else { 0.0 };
        let vectors_ms = self.look(costs).mean_ms / count(self.parts(costs));
        let searched = self.words(costs).mean_ms.max(vectors_ms) + asked;
        let judged = costs.judge_pair.mean_ms * (costs.judged.mean / cores).ceil();
        let written = costs.round_trip.mean_ms + costs.trail.mean_ms;
        costs.embed_question.mean_ms + searched + judged + costs.rest.mean_ms + written
    }

    fn asks_engine(&self) -> bool {
        matches!(self.vectors, Vectors::Engine { .. })
    }

    /// Processor time of looking at vectors, wherever they are.
    fn look(&self, costs: &UnitCosts) -> ServiceTime {
        match &self.vectors {
            Vectors::Engine { costs: engine, .. } => engine.query(self.passages),
            Vectors::WholeScan | Vectors::GroupScan { .. } => ServiceTime::new(self.scan_ms(costs), 0.0),
        }
    }

    /// Cores that share that work.
    fn parts(&self, costs: &UnitCosts) -> usize {
        match &self.vectors {
            Vectors::Engine { costs: engine, .. } if !engine.is_divisible => 1,
            Vectors::Engine { .. } => self.engines.max(1) * costs.machine.cores,
            Vectors::WholeScan | Vectors::GroupScan { .. } => costs.machine.cores,
        }
    }

    fn words(&self, costs: &UnitCosts) -> ServiceTime {
        costs.words_per_million.times(self.held / 1e6)
    }

    /// Processor time of looking at every vector a server has: longer where the cores together ask for more than memory gives.
    fn scan_ms(&self, costs: &UnitCosts) -> f64 {
        if self.asks_engine() {
            return 0.0;
        }
        let alone = self.held * costs.scan_ns_per_row / 1e6;
        let wanted = costs.vector_bytes / costs.scan_ns_per_row * count(costs.machine.cores);
        alone * (wanted / costs.machine.memory_gb_per_second).max(1.0)
    }

    pub(super) fn footprint(&self, costs: &UnitCosts) -> Footprint {
        let (servers, engines) = (self.groups * self.servers, self.engines);
        let mut bytes = costs.memory_bytes_per_passage;
        let (mut engine_memory, mut engine_disk) = (0.0, 0.0);
        if let Vectors::Engine { costs: engine, .. } = &self.vectors {
            bytes -= costs.vector_bytes;
            engine_memory = engine.memory_bytes_per_row * self.passages / GIGA;
            engine_disk = engine.disk_bytes_per_row * self.passages / GIGA;
        }
        let memory_gb_per_server = costs.memory_base_mb / 1e3 + bytes * self.held / GIGA;
        let disk_gb_per_server = costs.disk_bytes_per_passage * self.held / GIGA;
        // Each group has a database, on a machine of its own.
        let machines = servers + engines + self.groups;
        Footprint {
            machines,
            memory_gb_per_server,
            disk_gb_per_server,
            memory_gb_per_engine: engine_memory / count(engines.max(1)),
            memory_gb: memory_gb_per_server * count(servers) + engine_memory,
            disk_gb: disk_gb_per_server * count(servers)
                + engine_disk
                + costs.database_bytes_per_passage * self.passages / GIGA,
            cores: machines * costs.machine.cores,
        }
    }

    /// Cores of every station: the servers, then the engines as one.
    pub(super) fn stations(&self, costs: &UnitCosts) -> Vec<usize> {
        let servers = vec![costs.machine.cores; self.groups * self.servers];
        let engines = (self.engines > 0).then_some(self.engines * costs.machine.cores);
        servers.into_iter().chain(engines).collect()
    }

    /// Permits: of every server for its questions, then of the first for its follower, of which there is one.
    pub(super) fn permits(&self, costs: &UnitCosts) -> Vec<usize> {
        let servers = self.groups * self.servers;
        let mut permits = vec![costs.running_max; servers];
        permits.push(1);
        permits
    }

    /// Questions at any server, and changes that the first one follows.
    pub(super) fn streams<'a>(&'a self, costs: &'a UnitCosts, per_second: f64) -> Vec<Stream<'a>> {
        let questions = move |seed: &mut Seed| self.question(costs, seed);
        let changes = move |seed: &mut Seed| self.change(costs, seed);
        vec![
            Stream { per_second, steps: Box::new(questions) },
            Stream { per_second: CHANGES_PER_SECOND, steps: Box::new(changes) },
        ]
    }

    /// The walk of a question: embedded, searched by words beside the vectors, judged, checked, written down.
    fn question(&self, costs: &UnitCosts, seed: &mut Seed) -> Vec<Step> {
        let servers = self.groups * self.servers;
        let station = seed.below(servers);
        let one = |time: ServiceTime, seed: &mut Seed| vec![Task { station, time: nanos(time.draw_ms(seed)) }];
        let judged = ServiceTime::new(costs.judged.mean, costs.judged.spread).draw_ms(seed).max(1.0);
        let pairs = (0..whole(judged)).flat_map(|_| one(costs.judge_pair, seed)).collect();
        let mut steps = vec![
            Step::Take { permits: station },
            Step::Delay(nanos(costs.round_trip.draw_ms(seed))),
            Step::Work { tasks: one(costs.embed_question, seed) },
        ];
        let mut searches = one(self.words(costs), seed);
        if self.asks_engine() {
            steps.push(Step::Delay(nanos(costs.round_trip.draw_ms(seed))));
        }
        let parts = self.parts(costs);
        let part = nanos(self.look(costs).draw_ms(seed) / count(parts));
        // The engines are the station after the servers.
        let at = if self.asks_engine() { servers } else { station };
        searches.extend(vec![Task { station: at, time: part }; parts]);
        steps.push(Step::Work { tasks: searches });
        steps.push(Step::Work { tasks: pairs });
        steps.push(Step::Work { tasks: one(costs.rest, seed) });
        steps.push(Step::Delay(nanos(costs.trail.draw_ms(seed))));
        steps.push(Step::Give { permits: station });
        steps
    }

    /// A change of others that the first server follows: heard of, fetched, written, its indexes brought up to it.
    fn change(&self, costs: &UnitCosts, seed: &mut Seed) -> Vec<Step> {
        let follower = self.groups * self.servers;
        vec![
            Step::Delay(nanos(costs.notice.draw_ms(seed))),
            Step::Take { permits: follower },
            Step::Delay(nanos(costs.round_trip.times(2.0).draw_ms(seed))),
            Step::Work { tasks: vec![Task { station: 0, time: nanos(costs.change_of_64.draw_ms(seed)) }] },
            Step::Give { permits: follower },
        ]
    }

    /// Days until a store of this size is filled: by embedding on all servers, or by the one writer that a database has at a time; then
    /// by the engine, which makes its index from what is there.
    pub(super) fn filling_days(&self, costs: &UnitCosts) -> f64 {
        let cores = count(self.groups * self.servers * costs.machine.cores);
        let embedding_s = self.passages * costs.embed_passage_ms / 1e3 / cores;
        let writing_s = self.held / PASSAGES_OF_A_CHANGE * costs.change_of_64.mean_ms / 1e3;
        let engine_s = match &self.vectors {
            Vectors::Engine { costs: engine, .. } => self.passages / 1e6 * engine.filled_s_per_million,
            Vectors::WholeScan | Vectors::GroupScan { .. } => 0.0,
        };
        (embedding_s.max(writing_s) + engine_s) / 86_400.0
    }

    /// Hours until a new server has its copy.
    pub(super) fn copying_hours(&self, costs: &UnitCosts) -> f64 {
        self.held / costs.copied_per_second / 3_600.0
    }
}

/// A number as a quantity.
pub(super) fn count(number: usize) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a count of machines or cores")]
    let count = number as f64;
    count
}

/// The least whole number that is enough.
fn whole(needed: f64) -> usize {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small number that is not negative")]
    let whole = needed.clamp(0.0, 1e6).ceil() as usize;
    whole
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scale::{
        simulation::{Simulation, percentile},
        unit_costs::Count,
    };

    /// Whether the one is at most this many times the other.
    fn is_within(one: f64, other: f64, times: f64) -> bool {
        one.max(other) <= one.min(other) * times
    }

    #[test]
    fn questions_take_as_long_as_on_the_machine_that_was_measured() {
        // docs/measurements.md, "Speed": one server with two cores, one question after the other; p50 and p95 of search and of ask.
        let measured = [(1e5, [17.0, 38.0], [87.0, 205.0]), (1e6, [57.0, 209.0], [126.0, 532.0])];
        let never = ServiceTime::new(0.0, 0.0);
        let mut asking = UnitCosts { running_max: 4, round_trip: never, ..UnitCosts::default() };
        asking.machine.cores = 2;
        asking.machine.servers_min = 1;
        let unread = Count { mean: 0.0, spread: 0.0 };
        let searching = UnitCosts { judged: unread, judge_pair: never, ..asking.clone() };
        for (passages, search, ask) in measured {
            for (costs, [p50, p95], times) in [(&searching, search, 1.25), (&asking, ask, 1.6)] {
                let one = Layout::plan(costs, Vectors::WholeScan, passages, 0.2);
                let streams = one.streams(costs, 0.2).into_iter().take(1).collect();
                let (stations, permits) = (one.stations(costs), one.permits(costs));
                let told = Simulation { stations, permits, streams, counted: 20_000, seed: 28 }.run();
                let [half, most] = [50, 95].map(|share| percentile(&told.times[0], share));
                println!("{passages} passages: {half:.0} and {most:.0} ms, measured {p50} and {p95}");
                assert!(is_within(half, p50, times) && is_within(most, p95, times), "{passages}: {half} {most}");
            }
        }
    }

    #[test]
    fn a_server_of_a_million_is_as_large_as_the_one_that_was_measured() {
        let costs = UnitCosts::default();
        let told = Layout::plan(&costs, Vectors::WholeScan, 1e6, 1.0).footprint(&costs);
        // docs/measurements.md: 683 MB and 4.1 GB.
        assert!((told.memory_gb_per_server - 0.683).abs() < 0.01, "{told:?}");
        assert!((told.disk_gb_per_server - 4.1).abs() < 0.01, "{told:?}");
    }

    #[test]
    fn groups_divide_what_a_server_holds_and_engines_take_the_vectors() {
        let costs = UnitCosts::default();
        let whole = Layout::plan(&costs, Vectors::WholeScan, 1e8, 5.0);
        let groups = Layout::plan(&costs, Vectors::GroupScan { groups: 10 }, 1e8, 5.0);
        assert!(groups.footprint(&costs).memory_gb_per_server < whole.footprint(&costs).memory_gb_per_server / 5.0);
        assert!(groups.server_ms(&costs) < whole.server_ms(&costs) / 5.0);
        let Some(engine) = costs.engines.get("milvus").cloned() else { return };
        let vectors = Vectors::Engine { name: "milvus".to_owned(), costs: engine };
        let elsewhere = Layout::plan(&costs, vectors, 1e8, 5.0);
        assert!(elsewhere.engines >= 1 && elsewhere.stations(&costs).len() == elsewhere.servers + 1);
        assert!(elsewhere.footprint(&costs).memory_gb_per_server < whole.footprint(&costs).memory_gb_per_server / 3.0);
    }

    #[test]
    fn twice_the_questions_need_no_fewer_machines_and_none_is_planned_too_busy() {
        let costs = UnitCosts::default();
        for per_second in [1.0, 10.0, 100.0] {
            let [one, two] = [1.0, 2.0].map(|times| Layout::plan(&costs, Vectors::WholeScan, 1e7, per_second * times));
            assert!(two.servers >= one.servers);
            let busy = per_second * one.server_ms(&costs) / 1e3 / count(one.servers * costs.machine.cores);
            let held = per_second * one.held_ms(&costs) / 1e3 / count(one.servers * costs.running_max);
            assert!(busy.max(held) <= costs.machine.busy_max + 1e-9, "{busy} {held}");
        }
    }
}
