//! A size and a layout → what it needs, how long questions take, and what breaks first.

use serde::Serialize;

use super::{
    layout::{Footprint, Layout, Vectors, count},
    simulation::{Simulation, percentile},
    unit_costs::{Prices, UnitCosts},
};

/// Hours of a month, as machines are paid for.
const HOURS_A_MONTH: f64 = 730.0;
/// Passages that a group of servers is given where tenants are divided.
const PASSAGES_A_GROUP: f64 = 5e6;

/// The load that is simulated.
#[derive(Debug, Clone, Copy)]
pub(super) struct LoadOfQuestions {
    pub(super) per_second: f64,
    pub(super) counted: usize,
}

/// One row.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    pub(super) passages: f64,
    pub(super) layout: String,
    pub(super) servers: usize,
    pub(super) engines: usize,
    pub(super) footprint: Footprint,
    pub(super) server_cpu_ms: f64,
    pub(super) p50_ms: f64,
    pub(super) p95_ms: f64,
    pub(super) busiest: f64,
    /// Changes that a server follows: from the commit until they are answered from.
    pub(super) lag_p95_ms: f64,
    pub(super) filling_days: f64,
    pub(super) copying_hours: f64,
    pub(super) machine_hours_a_month: f64,
    pub(super) cost_a_month: f64,
    /// What is used up most, as a share of its bound; above 1 it is broken.
    pub(super) limits: Vec<Limit>,
}

/// A figure beside its bound.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Limit {
    pub(super) name: &'static str,
    pub(super) value: f64,
    pub(super) bound: f64,
    pub(super) unit: &'static str,
}

impl Limit {
    pub(super) fn share(&self) -> f64 {
        self.value / self.bound
    }
}

/// Every layout at a size.
pub(super) fn rows(costs: &UnitCosts, passages: f64, load: LoadOfQuestions) -> Vec<Row> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small count of groups")]
    let groups = (passages / PASSAGES_A_GROUP).ceil() as usize;
    let divided = (groups > 1).then_some(Vectors::GroupScan { groups });
    let engines =
        costs.engines.iter().map(|(name, costs)| Vectors::Engine { name: name.clone(), costs: costs.clone() });
    std::iter::once(Vectors::WholeScan)
        .chain(divided)
        .chain(engines)
        .map(|vectors| row(costs, &Layout::plan(costs, vectors, passages, load.per_second), load))
        .collect()
}

fn row(costs: &UnitCosts, layout: &Layout, load: LoadOfQuestions) -> Row {
    let simulation = Simulation {
        stations: layout.stations(costs),
        permits: layout.permits(costs),
        streams: layout.streams(costs, load.per_second),
        counted: load.counted,
        seed: 28,
    };
    let outcome = simulation.run();
    let times = |stream: usize| outcome.times.get(stream).map_or(&[][..], Vec::as_slice);
    let footprint = layout.footprint(costs);
    let p95_ms = percentile(times(0), 95);
    let (filling_days, copying_hours) = (layout.filling_days(costs), layout.copying_hours(costs));
    let machine_hours_a_month = count(footprint.machines) * HOURS_A_MONTH;
    Row {
        passages: layout.passages,
        layout: layout.vectors.name(),
        servers: layout.groups * layout.servers,
        engines: layout.engines,
        footprint,
        server_cpu_ms: layout.server_ms(costs),
        p50_ms: percentile(times(0), 50),
        p95_ms,
        busiest: outcome.busy.iter().copied().fold(0.0, f64::max),
        lag_p95_ms: percentile(times(1), 95),
        filling_days,
        copying_hours,
        machine_hours_a_month,
        cost_a_month: cost(&costs.prices, &footprint),
        limits: limits(costs, &footprint, (p95_ms, filling_days, copying_hours)),
    }
}

fn cost(prices: &Prices, footprint: &Footprint) -> f64 {
    count(footprint.cores) * HOURS_A_MONTH * prices.core_hour
        + footprint.memory_gb * HOURS_A_MONTH * prices.memory_gb_hour
        + footprint.disk_gb * prices.disk_gb_month
}

/// Every bound with what is used of it, the most used first.
fn limits(costs: &UnitCosts, footprint: &Footprint, (p95, days, hours): (f64, f64, f64)) -> Vec<Limit> {
    let bounds = &costs.bounds;
    let limit = |name, value, bound, unit| Limit { name, value, bound, unit };
    let memory = footprint.memory_gb_per_server.max(footprint.memory_gb_per_engine);
    let mut limits = vec![
        limit("p95 of a question", p95 / 1e3, bounds.p95_ms / 1e3, "s"),
        limit("memory of a machine", memory, bounds.memory_gb_per_machine, "GB"),
        limit("disk of a server", footprint.disk_gb_per_server, bounds.disk_gb_per_machine, "GB"),
        limit("machines", count(footprint.machines), bounds.machines, ""),
        limit("filling the store", days, bounds.filling_days, "days"),
        limit("copying a new server", hours, bounds.copying_hours, "hours"),
    ];
    limits.sort_by(|one, other| other.share().total_cmp(&one.share()));
    limits
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOAD: LoadOfQuestions = LoadOfQuestions { per_second: 5.0, counted: 2_000 };

    #[test]
    fn what_breaks_first_is_what_is_used_most() {
        let costs = UnitCosts::default();
        let told = rows(&costs, 1e9, LOAD);
        let whole = &told[0];
        assert!(whole.limits[0].share() > 1.0, "{:?}", whole.limits);
        assert!(whole.limits.is_sorted_by(|one, other| one.share() >= other.share()));
        assert_eq!(rows(&costs, 1e6, LOAD).iter().filter(|row| row.limits[0].share() > 1.0).count(), 0);
    }

    #[test]
    fn a_larger_store_is_not_faster_and_needs_no_less() {
        let costs = UnitCosts::default();
        let [small, large] = [1e6, 1e7].map(|passages| rows(&costs, passages, LOAD).swap_remove(0));
        assert!(large.p50_ms > small.p50_ms && large.footprint.disk_gb > small.footprint.disk_gb);
        assert!(large.cost_a_month > small.cost_a_month);
    }
}
