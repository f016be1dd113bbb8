//! HTML → the text a person would read, with its headings as sections.

use scraper::{Html, Node, Selector, node::Element};
use vouch_domain::{Document, Section, ports::ParseFault};

use super::{FrontMatter, Origin, checked};

const SILENT: &[&str] =
    &["script", "style", "noscript", "template", "svg", "nav", "head", "iframe", "object", "button"];
const NESTING_MAX: usize = 1_000;
const NESTING_COST_MAX: usize = 20_000_000;
const UNCOUNTED: &[&str] = &[
    "area", "base", "br", "col", "dd", "dt", "embed", "hr", "img", "input", "li", "link", "meta", "option", "p",
    "param", "source", "tbody", "td", "th", "thead", "tr", "track", "wbr",
];
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

pub(super) fn parse(text: &str, origin: &Origin<'_>) -> Result<Document, ParseFault> {
    if is_too_nested(text) {
        return Err(super::whole("its elements are nested too deep to be a page for people"));
    }
    let page = Html::parse_document(text);
    let mut reading = Reading::default();
    walk(&page, &mut reading);
    let title = named(&page, "title").or_else(|| named(&page, "h1"));
    let card = origin.card(FrontMatter { date: modified(&page), ..FrontMatter::default() }, title)?;
    let sections = reading.sections(&card.title);
    checked(Document { card, text: reading.text, sections, times: Vec::new() })
}

/// Whether reading the page would take time or memory out of proportion: both grow with the depth at every element.
/// Elements that close themselves or may be left open add no depth; what stands in scripts is no element.
fn is_too_nested(text: &str) -> bool {
    let (mut depth, mut cost) = (0usize, 0usize);
    let mut silent: Option<String> = None;
    for tag in text.split('<').skip(1) {
        let is_closing = tag.starts_with('/');
        let name: String = tag.trim_start_matches('/').chars().take_while(char::is_ascii_alphanumeric).collect();
        let name = name.to_ascii_lowercase();
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || silent.as_ref().is_some_and(|open| *open != name) {
            continue;
        }
        if matches!(name.as_str(), "script" | "style") {
            silent = (!is_closing).then_some(name);
            continue;
        }
        let closes_itself = tag.split('>').next().is_some_and(|inside| inside.ends_with('/'));
        if !closes_itself && !UNCOUNTED.contains(&name.as_str()) {
            depth = if is_closing { depth.saturating_sub(1) } else { depth + 1 };
        }
        cost = cost.saturating_add(depth);
        if depth > NESTING_MAX || cost > NESTING_COST_MAX {
            return true;
        }
    }
    false
}

#[derive(Default)]
struct Reading {
    text: String,
    headings: Vec<(usize, String, usize, usize)>,
    open_heading: Option<(usize, usize)>,
}

/// Goes through the page without recursion: a page may be nested as deep as its author likes.
fn walk(page: &Html, reading: &mut Reading) {
    use ego_tree::iter::Edge;
    let mut silent_depth = 0usize;
    for edge in page.tree.root().traverse() {
        match edge {
            Edge::Open(node) => match node.value() {
                Node::Element(element) if silent_depth > 0 || SILENT.contains(&element.name()) => silent_depth += 1,
                Node::Element(element) => reading.open(element),
                Node::Text(text) if silent_depth == 0 => reading.push_words(text),
                Node::Text(_) | Node::Document | Node::Fragment | Node::Doctype(_) | Node::Comment(_) => {}
                Node::ProcessingInstruction(_) => {}
            },
            Edge::Close(node) => match node.value() {
                Node::Element(_) if silent_depth > 0 => silent_depth -= 1,
                Node::Element(element) => reading.close(element),
                Node::Text(_) | Node::Document | Node::Fragment | Node::Doctype(_) | Node::Comment(_) => {}
                Node::ProcessingInstruction(_) => {}
            },
        }
    }
}

impl Reading {
    fn open(&mut self, element: &Element) {
        let name = element.name();
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

    fn close(&mut self, element: &Element) {
        let name = element.name();
        if heading_level(name).is_some() {
            if let Some((level, start)) = self.open_heading.take() {
                let title = self.text.get(start..).unwrap_or_default().trim().to_owned();
                self.headings.push((level, title, start, self.text.len()));
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

    fn sections(&self, title: &str) -> Vec<Section> {
        let mut sections = Vec::new();
        let mut stack: Vec<(usize, String)> = Vec::new();
        let mut start = 0;
        let end = (usize::MAX, String::new(), self.text.len(), self.text.len());
        for (level, name, heading_start, heading_end) in self.headings.iter().chain([&end]) {
            if start < *heading_start {
                sections.push(Section {
                    path: stack.iter().map(|(_, name)| name.clone()).collect(),
                    start,
                    end: *heading_start,
                });
            }
            stack.retain(|(above, _)| above < level);
            if !name.is_empty() && name != title {
                stack.push((*level, name.clone()));
            }
            start = *heading_end;
        }
        sections
    }
}

fn heading_level(name: &str) -> Option<usize> {
    let level = name.strip_prefix('h')?.parse().ok()?;
    (1..=6).contains(&level).then_some(level)
}

fn named(page: &Html, selector: &str) -> Option<String> {
    let selector = Selector::parse(selector).ok()?;
    let element = page.select(&selector).next()?;
    let words: Vec<&str> = element.text().flat_map(str::split_whitespace).collect();
    Some(words.join(" ")).filter(|text| !text.is_empty())
}

fn modified(page: &Html) -> Option<String> {
    let selector = Selector::parse("meta[property='article:modified_time'], meta[name='last-modified']").ok()?;
    page.select(&selector).next()?.value().attr("content").map(str::to_owned)
}
