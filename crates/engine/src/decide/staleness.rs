//! The dates of cited documents → a notice for each that has not been touched for long.

use vouch_domain::DocumentId;

use crate::{policy::DecidePolicy, verify::VerifiedText};

const DAY_MS: u64 = 86_400_000;

/// A cited document that has not been touched for long.
pub(super) struct StaleSource {
    /// Its id.
    pub(super) document: DocumentId,
    /// What the reader is told of it.
    pub(super) notice: String,
}

pub(super) fn stale_sources(text: &VerifiedText, policy: &DecidePolicy, now_ms: u64) -> Vec<StaleSource> {
    let Some(days_max) = policy.stale_after_days else { return Vec::new() };
    let today = i64::try_from(now_ms / DAY_MS).unwrap_or(i64::MAX);
    let mut stale: Vec<StaleSource> = Vec::new();
    for cited in text.citations() {
        let card = cited.document();
        let Some(date) = &card.date else { continue };
        let Some(day) = days_since_1970(date) else { continue };
        let notice = format!("\"{}\" was last updated on {date}; check whether it still holds.", card.title);
        if today.saturating_sub(day) > i64::from(days_max) && !stale.iter().any(|known| known.notice == notice) {
            stale.push(StaleSource { document: card.id.clone(), notice });
        }
    }
    stale
}

/// The day number of a date that starts with `YYYY-MM-DD`; none if it does not.
fn days_since_1970(date: &str) -> Option<i64> {
    let mut parts = date.get(..10)?.split('-').map(str::parse::<i64>);
    let (year, month, day) = (parts.next()?.ok()?, parts.next()?.ok()?, parts.next()?.ok()?);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || !(0..=9_999).contains(&year) {
        return None;
    }
    // Years are counted from March, so that the leap day is the last of its year.
    let shifted_year = if month <= 2 { year - 1 } else { year };
    let era = shifted_year.div_euclid(400);
    let year_of_era = shifted_year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    Some(era * 146_097 + day_of_era - 719_468)
}

#[cfg(test)]
mod tests {
    use super::days_since_1970;

    #[test]
    fn dates_count_from_1970() {
        assert_eq!(days_since_1970("1970-01-01"), Some(0));
        assert_eq!(days_since_1970("2024-02-29"), Some(19_782));
        assert_eq!(days_since_1970("2026-03-14T10:00:00Z"), Some(20_526));
    }

    #[test]
    fn what_is_no_date_counts_for_nothing() {
        assert_eq!(days_since_1970("spring 2026"), None);
        assert_eq!(days_since_1970("2026-13-01"), None);
    }
}
