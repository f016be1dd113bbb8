//! Numbers, dates and times → words.

/// A number with at most 15 digits, which is what a sheet keeps of it.
pub(super) fn number(value: f64) -> String {
    if !value.is_finite() {
        return String::new();
    }
    let value: f64 = format!("{value:.14e}").parse().unwrap_or(value);
    let size = value.abs();
    if value == 0.0 {
        "0".to_owned()
    } else if (1e-6..1e16).contains(&size) {
        value.to_string()
    } else {
        format!("{value:e}")
    }
}

/// A share of one as percent.
pub(super) fn percent(value: f64) -> String {
    format!("{} %", number(value * 100.0))
}

/// A number with a fixed count of decimals, with commas between thousands if that is wished.
pub(super) fn fixed(value: f64, decimals: usize, is_grouped: bool) -> String {
    let written = format!("{:.*}", decimals.min(15), value.abs());
    let (whole, fraction) = written.split_once('.').unwrap_or((written.as_str(), ""));
    let mut grouped = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if is_grouped && at > 0 && (whole.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    if !fraction.is_empty() {
        grouped.push('.');
        grouped.push_str(fraction);
    }
    grouped
}

/// A day and a time of it, which is left out at midnight; `2026-03-04T09:30:00` and the like, without parts of a second.
pub(super) fn day_and_time(text: &str) -> String {
    let text = text.trim();
    let (day, time) = text.split_once('T').unwrap_or((text, ""));
    let time = time.split(['.', 'Z', '+']).next().unwrap_or_default();
    let time = time.strip_suffix(":00").unwrap_or(time);
    if time.is_empty() || time == "00:00" || time == "00" { day.to_owned() } else { format!("{day} {time}") }
}

#[cfg(test)]
mod tests {
    use super::{day_and_time, fixed, number, percent};

    #[test]
    fn numbers_are_written_as_a_sheet_has_them() {
        let written: Vec<String> = [0.1 + 0.2, 1234567.0, -0.5, 1e300, 0.0, -0.0].map(number).into();
        assert_eq!(written, ["0.3", "1234567", "-0.5", "1e300", "0", "0"]);
        assert_eq!((percent(0.125), percent(0.07)), ("12.5 %".to_owned(), "7 %".to_owned()));
        assert_eq!(
            (fixed(1_234_567.891, 2, true), fixed(-999.5, 0, true)),
            ("1,234,567.89".to_owned(), "1,000".to_owned())
        );
    }

    #[test]
    fn midnight_is_not_told() {
        assert_eq!(day_and_time("2026-03-04T00:00:00"), "2026-03-04");
        assert_eq!(day_and_time("2026-03-04T09:30:00.000Z"), "2026-03-04 09:30");
        assert_eq!(day_and_time("2026-03-04T09:30:15"), "2026-03-04 09:30:15");
    }
}
