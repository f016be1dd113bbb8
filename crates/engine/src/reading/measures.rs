//! The tokens beside a number → the unit it is counted in.
//!
//! Invariant: two spellings of a unit are one unit; units of one dimension can be converted, others never.

use super::token::{Joint, Token};

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dimension {
    Length,
    Area,
    Volume,
    Mass,
    Speed,
    Time,
    Calendar,
    ClockMorning,
    ClockAfternoon,
    Share,
    Temperature,
    Data,
    Power,
    Energy,
    Frequency,
    Voltage,
    Dollar,
    Euro,
    PoundSterling,
    Yen,
    Rupee,
    Yuan,
    Franc,
    Rouble,
    Won,
    Krone,
    Peso,
}

impl Dimension {
    /// Whether it is a currency.
    pub(crate) fn is_money(self) -> bool {
        use Dimension::{Dollar, Euro, Franc, Krone, Peso, PoundSterling, Rouble, Rupee, Won, Yen, Yuan};
        matches!(self, Dollar | Euro | PoundSterling | Yen | Rupee | Yuan | Franc | Rouble | Won | Krone | Peso)
    }
}

/// A unit: how many of the dimension's base it is worth, and where its zero lies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Unit {
    pub dimension: Dimension,
    scale: f64,
    zero: f64,
    /// `pounds` are weight or money, `degrees` of either scale: they fit more than one unit.
    is_vague: bool,
}

impl Unit {
    /// Whether it is the same unit, or may be.
    pub(crate) fn fits(&self, other: &Unit) -> bool {
        if self.is_vague || other.is_vague {
            let is_pound = |unit: &Unit| matches!(unit.dimension, Dimension::PoundSterling | Dimension::Mass);
            return self.dimension == other.dimension || (is_pound(self) && is_pound(other));
        }
        self == other
    }

    /// Whether so many of this unit are as much as so many of the other.
    pub(crate) fn is_as_much(&self, value: f64, other: &Unit, other_value: f64) -> bool {
        let mine = (value + self.zero) * self.scale;
        let theirs = (other_value + other.zero) * other.scale;
        // Kilobytes are a thousand bytes to some and 1,024 to others.
        let tolerance = if self.dimension == Dimension::Data { 0.11 } else { 0.006 };
        self.dimension == other.dimension && (mine - theirs).abs() <= tolerance * mine.abs().max(theirs.abs())
    }
}

