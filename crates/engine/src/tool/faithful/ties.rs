//! The mentions of a summary, sentence by sentence → whether what is said together stands in the same row.
//!
//! Invariant: an identifier and what is said beside it are of one row; a count is the number of rows that what is said of
//! it is true of; what is said of all rows is true of each.

use std::collections::BTreeSet;

use super::{
    facts::{Facts, Says},
    mention::{Mention, Spoken, What},
    vocabulary::parts,
};

type Rows = BTreeSet<usize>;

/// The walk through a summary.
pub(super) struct Walk<'f> {
    facts: &'f Facts,
    all: Rows,
    /// The rows spoken of last.
    topic: Option<Rows>,
    /// The rows that something was said of.
    told: Rows,
}

/// What a part of a sentence speaks of.
enum Head {
    /// Rows by their identifiers; alone, where no other row is in the state that is said of them.
    Rows {
        members: Vec<Rows>,
        is_alone: bool,
    },
    Count(f64),
    All,
    /// The rows not spoken of, and how many they are, where it is said.
    Others(Option<f64>),
    Open,
}

struct Part<'s> {
    head: Head,
    said: Vec<&'s Mention>,
}

impl<'f> Walk<'f> {
    /// Starts a walk.
    pub(super) fn new(facts: &'f Facts) -> Self {
        Self { facts, all: (0..facts.rows).collect(), topic: None, told: Rows::new() }
    }

    /// Holds a sentence against the rows.
    pub(super) fn hold(&mut self, spoken: &Spoken<'_>) -> Result<(), String> {
        let mut counted: Option<Rows> = None;
        for part in self.parts(spoken)? {
            match part.head {
                Head::Rows { members, is_alone } => {
                    if is_alone && !is_state_of_these(&members, &part.said) {
                        return Err("the summary says of one row alone what others share".to_owned());
                    }
                    // "One is open: INV-1" names the rows that were counted.
                    let is_named = |counted: &Rows| members.iter().all(|rows| !rows.is_disjoint(counted));
                    if part.said.is_empty() && counted.as_ref().is_some_and(|counted| !is_named(counted)) {
                        return Err("the summary names other rows than it counts".to_owned());
                    }
                    self.of_rows(spoken, members, &part.said)?;
                }
                Head::Count(number) => counted = Some(self.of_count(number, &part.said)?),
                Head::All => {
                    let rows = counted.clone().unwrap_or_else(|| self.all.clone());
                    self.of_each(spoken, &rows, &part.said)?;
                }
                Head::Others(number) => {
                    let rows: Rows = self.all.difference(&self.told).copied().collect();
                    if number.is_some_and(|number| number != count(&rows)) {
                        return Err(format!("the summary counts wrong: {} are left", rows.len()));
                    }
                    self.of_each(spoken, &rows, &part.said)?;
                }
                Head::Open => self.of_whatever(spoken, &part.said)?,
            }
        }
        Ok(())
    }

