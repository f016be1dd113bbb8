//! Tokens → the dates among them, as precise as they are written.
//!
//! Invariant: "may" and "march" are months only where something beside them says so; a bare number is a year only where
//! nothing beside it says that it counts.

use std::ops::Range;

use super::{
    measures, numerals,
    token::{Joint, Token},
};

/// A date, as far as it is given.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Date {
    /// From the first to the last year it may be.
    pub years: Option<(u32, u32)>,
    /// The month, January is one; with a second reading where day and month may be swapped.
    pub month: Option<u32>,
    /// The day of the month.
    pub day: Option<u32>,
    /// The day of the week, Monday is one.
    pub weekday: Option<u32>,
    /// Day and month in digits, in an order that is not certain.
    pub may_be_swapped: bool,
    /// Its tokens.
    pub range: Range<usize>,
}

impl Date {
    /// Whether what this date says is also said by the other, or at least not denied by it.
    pub(crate) fn agrees(&self, other: &Date) -> bool {
        let years = match (self.years, other.years) {
            (Some(mine), Some(theirs)) if is_span(mine) && is_span(theirs) => mine == theirs,
            (Some(mine), Some(theirs)) => mine.0 <= theirs.1 && theirs.0 <= mine.1,
            _ => true,
        };
        let plain = is_same(self.month, other.month) && is_same(self.day, other.day);
        let swapped = (self.may_be_swapped || other.may_be_swapped)
            && is_same(self.month, other.day)
            && is_same(self.day, other.month);
        years && (plain || swapped) && is_same(self.weekday, other.weekday)
    }

    /// Whether the two say anything about the same part of a date.
    pub(crate) fn meets(&self, other: &Date) -> bool {
        (self.years.is_some() && other.years.is_some())
            || (self.month.is_some() && other.month.is_some())
            || (self.weekday.is_some() && other.weekday.is_some())
    }
}

