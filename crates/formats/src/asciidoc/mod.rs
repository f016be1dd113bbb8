//! `AsciiDoc` → the text a person would read, with its titles as sections.
//!
//! Nothing outside of the file is read: what it includes is left out, and so are comments and what its own attributes
//! switch off. Sites put front matter above it, which says the same of it as above a Markdown file.

mod blocks;
mod conditions;
mod header;
mod inline;
mod line_marks;
mod macros;
mod tables;

use std::{cell::Cell, collections::BTreeMap};

use vouch_domain::{Document, ports::ParseError};

use crate::{
    day::day,
    front_matter::{self, FrontMatter},
    manuscript::Manuscript,
    nested::Nested,
    origin::Origin,
};
use blocks::Blocks;
use inline::{Names, plain};
use line_marks::{attribute, section};

/// How many bytes the names in any text may stand for, and how many more for each of its bytes.
const NAMED_FLOOR: usize = 64 * 1024;
const NAMED_PER_BYTE: usize = 4;

/// The attributes that name a text which has no title of its own: `doctitle` is set by that title, too.
const TITLES: &[&str] = &["doctitle", "title", "page-title"];

pub(super) fn parse(text: &str, origin: &Origin<'_>) -> Result<Document, ParseError> {
    let (front_matter, text) = front_matter::split(text, origin.access_from)?;
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let lines = conditions::kept(&lines);
    let mut manuscript = Manuscript::default();
    let mut blocks = Blocks::new(
        Nested::new(&mut manuscript),
        Names { titles: titles(&lines), left: allowance(text), ..Names::default() },
    );
    blocks.document(&lines);
    let attributes = blocks.finish();
    let own = |name: &str| attributes.get(name).filter(|value| !value.is_empty()).cloned();
    let date = own("revdate").and_then(|date| day(&date));
    let stated = FrontMatter { date, version: own("revnumber"), ..FrontMatter::default() };
    let title = TITLES.iter().find_map(|name| own(name));
    manuscript.finish(origin, front_matter.or(stated), title)
}

/// How much the names in a text may stand for.
fn allowance(text: &str) -> Cell<usize> {
    Cell::new(NAMED_FLOOR + text.len().saturating_mul(NAMED_PER_BYTE))
}

/// The titles that references may show, by the ids that are given or made of them.
fn titles(lines: &[&str]) -> BTreeMap<String, String> {
    let (mut titles, mut ids, mut names) =
        (BTreeMap::new(), Vec::new(), Names { left: allowance(""), ..Names::default() });
    for (at, line) in lines.iter().enumerate() {
        let next = lines.get(at + 1).copied().unwrap_or_default();
        let title = section(line).or_else(|| line_marks::underlined(line, next).map(|level| (level, *line)));
        let block_title = line.strip_prefix('.').filter(|title| title.starts_with(char::is_alphanumeric));
        if let Some((name, Some(value))) =
            attribute(line).filter(|(_, value)| value.is_some_and(|value| value.len() <= inline::VALUE_BYTES_MAX))
        {
            names.attributes.insert(name.to_lowercase(), value.to_owned());
        } else if let Some(inside) = line.strip_prefix("[[").and_then(|line| line.strip_suffix("]]")) {
            ids.push(inside.split(',').next().unwrap_or_default());
        } else if let Some(id) = line.strip_prefix("[#").and_then(|line| line.strip_suffix(']')) {
            ids.push(id.split([',', '.', '%']).next().unwrap_or_default());
        } else if let Some(title) = title.map(|(_, title)| title).or(block_title) {
            let shown = plain(title, &names).0;
            titles.entry(made_id(&shown)).or_insert_with(|| shown.clone());
            titles.entry(shown.clone()).or_insert_with(|| shown.clone());
            titles.extend(ids.drain(..).map(|id| (id.to_owned(), shown.clone())));
        } else if !line.is_empty() && !line.starts_with('[') {
            ids.clear();
        }
    }
    titles
}

/// The id that a section has of its title.
fn made_id(title: &str) -> String {
    let mut id = String::from("_");
    for c in title.chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            id.push(c);
        } else if matches!(c, ' ' | '-' | '.' | '_') && !id.ends_with('_') {
            id.push('_');
        }
    }
    id.trim_end_matches('_').to_owned()
}
