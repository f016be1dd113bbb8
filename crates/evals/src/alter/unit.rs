//! A sentence → the same with another unit at a figure.
//!
//! Invariant: the document does not have the figure with the new unit, and what the sentence then says does not follow
//! from what it said.

use super::{
    dice::Dice,
    figure::{Bound, bound, is_paired, value},
    sentence::{Sentence, Token, is_listed},
};

/// Units of one quantity, each with one and many and its size, smallest first.
type Family = &'static [(&'static str, &'static str, f64)];

const FAMILIES: &[Family] = &[
    &[
        ("millisecond", "milliseconds", 0.001),
        ("second", "seconds", 1.0),
        ("minute", "minutes", 60.0),
        ("hour", "hours", 3_600.0),
        ("day", "days", 86_400.0),
        ("week", "weeks", 604_800.0),
        ("month", "months", 2_592_000.0),
        ("year", "years", 31_536_000.0),
    ],
    &[
        ("millimetre", "millimetres", 0.001),
        ("centimetre", "centimetres", 0.01),
        ("metre", "metres", 1.0),
        ("kilometre", "kilometres", 1_000.0),
    ],
    &[
        ("millimeter", "millimeters", 0.001),
        ("centimeter", "centimeters", 0.01),
        ("meter", "meters", 1.0),
        ("kilometer", "kilometers", 1_000.0),
    ],
    &[("inch", "inches", 0.0254), ("foot", "feet", 0.3048), ("yard", "yards", 0.9144), ("mile", "miles", 1_609.0)],
    &[("mm", "mm", 0.001), ("cm", "cm", 0.01), ("m", "m", 1.0), ("km", "km", 1_000.0)],
    &[("ft", "ft", 0.3048), ("yd", "yd", 0.9144), ("mi", "mi", 1_609.0)],
    &[("gram", "grams", 0.001), ("kilogram", "kilograms", 1.0), ("tonne", "tonnes", 1_000.0)],
    &[("ounce", "ounces", 0.028), ("pound", "pounds", 0.45), ("ton", "tons", 1_000.0)],
    &[("mg", "mg", 0.001), ("g", "g", 1.0), ("kg", "kg", 1_000.0)],
    &[("acre", "acres", 4_047.0), ("hectare", "hectares", 10_000.0)],
    &[("millilitre", "millilitres", 0.001), ("litre", "litres", 1.0)],
    &[("milliliter", "milliliters", 0.001), ("liter", "liters", 1.0), ("gallon", "gallons", 3.8)],
    &[("μm", "μm", 0.001), ("mm", "mm", 1.0)],
    &[("ml", "ml", 1.0), ("l", "l", 1_000.0)],
    &[("bit", "bits", 1.0), ("byte", "bytes", 8.0), ("kilobyte", "kilobytes", 8e3), ("megabyte", "megabytes", 8e6)],
    &[("KB", "KB", 1.0), ("MB", "MB", 1e3), ("GB", "GB", 1e6), ("TB", "TB", 1e9)],
    &[("KiB", "KiB", 1.0), ("MiB", "MiB", 1e3), ("GiB", "GiB", 1e6), ("TiB", "TiB", 1e9)],
    &[("ms", "ms", 0.001), ("s", "s", 1.0)],
    &[("thousand", "thousand", 1e3), ("million", "million", 1e6), ("billion", "billion", 1e9)],
    &[("cent", "cents", 0.01), ("dollar", "dollars", 1.0)],
    &[("km/h", "km/h", 1.0), ("mph", "mph", 1.6)],
    &[("watt", "watts", 1.0), ("kilowatt", "kilowatts", 1e3), ("megawatt", "megawatts", 1e6)],
    &[("kW", "kW", 1.0), ("MW", "MW", 1e3), ("GW", "GW", 1e6)],
    &[("Hz", "Hz", 1.0), ("kHz", "kHz", 1e3), ("MHz", "MHz", 1e6), ("GHz", "GHz", 1e9)],
    &[("volt", "volts", 1.0), ("kilovolt", "kilovolts", 1e3)],
];

/// Words before which `5 dollars` stands as well as `5 percent` does.
const AFTER_AMOUNT: &str = "in by to from since during between at for on when while after before";

/// A unit that can change: the bytes it fills and what may stand there.
struct Spot {
    range: std::ops::Range<usize>,
    others: Vec<String>,
}

/// Another unit in the place of one that can be changed.
pub(super) fn alter(sentence: &Sentence<'_>, document: &str, dice: &mut Dice) -> Option<String> {
    let spots: Vec<Spot> = (0..sentence.tokens.len()).filter_map(|at| spot(sentence, document, at)).collect();
    let spot = dice.shuffled(spots).into_iter().next()?;
    let other = spot.others.get(dice.below(spot.others.len() as u64) as usize)?;
    sentence.with(spot.range, other)
}

