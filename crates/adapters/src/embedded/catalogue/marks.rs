//! Where the words of a passage are spoken or printed ↔ the JSON that its row keeps.
//!
//! A passage is spoken or printed and not both. `[[character, second], …]` is spoken; `{"pages": [[character, page], …]}` is
//! printed. Both are kept in the column `times`: a version that knows no pages reads them as nothing.

use serde::{Deserialize, Serialize};
use vouch_domain::{PageMark, Passage, TimeMark};

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Marks {
    Times(Vec<(usize, u32)>),
    Pages { pages: Vec<(usize, u32)> },
}

/// The marks of a passage; nothing if it has none.
pub(super) fn to_json(passage: &Passage) -> Option<String> {
    let marks = if !passage.times.is_empty() {
        Marks::Times(passage.times.iter().map(|mark| (mark.at, mark.seconds)).collect())
    } else if !passage.pages.is_empty() {
        Marks::Pages { pages: passage.pages.iter().map(|mark| (mark.at, mark.page)).collect() }
    } else {
        return None;
    };
    serde_json::to_string(&marks).ok()
}

/// The times and the pages of a row.
pub(super) fn from_json(json: &str) -> (Vec<TimeMark>, Vec<PageMark>) {
    match serde_json::from_str(json) {
        Ok(Marks::Times(pairs)) => {
            (pairs.into_iter().map(|(at, seconds)| TimeMark { at, seconds }).collect(), Vec::new())
        }
        Ok(Marks::Pages { pages }) => (Vec::new(), pages.into_iter().map(|(at, page)| PageMark { at, page }).collect()),
        Err(_) => (Vec::new(), Vec::new()),
    }
}
