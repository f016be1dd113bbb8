//! A cell as PostgreSQL sends it → JSON.
//!
//! Invariant: dates and times are ISO 8601; a number that cannot be held exactly, and a type that has no value here, is an error.

use serde_json::{Number, Value};
use tokio_postgres::types::{FromSql, Type};

use super::super::value::{BYTES_MAX, exact};

/// Days from the year 0 (in March, so that leap days come last) to 2000-01-01.
const DAYS_TO_2000: i64 = 730_425;
const MICROSECONDS_A_DAY: i64 = 86_400_000_000;

/// A cell that has not been read.
pub(super) struct RawCell<'a> {
    kind: Type,
    bytes: &'a [u8],
}

impl<'a> FromSql<'a> for RawCell<'a> {
    fn from_sql(kind: &Type, bytes: &'a [u8]) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        Ok(Self { kind: kind.clone(), bytes })
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

impl RawCell<'_> {
    /// The cell as JSON; an error says what is wrong with it.
    pub(super) fn json(&self, bytes_left: &mut usize) -> Result<Value, String> {
        let left = bytes_left.checked_sub(self.bytes.len());
        *bytes_left = left.ok_or_else(|| format!("makes the output larger than {BYTES_MAX} bytes"))?;
        let broken = || "has a value that cannot be read".to_owned();
        match self.kind {
            Type::BOOL => bool::from_sql(&self.kind, self.bytes).map(Value::Bool).map_err(|_| broken()),
            Type::INT2 => i16::from_sql(&self.kind, self.bytes).map(Value::from).map_err(|_| broken()),
            Type::INT4 => i32::from_sql(&self.kind, self.bytes).map(Value::from).map_err(|_| broken()),
            Type::INT8 => {
                let number = i64::from_sql(&self.kind, self.bytes).map_err(|_| broken())?;
                exact(number).map(|_| Value::from(number)).ok_or_else(|| "has a number that is too large".to_owned())
            }
            Type::FLOAT4 => f32::from_sql(&self.kind, self.bytes).map_err(|_| broken()).and_then(|number| {
                // As it is written, not as it is stored: 0.1 and not 0.10000000149.
                finite(number.to_string().parse().unwrap_or(f64::NAN))
            }),
            Type::FLOAT8 => f64::from_sql(&self.kind, self.bytes).map_err(|_| broken()).and_then(finite),
            Type::NUMERIC => numeric(self.bytes).ok_or_else(broken).and_then(|text| decimal(&text)),
            Type::TEXT | Type::VARCHAR | Type::BPCHAR | Type::NAME | Type::UNKNOWN => {
                std::str::from_utf8(self.bytes).map(Value::from).map_err(|_| "has text that is not UTF-8".to_owned())
            }
            Type::DATE => {
                let days = <[u8; 4]>::try_from(self.bytes).map(i32::from_be_bytes).map_err(|_| broken())?;
                day(i64::from(days)).map(Value::from).ok_or_else(|| "has a day without a date".to_owned())
            }
            Type::TIMESTAMP | Type::TIMESTAMPTZ => {
                let moment = <[u8; 8]>::try_from(self.bytes).map(i64::from_be_bytes).map_err(|_| broken())?;
                let text = time(moment).ok_or_else(|| "has a moment without a date".to_owned())?;
                let zone = if self.kind == Type::TIMESTAMPTZ { "Z" } else { "" };
                Ok(Value::from(format!("{text}{zone}")))
            }
            _ => Err(format!("is of type {}, which a tool cannot return; cast it to text", self.kind.name())),
        }
    }
}

fn finite(number: f64) -> Result<Value, String> {
    Number::from_f64(number).map(Value::Number).ok_or_else(|| "has a number that is not finite".to_owned())
}

/// A decimal as a number: whole ones as such, all others as near as can be.
fn decimal(text: &str) -> Result<Value, String> {
    let too_large = || "has a number that is too large".to_owned();
    let whole =
        text.split_once('.').map_or(text, |(whole, part)| if part.trim_matches('0').is_empty() { whole } else { text });
    if let Ok(number) = whole.parse::<i64>() {
        return exact(number).map(|_| Value::from(number)).ok_or_else(too_large);
    }
    let number: f64 = text.parse().map_err(|_| "has a number that is not finite".to_owned())?;
    if number.abs() < 9e15 { finite(number) } else { Err(too_large()) }
}

/// A `numeric` as it is sent (groups of four digits, the place of the first, the sign, digits after the point) → its text.
fn numeric(bytes: &[u8]) -> Option<String> {
    let mut words = bytes.chunks(2).map(|word| <[u8; 2]>::try_from(word).map(u16::from_be_bytes).ok());
    let mut next = || words.next().flatten();
    let (count, weight, sign, scale) = (next()?, next()?.cast_signed(), next()?, next()?);
    let groups = (0..count).map(|_| next()).collect::<Option<Vec<u16>>>()?;
    let group = |place: i32| {
        let at = usize::try_from(i32::from(weight) - place).ok();
        at.and_then(|at| groups.get(at)).copied().unwrap_or(0)
    };
    if !(sign == 0 || sign == 0x4000) {
        return Some("NaN".to_owned());
    }
    let mut text = if sign == 0 { String::new() } else { "-".to_owned() };
    let first = i32::from(weight).max(0);
    text.push_str(&group(first).to_string());
    (0..first).rev().for_each(|place| text.push_str(&format!("{:04}", group(place))));
    if scale > 0 {
        let places = (1..=i32::from(scale.div_ceil(4))).map(|place| format!("{:04}", group(-place)));
        let after: String = places.collect::<String>().chars().take(usize::from(scale)).collect();
        text.push('.');
        text.push_str(&after);
    }
    Some(text)
}

/// A day counted from 2000-01-01 as a date; none for those before the year 1 and after the year 9999.
fn day(days: i64) -> Option<String> {
    let days = days + DAYS_TO_2000;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    (1..=9_999).contains(&year).then(|| format!("{year:04}-{month:02}-{of_month:02}"))
}

/// A moment in microseconds since 2000-01-01.
fn time(moment: i64) -> Option<String> {
    let (days, rest) = (moment.div_euclid(MICROSECONDS_A_DAY), moment.rem_euclid(MICROSECONDS_A_DAY));
    let (seconds, micros) = (rest / 1_000_000, rest % 1_000_000);
    let part = if micros == 0 { String::new() } else { format!(".{micros:06}") };
    Some(format!("{}T{:02}:{:02}:{:02}{part}", day(days)?, seconds / 3_600, seconds / 60 % 60, seconds % 60))
}

#[cfg(test)]
mod tests {
    use super::{day, time};

    #[test]
    fn days_are_dates() {
        for (days, date) in [(0, "2000-01-01"), (59, "2000-02-29"), (-1, "1999-12-31"), (9_817, "2026-11-17")] {
            assert_eq!(day(days).as_deref(), Some(date));
        }
        assert_eq!((day(i64::from(i32::MAX)), day(i64::from(i32::MIN))), (None, None));
        assert_eq!(time(-1).as_deref(), Some("1999-12-31T23:59:59.999999"));
        assert_eq!(time(i64::MAX), None);
    }
}
