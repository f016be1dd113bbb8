//! Words → the time documents must be from: "dated 2026", "since March 2024", "between 2023 and 2025".
//!
//! Times are kept as the beginnings of ISO dates, so that a year, a month and a day compare alike.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use crate::reading::calendar::MONTHS;

/// A year, a month of it, or a day.
const TIME: &str = r"((?:19|20)\d\d(?:-\d\d(?:-\d\d)?)?|(?:january|february|march|april|may|june|july|august|september|october|november|december) (?:19|20)\d\d)";
/// What documents are said to have been done to, in front of a time.
const DONE: &str = r"(?:(?:that |which )?(?:are |were |was |is )?(?P<done>dated|made|taken|written|published|adopted|recorded|issued|created|dating|dates?)\s?)?";

/// From when to when; both ends belong to it, as long as each is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DateSpan {
    from: Option<End>,
    until: Option<End>,
    /// As it is told again: "2026", "since 2024".
    pub said: String,
}

/// The beginning of an ISO date, and whether what begins so belongs to the span.
#[derive(Debug, Clone, PartialEq, Eq)]
struct End {
    time: String,
    is_included: bool,
}

static FORMS: LazyLock<Vec<(Regex, Form)>> = LazyLock::new(|| {
    let done = format!("(?:^| ){DONE}");
    let forms = [
        (format!(r"{done}between {TIME} and {TIME}(?: |$)"), Form::Between),
        (format!(r"{done}from {TIME} (?:to|until|till|through) {TIME}(?: |$)"), Form::Between),
        (format!(r"{done}(?:since|from {TIME} on(?:wards?)?) ?{TIME}?(?: |$)"), Form::Since),
        (format!(r"{done}(?:after|later than|newer than) {TIME}(?: |$)"), Form::After),
        (format!(r"{done}(?:before|earlier than|older than) {TIME}(?: |$)"), Form::Before),
        (format!(r"{done}(?:until|till|up to) {TIME}(?: |$)"), Form::Until),
        (format!(r"{done}(?:in|from|of|during|on|for)?\s?{TIME}(?: |$)"), Form::In),
    ];
    forms.into_iter().filter_map(|(pattern, form)| Some((Regex::new(&pattern).ok()?, form))).collect()
});

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Between,
    Since,
    After,
    Before,
    Until,
    In,
}

impl DateSpan {
    /// What is left of bare words when the time in them is taken out, and the time.
    pub(super) fn take_from(said: &str) -> (String, Option<Self>) {
        Self::take(said, |_| true)
    }

    /// The same for a topic: a time in it is the documents' where it is all there is, or where it says so ("dated").
    pub(super) fn take_told_from(topic: &str) -> (String, Option<Self>) {
        Self::take(topic, |captures| {
            captures.name("done").is_some() || captures.get(0).is_some_and(|all| all.as_str().len() == topic.len())
        })
    }

    fn take(said: &str, counts: impl Fn(&Captures<'_>) -> bool) -> (String, Option<Self>) {
        for (pattern, form) in FORMS.iter() {
            if let Some(captures) = pattern.captures(said).filter(|captures| counts(captures))
                && let Some(span) = Self::of(&captures, *form)
            {
                let left = pattern.replace(said, " ").split_whitespace().collect::<Vec<_>>().join(" ");
                return (left, Some(span));
            }
        }
        (said.to_owned(), None)
    }

    fn of(captures: &Captures<'_>, form: Form) -> Option<Self> {
        let done = captures.name("done").map(|done| done.range());
        let parts = captures.iter().skip(1).flatten().filter(|part| Some(part.range()) != done);
        let mut times = parts.map(|time| iso(time.as_str()));
        let first = times.next()?;
        let end = |is_included: bool| Some(End { time: first.clone(), is_included });
        Some(match form {
            Form::Between => {
                let last = times.next()?;
                let said = format!("{first} to {last}");
                Self { from: end(true), until: Some(End { time: last, is_included: true }), said }
            }
            Form::Since => Self { from: end(true), until: None, said: format!("since {first}") },
            Form::After => Self { from: end(false), until: None, said: format!("after {first}") },
            Form::Before => Self { from: None, until: end(false), said: format!("before {first}") },
            Form::Until => Self { from: None, until: end(true), said: format!("until {first}") },
            Form::In => Self { from: end(true), until: end(true), said: first },
        })
    }

    /// Whether an ISO date, or the beginning of one, lies in it; nothing where the date is too short to tell.
    #[must_use]
    pub fn holds(&self, date: &str) -> Option<bool> {
        let after = self.from.as_ref().map_or(Some(true), |from| {
            let own = date.get(..from.time.len())?;
            Some(own > from.time.as_str() || (from.is_included && own == from.time))
        });
        let before = self.until.as_ref().map_or(Some(true), |until| {
            let own = date.get(..until.time.len())?;
            Some(own < until.time.as_str() || (until.is_included && own == until.time))
        });
        Some(after? && before?)
    }
}

/// A time as an ISO date begins: "march 2026" is "2026-03".
fn iso(time: &str) -> String {
    let named = time.split_once(' ').and_then(|(month, year)| {
        let number = MONTHS.iter().position(|own| *own == month)? + 1;
        Some(format!("{year}-{number:02}"))
    });
    named.unwrap_or_else(|| time.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{DateSpan, FORMS};

    #[test]
    fn every_form_is_read() {
        assert_eq!(FORMS.len(), 7);
    }

    #[test]
    fn times_are_taken_out_and_compare_with_dates() {
        let cases = [
            ("adrs dated 2026", "adrs", "2026", [("2026-01-31", true), ("2025-12-31", false)]),
            ("2024 adrs", "adrs", "2024", [("2024-01-01", true), ("2025-01-01", false)]),
            (
                "adrs since march 2024 about tls",
                "adrs about tls",
                "since 2024-03",
                [("2024-03-01", true), ("2024-02-29", false)],
            ),
            ("adrs from 2024 onwards", "adrs", "since 2024", [("2024-03-01", true), ("2023-02-28", false)]),
            ("adrs written before 2024", "adrs", "before 2024", [("2023-12-31", true), ("2024-01-01", false)]),
            ("adrs after 2024-06-30", "adrs", "after 2024-06-30", [("2024-07-01", true), ("2024-06-30", false)]),
            ("adrs between 2023 and 2024", "adrs", "2023 to 2024", [("2024-12-31", true), ("2025-01-01", false)]),
            ("adrs until 2023", "adrs", "until 2023", [("2023-12-31", true), ("2024-01-01", false)]),
        ];
        for (said, left, told, dates) in cases {
            let (own_left, span) = DateSpan::take_from(said);
            let span = span.unwrap();
            assert_eq!((own_left.as_str(), span.said.as_str()), (left, told), "{said}");
            for (date, is_held) in dates {
                assert_eq!(span.holds(date), Some(is_held), "{said}: {date}");
            }
        }
        assert_eq!(DateSpan::take_from("adrs about iec 61970").1, None);
        assert_eq!(DateSpan::take_from("adrs dated 2026").1.unwrap().holds("26"), None);
    }
}
