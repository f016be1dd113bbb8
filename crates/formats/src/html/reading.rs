//! A page, walked through → its text as a person reads it, and its headings.

use super::page::{Content, Edge};
use crate::outline::Heading;

const SILENT: &[&str] =
    &["script", "style", "noscript", "template", "svg", "nav", "head", "iframe", "object", "button"];
const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "dd",
    "details",
    "div",
    "dl",
    "dt",
    "figcaption",
    "figure",
    "footer",
    "form",
    "header",
    "hr",
    "html",
    "li",
    "main",
    "ol",
    "p",
    "pre",
    "section",
    "summary",
    "table",
    "tbody",
    "thead",
    "tr",
    "ul",
];

/// What was read so far.
#[derive(Default)]
pub(super) struct Reading {
    pub(super) text: String,
    pub(super) headings: Vec<Heading>,
    open_heading: Option<(usize, usize)>,
    silent_depth: usize,
}

impl Reading {
    /// Takes the next step of a walk through the page.
    pub(super) fn step(&mut self, edge: &Edge<'_>) {
        match edge {
            Edge::Open(_, Content::Element(name)) if self.silent_depth > 0 || SILENT.contains(&&*name.local) => {
                self.silent_depth += 1;
            }
            Edge::Open(_, Content::Element(name)) => self.open(&name.local),
            Edge::Open(_, Content::Text(text)) if self.silent_depth == 0 => self.push_words(text),
            Edge::Close(Content::Element(_)) if self.silent_depth > 0 => self.silent_depth -= 1,
            Edge::Close(Content::Element(name)) => self.close(&name.local),
            Edge::Open(_, Content::Text(_) | Content::Nothing) | Edge::Close(Content::Text(_) | Content::Nothing) => {}
        }
    }

    fn open(&mut self, name: &str) {
        if let Some(level) = heading_level(name) {
            self.break_block();
            self.open_heading = Some((level, self.text.len()));
        } else if name == "br" {
            self.text.push('\n');
        } else if name == "li" {
            self.break_line();
            self.text.push_str("- ");
        } else if matches!(name, "td" | "th") && !self.text.ends_with('\n') && !self.text.is_empty() {
            let kept = self.text.trim_end_matches(' ').len();
            self.text.truncate(kept);
            self.text.push_str(" | ");
        } else if name == "tr" {
            self.break_line();
        } else if BLOCKS.contains(&name) {
            self.break_block();
        }
    }

    fn close(&mut self, name: &str) {
        if heading_level(name).is_some() {
            if let Some((level, start)) = self.open_heading.take() {
                let title = self.text.get(start..).unwrap_or_default().trim().to_owned();
                self.headings.push(Heading { level, title, start, end: self.text.len() });
            }
            self.break_block();
        } else if matches!(name, "li" | "tr") {
            self.break_line();
        } else if BLOCKS.contains(&name) && name != "td" {
            self.break_block();
        }
    }

    /// Adds words with every run of white space as one blank.
    fn push_words(&mut self, words: &str) {
        for (at, word) in words.split_whitespace().enumerate() {
            let is_apart = at > 0 || words.starts_with(char::is_whitespace);
            if is_apart && !self.text.is_empty() && !self.text.ends_with(char::is_whitespace) {
                self.text.push(' ');
            }
            self.text.push_str(word);
        }
        if words.ends_with(char::is_whitespace) && !self.text.is_empty() && !self.text.ends_with(char::is_whitespace) {
            self.text.push(' ');
        }
    }

    fn break_line(&mut self) {
        let kept = self.text.trim_end_matches(' ').len();
        self.text.truncate(kept);
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    fn break_block(&mut self) {
        self.break_line();
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }
}

fn heading_level(name: &str) -> Option<usize> {
    let level = name.strip_prefix('h')?.parse().ok()?;
    (1..=6).contains(&level).then_some(level)
}
