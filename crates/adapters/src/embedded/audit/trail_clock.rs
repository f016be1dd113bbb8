//! What time it is for the trail: the machine's time, unless that has jumped ahead.
//!
//! Entries are erased by age, so a clock that is wrong by years would erase the whole trail. The trail remembers the time
//! of its last look. Where the machine's clock has moved on further since than a machine is plausibly off, the trail's
//! clock follows by a day per look, and within one process by a day per hour. A machine that was truly off that long
//! erases a little later than promised; a wrong clock leaves days to notice and mend it.

use std::time::{Duration, Instant};

use rusqlite::{OptionalExtension, Transaction};

use crate::embedded::database::{meta, set_meta};

pub(super) const DAY_MS: u64 = 86_400_000;
const CLOCK: &str = "clock_ms";
const BETWEEN_STEPS: Duration = Duration::from_secs(3_600);

/// The trail's time within one process.
#[derive(Debug, Default)]
pub(super) struct TrailClock {
    stepped: Option<Instant>,
}

impl TrailClock {
    /// Moves the trail's time on towards the machine's, and answers it. It never goes back.
    pub(super) fn advance(
        &mut self,
        transaction: &Transaction<'_>,
        machine_ms: u64,
        plausible_ms: u64,
    ) -> rusqlite::Result<u64> {
        let known = match meta(transaction, CLOCK)?.and_then(|text| text.parse::<u64>().ok()) {
            Some(known) => known,
            None => before_last(transaction)?.unwrap_or(machine_ms),
        };
        let trail_ms = if machine_ms.saturating_sub(known) <= plausible_ms.max(DAY_MS) {
            known.max(machine_ms)
        } else {
            let may_step = self.stepped.is_none_or(|last| last.elapsed() >= BETWEEN_STEPS);
            let days = (machine_ms - known) / DAY_MS;
            tracing::warn!(days, component = "audit", "the clock has jumped ahead; old entries are erased slowly");
            self.stepped = if may_step { Some(Instant::now()) } else { self.stepped };
            known + if may_step { DAY_MS } else { 0 }
        };
        set_meta(transaction, CLOCK, &trail_ms.to_string())?;
        Ok(trail_ms)
    }
}

/// When the entry before the newest was written: the newest has the time that is in question.
fn before_last(transaction: &Transaction<'_>) -> rusqlite::Result<Option<u64>> {
    let sql = "SELECT at_ms FROM entries ORDER BY place DESC LIMIT 1 OFFSET 1";
    transaction.query_row(sql, [], |row| row.get(0)).optional()
}
