//! A sentence → the same with another year, decade, month or weekday.
//!
//! Invariant: the new one is nowhere in the document, does not follow from the old one, and keeps its place in the
//! order of the sentence's years; a date that is part of a name or a citation is left alone.

use std::collections::BTreeSet;

use super::{
    dice::Dice,
    names::FUNCTION_WORDS,
    sentence::{Sentence, Token, is_listed},
};

const DRAWS_MAX: usize = 64;
/// Later years have not come.
const YEAR_MAX: u32 = 2_024;
const YEAR_STEP_MAX: u32 = 30;

const MONTHS: &[&str] = &[
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
/// Months in which every day of a month exists.
const LONG_MONTHS: &[&str] = &["January", "March", "May", "July", "August", "October", "December"];
const WEEKDAYS: &[&str] = &["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// Words before a year, a month or a weekday that is a date.
const LEADING: &str = "\
    in of since until till by from to during before after early late mid year and on every each last next \
    through the around about circa summer spring autumn fall winter begun began a this";

/// Words after which only a later year says something else.
const LATER: &str = "after until till through";
/// Words after which only an earlier year says something else.
const EARLIER: &str = "before by since";

/// What a date token writes.
#[derive(Clone, Copy)]
enum Dated {
    Year(u32),
    Decade(u32),
    Month,
    Weekday,
}

/// Another date in the place of one that can be changed.
pub(super) fn alter(sentence: &Sentence<'_>, document: &str, dice: &mut Dice) -> Option<String> {
    let spots: Vec<(usize, Dated)> =
        (0..sentence.tokens.len()).filter_map(|at| Some((at, dated(sentence, at)?))).collect();
    if spots.is_empty() {
        return None;
    }
    let known: BTreeSet<String> =
        document.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase).filter(|word| !word.is_empty()).collect();
    dice.shuffled(spots).into_iter().find_map(|(at, dated)| {
        let token = sentence.tokens.get(at)?;
        let other = (0..DRAWS_MAX).find_map(|_| {
            let drawn = draw(sentence, at, dated, dice)?;
            (drawn != token.core && !known.contains(&drawn.to_lowercase())).then_some(drawn)
        })?;
        sentence.with(token.range.clone(), &other)
    })
}

/// The date at a token, unless it is part of a name.
fn dated(sentence: &Sentence<'_>, at: usize) -> Option<Dated> {
    let token = sentence.tokens.get(at).filter(|token| token.is_plain)?;
    let found = read(token)?;
    let before = sentence.before(at);
    let is_after_month = before.is_some_and(is_month) || follows_month_and_day(sentence, at);
    let is_led = before.is_some_and(|before| is_listed(LEADING, &before.lower));
    let is_beside_day = before.is_some_and(is_day) || sentence.after(at).is_some_and(is_day);
    let is_named_after = sentence.after(at).is_some_and(|after| after.is_capital() && !is_month(after));
    let is_directed = sentence.clause_before(at).take(3).any(|word| is_listed(LATER, word) || is_listed(EARLIER, word));
    let is_date = match found {
        Dated::Year(_) => (is_led && !is_count(sentence, at)) || is_after_month,
        Dated::Decade(_) => is_led && !is_directed,
        Dated::Month => (is_beside_day || is_led) && !is_directed,
        Dated::Weekday => is_led || at == 0,
    };
    let is_span = before.is_some_and(|before| before.lower == "between") || is_end_of_between(sentence, at);
    (is_date && !is_named_after && !is_span).then_some(found)
}

/// Whether the figure counts what stands after it, as in `the 1000 nodes`.
fn is_count(sentence: &Sentence<'_>, at: usize) -> bool {
    let is_dated = sentence.before(at).is_some_and(|before| matches!(&*before.lower, "in" | "a" | "since" | "year"));
    !is_dated && sentence.after(at).is_some_and(|after| !is_listed(FUNCTION_WORDS, &after.lower))
}

fn read(token: &Token<'_>) -> Option<Dated> {
    let year = |digits: &str| digits.parse().ok().filter(|year| digits.len() == 4 && (1_000..=YEAR_MAX).contains(year));
    if let Some(year) = year(token.core) {
        return Some(Dated::Year(year));
    }
    if let Some(decade) = token.core.strip_suffix('s').and_then(year).filter(|year| year.is_multiple_of(10)) {
        return Some(Dated::Decade(decade));
    }
    match token {
        token if is_month(token) => Some(Dated::Month),
        token if WEEKDAYS.contains(&token.core) => Some(Dated::Weekday),
        _ => None,
    }
}

fn is_month(token: &Token<'_>) -> bool {
    MONTHS.contains(&token.core)
}

fn is_day(token: &Token<'_>) -> bool {
    day(token).is_some() || token.core.parse::<u32>().is_ok_and(|year| (1_000..=YEAR_MAX).contains(&year))
}

fn day(token: &Token<'_>) -> Option<u32> {
    let digits = token.core.trim_end_matches(|c: char| c.is_ascii_lowercase());
    digits.parse().ok().filter(|day| (1..=31).contains(day))
}

/// Whether the year stands after `May 3,` or `3 May`.
fn follows_month_and_day(sentence: &Sentence<'_>, at: usize) -> bool {
    let back = |count: usize| at.checked_sub(count).and_then(|at| sentence.tokens.get(at));
    back(1).is_some_and(|token| day(token).is_some() && token.trail == ",") && back(2).is_some_and(is_month)
}

fn is_end_of_between(sentence: &Sentence<'_>, at: usize) -> bool {
    let is_after_and = sentence.before(at).is_some_and(|before| before.lower == "and");
    is_after_and && sentence.clause_before(at).take(4).any(|word| word == "between")
}

fn draw(sentence: &Sentence<'_>, at: usize, dated: Dated, dice: &mut Dice) -> Option<String> {
    match dated {
        Dated::Year(year) => year_like(sentence, at, year, dice).map(|year| year.to_string()),
        Dated::Decade(decade) => {
            let other = decade / 100 * 100 + 10 * u32::try_from(dice.below(10)).ok()?;
            (other != decade && other <= YEAR_MAX).then(|| format!("{other}s"))
        }
        Dated::Month => {
            let days = [sentence.before(at), sentence.after(at)].into_iter().flatten().filter_map(day).max();
            pick(if days.unwrap_or(1) > 28 { LONG_MONTHS } else { MONTHS }, dice)
        }
        Dated::Weekday => pick(WEEKDAYS, dice),
    }
}

fn pick(words: &[&str], dice: &mut Dice) -> Option<String> {
    words.get(dice.below(words.len() as u64) as usize).map(|word| (*word).to_owned())
}

/// Another year that the old one does not imply, on the same side of every other year of the sentence.
fn year_like(sentence: &Sentence<'_>, at: usize, year: u32, dice: &mut Dice) -> Option<u32> {
    let step = 1 + u32::try_from(dice.below(u64::from(YEAR_STEP_MAX))).ok()?;
    let directed = sentence.clause_before(at).take(3).find(|word| is_listed(LATER, word) || is_listed(EARLIER, word));
    let is_later = directed.map_or_else(|| dice.below(2) == 0, |word| is_listed(LATER, word));
    let is_rough = sentence.clause_before(at).take(2).any(|word| matches!(word, "around" | "about" | "circa"));
    let other = if is_later { year + step } else { year - step };
    let keeps_order = sentence
        .tokens
        .iter()
        .filter_map(|token| token.core.parse::<u32>().ok())
        .all(|known| known == year || !(1_000..=YEAR_MAX).contains(&known) || (known < year) == (known < other));
    (keeps_order && other <= YEAR_MAX && (!is_rough || step >= 10)).then_some(other)
}
