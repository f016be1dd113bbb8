//! Tokens → the numeric figures among them, with their units and the words that loosen them.
//!
//! Invariant: a figure's range covers all its tokens and no other's; a pronoun or an article is no figure of a claim.

use std::ops::Range;

use super::{
    measures::{self, Unit},
    numerals::{self, Spelled},
    token::{Joint, Token},
};

/// What a writer may count without being told.
const COUNTED_MAX: f64 = 10.0;

/// How the words before a figure loosen it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slack {
    /// The figure itself.
    None,
    /// About, nearly, roughly.
    Near,
    /// Over, more than, at least.
    AtLeast,
    /// Under, less than, up to.
    AtMost,
}

/// A number in a text.
#[derive(Debug, Clone)]
pub(crate) struct Figure {
    /// Its value.
    pub value: f64,
    /// What it counts, if that is a known unit.
    pub unit: Option<Unit>,
    /// Its tokens, the unit's included.
    pub range: Range<usize>,
    /// How it is loosened.
    pub slack: Slack,
    /// How much its absence from the evidence says.
    pub firmness: Firmness,
}

/// How much a figure is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Firmness {
    /// A number that stands in the evidence or is an invention.
    Firm,
    /// A small number in letters, which a writer may have counted: only another in its place speaks against it.
    Counted,
    /// A word such as "first", "one" or "both", often no count at all.
    Soft,
}

/// A number and how many tokens it takes.
struct Read {
    value: f64,
    length: usize,
    firmness: Firmness,
}

/// The figures of a sentence; tokens within `taken` belong to something else.
pub(crate) fn figures(tokens: &[Token<'_>], taken: &[Range<usize>]) -> Vec<Figure> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let next = taken.partition_point(|range| range.end <= at);
        if let Some(other) = taken.get(next).filter(|range| range.contains(&at)) {
            at = other.end;
            continue;
        }
        let Some(read) = number_at(tokens, at) else {
            at += 1;
            continue;
        };
        let figure = with_unit(tokens, at, &read);
        at = figure.range.end.max(at + 1);
        found.push(figure);
    }
    found
}

