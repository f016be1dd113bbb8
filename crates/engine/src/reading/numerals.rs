//! One token, in digits or in letters → its value.
//!
//! Invariant: a token is read the same way on both sides; what cannot be read for certain has no value.

/// What a spelled-out word adds to a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Spelled {
    /// Zero to nineteen.
    Small(f64),
    /// Twenty to ninety.
    Tens(f64),
    /// Hundred.
    Hundred,
    /// Thousand and up.
    Magnitude(f64),
}

const SMALL: &[&str] = &[
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];
const TENS: &[&str] = &["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
const SMALL_ORDINALS: &[&str] = &[
    "zeroth",
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
];
const TENS_ORDINALS: &[&str] =
    &["twentieth", "thirtieth", "fortieth", "fiftieth", "sixtieth", "seventieth", "eightieth", "ninetieth"];

/// A spelled-out cardinal.
pub(crate) fn spelled(fold: &str) -> Option<Spelled> {
    if let Some(at) = SMALL.iter().position(|word| *word == fold) {
        return Some(Spelled::Small(count(at)));
    }
    if let Some(at) = TENS.iter().position(|word| *word == fold) {
        return Some(Spelled::Tens(count(at + 2) * 10.0));
    }
    if fold == "hundred" {
        return Some(Spelled::Hundred);
    }
    magnitude(fold).map(Spelled::Magnitude)
}

/// A spelled-out ordinal: first is one.
pub(crate) fn ordinal(fold: &str) -> Option<f64> {
    if let Some(at) = SMALL_ORDINALS.iter().position(|word| *word == fold) {
        return Some(count(at));
    }
    if let Some(at) = TENS_ORDINALS.iter().position(|word| *word == fold) {
        return Some(count(at + 2) * 10.0);
    }
    match fold {
        "hundredth" => Some(100.0),
        "thousandth" => Some(1_000.0),
        "millionth" => Some(1_000_000.0),
        _ => None,
    }
}

/// The part a denominator names: thirds are one third.
pub(crate) fn denominator(fold: &str) -> Option<f64> {
    match fold {
        "half" | "halves" => Some(2.0),
        "quarter" | "quarters" => Some(4.0),
        "second" | "seconds" | "first" | "firsts" => None,
        _ => ordinal(fold.strip_suffix('s').unwrap_or(fold)).filter(|value| *value > 2.0),
    }
}

/// A word or a letter that multiplies the number before it.
pub(crate) fn magnitude(fold: &str) -> Option<f64> {
    match fold {
        "thousand" | "thousands" => Some(1e3),
        "lakh" => Some(1e5),
        "million" | "millions" | "mn" | "mln" => Some(1e6),
        "crore" => Some(1e7),
        "billion" | "billions" | "bn" | "bln" => Some(1e9),
        "trillion" | "trillions" | "tn" => Some(1e12),
        _ => None,
    }
}

/// Digits with separators, a sign, an ordinal ending or a vulgar fraction.
pub(crate) fn digits(fold: &str) -> Option<f64> {
    let (body, sign) = match fold.strip_prefix(['-', '−']) {
        Some(body) => (body, -1.0),
        None => (fold, 1.0),
    };
    let body = ["st", "nd", "rd", "th"].iter().find_map(|ending| body.strip_suffix(ending)).unwrap_or(body);
    if let Some((whole, fraction)) = body.split_once('\u{2044}') {
        return vulgar(whole, fraction).map(|value| sign * value);
    }
    if body.len() > 30 || !body.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let plain = without_separators(body)?;
    plain.parse::<f64>().ok().map(|value| sign * value)
}

/// The value of a token that is a number by itself.
pub(crate) fn simple(fold: &str) -> Option<f64> {
    if let Some(value) = digits(fold) {
        return Some(value);
    }
    match spelled(fold) {
        Some(Spelled::Small(value) | Spelled::Tens(value)) => Some(value),
        Some(Spelled::Hundred | Spelled::Magnitude(_)) | None => None,
    }
}

/// A Roman numeral of two letters or more, up to thirty-nine.
pub(crate) fn roman(raw: &str) -> Option<f64> {
    if raw.len() < 2 || raw.len() > 6 || !raw.bytes().all(|b| matches!(b, b'I' | b'V' | b'X')) {
        return None;
    }
    let tens = raw.bytes().take_while(|b| *b == b'X').count();
    let rest = raw.get(tens..)?;
    let ones = ["", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"].iter().position(|form| *form == rest)?;
    (tens <= 3).then(|| count(tens * 10 + ones))
}

/// An Arabic-Indic or Devanagari digit as the digit it is.
pub(crate) fn western_digit(sign: char) -> char {
    let code = u32::from(sign);
    let zero = match code {
        0x0660..=0x0669 => 0x0660,
        0x06F0..=0x06F9 => 0x06F0,
        0x0966..=0x096F => 0x0966,
        _ => return sign,
    };
    char::from_digit(code - zero, 10).unwrap_or(sign)
}

/// `1,200,000` and `1,200.5` without their commas, `2,5` with a point; nothing for what is no single number.
fn without_separators(body: &str) -> Option<String> {
    if !body.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ',')) {
        return None;
    }
    let (whole, decimals) = body.split_once('.').unwrap_or((body, ""));
    if decimals.contains(['.', ',']) {
        return None;
    }
    let mut groups = whole.split(',');
    let first = groups.next().unwrap_or_default();
    let rest: Vec<&str> = groups.collect();
    if rest.is_empty() {
        return Some(body.to_owned());
    }
    if first.len() <= 3 && rest.iter().all(|group| group.len() == 3 || group.len() == 2) && rest.last()?.len() == 3 {
        let point = if decimals.is_empty() { "" } else { "." };
        return Some(format!("{first}{}{point}{decimals}", rest.concat()));
    }
    match (rest.as_slice(), decimals) {
        ([tail], "") if tail.len() <= 2 => Some(format!("{first}.{tail}")),
        _ => None,
    }
}

/// `1⁄2` is a half; `21⁄2`, as two and a half is written in one sign after another, is two and a half.
fn vulgar(whole: &str, fraction: &str) -> Option<f64> {
    let below: f64 = fraction.parse().ok().filter(|below| *below >= 2.0)?;
    let at = whole.len().checked_sub(1)?;
    let above: f64 = whole.get(at..)?.parse().ok()?;
    let before: f64 = match whole.get(..at)? {
        "" => 0.0,
        digits => digits.parse().ok()?,
    };
    Some(before + above / below)
}

/// A small count as a number to reckon with.
fn count(at: usize) -> f64 {
    f64::from(u32::try_from(at).unwrap_or(u32::MAX))
}