/// The unit after the number that ends before `at`, and how many tokens it takes.
pub(crate) fn unit_after(tokens: &[Token<'_>], at: usize) -> Option<(Unit, usize)> {
    let fold = |offset: usize| tokens.get(at + offset).map_or("", |token| token.fold.as_str());
    let first = tokens.get(at)?;
    if matches!(first.joint, Joint::Mark | Joint::Comma | Joint::Start) {
        return None;
    }
    match (fold(0), fold(1)) {
        ("per", "cent") => return Some((of(Dimension::Share, 1.0), 2)),
        ("°", "c" | "celsius") | ("degree" | "degrees", "celsius" | "centigrade" | "c") => return Some((CELSIUS, 2)),
        ("°", "f" | "fahrenheit") | ("degree" | "degrees", "fahrenheit" | "f") => return Some((FAHRENHEIT, 2)),
        ("us" | "american" | "canadian" | "australian" | "hong", "dollar" | "dollars") => {
            return Some((of(Dimension::Dollar, 1.0), 2));
        }
        ("swiss", "francs" | "franc") => return Some((of(Dimension::Franc, 1.0), 2)),
        ("square" | "sq", word) => return parse_unit(word).and_then(|unit| power_of(unit, 2)).map(|unit| (unit, 2)),
        ("cubic" | "cu", word) => return parse_unit(word).and_then(|unit| power_of(unit, 3)).map(|unit| (unit, 2)),
        _ => {}
    }
    let unit = parse_unit(fold(0))?;
    let is_per = matches!(fold(1), "per" | "an" | "a") || tokens.get(at + 1).is_some_and(|t| t.joint == Joint::Slash);
    if unit.dimension == Dimension::Length && is_per {
        let skip = if matches!(fold(1), "per" | "an" | "a") { 2 } else { 1 };
        if let Some(time) = parse_unit(fold(skip)).filter(|time| time.dimension == Dimension::Time) {
            return Some((of(Dimension::Speed, unit.scale / time.scale), skip + 1));
        }
    }
    Some((unit, 1))
}

/// The currency before a number.
pub(crate) fn currency_before(token: &Token<'_>) -> Option<Unit> {
    let is_sign = matches!(token.fold.as_str(), "$" | "€" | "£" | "¥" | "₹" | "rs");
    let is_code = token.raw.len() == 3 && token.raw.chars().all(|c| c.is_ascii_uppercase());
    if is_sign || is_code { parse_unit(&token.fold).filter(|unit| unit.dimension.is_money()) } else { None }
}

/// Whether letters written against a number are a unit of theirs.
pub(crate) fn is_glued_unit(letters: &str) -> bool {
    matches!(letters, "k" | "m" | "bn" | "mn" | "tn" | "x") || parse_unit(letters).is_some()
}

/// Whether a word names a unit.
pub(crate) fn is_unit_word(fold: &str) -> bool {
    parse_unit(fold).is_some() || matches!(fold, "cent" | "square" | "cubic" | "per")
}

const fn of(dimension: Dimension, scale: f64) -> Unit {
    Unit { dimension, scale, zero: 0.0, is_vague: false }
}

const CELSIUS: Unit = of(Dimension::Temperature, 1.0);
const FAHRENHEIT: Unit = Unit { dimension: Dimension::Temperature, scale: 5.0 / 9.0, zero: -32.0, is_vague: false };

fn vague(dimension: Dimension, scale: f64) -> Unit {
    Unit { dimension, scale, zero: 0.0, is_vague: true }
}

fn power_of(unit: Unit, power: i32) -> Option<Unit> {
    let dimension = if power == 2 { Dimension::Area } else { Dimension::Volume };
    (unit.dimension == Dimension::Length).then(|| of(dimension, unit.scale.powi(power)))
}

/// The unit a word names.
fn parse_unit(fold: &str) -> Option<Unit> {
    length_or_mass(fold).or_else(|| time(fold)).or_else(|| physics(fold)).or_else(|| money(fold))
}

fn length_or_mass(fold: &str) -> Option<Unit> {
    let (dimension, scale) = match fold {
        "mm" | "millimetre" | "millimetres" | "millimeter" | "millimeters" => (Dimension::Length, 1e-3),
        "cm" | "centimetre" | "centimetres" | "centimeter" | "centimeters" => (Dimension::Length, 1e-2),
        "m" | "metre" | "metres" | "meter" | "meters" => (Dimension::Length, 1.0),
        "km" | "kms" | "kilometre" | "kilometres" | "kilometer" | "kilometers" => (Dimension::Length, 1e3),
        "inch" | "inches" => (Dimension::Length, 0.0254),
        "ft" | "foot" | "feet" => (Dimension::Length, 0.3048),
        "yd" | "yard" | "yards" => (Dimension::Length, 0.9144),
        "mi" | "mile" | "miles" => (Dimension::Length, 1609.344),
        "m2" => (Dimension::Area, 1.0),
        "km2" => (Dimension::Area, 1e6),
        "hectare" | "hectares" => (Dimension::Area, 1e4),
        "acre" | "acres" => (Dimension::Area, 4046.856),
        "m3" => (Dimension::Volume, 1.0),
        "ml" | "millilitre" | "millilitres" | "milliliter" | "milliliters" => (Dimension::Volume, 1e-6),
        "l" | "litre" | "litres" | "liter" | "liters" => (Dimension::Volume, 1e-3),
        "gallon" | "gallons" => (Dimension::Volume, 0.003_785),
        "mg" | "milligram" | "milligrams" => (Dimension::Mass, 1e-6),
        "g" | "gram" | "grams" | "gramme" | "grammes" => (Dimension::Mass, 1e-3),
        "kg" | "kgs" | "kilo" | "kilos" | "kilogram" | "kilograms" => (Dimension::Mass, 1.0),
        "tonne" | "tonnes" | "ton" | "tons" => (Dimension::Mass, 1e3),
        "lb" | "lbs" => (Dimension::Mass, 0.453_592),
        "oz" | "ounce" | "ounces" => (Dimension::Mass, 0.028_349_5),
        "pound" | "pounds" => return Some(vague(Dimension::PoundSterling, 1.0)),
        "mph" => (Dimension::Speed, 1609.344 / 3600.0),
        "kmh" | "kph" => (Dimension::Speed, 1.0 / 3.6),
        _ => return None,
    };
    Some(of(dimension, scale))
}

fn time(fold: &str) -> Option<Unit> {
    let (dimension, scale) = match fold {
        "ms" | "millisecond" | "milliseconds" => (Dimension::Time, 1e-3),
        "sec" | "secs" | "second" | "seconds" => (Dimension::Time, 1.0),
        "min" | "mins" | "minute" | "minutes" => (Dimension::Time, 60.0),
        "h" | "hr" | "hrs" | "hour" | "hours" => (Dimension::Time, 3600.0),
        "day" | "days" => (Dimension::Time, 86_400.0),
        "week" | "weeks" => (Dimension::Time, 604_800.0),
        "fortnight" | "fortnights" => (Dimension::Time, 1_209_600.0),
        "month" | "months" => (Dimension::Calendar, 1.0),
        "year" | "years" | "yr" | "yrs" => (Dimension::Calendar, 12.0),
        "decade" | "decades" => (Dimension::Calendar, 120.0),
        "century" | "centuries" => (Dimension::Calendar, 1200.0),
        "am" => (Dimension::ClockMorning, 1.0),
        "pm" => (Dimension::ClockAfternoon, 1.0),
        _ => return None,
    };
    Some(of(dimension, scale))
}

fn physics(fold: &str) -> Option<Unit> {
    let (dimension, scale) = match fold {
        "%" | "percent" | "percentage" | "pct" => (Dimension::Share, 1.0),
        "‰" => (Dimension::Share, 0.1),
        "celsius" | "centigrade" => return Some(CELSIUS),
        "fahrenheit" => return Some(FAHRENHEIT),
        "°" | "degree" | "degrees" => return Some(vague(Dimension::Temperature, 1.0)),
        "byte" | "bytes" => (Dimension::Data, 1.0),
        "kb" | "kib" | "kilobyte" | "kilobytes" => (Dimension::Data, 1e3),
        "mb" | "mib" | "megabyte" | "megabytes" => (Dimension::Data, 1e6),
        "gb" | "gib" | "gigabyte" | "gigabytes" => (Dimension::Data, 1e9),
        "tb" | "tib" | "terabyte" | "terabytes" => (Dimension::Data, 1e12),
        "watt" | "watts" => (Dimension::Power, 1.0),
        "kw" | "kilowatt" | "kilowatts" => (Dimension::Power, 1e3),
        "mw" | "megawatt" | "megawatts" => (Dimension::Power, 1e6),
        "gw" | "gigawatt" | "gigawatts" => (Dimension::Power, 1e9),
        "hp" | "horsepower" => (Dimension::Power, 745.7),
        "kwh" => (Dimension::Energy, 3.6e6),
        "joule" | "joules" => (Dimension::Energy, 1.0),
        "kcal" | "calorie" | "calories" => return Some(vague(Dimension::Energy, 4184.0)),
        "hz" | "hertz" => (Dimension::Frequency, 1.0),
        "khz" => (Dimension::Frequency, 1e3),
        "mhz" => (Dimension::Frequency, 1e6),
        "ghz" => (Dimension::Frequency, 1e9),
        "volt" | "volts" => (Dimension::Voltage, 1.0),
        "kv" => (Dimension::Voltage, 1e3),
        _ => return None,
    };
    Some(of(dimension, scale))
}

fn money(fold: &str) -> Option<Unit> {
    let dimension = match fold {
        "$" | "us$" | "usd" | "dollar" | "dollars" | "cad" | "aud" => Dimension::Dollar,
        "€" | "eur" | "euro" | "euros" => Dimension::Euro,
        "£" | "gbp" | "sterling" => Dimension::PoundSterling,
        "¥" | "jpy" | "yen" => Dimension::Yen,
        "₹" | "inr" | "rs" | "rupee" | "rupees" => Dimension::Rupee,
        "cny" | "rmb" | "yuan" => Dimension::Yuan,
        "chf" | "franc" | "francs" => Dimension::Franc,
        "rub" | "rouble" | "roubles" | "ruble" | "rubles" => Dimension::Rouble,
        "krw" => Dimension::Won,
        "krone" | "kroner" | "krona" | "kronor" | "sek" | "nok" | "dkk" => Dimension::Krone,
        "peso" | "pesos" | "mxn" => Dimension::Peso,
        _ => return None,
    };
    Some(of(dimension, 1.0))
}