    /// The parts of a sentence: each begins with what it speaks of, after the last pause before that.
    fn parts<'s>(&self, spoken: &'s Spoken<'_>) -> Result<Vec<Part<'s>>, String> {
        let mut found: Vec<Part<'s>> = vec![Part { head: Head::Open, said: Vec::new() }];
        let mut head_end = 0;
        let mut is_alone = false;
        spoken.check_singled_out()?;
        let mut mentions = spoken.mentions.iter().peekable();
        while let Some(mention) = mentions.next() {
            let number = mentions.peek().and_then(|next| spoken.number_beside(mention, next));
            let is_whole = number.is_some_and(|number| number == count(&self.all));
            let head = match mention.what {
                What::Edge if number.is_some() && is_whole => {
                    mentions.next();
                    continue;
                }
                What::Edge | What::All | What::Count(_) if number.is_some() && !is_whole => {
                    return Err("the summary counts other rows than there are".to_owned());
                }
                What::Code | What::Edge if !mention.held.is_empty() && !mention.is_of_whole() => {
                    let is_bare =
                        found.last().is_some_and(|part| part.said.last().is_none_or(|said| said.range.end <= head_end));
                    if let Some(Part { head: Head::Rows { members, .. }, .. }) = found.last_mut().filter(|_| is_bare) {
                        join(members, mention.rows(), spoken.last_pause(head_end, mention.range.start).is_some())?;
                        head_end = mention.range.end;
                        continue;
                    }
                    Head::Rows { members: vec![mention.rows()], is_alone: std::mem::take(&mut is_alone) }
                }
                What::Count(number) => Head::Count(number),
                What::All => Head::All,
                What::Others => Head::Others(number),
                What::Only => {
                    is_alone = true;
                    continue;
                }
                What::Code
                | What::Edge
                | What::Text
                | What::Money
                | What::Date { .. }
                | What::State { .. }
                | What::Number => {
                    if spoken.is_list_after_count(found.last(), head_end, mention) {
                        found.push(Part { head: Head::Open, said: Vec::new() });
                    }
                    found.last_mut().into_iter().for_each(|part| part.said.push(mention));
                    continue;
                }
            };
            if number.is_some() {
                mentions.next();
            }
            let pause = spoken.last_pause(head_end, mention.range.start).unwrap_or(mention.range.start);
            head_end = mention.range.end;
            begin(&mut found, head, pause);
        }
        Ok(found)
    }

    fn of_rows(&mut self, spoken: &Spoken<'_>, mut members: Vec<Rows>, said: &[&Mention]) -> Result<(), String> {
        for mention in said.iter().filter(|mention| !mention.is_of_whole()) {
            let held = mention.rows();
            for member in &mut members {
                *member = member.intersection(&held).copied().collect();
                if member.is_empty() {
                    return Err(format!("\"{}\" is not said of that row", spoken.words(mention)));
                }
            }
        }
        let rows: Rows = members.into_iter().flatten().collect();
        self.told.extend(rows.iter().copied());
        self.topic = Some(rows);
        Ok(())
    }

    fn of_count(&mut self, number: f64, said: &[&Mention]) -> Result<Rows, String> {
        let bound: Vec<&&Mention> = said.iter().filter(|mention| !mention.is_of_whole()).collect();
        let rows = united(&self.all, &bound, bound.len());
        if bound.iter().any(|mention| mention.rows().is_disjoint(&rows)) {
            return Err("what the summary counts is not of the same rows".to_owned());
        }
        // "One is paid, the one for October": what comes behind the state tells the row, and narrows nothing.
        let up_to_state = bound.iter().position(|mention| matches!(mention.what, What::State { .. }));
        let counted_first = united(&self.all, &bound, up_to_state.map_or(0, |at| at + 1));
        if up_to_state.is_some() && count(&counted_first) != count(&rows) {
            return Err("the summary counts fewer rows in a state than there are".to_owned());
        }
        let is_field = |number: f64| {
            let mut values = self.facts.values.iter().filter(|fact| fact.row.is_none());
            values.any(|fact| matches!(fact.says, Says::Number(value) if value == number))
        };
        let counted = count(&rows);
        if counted != number && !(bound.is_empty() && is_field(number)) {
            return Err(format!("the summary counts {number} where the output has {counted}"));
        }
        if !bound.is_empty() {
            self.told.extend(rows.iter().copied());
        }
        self.topic = (!bound.is_empty()).then(|| rows.clone());
        Ok(rows)
    }

    fn of_each(&mut self, spoken: &Spoken<'_>, rows: &Rows, said: &[&Mention]) -> Result<(), String> {
        if rows.is_empty() {
            return Err("the summary speaks of rows that are not there".to_owned());
        }
        for mention in said.iter().filter(|mention| !mention.is_of_whole()) {
            if !mention.rows().is_superset(rows) {
                return Err(format!("\"{}\" is not said of each of them", spoken.words(mention)));
            }
        }
        self.topic = None;
        Ok(())
    }