/// The unit at the figure at a token.
fn spot(sentence: &Sentence<'_>, document: &str, at: usize) -> Option<Spot> {
    let token = sentence.tokens.get(at).filter(|token| token.is_plain && !token.lead.contains('('))?;
    // What stands in brackets says the same again in another unit.
    let is_bracketed = at.checked_sub(1).and_then(|at| sentence.tokens.get(at)).is_some_and(|t| t.trail.ends_with('('));
    if is_bracketed || sentence.is_in_formula(at) {
        return None;
    }
    let bound = bound(sentence, at)?;
    let found = if let Some((figure, unit)) = token.core.split_once('-') {
        value(&figure.to_lowercase())?;
        joined(token.range.clone(), figure, unit, bound)
    } else {
        value(&token.lower)?;
        if is_paired(sentence, at) {
            return None;
        }
        money(sentence, at, bound).or_else(|| apart(sentence, at, bound))
    }?;
    let known = document.to_lowercase();
    let figure = token.lower.split('-').next().unwrap_or_default();
    let is_new = |unit: &String| {
        let unit = unit.to_lowercase();
        let forms = [format!("{figure} {unit}"), format!("{figure}-{unit}"), format!("{unit}{figure}")];
        let is_known_amount = unit.starts_with('$') && unit.len() > 1 && known.contains(&unit);
        !is_known_amount && !forms.iter().any(|form| known.contains(form))
    };
    let others: Vec<String> = found.others.into_iter().filter(is_new).collect();
    (!others.is_empty()).then_some(Spot { range: found.range, others })
}

/// The unit of `30-day`.
fn joined(range: std::ops::Range<usize>, figure: &str, unit: &str, bound: Bound) -> Option<Spot> {
    let others = like(unit, bound)?.into_iter().filter(|other| !other.ends_with("second")).collect();
    Some(Spot { range: range.start + figure.len() + 1..range.end, others })
}

/// The sign of `$5`, or the percent of an amount that could be one of money.
fn money(sentence: &Sentence<'_>, at: usize, bound: Bound) -> Option<Spot> {
    let token = sentence.tokens.get(at)?;
    if let Some(sign) = token.lead.chars().last().filter(|sign| matches!(sign, '$' | '€' | '£')) {
        // About as many dollars may well be about as many euros.
        if bound != Bound::Exact {
            return None;
        }
        let others = ["$", "€", "£"].into_iter().filter(|other| !other.starts_with(sign)).map(str::to_owned).collect();
        return Some(Spot { range: token.range.start - sign.len_utf8()..token.range.start, others });
    }
    if token.trail.starts_with('%') {
        let is_amount = token.trail != "%" || sentence.after(at).is_some_and(is_after_amount);
        let whole = format!("${}", token.core);
        let others = vec![whole];
        return is_amount.then_some(Spot { range: token.range.start..token.range.end + 1, others });
    }
    let unit = sentence.after(at).filter(|after| after.lower == "percent")?;
    let is_amount = !unit.trail.is_empty() || sentence.after(at + 1).is_some_and(is_after_amount);
    is_amount.then(|| Spot { range: unit.range.clone(), others: vec!["dollars".to_owned()] })
}

fn is_after_amount(token: &Token<'_>) -> bool {
    is_listed(AFTER_AMOUNT, &token.lower)
}

/// The unit of `5 km`.
fn apart(sentence: &Sentence<'_>, at: usize, bound: Bound) -> Option<Spot> {
    let unit = sentence.after(at).filter(|after| after.is_plain || after.core == "km/h")?;
    let next = sentence.after(at + 1);
    // `24 hours a day` and `5 pounds per square inch` would measure nothing.
    let is_rate = next.is_some_and(|next| matches!(&*next.lower, "a" | "an" | "per" | "each" | "every" | "old"));
    let is_money = matches!(&*unit.lower, "pounds" | "pound") && next.is_some_and(|next| next.lower == "sterling");
    // `two second prizes` counts no seconds.
    let is_one = FAMILIES.iter().any(|family| family.iter().any(|(one, many, _)| one != many && *one == unit.core));
    if unit.trail.contains('/') || is_rate || is_money || is_one {
        return None;
    }
    Some(Spot { range: unit.range.clone(), others: like(unit.core, bound)? })
}

/// The units beside a unit in its family that the bound does not let follow.
fn like(unit: &str, bound: Bound) -> Option<Vec<String>> {
    let family = FAMILIES.iter().find(|family| family.iter().any(|(one, many, _)| *one == unit || *many == unit))?;
    let at = family.iter().position(|(one, many, _)| *one == unit || *many == unit)?;
    let (old_one, _, old_size) = family.get(at)?;
    let beside = [at.checked_sub(1), Some(at + 1)].into_iter().flatten().filter_map(|at| family.get(at));
    let others = beside.filter(|(_, _, size)| bound.forbids(*old_size, *size));
    let others: Vec<String> =
        others.map(|(one, many, _)| if unit == *old_one { *one } else { *many }.to_owned()).collect();
    (!others.is_empty()).then_some(others)
}
