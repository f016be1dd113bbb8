//! A licence as a crate names it → whether a list allows it.
//!
//! SPDX expressions: `AND` binds closer than `OR`, `WITH` belongs to its licence, brackets group; `/` is an old way to write
//! `OR`.

use std::collections::BTreeSet;

/// Whether everything an expression demands is on the list; none where it is no expression.
pub fn is_allowed(expression: &str, list: &BTreeSet<String>) -> Option<bool> {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = words.as_slice();
    let allowed = either(&mut rest, list)?;
    rest.is_empty().then_some(allowed)
}

fn either(rest: &mut &[&str], list: &BTreeSet<String>) -> Option<bool> {
    let mut allowed = both(rest, list)?;
    while take(rest, "OR") {
        // Not short of the second: what stands there must be read in any case.
        allowed |= both(rest, list)?;
    }
    Some(allowed)
}

fn both(rest: &mut &[&str], list: &BTreeSet<String>) -> Option<bool> {
    let mut allowed = one(rest, list)?;
    while take(rest, "AND") {
        allowed &= one(rest, list)?;
    }
    Some(allowed)
}

fn one(rest: &mut &[&str], list: &BTreeSet<String>) -> Option<bool> {
    if take(rest, "(") {
        let allowed = either(rest, list)?;
        return take(rest, ")").then_some(allowed);
    }
    let mut name = next(rest)?.to_owned();
    if take(rest, "WITH") {
        name = format!("{name} WITH {}", next(rest)?);
    }
    Some(list.contains(&name))
}

fn take(rest: &mut &[&str], word: &str) -> bool {
    let is_next = rest.first() == Some(&word);
    if is_next {
        *rest = rest.get(1..).unwrap_or_default();
    }
    is_next
}

/// The next word, which must be a name.
fn next<'a>(rest: &mut &[&'a str]) -> Option<&'a str> {
    let (first, others) = rest.split_first()?;
    *rest = others;
    (!["(", ")", "AND", "OR", "WITH"].contains(first)).then_some(first)
}
