//! Where the words of a passage are spoken or printed ↔ the JSON that its row keeps.
//!
//! A passage is spoken or printed and not both. `[[character, second], …]` is spoken; `{"pages": [[character, page], …]}` is
//! printed, and the same with `slides` or `rows`. All are kept in the column `times`: a version that does not know one of
//! them reads it as nothing.

use serde::{Deserialize, Serialize};
use vouch_domain::{PageMark, PageUnit, Passage, TimeMark};

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Marks {
    Times(Vec<(usize, u32)>),
    Pages { pages: Vec<(usize, u32)> },
    Slides { slides: Vec<(usize, u32)> },
    Rows { rows: Vec<(usize, u32)> },
}

/// The marks of a passage; nothing if it has none.
pub(super) fn to_json(passage: &Passage) -> Option<String> {
    let marks = if !passage.times.is_empty() {
        Marks::Times(passage.times.iter().map(|mark| (mark.at, mark.seconds)).collect())
    } else {
        let pairs = passage.pages.iter().map(|mark| (mark.at, mark.page)).collect();
        match passage.pages.first()?.unit {
            PageUnit::Page => Marks::Pages { pages: pairs },
            PageUnit::Slide => Marks::Slides { slides: pairs },
            PageUnit::Row => Marks::Rows { rows: pairs },
        }
    };
    serde_json::to_string(&marks).ok()
}

/// The times and the pages of a row.
pub(super) fn from_json(json: &str) -> (Vec<TimeMark>, Vec<PageMark>) {
    match serde_json::from_str(json) {
        Ok(Marks::Times(pairs)) => {
            (pairs.into_iter().map(|(at, seconds)| TimeMark { at, seconds }).collect(), Vec::new())
        }
        Ok(Marks::Pages { pages }) => (Vec::new(), counted_in(PageUnit::Page, pages)),
        Ok(Marks::Slides { slides }) => (Vec::new(), counted_in(PageUnit::Slide, slides)),
        Ok(Marks::Rows { rows }) => (Vec::new(), counted_in(PageUnit::Row, rows)),
        Err(_) => (Vec::new(), Vec::new()),
    }
}

fn counted_in(unit: PageUnit, pairs: Vec<(usize, u32)>) -> Vec<PageMark> {
    pairs.into_iter().map(|(at, page)| PageMark { at, page, unit }).collect()
}