fn with_unit(tokens: &[Token<'_>], at: usize, read: &Read) -> Figure {
    let mut start = at;
    let mut end = at + read.length;
    let mut unit = None;
    if let Some(before) = at.checked_sub(1)
        && tokens.get(at).is_some_and(|token| matches!(token.joint, Joint::Touching | Joint::Space))
        && let Some(currency) = tokens.get(before).and_then(measures::currency_before)
    {
        unit = Some(currency);
        start = before;
    }
    let mut value = read.value;
    let ending = tokens.get(end).filter(|token| token.joint == Joint::Touching).map(|token| token.fold.as_str());
    if ending == Some("k") || (ending == Some("m") && unit.is_some()) {
        value *= if ending == Some("k") { 1e3 } else { 1e6 };
        end += 1;
    } else if ending == Some("x") {
        end += 1;
    }
    if unit.is_none()
        && let Some((after, length)) = measures::unit_after(tokens, end)
    {
        unit = Some(after);
        end += length;
    }
    Figure { value, unit, range: start..end, slack: slack_before(tokens, start), firmness: read.firmness }
}

fn number_at(tokens: &[Token<'_>], at: usize) -> Option<Read> {
    let token = tokens.get(at)?;
    if token.is_address {
        return None;
    }
    if let Some(value) = numerals::digits(&token.fold) {
        return Some(digits_at(tokens, at, value));
    }
    let soft = |value: f64| Some(Read { value, length: 1, firmness: Firmness::Soft });
    match token.fold.as_str() {
        "half" => return Some(half_at(tokens, at)),
        "dozen" => return Some(Read { value: 12.0, length: 1, firmness: Firmness::Firm }),
        "twice" | "double" | "doubled" | "pair" | "couple" | "both" | "twin" | "duo" => return soft(2.0),
        "once" | "single" | "sole" => return soft(1.0),
        "triple" | "tripled" | "trio" | "thrice" => return soft(3.0),
        "a" | "an" if measures::unit_after(tokens, at + 1).is_some() => return soft(1.0),
        _ => {}
    }
    spelled_at(tokens, at)
        .or_else(|| numerals::ordinal(&token.fold).and_then(soft))
        .or_else(|| numerals::roman(token.raw).and_then(soft))
}

/// A number in digits: a fraction, groups of three apart, a magnitude after it.
fn digits_at(tokens: &[Token<'_>], at: usize, value: f64) -> Read {
    let next = tokens.get(at + 1);
    let plain = |token: &Token<'_>| token.fold.bytes().all(|b| b.is_ascii_digit());
    if let Some(below) = next.filter(|next| next.joint == Joint::Slash && plain(next) && next.raw.len() <= 3)
        && tokens.get(at).is_some_and(plain)
        && let Some(below) = numerals::digits(&below.fold).filter(|below| *below > value)
        && tokens.get(at + 2).is_none_or(|token| token.joint != Joint::Slash)
    {
        return Read { value: value / below, length: 2, firmness: Firmness::Firm };
    }
    let (mut value, mut length) = (value, 1);
    if tokens.get(at).is_some_and(|token| plain(token) && token.raw.len() <= 3) {
        let is_group = |token: &&Token<'_>| plain(token) && token.raw.len() == 3;
        while let Some(group) = tokens.get(at + length).filter(is_group)
            && is_one_blank(tokens, at + length)
        {
            value = value * 1e3 + numerals::digits(&group.fold).unwrap_or(0.0);
            length += 1;
        }
    }
    let (factor, more) = magnitude_at(tokens, at + length);
    let extra = half_after(tokens, at + length);
    if extra > 0 {
        let (factor, more) = magnitude_at(tokens, at + length + extra);
        return Read { value: (value + 0.5) * factor, length: length + extra + more, firmness: Firmness::Firm };
    }
    Read { value: value * factor, length: length + more, firmness: Firmness::Firm }
}

/// Whether a blank alone parts the token from the one before it.
fn is_one_blank(tokens: &[Token<'_>], at: usize) -> bool {
    let (Some(before), Some(token)) = (at.checked_sub(1).and_then(|at| tokens.get(at)), tokens.get(at)) else {
        return false;
    };
    token.joint == Joint::Space && token.range.start.saturating_sub(before.range.end) <= 3
}

fn magnitude_at(tokens: &[Token<'_>], at: usize) -> (f64, usize) {
    match tokens.get(at).filter(|token| !matches!(token.joint, Joint::Mark | Joint::Comma)) {
        Some(token) if token.fold == "hundred" => (100.0, 1),
        Some(token) if token.fold == "dozen" => (12.0, 1),
        Some(token) => numerals::magnitude(&token.fold).map_or((1.0, 0), |factor| (factor, 1)),
        None => (1.0, 0),
    }
}

/// "and a half": three tokens, or none.
fn half_after(tokens: &[Token<'_>], at: usize) -> usize {
    let words: Vec<&str> = tokens.iter().skip(at).take(3).map(|token| token.fold.as_str()).collect();
    if words == ["and", "a", "half"] { 3 } else { 0 }
}

fn half_at(tokens: &[Token<'_>], at: usize) -> Read {
    let is_article = tokens.get(at + 1).is_some_and(|token| matches!(token.fold.as_str(), "a" | "an"));
    let skip = if is_article { 2 } else { 1 };
    let (factor, more) = magnitude_at(tokens, at + skip);
    if more > 0 {
        return Read { value: 0.5 * factor, length: skip + more, firmness: Firmness::Firm };
    }
    // "Half an hour" is half of one; "half of them" stays a share.
    let length = if is_article && measures::unit_after(tokens, at + 2).is_some() { 2 } else { 1 };
    Read { value: 0.5, length, firmness: Firmness::Soft }
}

/// A number in words, as far as they go on making one.
fn spelled_at(tokens: &[Token<'_>], at: usize) -> Option<Read> {
    let (mut total, mut part) = (0.0, 0.0);
    let mut length = 0;
    let mut is_ordinal = false;
    while let Some(token) = tokens.get(at + length) {
        if length > 0 && matches!(token.joint, Joint::Mark | Joint::Comma | Joint::Slash) {
            break;
        }
        match numerals::spelled(&token.fold) {
            Some(Spelled::Small(value))
                if length == 0 || (part % 10.0 == 0.0 && part % 100.0 != 10.0 && value > 0.0) =>
            {
                if length > 0 && value > 9.0 && part % 100.0 != 0.0 {
                    break;
                }
                part += value;
            }
            Some(Spelled::Tens(value)) if part % 100.0 == 0.0 => part += value,
            Some(Spelled::Hundred) if part < 100.0 => part = f64::max(part, 1.0) * 100.0,
            Some(Spelled::Magnitude(factor)) => {
                total += f64::max(part, 1.0) * factor;
                part = 0.0;
            }
            Some(_) => break,
            None if length > 0 && token.fold == "and" && goes_on(tokens, at + length, part + total) => {}
            None => {
                let last =
                    numerals::ordinal(&token.fold).filter(|last| length > 0 && part % 10.0 == 0.0 && *last < 10.0);
                if let Some(last) = last.filter(|_| part > 0.0 && (token.joint == Joint::Hyphen || part >= 20.0)) {
                    part += last;
                    length += 1;
                    is_ordinal = true;
                }
                break;
            }
        }
        length += 1;
    }
    if length == 0 {
        return None;
    }
    let value = total + part;
    // "Thousands of" and "millions" alone name no figure.
    if length == 1 && tokens.get(at).is_some_and(|t| numerals::magnitude(&t.fold).is_some() && t.fold.ends_with('s')) {
        return None;
    }
    if !is_ordinal && let Some(fraction) = fraction_at(tokens, at + length, value) {
        return Some(Read { value: fraction, length: length + 1, firmness: Firmness::Firm });
    }
    let extra = half_after(tokens, at + length);
    if extra > 0 {
        let (factor, more) = magnitude_at(tokens, at + length + extra);
        return Some(Read { value: (value + 0.5) * factor, length: length + extra + more, firmness: Firmness::Firm });
    }
    let firmness = match value {
        _ if value <= 1.0 && measures::unit_after(tokens, at + length).is_none() => Firmness::Soft,
        _ if value <= COUNTED_MAX => Firmness::Counted,
        _ => Firmness::Firm,
    };
    Some(Read { value, length, firmness })
}

/// Whether "and" leads on inside a number: one hundred and five, not two hundred and a thousand more.
fn goes_on(tokens: &[Token<'_>], at: usize, so_far: f64) -> bool {
    let next = tokens.get(at + 1).and_then(|token| numerals::spelled(&token.fold));
    so_far >= 100.0 && so_far % 100.0 == 0.0 && matches!(next, Some(Spelled::Small(_) | Spelled::Tens(_)))
}

/// Two thirds, one fifth, three-quarters.
fn fraction_at(tokens: &[Token<'_>], at: usize, above: f64) -> Option<f64> {
    let token = tokens.get(at).filter(|token| matches!(token.joint, Joint::Space | Joint::Hyphen))?;
    let is_plural = token.fold.ends_with('s');
    let below = numerals::denominator(&token.fold)?;
    let is_part = token.fold == "half" || tokens.get(at + 1).is_some_and(|next| next.fold == "of");
    ((above > 1.0 && is_plural && above < below) || (above == 1.0 && !is_plural && is_part)).then_some(above / below)
}

/// What the one to three tokens before a figure say about it.
fn slack_before(tokens: &[Token<'_>], at: usize) -> Slack {
    let word = |back: usize| at.checked_sub(back).and_then(|at| tokens.get(at)).map_or("", |token| token.fold.as_str());
    let (third, second, first) = (word(3), word(2), word(1));
    match (third, second, first) {
        ("no" | "not", "more" | "greater" | "later" | "longer" | "larger" | "higher" | "older", "than") => {
            Slack::AtMost
        }
        ("no" | "not", "less" | "fewer" | "earlier" | "shorter" | "smaller" | "lower" | "younger", "than") => {
            Slack::AtLeast
        }
        (_, "more" | "greater" | "larger" | "higher" | "longer" | "older", "than") => Slack::AtLeast,
        (_, "less" | "fewer" | "smaller" | "lower" | "shorter" | "younger", "than") => Slack::AtMost,
        (_, "at", "least") | (_, "well", "over") => Slack::AtLeast,
        (_, "at", "most") | (_, "up", "to") => Slack::AtMost,
        (_, "close", "to") => Slack::Near,
        (_, _, "over" | "above" | "exceeding" | "exceeded" | ">" | "≥" | "minimum") => Slack::AtLeast,
        (_, _, "under" | "below" | "<" | "≤" | "maximum") => Slack::AtMost,
        (
            _,
            _,
            "about" | "around" | "approximately" | "approx" | "roughly" | "nearly" | "almost" | "some" | "circa",
        ) => Slack::Near,
        (_, _, "ca" | "c" | "~" | "estimated" | "near") => Slack::Near,
        _ => Slack::None,
    }
}
