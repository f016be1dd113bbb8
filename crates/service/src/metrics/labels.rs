//! Names that settings and documents give → labels: few, short, and on one line.
//!
//! Invariant: a set never has more labels than its limit, whatever it is given.

use std::{
    collections::BTreeSet,
    sync::{Mutex, PoisonError},
};

use super::families::OTHER;

/// Most names of one sort that have figures of their own.
pub(super) const LABELS_MAX: usize = 50;
/// Longest name in a label, in characters.
const CHARS_MAX: usize = 80;

/// The labels of one sort of name.
#[derive(Debug, Default)]
pub(super) struct Labels(Mutex<BTreeSet<String>>);

impl Labels {
    /// A name's label, and whether it is new: the first few names keep theirs, the rest share one.
    pub(super) fn label(&self, name: &str) -> (String, bool) {
        // Characters that would have to be escaped twice are replaced.
        let plain = |c: char| if c == '\\' || c.is_control() { '_' } else { c };
        let name: String = name.chars().take(CHARS_MAX).map(plain).collect();
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.contains(&name) {
            return (name, false);
        }
        if known.len() >= LABELS_MAX {
            return (OTHER.to_owned(), false);
        }
        known.insert(name.clone());
        (name, true)
    }
}