pub(crate) const MONTHS: &[&str] = &[
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const SHORT_MONTHS: &[&str] =
    &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec", "sept"];
pub(crate) const WEEKDAYS: &[&str] = &["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const CUES: &[&str] = &[
    "in", "since", "until", "till", "by", "during", "of", "last", "next", "this", "early", "late", "mid", "from", "to",
    "between", "through", "before", "after", "every", "each", "and",
];

/// Words after which a number is a year even before a plural.
const YEAR_CUES: &[&str] = &["in", "since", "until", "during", "early", "late", "mid"];

/// The dates of a sentence, in order.
pub(crate) fn dates(tokens: &[Token<'_>]) -> Vec<Date> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let date = in_digits(tokens, at).or_else(|| with_month(tokens, at)).or_else(|| alone(tokens, at));
        match date {
            Some(date) => {
                at = date.range.end.max(at + 1);
                found.push(date);
            }
            None => at += 1,
        }
    }
    found
}

/// Whether a word names a month or a day of the week.
pub(crate) fn is_calendar_word(fold: &str) -> bool {
    MONTHS.contains(&fold) || WEEKDAYS.contains(&fold) || matches!(fold, "jan" | "feb" | "sept" | "oct" | "nov" | "dec")
}

/// Whether years run from one named year to another; a decade or a century does not.
pub(crate) fn is_span(years: (u32, u32)) -> bool {
    years.0 != years.1 && !(years.0.is_multiple_of(10) && years.1 % 10 == 9)
}

/// A year a bare number may be.
pub(crate) fn year(fold: &str) -> Option<u32> {
    let is_plain = fold.len() == 4 && fold.bytes().all(|b| b.is_ascii_digit());
    fold.parse().ok().filter(|year| is_plain && (1000..2100).contains(year))
}

fn is_same(mine: Option<u32>, theirs: Option<u32>) -> bool {
    match (mine, theirs) {
        (Some(mine), Some(theirs)) => mine == theirs,
        _ => true,
    }
}

/// 2024-05-03, 03/05/2024, 3.5.2024.
fn in_digits(tokens: &[Token<'_>], at: usize) -> Option<Date> {
    let token = tokens.get(at)?;
    let parts: Vec<&str> = token.fold.split('.').collect();
    if let [day, month, last] = parts.as_slice()
        && let (Some(year), Some(day), Some(month)) = (year(last), small(day, 31), small(month, 31))
    {
        return digital(year, day, month, at..at + 1);
    }
    let (second, third) = (tokens.get(at + 1)?, tokens.get(at + 2)?);
    let is_joined = |token: &Token<'_>| matches!(token.joint, Joint::Hyphen | Joint::Slash);
    if !is_joined(second) || second.joint != third.joint {
        return None;
    }
    let middle = small(&second.fold, 31)?;
    if let (Some(year), Some(day)) = (year(&token.fold), small(&third.fold, 31)) {
        let month = Some(middle).filter(|month| *month <= 12)?;
        return Some(Date {
            years: Some((year, year)),
            month: Some(month),
            day: Some(day),
            range: at..at + 3,
            ..Date::default()
        });
    }
    digital(year(&third.fold)?, small(&token.fold, 31)?, middle, at..at + 3)
}

fn digital(year: u32, first: u32, second: u32, range: Range<usize>) -> Option<Date> {
    let (day, month) = if second > 12 { (second, first) } else { (first, second) };
    let may_be_swapped = first <= 12 && second <= 12;
    let date =
        Date { years: Some((year, year)), month: Some(month), day: Some(day), weekday: None, may_be_swapped, range };
    (month <= 12).then_some(date)
}

fn small(fold: &str, most: u32) -> Option<u32> {
    let digits = ["st", "nd", "rd", "th"].iter().find_map(|ending| fold.strip_suffix(ending)).unwrap_or(fold);
    digits.parse().ok().filter(|value| digits.len() <= 2 && (1..=most).contains(value))
}

/// 3 May 2024, the 3rd of May, May 3rd, 2024, May 2024.
fn with_month(tokens: &[Token<'_>], at: usize) -> Option<Date> {
    let token = |offset: usize| tokens.get(at + offset);
    let day_first = token(0).and_then(day);
    let skip = match day_first {
        Some(_) if token(1).is_some_and(|next| next.fold == "of") => 2,
        Some(_) => 1,
        None => 0,
    };
    let month_token = token(skip)?;
    let month = month_of(month_token)?;
    if skip > 0 && matches!(month_token.joint, Joint::Mark | Joint::Comma) {
        return None;
    }
    let mut end = skip + 1;
    let mut day = day_first;
    if day.is_none() {
        day = token(end).filter(|next| next.joint != Joint::Mark && next.joint != Joint::Comma).and_then(self::day);
        end += usize::from(day.is_some());
    }
    let mut years = None;
    let of = usize::from(token(end).is_some_and(|next| next.fold == "of" || next.fold == "in"));
    if let Some(next) = token(end + of).filter(|next| next.joint != Joint::Mark)
        && let Some(year) = year(&next.fold)
    {
        years = Some((year, year));
        end += of + 1;
    }
    if day.is_none() && years.is_none() {
        return None;
    }
    // "They may 2000 times" has no month: in small letters both a day and a year must stand beside it.
    let is_doubtful = matches!(month_token.fold.as_str(), "may" | "march" | "mar" | "dec" | "jan" | "sep");
    if is_doubtful && !month_token.is_capital() && (day.is_none() || years.is_none()) {
        return None;
    }
    Some(Date { years, month: Some(month), day, range: at..at + end, ..Date::default() })
}

fn day(token: &Token<'_>) -> Option<u32> {
    small(&token.fold, 31)
}

fn month_of(token: &Token<'_>) -> Option<u32> {
    let fold = token.fold.as_str();
    let at = MONTHS.iter().position(|month| *month == fold).or_else(|| {
        let short = SHORT_MONTHS.iter().position(|month| *month == fold);
        short.map(|at| if at == 12 { 8 } else { at })
    })?;
    u32::try_from(at + 1).ok()
}

/// A month, a weekday, a decade or a year without company.
fn alone(tokens: &[Token<'_>], at: usize) -> Option<Date> {
    let token = tokens.get(at)?;
    let before = at.checked_sub(1).and_then(|before| tokens.get(before));
    let range = at..at + 1;
    let fold = token.fold.as_str();
    if let Some(weekday) = WEEKDAYS.iter().position(|day| *day == fold.strip_suffix('s').unwrap_or(fold)) {
        return Some(Date { weekday: u32::try_from(weekday + 1).ok(), range, ..Date::default() });
    }
    if MONTHS.contains(&fold) {
        let is_doubtful = matches!(fold, "may" | "march" | "august");
        let is_cued = before.is_some_and(|before| CUES.contains(&before.fold.as_str()));
        let is_month = !is_doubtful || (token.is_capital() && is_cued);
        return is_month.then(|| Date { month: month_of(token), range, ..Date::default() });
    }
    if let Some(start) = fold.strip_suffix('s').and_then(year).filter(|start| start % 10 == 0) {
        let end = if start % 100 == 0 { start + 99 } else { start + 9 };
        return Some(Date { years: Some((start, end)), range, ..Date::default() });
    }
    let start = year(fold).filter(|_| is_year(tokens, at))?;
    // 2019-20 and 2019-2021 are two years, the second often cut short.
    let next = tokens.get(at + 1).filter(|next| matches!(next.joint, Joint::Hyphen | Joint::Slash));
    if let Some(short) = next.filter(|next| next.fold.len() == 2).and_then(|next| next.fold.parse::<u32>().ok()) {
        let end = start - start % 100 + short;
        if end > start && end - start < 20 {
            return Some(Date { years: Some((start, end)), range: at..at + 2, ..Date::default() });
        }
    }
    Some(Date { years: Some((start, start)), range, ..Date::default() })
}

/// Whether nothing beside the number says that it counts something.
fn is_year(tokens: &[Token<'_>], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| tokens.get(before));
    let next = tokens.get(at + 1).filter(|next| !matches!(next.joint, Joint::Mark | Joint::Comma));
    let is_counted = next.is_some_and(|next| {
        let fold = next.fold.as_str();
        measures::is_unit_word(fold)
            || numerals::magnitude(fold).is_some()
            || (next.joint == Joint::Space && is_plural(next))
            || matches!(next.joint, Joint::Touching)
    });
    let is_loosened = before.is_some_and(|before| {
        measures::currency_before(before).is_some()
            || matches!(before.fold.as_str(), "over" | "than" | "about" | "approximately" | "nearly" | "least" | "only")
    });
    let is_cued = before.is_some_and(|before| YEAR_CUES.contains(&before.fold.as_str()));
    !is_loosened && (!is_counted || (is_cued && !next.is_some_and(|next| measures::is_unit_word(&next.fold))))
}

fn is_plural(token: &Token<'_>) -> bool {
    let fold = token.fold.as_str();
    let ends = fold.len() > 3 && fold.ends_with('s') && !fold.ends_with("ss") && !token.is_capital();
    ends || matches!(fold, "people" | "men" | "women" | "children" | "of")
}

#[cfg(test)]
mod tests {
    use super::{super::tokens::tokens, dates};

    fn check(text: &str, expected: &[(Option<u32>, Option<u32>, Option<u32>)]) {
        let found: Vec<_> =
            dates(&tokens(text)).iter().map(|date| (date.years.map(|years| years.0), date.month, date.day)).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn several_notations_are_one_date() {
        for text in ["on 2024-05-03", "3 May 2024", "May 3rd, 2024", "the 3rd of May 2024", "03.05.2024", "May 3 2024"]
        {
            check(text, &[(Some(2024), Some(5), Some(3))]);
        }
    }

    #[test]
    fn may_and_march_are_months_only_in_company() {
        check("They may march to Rome.", &[]);
        check("It opened in May.", &[(None, Some(5), None)]);
        check("The March of Progress", &[]);
    }

    #[test]
    fn a_number_that_counts_is_no_year() {
        check("1500 tons and 2000 people and over 1900", &[]);
        check("the 2008 election in 1999", &[(Some(2008), None, None), (Some(1999), None, None)]);
    }
}
