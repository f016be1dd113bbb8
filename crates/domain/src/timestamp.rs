//! A moment as another program wrote it down, kept in its own spelling.

use std::fmt;

/// A date with a time of day in ISO 8601, with or without seconds, a fraction and an offset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timestamp(String);

/// The longest spelling: `2026-01-28T10:30:45.123456789+01:00`.
const BYTES_MAX: usize = 35;
const FRACTION_DIGITS_MAX: usize = 9;

impl Timestamp {
    /// Reads `2026-01-28T10:30:45Z` and its shorter and longer forms; a space may stand for the `T`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() > BYTES_MAX || !text.is_ascii() {
            return None;
        }
        let (date, time) = text.split_once(['T', ' '])?;
        let time = match time.strip_suffix('Z') {
            Some(time) => time,
            None => match time.rfind(['+', '-']) {
                Some(at) => {
                    let (time, offset) = time.split_at(at);
                    is_offset(offset.get(1..)?).then_some(time)?
                }
                None => time,
            },
        };
        (is_date(date) && is_time(time)).then(|| Self(text.to_owned()))
    }

    /// The moment as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The number of exactly so many digits.
fn number(text: &str, digits: usize) -> Option<u32> {
    let is_number = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

fn is_date(text: &str) -> bool {
    let mut fields = text.splitn(3, '-');
    let mut next = |digits| number(fields.next()?, digits);
    let (Some(year), Some(month), Some(day)) = (next(4), next(2), next(2)) else { return false };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    (1..=days).contains(&day)
}

fn is_time(text: &str) -> bool {
    let (whole, fraction) = text.split_once('.').map_or((text, None), |(whole, fraction)| (whole, Some(fraction)));
    let fields: Vec<Option<u32>> = whole.split(':').map(|field| number(field, 2)).collect();
    // A leap second is a moment too.
    let is_whole = match fields.as_slice() {
        [Some(0..=23), Some(0..=59)] => fraction.is_none(),
        [Some(0..=23), Some(0..=59), Some(0..=60)] => true,
        _ => false,
    };
    let is_fraction = |digits: &str| {
        (1..=FRACTION_DIGITS_MAX).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    is_whole && fraction.is_none_or(is_fraction)
}

/// `01:00`, `0100` or `01`.
fn is_offset(text: &str) -> bool {
    let (hours, minutes) = match text.split_once(':') {
        Some(fields) => fields,
        None if text.len() > 2 => text.split_at(2),
        None => (text, "00"),
    };
    number(hours, 2).is_some_and(|hours| hours <= 23) && number(minutes, 2).is_some_and(|minutes| minutes <= 59)
}

#[cfg(test)]
mod tests {
    use super::Timestamp;

    #[test]
    fn moments_are_kept_as_they_were_written() {
        for text in [
            "2026-01-28T10:30:45Z",
            "2026-01-28T10:30:45.123Z",
            "2026-01-28 10:30:45.123456+01:00",
            "2024-02-29T23:59:60-0330",
            "2026-01-28T10:30",
            "2026-01-28T10:30:45+01",
        ] {
            assert_eq!(Timestamp::parse(text).as_ref().map(Timestamp::as_str), Some(text));
        }
    }

    #[test]
    fn what_is_no_moment_is_none() {
        for text in [
            "",
            "yesterday",
            "2026-01-28",
            "2026-02-29T10:30:45Z",
            "2026-13-01T10:30:45Z",
            "2026-01-28T25:30:45Z",
            "2026-01-28T10:30.5Z",
            "2026-01-28T10:30:45.Z",
            "2026-01-28T10:30:45.1234567890Z",
            "2026-01-28T10:30:45Z please",
            "2026-01-28T10:30:45+1:00",
            "2026-01-28T+10:30",
            "२०२६-01-28T10:30:45Z",
        ] {
            assert_eq!(Timestamp::parse(text), None, "{text}");
        }
    }
}
