//! Milliseconds since 1970 → a moment as people and programs write it, in UTC.

/// Such as `2026-02-01T09:30:00Z`.
pub(crate) fn written(at_ms: u64) -> String {
    let (days, second) = (at_ms / 86_400_000, at_ms / 1_000 % 86_400);
    let (year, month, day) = civil(days);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", second / 3_600, second / 60 % 60, second % 60)
}

/// The date of a day since 1970: years are counted from March, so that the leap day comes last.
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (year_of_era + era * 400 + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::written;

    #[test]
    fn moments_are_written_as_the_calendar_has_them() {
        for (at_ms, said) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400_000, "2000-02-29T00:00:00Z"),
            (1_709_251_199_999, "2024-02-29T23:59:59Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00Z"),
            (1_767_225_600_000, "2026-01-01T00:00:00Z"),
        ] {
            assert_eq!(written(at_ms), said);
        }
    }
}
