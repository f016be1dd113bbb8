//! Lists of an `OpenDocument` text → the numbers of their items.

use std::collections::BTreeMap;

use super::styles::{LEVELS_MAX, Styles};
use crate::xml::Tag;

/// The lists that are open, outermost first, and where those that ended stopped counting.
#[derive(Default)]
pub(super) struct Lists {
    open: Vec<List>,
    /// The last numbers by the style of a list and its level.
    counted: BTreeMap<(String, usize), u32>,
    /// Styles of lists by the names that others go on from.
    by_id: BTreeMap<String, String>,
}

struct List {
    style: String,
    next: Option<u32>,
}

impl Lists {
    pub(super) fn begin(&mut self, tag: &Tag<'_>, styles: &Styles) {
        let level = self.open.len();
        let continued = tag.value("text:continue-list").and_then(|id| self.by_id.get(&id).cloned());
        let outer = self.open.last().map(|list| list.style.clone());
        let style = tag.value("text:style-name").or_else(|| continued.clone()).or(outer).unwrap_or_default();
        if let Some(id) = tag.value("xml:id") {
            self.by_id.insert(id, style.clone());
        }
        let start = styles.list(&style).and_then(|levels| levels.get(level.min(LEVELS_MAX - 1)).copied().flatten());
        let goes_on = continued.is_some() || tag.value("text:continue-numbering").is_some_and(|value| value == "true");
        let counted = self.counted.get(&(style.clone(), level)).filter(|_| goes_on);
        let next = start.map(|start| counted.map_or(start, |last| last.saturating_add(1)));
        self.open.push(List { style, next });
    }

    pub(super) fn end(&mut self) {
        let level = self.open.len().saturating_sub(1);
        if let Some(list) = self.open.pop()
            && let Some(next) = list.next
        {
            self.counted.insert((list.style, level), next.saturating_sub(1));
        }
    }

    /// The depth and the number of an item that begins.
    pub(super) fn item(&mut self, tag: &Tag<'_>) -> (usize, Option<u32>) {
        let depth = self.open.len().saturating_sub(1);
        let Some(list) = self.open.last_mut() else { return (depth, None) };
        if tag.name() == "text:list-header" {
            return (depth, None);
        }
        let number = list.next.map(|next| tag.number("text:start-value").unwrap_or(next));
        list.next = number.map(|number| number.saturating_add(1));
        (depth, number)
    }
}
