//! The first day, as `2026-01-31`, that a text names.

pub(crate) fn day(text: &str) -> Option<String> {
    text.split(|c: char| !c.is_ascii_digit() && c != '-').find_map(|part| {
        let day = part.get(..10)?;
        let mut numbers = day.split('-');
        let mut next = |digits: usize| numbers.next().filter(|part| part.len() == digits)?.parse::<u32>().ok();
        let (year, month, day_of_month) = (next(4)?, next(2)?, next(2)?);
        let is_day = year > 0 && (1..=12).contains(&month) && (1..=31).contains(&day_of_month);
        is_day.then(|| day.to_owned())
    })
}
