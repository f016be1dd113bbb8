//! A sentence of a summary → which rows it speaks of without naming them: all, the others, the latest.
//!
//! Invariant: in an output without rows no such word has a meaning.

use std::ops::Range;

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
                ("others" | "rest" | "remaining", _) => self.push(What::Others, at..at + 1, Vec::new()),
                ("other", _) => self.push(What::Others, at..at + 1, Vec::new()),
                ("latest" | "newest" | "last", _) => self.edge(at..at + 1, true),
                ("only", _) if self.is_code_next(at + 1) => self.push(What::Only, at..at + 1, Vec::new()),
                ("most", "recent") => self.edge(at..at + 2, true),
                ("earliest" | "oldest", _) => self.edge(at..at + 1, false),
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

    /// The row whose dates are the last, or the first.
    fn edge(&mut self, range: Range<usize>, is_last: bool) {
        let mut days: Vec<(super::facts::Day, usize)> = Vec::new();
        for row in 0..self.facts.rows {
            let own = self.facts.values.iter().filter(|fact| fact.row == Some(row));
            let day = own.filter_map(|fact| if let Says::Date(day) = fact.says { Some(day) } else { None }).max();
            days.extend(day.map(|day| (day, row)));
        }
        let edge = if is_last { days.iter().max() } else { days.iter().min() };
        if let Some((edge, _)) = edge.filter(|_| days.len() == self.facts.rows) {
            let rows = days
                .iter()
                .filter(|(day, _)| day == edge)
                .map(|(_, row)| Held { row: Some(*row), field: None })
                .collect();
            self.push(What::Edge, range, rows);
        }
    }
}
