//! What time it is for the trail: the machine's time, unless that has jumped ahead.
//!
//! Entries are erased by age, so a clock that is wrong by years would erase the whole trail. The trail remembers the time
//! of its last look. Where the machine's clock has moved on further since than a machine is plausibly off, the trail's
//! clock follows by a day per hour, however often and by however many processes it is looked at. A machine that was truly
//! off that long erases a little later than promised; a wrong clock leaves days to notice and mend it.

use rusqlite::{OptionalExtension, Transaction};

use crate::embedded::facts::{meta, set_meta};

pub(super) const DAY_MS: u64 = 86_400_000;
const BETWEEN_STEPS_MS: u64 = 3_600_000;
/// The trail's time at the last look.
const CLOCK: &str = "clock_ms";
/// The machine's time when the trail's last followed a jump.
const STEPPED: &str = "stepped_ms";

/// Moves the trail's time on towards the machine's, and returns it. It never goes back.
pub(super) fn advance(transaction: &Transaction<'_>, machine_ms: u64, plausible_ms: u64) -> rusqlite::Result<u64> {
    let known = match time(transaction, CLOCK)? {
        Some(known) => known,
        None => before_last(transaction)?.unwrap_or(machine_ms),
    };
    let stepped = time(transaction, STEPPED)?;
    let trail_ms = if machine_ms.saturating_sub(known) <= plausible_ms.max(DAY_MS) {
        // A step that lies ahead was made by a clock that has been put right since.
        if stepped.is_some_and(|stepped| stepped > machine_ms) {
            set_meta(transaction, STEPPED, &machine_ms.to_string())?;
        }
        known.max(machine_ms)
    } else {
        let days = (machine_ms - known) / DAY_MS;
        tracing::warn!(days, component = "audit", "the clock has jumped ahead; old audit entries are removed slowly");
        if stepped.is_some_and(|stepped| machine_ms < stepped.saturating_add(BETWEEN_STEPS_MS)) {
            return Ok(known);
        }
        set_meta(transaction, STEPPED, &machine_ms.to_string())?;
        known + DAY_MS
    };
    set_meta(transaction, CLOCK, &trail_ms.to_string())?;
    Ok(trail_ms)
}

fn time(transaction: &Transaction<'_>, fact: &str) -> rusqlite::Result<Option<u64>> {
    Ok(meta(transaction, fact)?.and_then(|text| text.parse().ok()))
}

/// When the entry before the newest was written: the newest has the time that is in question.
fn before_last(transaction: &Transaction<'_>) -> rusqlite::Result<Option<u64>> {
    let sql = "SELECT at_ms FROM entries ORDER BY place DESC LIMIT 1 OFFSET 1";
    transaction.query_row(sql, [], |row| row.get(0)).optional()
}
