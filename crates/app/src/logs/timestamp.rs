//! A moment → ISO 8601 with milliseconds, in UTC.

use std::time::SystemTime;

const DAY_MS: u64 = 86_400_000;

/// Now.
pub(super) fn now() -> String {
    let since = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
    of(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

fn of(ms: u64) -> String {
    let (days, in_day) = (ms / DAY_MS, ms % DAY_MS);
    let (year, month, day) = date(days);
    let (hour, minute, second) = (in_day / 3_600_000, in_day / 60_000 % 60, in_day / 1_000 % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z", in_day % 1_000)
}

/// The date so many days after 1970 began, by whole eras of 400 years counted from the March of a year 0.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn moments_are_written_to_the_millisecond() {
        assert_eq!(of(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(of(951_782_400_000), "2000-02-29T00:00:00.000Z");
        assert_eq!(of(1_770_633_000_050), "2026-02-09T10:30:00.050Z");
        assert_eq!(of(4_107_542_399_999), "2100-02-28T23:59:59.999Z");
        assert_eq!(of(4_107_542_400_000), "2100-03-01T00:00:00.000Z");
    }
}
