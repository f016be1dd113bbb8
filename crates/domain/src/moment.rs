//! Milliseconds since 1970 → a moment or a day in ISO 8601, in UTC.

const DAY_MS: u64 = 86_400_000;

/// `2025-11-01T10:30:45.123Z`.
#[must_use]
pub fn timestamp(at_ms: u64) -> String {
    let (day, ms) = (at_ms / DAY_MS, at_ms % DAY_MS);
    let (year, month, date) = civil(day);
    let (hour, minute, second) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1_000 % 60);
    format!("{year:04}-{month:02}-{date:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z", ms % 1_000)
}

/// `2025-11-01`.
#[must_use]
pub fn date(at_ms: u64) -> String {
    let (year, month, date) = civil(at_ms / DAY_MS);
    format!("{year:04}-{month:02}-{date:02}")
}

/// Year, month and day of a day since 1970; years are counted from March, so that the leap day is the last of its year.
fn civil(day: u64) -> (u64, u64, u64) {
    let shifted = day + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let date = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, date)
}

#[cfg(test)]
mod tests {
    use super::timestamp;

    #[test]
    fn moments_are_told_in_utc_with_milliseconds() {
        for (at_ms, told) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_399_999, "2000-02-28T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_761_993_045_123, "2025-11-01T10:30:45.123Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        ] {
            assert_eq!(timestamp(at_ms), told);
        }
    }
}