    /// What is said without saying of which row: of the row spoken of last, or of one row that has it all.
    fn of_whatever(&mut self, spoken: &Spoken<'_>, said: &[&Mention]) -> Result<(), String> {
        let bound: Vec<&Mention> = said.iter().copied().filter(|mention| !mention.is_of_whole()).collect();
        let Some(first) = bound.first() else { return Ok(()) };
        if let Some(topic) = &self.topic {
            let is_so = |mention: &&Mention| mention.rows().is_superset(topic);
            if bound.iter().all(is_so) {
                return Ok(());
            }
            if !matches!(first.what, What::Date { is_month: true }) {
                return Err(format!("\"{}\" is not said of the row spoken of", spoken.words(first)));
            }
        }
        let is_lone_state = bound.iter().all(|mention| matches!(mention.what, What::State { is_some: false }));
        let values = bound.iter().filter(|mention| mention.what == first.what).count();
        if is_lone_state || (spoken.is_plural && self.all.len() > 1 && values < 2) {
            let all = self.all.clone();
            return self.of_each(spoken, &all, said);
        }
        self.one_after_another(spoken, &bound)
    }

    /// Values of several rows, each beginning with the same sort of value; no two of them are of one row.
    fn one_after_another(&mut self, spoken: &Spoken<'_>, said: &[&Mention]) -> Result<(), String> {
        let Some(first) = said.first() else { return Ok(()) };
        let mut members: Vec<Vec<&Mention>> = Vec::new();
        let mut before = first.range.end;
        for mention in said.iter().copied() {
            let is_key = !matches!(mention.what, What::Date { is_month: false } | What::State { .. } | What::Number);
            let is_next = is_key && first.what == mention.what && mention.range.start > first.range.start;
            let is_apart = is_next && self.all.len() > 1 && spoken.last_pause(before, mention.range.start).is_some();
            match members.last_mut().filter(|_| !is_apart) {
                Some(member) => member.push(mention),
                None => members.push(vec![mention]),
            }
            before = mention.range.end;
        }
        // "August and September are paid": what is said of the last is said of those before it.
        for at in (1..members.len()).rev() {
            let said: Vec<&Mention> = members.get(at).into_iter().flatten().skip(1).copied().collect();
            if let Some(member) =
                at.checked_sub(1).and_then(|at| members.get_mut(at)).filter(|member| member.len() == 1)
            {
                member.extend(said);
            }
        }
        let has_state = |member: &Vec<&Mention>| member.iter().any(|said| matches!(said.what, What::State { .. }));
        let is_told = members.first().is_some_and(has_state);
        let mut rows_of = Vec::new();
        for member in &members {
            let mut rows = self.all.clone();
            for mention in member {
                rows = rows.intersection(&mention.rows()).copied().collect();
                if rows.is_empty() {
                    return Err(format!("\"{}\" is said of another row", spoken.words(mention)));
                }
            }
            if has_state(member) != is_told {
                return Err("it is not plain of which row the state is said".to_owned());
            }
            rows_of.push(rows);
        }
        let is_told_twice = |rows: &Rows| rows.len() < rows_of.iter().filter(|other| *other == rows).count();
        if rows_of.iter().any(is_told_twice) {
            return Err("the summary tells one row several times".to_owned());
        }
        self.topic = match rows_of.as_slice() {
            [rows] if rows.len() == 1 => Some(rows.clone()),
            _ => None,
        };
        Ok(())
    }
}

/// Begins a part; what was said after the pause belongs to it, and to the first part all that came before.
fn begin<'s>(found: &mut Vec<Part<'s>>, head: Head, pause: usize) {
    let is_first = found.len() == 1 && found.first().is_some_and(|part| matches!(part.head, Head::Open));
    let said = found.last_mut().map(|part| {
        let at = if is_first { 0 } else { part.said.partition_point(|said| said.range.start < pause) };
        part.said.split_off(at)
    });
    if is_first {
        found.clear();
    }
    found.push(Part { head, said: said.unwrap_or_default() });
}

/// Whether the states that are said are those of these rows and of no other.
fn is_state_of_these(members: &[Rows], said: &[&Mention]) -> bool {
    let rows: Rows = members.iter().flatten().copied().collect();
    let mut states = said.iter().filter(|mention| matches!(mention.what, What::State { .. })).peekable();
    states.peek().is_some() && states.all(|state| state.rows().is_subset(&rows))
}

