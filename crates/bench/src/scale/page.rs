//! The rows as tables of a page.

use super::{
    figures::{Limit, Row},
    unit_costs::UnitCosts,
};

/// The tables of all sizes, and the assumptions they rest on.
pub(super) fn page(rows: &[Row], costs: &UnitCosts, per_second: f64) -> String {
    let mut text = String::new();
    let machine = &costs.machine;
    text += &format!(
        "{per_second} questions a second, machines of {} cores planned to be {:.0} % busy in cores and permits, one change of 64 passages a second.\n",
        machine.cores,
        machine.busy_max * 100.0
    );
    let of_machines = [
        "passages",
        "vectors",
        "servers",
        "engines",
        "memory of a server",
        "of an engine",
        "disk of a server",
        "all memory",
        "all disk",
    ];
    text += &table(&of_machines, rows.iter().map(machines));
    let of_times =
        ["passages", "vectors", "CPU a question", "p50", "p95", "busiest", "behind p95", "filling", "copying a server"];
    text += &table(&of_times, rows.iter().map(times));
    let of_costs = ["passages", "vectors", "machine-hours a month", "at the assumed prices", "used most", "next"];
    text += &table(&of_costs, rows.iter().map(ends));
    text
}

fn machines(row: &Row) -> Vec<String> {
    let of_engine = if row.engines == 0 { "-".to_owned() } else { gigabytes(row.footprint.memory_gb_per_engine) };
    let engines = if row.engines == 0 { "-".to_owned() } else { row.engines.to_string() };
    vec![
        millions(row.passages),
        row.layout.clone(),
        row.servers.to_string(),
        engines,
        gigabytes(row.footprint.memory_gb_per_server),
        of_engine,
        gigabytes(row.footprint.disk_gb_per_server),
        gigabytes(row.footprint.memory_gb),
        gigabytes(row.footprint.disk_gb),
    ]
}

fn times(row: &Row) -> Vec<String> {
    vec![
        millions(row.passages),
        row.layout.clone(),
        milliseconds(row.server_cpu_ms),
        milliseconds(row.p50_ms),
        milliseconds(row.p95_ms),
        format!("{:.0} %", row.busiest * 100.0),
        milliseconds(row.lag_p95_ms),
        format!("{} days", rounded(row.filling_days)),
        format!("{} hours", rounded(row.copying_hours)),
    ]
}

fn ends(row: &Row) -> Vec<String> {
    let limit = |at: usize| row.limits.get(at).map(used).unwrap_or_default();
    vec![
        millions(row.passages),
        row.layout.clone(),
        grouped(row.machine_hours_a_month),
        grouped(two_figures(row.cost_a_month)),
        limit(0),
        limit(1),
    ]
}

fn used(limit: &Limit) -> String {
    let broken = if limit.share() > 1.0 { "**broken**: " } else { "" };
    let unit = if limit.unit.is_empty() { String::new() } else { format!(" {}", limit.unit) };
    format!("{broken}{}, {} of {}{unit}", limit.name, rounded(limit.value), limit.bound)
}

fn table<const N: usize>(heading: &[&str; N], rows: impl Iterator<Item = Vec<String>>) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let heading: Vec<String> = heading.iter().map(|word| (*word).to_owned()).collect();
    let rule = format!("|{}\n", "---|".repeat(N));
    std::iter::once("\n".to_owned() + &line(&heading)).chain([rule]).chain(rows.map(|row| line(&row))).collect()
}

fn millions(passages: f64) -> String {
    format!("{} million", grouped(passages / 1e6))
}

fn gigabytes(gigabytes: f64) -> String {
    if gigabytes >= 1_000.0 { format!("{} TB", rounded(gigabytes / 1e3)) } else { format!("{} GB", rounded(gigabytes)) }
}

fn milliseconds(millis: f64) -> String {
    if millis >= 1_000.0 { format!("{} s", rounded(millis / 1e3)) } else { format!("{} ms", rounded(millis)) }
}

/// Two figures, which is more than such an estimate is good for; whole numbers where there are more.
fn rounded(value: f64) -> String {
    let value = two_figures(value);
    if value >= 10.0 { grouped(value) } else { format!("{}", (value * 100.0).round() / 100.0) }
}

fn two_figures(value: f64) -> f64 {
    if value <= 0.0 || !value.is_finite() {
        return value;
    }
    let scale = 10_f64.powf(value.log10().floor() - 1.0);
    (value / scale).round() * scale
}

/// A whole number with commas.
fn grouped(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut told = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            told.push(',');
        }
        told.push(digit);
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_told_no_finer_than_they_are() {
        let told: Vec<String> = [0.0, 0.0431, 1.84, 12.6, 2_346.0, 1_234_567.0].into_iter().map(rounded).collect();
        assert_eq!(told, ["0", "0.04", "1.8", "13", "2,300", "1,200,000"]);
        assert_eq!([gigabytes(4_100.0), milliseconds(26.2), milliseconds(26_200.0)], ["4.1 TB", "26 ms", "26 s"]);
    }
}
