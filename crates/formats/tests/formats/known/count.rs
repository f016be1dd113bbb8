//! A document and what is known of its file → how many of its words and places were read right.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
};

use unicode_normalization::UnicodeNormalization;
use vouch_domain::{Document, PageUnit};

/// How much of the words, and of the places, has to be right, in hundredths.
const WORDS_MIN: usize = 99;
const PLACES_MIN: usize = 98;
/// How many faults of a file are told.
const FAULTS_SHOWN: usize = 6;

/// What is known of a file, by whoever made it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Truth {
    pub(crate) title: Option<String>,
    /// Its words in order, without those of notes.
    pub(crate) text: String,
    /// The words of each note, which stands wherever its format puts it.
    pub(crate) notes: Vec<String>,
    pub(crate) places: Vec<Place>,
    /// What its pages, slides or rows are called.
    pub(crate) unit: PageUnit,
}

/// A passage, by a word that stands in it alone.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) word: String,
    /// The headings above it, where they are known.
    pub(crate) path: Option<Vec<String>>,
    /// The page, slide, row or second, where it has one.
    pub(crate) mark: Option<u32>,
}

/// What was counted of some files.
#[derive(Debug, Clone, Default)]
pub(crate) struct Count {
    files: usize,
    words: usize,
    /// Words in their order.
    found: usize,
    /// Words that are not in the truth, or there more than once.
    extra: usize,
    places: usize,
    right: usize,
    faults: Vec<String>,
}

/// Counts of every kind of file, in the order they came.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<(String, Count)>,
}

impl Table {
    pub(crate) fn add(&mut self, kind: &str, file: &str, document: &Document, truth: &Truth) {
        let at = self.rows.iter().position(|(name, _)| name == kind).unwrap_or_else(|| {
            self.rows.push((kind.to_owned(), Count::default()));
            self.rows.len() - 1
        });
        if let Some((_, count)) = self.rows.get_mut(at) {
            count.files += 1;
            count.words(file, document, truth);
            count.places(file, document, truth);
        }
    }

    /// The table as it is printed, one line for each kind of file.
    pub(crate) fn shown(&self) -> String {
        let mut lines =
            "| files of | files | words found / all | too many | places right / all |\n|---|---|---|---|---|\n"
                .to_owned();
        for (kind, count) in &self.rows {
            let Count { files, words, found, extra, places, right, .. } = count;
            let _ = writeln!(lines, "| {kind} | {files} | {found} / {words} | {extra} | {right} / {places} |");
        }
        lines
    }

    /// What is worse than it may be, with some of its faults.
    pub(crate) fn shortfalls(&self) -> String {
        let is_short = |count: &Count| {
            count.found * 100 < count.words * WORDS_MIN
                || count.extra * 100 > count.words * (100 - WORDS_MIN)
                || count.right * 100 < count.places * PLACES_MIN
        };
        let short = self.rows.iter().filter(|(_, count)| is_short(count));
        short.map(|(kind, count)| format!("{kind}:\n{}\n", count.faults.join("\n"))).collect()
    }
}

impl Count {
    fn words(&mut self, file: &str, document: &Document, truth: &Truth) {
        let noted: BTreeSet<String> = truth.notes.iter().flat_map(|note| words(note)).collect();
        // The title is on the card; a text may have it at its top too.
        let mut text = words(&document.text);
        let title = words(truth.title.as_deref().unwrap_or_default());
        if text.starts_with(&title) && !words(&truth.text).starts_with(&title) {
            text.drain(..title.len());
        }
        let (read_notes, read): (Vec<String>, Vec<String>) = text.into_iter().partition(|word| noted.contains(word));
        // A note is read where its format has it; the notes stay in their order.
        let notes: Vec<String> = truth.notes.iter().flat_map(|note| words(note)).collect();
        for (what, wanted, read) in [("words", words(&truth.text), read), ("notes", notes, read_notes)] {
            let both = in_common(&wanted, &read);
            self.words += wanted.len();
            self.found += both;
            self.extra += read.len() - both;
            if both < wanted.len() || both < read.len() {
                let (missing, extra) = difference(&wanted, &read);
                self.faults.push(format!(
                    "  {file}: {both} of {} {what}, {} too many; missing {missing:?}, extra {extra:?}",
                    wanted.len(),
                    read.len() - both
                ));
            }
        }
    }

    fn places(&mut self, file: &str, document: &Document, truth: &Truth) {
        let mut faults = Vec::new();
        if let Some(title) = &truth.title {
            self.places += 1;
            if joined(&document.card.title) == joined(title) {
                self.right += 1;
            } else {
                faults.push(format!("title '{}'", document.card.title));
            }
        }
        for place in &truth.places {
            let mut at = document.text.match_indices(place.word.as_str()).map(|(at, _)| at);
            let at = at.next().filter(|_| at.next().is_none());
            if let Some(path) = &place.path {
                self.places += 1;
                let read = at.and_then(|at| path_at(document, at));
                let wanted: Vec<String> = path.iter().map(|title| joined(title)).collect();
                if read.as_ref() == Some(&wanted) {
                    self.right += 1;
                } else {
                    faults.push(format!("{} under {read:?}, not {wanted:?}", place.word));
                }
            }
            if let Some(mark) = place.mark {
                self.places += 1;
                let read = at.and_then(|at| mark_at(document, at));
                if read == Some((mark, truth.unit)) {
                    self.right += 1;
                } else {
                    faults.push(format!("{} on {read:?}, not {mark}", place.word));
                }
            }
        }
        let more = faults.len().saturating_sub(FAULTS_SHOWN);
        self.faults.extend(faults.into_iter().take(FAULTS_SHOWN).map(|fault| format!("  {file}: {fault}")));
        if more > 0 {
            self.faults.push(format!("  {file}: and {more} more places"));
        }
    }
}

