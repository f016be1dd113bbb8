//! Processor time as Linux counts it: of processes, and of the whole machine.

/// Ticks of the clock per second, which Linux fixes for what it tells.
const TICKS: f64 = 100.0;

/// What the processors of this machine have done since it started, in ticks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MachineTime {
    busy: f64,
    all: f64,
}

impl MachineTime {
    /// The share of the time since then that was used.
    pub(crate) fn busy_since(self, before: Self) -> f64 {
        (self.busy - before.busy) / (self.all - before.all).max(1.0)
    }
}

/// The time of this machine; none where the system does not tell it.
pub(crate) fn machine() -> Option<MachineTime> {
    let told = std::fs::read_to_string("/proc/stat").ok()?;
    let figures: Vec<f64> =
        told.lines().next()?.split_whitespace().skip(1).filter_map(|word| word.parse().ok()).collect();
    // user nice system idle iowait irq softirq steal; what guests use is in `user` already.
    let all: f64 = figures.iter().take(8).sum();
    let idle: f64 = figures.iter().skip(3).take(2).sum();
    Some(MachineTime { busy: all - idle, all })
}

/// Seconds that these processes have used together; none where one of them cannot be read.
pub(crate) fn used_by(pids: &[u32]) -> Option<f64> {
    pids.iter().map(|pid| used(*pid)).sum()
}

fn used(pid: u32) -> Option<f64> {
    let told = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program may hold anything, so what counts comes after its closing bracket.
    let (_, rest) = told.rsplit_once(')')?;
    let ticks: Vec<f64> = rest.split_whitespace().skip(11).take(2).filter_map(|word| word.parse().ok()).collect();
    (ticks.len() == 2).then(|| ticks.iter().sum::<f64>() / TICKS)
}
