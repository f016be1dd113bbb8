//! A number and the format of its cell → the number with what the format puts around it: percent, currency, unit.

use super::values::{fixed, number, percent};

/// Names of currencies that formats write as letters.
const CURRENCIES: &[&str] =
    &["EUR", "USD", "GBP", "CHF", "JPY", "SEK", "NOK", "DKK", "PLN", "CZK", "CAD", "AUD", "INR", "CNY"];

/// What a section of a format says.
#[derive(Default)]
struct Shape {
    before: String,
    after: String,
    digits: String,
    is_percent: bool,
    /// Something that is no plain number, such as a fraction or an exponent.
    is_other: bool,
}

/// The number as its format shows it. Percent and plain numbers keep all their digits; amounts of money are rounded as shown.
pub(super) fn formatted(value: f64, format: &str) -> String {
    let mut sections = sections(format).into_iter();
    let first = sections.next().unwrap_or_default();
    let negative = sections.next().filter(|_| value < 0.0);
    let shape = shape(negative.as_deref().unwrap_or(&first));
    if shape.is_percent {
        return percent(value);
    }
    // Commas at the end stand for thousands that are not shown.
    let is_scaled = shape.digits.ends_with(',');
    if shape.is_other || is_scaled || shape.digits.is_empty() {
        return number(value);
    }
    let around = format!("{} {}", shape.before, shape.after);
    let is_money = around.contains(is_currency) || CURRENCIES.iter().any(|code| around.contains(code));
    let has_unit = around.contains(char::is_alphabetic);
    if !is_money && !has_unit {
        return number(value);
    }
    let shown = if is_money {
        let decimals = shape.digits.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        fixed(value, decimals, shape.digits.contains(','))
    } else {
        number(value.abs())
    };
    // A section of its own for negative numbers has its sign or brackets in it.
    let sign = if value < 0.0 && negative.is_none() { "-" } else { "" };
    format!("{sign}{}{shown}{}", shape.before.trim_start(), shape.after.trim_end())
}

pub(super) fn is_currency(character: char) -> bool {
    matches!(character, '$' | '€' | '£' | '¥' | '₹' | '₽' | '₩' | '₺' | '₴' | '₪' | '₫' | '฿' | '¢')
}

/// The sections of a format: for positive numbers, negative ones, zero, text.
fn sections(format: &str) -> Vec<String> {
    let (mut found, mut is_quoted, mut is_escaped) = (vec![String::new()], false, false);
    for character in format.chars() {
        if character == ';' && !is_quoted && !is_escaped {
            found.push(String::new());
            continue;
        }
        is_quoted ^= character == '"' && !is_escaped;
        is_escaped = character == '\\' && !is_escaped && !is_quoted;
        if let Some(last) = found.last_mut() {
            last.push(character);
        }
    }
    found
}

fn shape(section: &str) -> Shape {
    let mut shape = Shape::default();
    let mut characters = section.chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => characters.by_ref().take_while(|c| *c != '"').for_each(|c| shape.put(c)),
            '\\' => characters.next().into_iter().for_each(|c| shape.put(c)),
            // A blank as wide as the next character, or that character as often as it fits.
            '_' | '*' => {
                let _ = characters.next();
            }
            '[' => {
                let inside: String = characters.by_ref().take_while(|c| *c != ']').collect();
                // `[$€-407]` is a currency; `[Red]` and `[>100]` are none.
                let symbol = inside.strip_prefix('$').map(|named| named.split('-').next().unwrap_or_default());
                symbol.unwrap_or_default().chars().for_each(|c| shape.put(c));
            }
            '%' => shape.is_percent = true,
            '0' | '#' | '?' | '.' | ',' => {
                if shape.after.is_empty() {
                    shape.digits.push(character);
                } else {
                    shape.is_other = true;
                }
            }
            'E' | 'e' | '/' | '@' => shape.is_other = true,
            'G' | 'g' if characters.as_str().to_ascii_lowercase().starts_with("eneral") => {
                characters.by_ref().take("eneral".len()).for_each(drop);
                shape.digits.push('0');
                shape.is_other = true;
            }
            other => shape.put(other),
        }
    }
    shape
}

impl Shape {
    fn put(&mut self, literal: char) {
        if self.digits.is_empty() { self.before.push(literal) } else { self.after.push(literal) }
    }
}

#[cfg(test)]
mod tests {
    use super::formatted;

    #[test]
    fn numbers_are_shown_as_their_format_says() {
        let cases = [
            (0.125, "0%", "12.5 %"),
            (1234.5, "#,##0.00\\ \"€\"", "1,234.50 €"),
            (-1234.5, "#,##0.00\\ [$€-407]", "-1,234.50 €"),
            (1234.5, "[$$-409]#,##0.00;[Red]\\-[$$-409]#,##0.00", "$1,234.50"),
            (-3.0, "\"$\"#,##0_);(\"$\"#,##0)", "($3)"),
            (12.25, "0.0 \"kg\"", "12.25 kg"),
            (1234.5678, "0.00", "1234.5678"),
            (1_500_000.0, "0.0,,\"M\"", "1500000"),
            (7.0, "General", "7"),
            (0.5, "# ?/?", "0.5"),
            (12000.0, "0.00E+00", "12000"),
            (5.0, "[$CHF-807] 0", "CHF 5"),
        ];
        for (value, format, expected) in cases {
            assert_eq!(formatted(value, format), expected, "{value} as {format}");
        }
    }
}