fn count(rows: &Rows) -> f64 {
    f64::from(u32::try_from(rows.len()).unwrap_or(u32::MAX))
}

/// The rows that the first mentions leave over. "Two invoices, for August and September": each value is of some of them, a state
/// of each.
fn united(all: &Rows, bound: &[&&Mention], first: usize) -> Rows {
    let mut rows = all.clone();
    for mention in bound.iter().take(first) {
        let is_state = matches!(mention.what, What::State { .. });
        let alike = bound.iter().filter(|other| !is_state && other.what == mention.what);
        let held: Rows = alike.chain([mention]).flat_map(|other| other.rows()).collect();
        rows = rows.intersection(&held).copied().collect();
    }
    rows
}

/// Another identifier beside the last: of the same row, or of one more.
fn join(members: &mut Vec<Rows>, rows: Rows, has_pause: bool) -> Result<(), String> {
    let same = members.last_mut().map(|last| (last.intersection(&rows).copied().collect::<Rows>(), last));
    match same {
        Some((both, last)) if !both.is_empty() => *last = both,
        _ if has_pause => members.push(rows),
        _ => return Err("the summary ties two rows to one another".to_owned()),
    }
    Ok(())
}

impl Spoken<'_> {
    /// The number that belongs to a quantity: "all three", "two of the three".
    fn number_beside(&self, quantity: &Mention, next: &Mention) -> Option<f64> {
        let What::Count(number) = next.what else { return None };
        let between = self.tokens.get(quantity.range.end..next.range.start)?;
        let is_of = between.first().is_some_and(|token| token.fold == "of");
        let is_short = between.iter().skip(1).all(|token| matches!(token.fold.as_str(), "the" | "these" | "your"));
        match quantity.what {
            What::All | What::Others | What::Edge => (between.is_empty() || (is_of && is_short)).then_some(number),
            What::Count(_) => (is_of && is_short).then_some(number),
            What::Code
            | What::Text
            | What::Money
            | What::Date { .. }
            | What::State { .. }
            | What::Number
            | What::Only => None,
        }
    }

    /// Whether a value begins the list that a count without a condition announces: "three invoices: …".
    fn is_list_after_count(&self, part: Option<&Part<'_>>, head_end: usize, mention: &Mention) -> bool {
        let is_count = part.is_some_and(|part| matches!(part.head, Head::Count(_)) && part.said.is_empty());
        let between = self.tokens.get(head_end..=mention.range.start).unwrap_or_default();
        is_count && between.iter().any(|token| token.joint == crate::reading::token::Joint::Mark)
    }

    /// "The oldest overdue invoice is INV-1" and "INV-1 is the oldest" speak of one row, unless an "and" parts them.
    fn check_singled_out(&self) -> Result<(), String> {
        let names = self
            .mentions
            .iter()
            .filter(|one| matches!(one.what, What::Code | What::Edge) && !one.held.is_empty() && !one.is_of_whole());
        let names: Vec<&Mention> = names.collect();
        for (one, next) in names.iter().zip(names.iter().skip(1)).filter(|(one, next)| one.what != next.what) {
            let between = self.tokens.get(one.range.end..next.range.start).unwrap_or_default();
            let has_and = between.iter().any(|token| matches!(token.fold.as_str(), "and" | "while" | "whereas"));
            // Two things are spoken of only where something is said of the one that is singled out.
            let is_said = |from: usize, to: usize| {
                self.mentions.iter().any(|other| other.range.start >= from && other.range.end <= to)
            };
            let is_parted = has_and
                && match one.what == What::Edge {
                    true => is_said(one.range.end, next.range.start),
                    false => is_said(next.range.end, self.tokens.len()),
                };
            if !is_parted && one.rows().is_disjoint(&next.rows()) {
                return Err("the summary singles out another row than it names".to_owned());
            }
        }
        Ok(())
    }

    /// The last token at which a clause begins.
    fn last_pause(&self, from: usize, to: usize) -> Option<usize> {
        (from..=to).rev().find(|at| self.tokens.get(*at).is_some_and(parts))
    }
}