fn path_at(document: &Document, at: usize) -> Option<Vec<String>> {
    let section = document.sections.iter().find(|section| (section.start..section.end).contains(&at))?;
    Some(section.path.iter().map(|title| joined(title)).collect())
}

fn mark_at(document: &Document, at: usize) -> Option<(u32, PageUnit)> {
    let character = document.text.get(..at)?.chars().count();
    if let Some(time) = document.times.iter().take_while(|time| time.at <= character).last() {
        return Some((time.seconds, PageUnit::default()));
    }
    let mark = document.pages.iter().take_while(|mark| mark.at <= character).last()?;
    Some((mark.page, mark.unit))
}

/// A title without the number before it, and with its letters written in one way.
fn joined(title: &str) -> String {
    let words: Vec<String> = title.nfkc().collect::<String>().split_whitespace().map(str::to_owned).collect();
    let is_number = |word: &&String| word.ends_with('.') && word.chars().all(|c| c.is_ascii_digit() || c == '.');
    let skipped = usize::from(words.first().as_ref().is_some_and(is_number));
    words.get(skipped..).unwrap_or_default().join(" ")
}

/// The words of a text, without marks of Markdown, numbers of items and sections, marks of notes and punctuation.
pub(crate) fn words(text: &str) -> Vec<String> {
    let text: String = text.nfkc().map(|c| if c == '’' { '\'' } else { c }).collect();
    let is_number = |word: &str| {
        word.strip_suffix(['.', ')'])
            .is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == '.') && !rest.is_empty())
    };
    let shown = text.split_whitespace().filter(|word| !matches!(*word, "Note:" | "Notes:") && !is_number(word));
    let bare = shown.map(|word| without_mark(word).trim_matches(|c: char| !c.is_alphanumeric()).to_owned());
    bare.filter(|word| !word.is_empty()).collect()
}

/// A word without the mark of a note at its end or start.
fn without_mark(word: &str) -> String {
    let Some((before, rest)) = word.split_once('[') else { return word.to_owned() };
    let Some((number, after)) = rest.split_once(']') else { return word.to_owned() };
    let number = number.trim_start_matches('^');
    let is_mark = !number.is_empty() && number.chars().all(|c| c.is_ascii_digit());
    if is_mark { format!("{before}{after}") } else { word.to_owned() }
}

/// The length of the longest sequence of words that both have in the same order.
fn in_common(left: &[String], right: &[String]) -> usize {
    let total = left.len() + right.len();
    // How far each diagonal reaches with so many words left out, by the algorithm of Myers.
    let mut reach = vec![0usize; 2 * total + 3];
    for skipped in 0..=total {
        for step in (0..=2 * skipped).step_by(2) {
            let diagonal = total + 1 + step - skipped;
            let at = |slot: usize| reach.get(slot).copied().unwrap_or(0);
            let goes_down = step == 0 || (step != 2 * skipped && at(diagonal - 1) < at(diagonal + 1));
            let mut x = if goes_down { at(diagonal + 1) } else { at(diagonal - 1) + 1 };
            let Some(mut y) = (x + total + 1).checked_sub(diagonal) else { continue };
            while x < left.len() && left.get(x) == right.get(y) {
                (x, y) = (x + 1, y + 1);
            }
            if let Some(slot) = reach.get_mut(diagonal) {
                *slot = x;
            }
            if x >= left.len() && y >= right.len() {
                return (total - skipped) / 2;
            }
        }
    }
    0
}

/// Some words that one has more often than the other.
fn difference(wanted: &[String], read: &[String]) -> (Vec<String>, Vec<String>) {
    let mut counts: BTreeMap<&str, isize> = BTreeMap::new();
    wanted.iter().for_each(|word| *counts.entry(word).or_default() += 1);
    read.iter().for_each(|word| *counts.entry(word).or_default() -= 1);
    let some = |is_wanted: &dyn Fn(isize) -> bool| {
        counts.iter().filter(|(_, count)| is_wanted(**count)).map(|(word, _)| (*word).to_owned()).take(12).collect()
    };
    (some(&|count| count > 0), some(&|count| count < 0))
}

#[test]
fn words_in_common_are_counted_in_order() {
    let words = |text: &str| words(text);
    assert_eq!(in_common(&words("a b c d e"), &words("a b c d e")), 5);
    assert_eq!(in_common(&words("a b c d e"), &words("a c b e e e")), 3);
    assert_eq!(in_common(&words("a b"), &words("c")), 0);
    assert_eq!(in_common(&words(""), &words("c")), 0);
    assert_eq!(words("# 1.2. A[1] title\n\n| x | --- | 5 € |\n1. end."), ["A", "title", "x", "5", "end"]);
}
