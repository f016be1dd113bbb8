//! A sentence of a summary → which rows it speaks of without naming them: all, the others, the latest.
//!
//! Invariant: in an output without rows no such word has a meaning.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use super::{
    facts::Says,
    mention::{Held, What},
    scan::Scan,
};

impl Scan<'_, '_> {
    /// Words for rows.
    pub(super) fn quantifiers(&mut self) {
        if self.facts.groups.is_empty() {
            return;
        }
        for at in (0..self.tokens.len()).filter(|at| self.is_left(*at)).collect::<Vec<_>>() {
            let next = self.fold(at + 1);
            match (self.fold(at), next) {
                // "45.00 PLN each" is said of the rows that are spoken of.
                ("each", _) if self.is_behind(at, &|what| *what == What::Money) => self.take(&(at..at + 1)),
                ("both", _) if self.is_after_codes(at) => self.take(&(at..at + 1)),
                ("both", _) if self.facts.rows == 2 => self.push(What::All, at..at + 1, Vec::new()),
                ("all" | "each" | "every", _) => self.push(What::All, at..at + 1, Vec::new()),
                ("everything", _) => self.push(What::All, at..at + 1, Vec::new()),
                ("others" | "rest" | "remaining", _) => self.push(What::Others, at..at + 1, Vec::new()),
                ("other", _) => self.push(What::Others, at..at + 1, Vec::new()),
                ("latest" | "newest" | "last", _) => self.edge(at..at + 1, &day, true),
                ("highest" | "largest" | "biggest", _) => self.edge(at..at + 1, &amount, true),
                ("lowest" | "smallest", _) => self.edge(at..at + 1, &amount, false),
                ("only", _) if self.is_code_next(at + 1) => self.push(What::Only, at..at + 1, Vec::new()),
                ("most", "recent") => self.edge(at..at + 2, &day, true),
                ("earliest" | "oldest", _) => self.edge(at..at + 1, &day, false),
                _ => {}
            }
        }
    }

    /// Whether a mention of the sort ends right before a place.
    fn is_behind(&self, at: usize, is_one: &dyn Fn(&What) -> bool) -> bool {
        self.mentions.iter().any(|other| other.range.end == at && is_one(&other.what))
    }

    /// Whether two identifiers came before.
    fn is_after_codes(&self, at: usize) -> bool {
        self.mentions.iter().filter(|other| other.what == What::Code && other.range.end <= at).count() == 2
    }

    /// The rows whose values are the highest, or the lowest: where every row has the same fields of the sort, and each of them tells
    /// the same rows.
    fn edge(&mut self, range: Range<usize>, value: &dyn Fn(&Says) -> Option<f64>, is_last: bool) {
        let mut by_field: BTreeMap<usize, Vec<(f64, usize)>> = BTreeMap::new();
        for fact in &self.facts.values {
            if let (Some(row), Some(value)) = (fact.row, value(&fact.says)) {
                by_field.entry(fact.field).or_default().push((value, row));
            }
        }
        let edges = by_field.values().map(|values| {
            let best = values.iter().map(|(value, _)| *value).reduce(if is_last { f64::max } else { f64::min })?;
            let at_best = values.iter().filter(|(value, _)| value.total_cmp(&best).is_eq()).map(|(_, row)| *row);
            (values.len() == self.facts.rows).then(|| at_best.collect::<BTreeSet<usize>>())
        });
        let Some(edges) = edges.collect::<Option<Vec<_>>>() else { return };
        let Some(first) = edges.first().filter(|first| edges.iter().all(|edge| edge == *first)) else { return };
        let held = first.iter().map(|row| Held { row: Some(*row), field: None }).collect();
        self.push(What::Edge, range, held);
    }
}

/// A day as a number that rises with it.
fn day(says: &Says) -> Option<f64> {
    match says {
        Says::Date(day) => Some(f64::from(day.year * 10_000 + day.month * 100 + day.day.unwrap_or_default())),
        Says::Money(_) | Says::State(_) | Says::Text(_) | Says::Code(_) | Says::Number(_) => None,
    }
}

fn amount(says: &Says) -> Option<f64> {
    match says {
        Says::Money(amount) => Some(*amount),
        Says::Date(_) | Says::State(_) | Says::Text(_) | Says::Code(_) | Says::Number(_) => None,
    }
}
