//! Which crashes are tried: every step of a recording, cut clean, torn or with losses.

use std::{collections::BTreeMap, fmt, str::FromStr};

use super::{draw::Draw, recording::Op};

/// What happens to the operations around the cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// Everything before the cut happened, nothing after it.
    Stop,
    /// The same, and a part of the write at the cut.
    Tear,
    /// Everything before the cut was seen, but the machine lost what was not synced.
    Lose,
}

/// One crash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Schedule {
    pub workload: u64,
    pub cut: usize,
    pub mode: Mode,
    pub seed: u64,
}

impl fmt::Display for Schedule {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mode = match self.mode {
            Mode::Stop => "stop",
            Mode::Tear => "tear",
            Mode::Lose => "lose",
        };
        write!(out, "{}/{}/{mode}/{}", self.workload, self.cut, self.seed)
    }
}

impl FromStr for Schedule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("a schedule is WORKLOAD/CUT/stop|tear|lose/SEED, not {text}");
        let fields: Vec<&str> = text.split('/').collect();
        let [workload, cut, mode, seed] = fields.as_slice() else { return Err(wrong()) };
        let mode = match *mode {
            "stop" => Mode::Stop,
            "tear" => Mode::Tear,
            "lose" => Mode::Lose,
            _ => return Err(wrong()),
        };
        Ok(Self {
            workload: workload.parse().map_err(|_| wrong())?,
            cut: cut.parse().map_err(|_| wrong())?,
            mode,
            seed: seed.parse().map_err(|_| wrong())?,
        })
    }
}

/// So many crashes of one recording, in the order of their cuts.
pub fn schedules(workload: u64, ops: &[Op], count: usize, seed: u64) -> Vec<Schedule> {
    let mut draw = Draw::of(seed ^ workload, 3);
    let mut every = Vec::new();
    for cut in 0..=ops.len() {
        every.push(Schedule { workload, cut, mode: Mode::Stop, seed: 0 });
        if matches!(ops.get(cut), Some(Op::Write { bytes, .. }) if bytes.len() > 1) {
            every.push(Schedule { workload, cut, mode: Mode::Tear, seed: draw.next() % 1_000_000 });
        }
    }
    let lose = |draw: &mut Draw| {
        let cut = 1 + draw.below(ops.len());
        Schedule { workload, cut, mode: Mode::Lose, seed: draw.next() % 1_000_000_000 }
    };
    let mut chosen = if every.len() <= count {
        every
    } else {
        // Two in three are cuts of every class; as many losses as cuts of one kind.
        spread(every, ops, count * 2 / 3, &mut draw)
    };
    while chosen.len() < count {
        chosen.push(lose(&mut draw));
    }
    chosen.sort_unstable();
    chosen
}

/// Takes from every class of cut in turn, so that rare ones are met too.
fn spread(every: Vec<Schedule>, ops: &[Op], count: usize, draw: &mut Draw) -> Vec<Schedule> {
    let mut classes: BTreeMap<String, Vec<Schedule>> = BTreeMap::new();
    for schedule in every {
        let class = ops.get(schedule.cut).map(class).unwrap_or_default();
        classes.entry(format!("{:?} {class}", schedule.mode)).or_default().push(schedule);
    }
    let mut chosen = Vec::new();
    while chosen.len() < count && !classes.is_empty() {
        for members in classes.values_mut() {
            let at = draw.below(members.len());
            chosen.push(members.swap_remove(at));
        }
        classes.retain(|_, members| !members.is_empty());
    }
    chosen.truncate(count);
    chosen
}

/// An operation without the parts of its name that differ from run to run.
pub fn class(op: &Op) -> String {
    let path = op.path();
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let kind = match name.rsplit_once('.') {
        Some((stem, ending)) if stem.len() > 16 => format!("*.{ending}"),
        _ if name.starts_with(".tmp") => ".tmp*".to_owned(),
        _ => name.to_owned(),
    };
    format!("{} {folder}/{kind}", op.verb())
}
