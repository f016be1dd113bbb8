//! Lines → blocks. Blocks between two lines of their own may hold others, up to a depth that no author reaches.

use std::collections::BTreeMap;

use crate::nested::Nested;

use super::{
    inline::{Names, plain},
    line_marks::{
        Fence, ItemLine, Marker, attribute, fence, is_anchor, is_block_attributes, is_silent_macro, item, section,
        underlined,
    },
    tables,
};

const DEPTH_MAX: usize = 16;
const NOTES: &[&str] = &["NOTE", "TIP", "IMPORTANT", "WARNING", "CAUTION"];

pub(super) struct Blocks<'m, 'a> {
    pub(super) out: Nested<'m>,
    pub(super) names: Names,
    /// The lists that are open, each with an open item.
    lists: Vec<(Marker<'a>, u32)>,
    /// Whether the next block belongs to the open item, and whether an empty line came before it.
    is_attached: bool,
    is_after_blank: bool,
    /// What the lines before a block say of it.
    attributes: String,
    title: String,
    footnotes: usize,
}

impl<'m, 'a> Blocks<'m, 'a> {
    pub(super) fn new(out: Nested<'m>, names: Names) -> Self {
        Self {
            out,
            names,
            lists: Vec::new(),
            is_attached: false,
            is_after_blank: false,
            attributes: String::new(),
            title: String::new(),
            footnotes: 0,
        }
    }

    /// The attributes of the whole text.
    pub(super) fn finish(self) -> BTreeMap<String, String> {
        self.names.attributes
    }

    pub(super) fn read(&mut self, lines: &[&'a str], depth: usize) {
        let mut at = 0;
        while let Some(line) = lines.get(at) {
            at += self.block(lines.get(at..).unwrap_or_default(), line, depth).max(1);
        }
        self.close_lists(0);
    }

    /// Reads one block or line; answers how many lines it was.
    fn block(&mut self, lines: &[&'a str], line: &'a str, depth: usize) -> usize {
        if line.is_empty() {
            self.is_after_blank = true;
            return 1;
        }
        if line == "+" && !self.lists.is_empty() {
            (self.is_attached, self.is_after_blank) = (true, false);
            return 1;
        }
        let next = lines.get(1).copied().unwrap_or_default();
        let is_title = underlined(line, next).is_some();
        if let Some(kind) = fence(line).filter(|_| !is_title) {
            return self.fenced(lines, line, kind, depth);
        }
        if line.starts_with("//") || is_silent_macro(line) || matches!(line, "'''" | "<<<" | "***" | "---") {
            self.title.clear();
            self.attributes.clear();
            return 1;
        }
        if let Some((name, value)) = attribute(line) {
            return self.attribute(lines, name, value);
        }
        if is_block_attributes(line) || is_anchor(line) {
            self.attributes.push_str(line);
            if self.is_after_blank && !self.is_attached {
                self.close_lists(0);
            }
            return 1;
        }
        let block_title = line.strip_prefix('.').filter(|title| !title.starts_with(['.', ' ']));
        if let Some(title) = block_title {
            title.clone_into(&mut self.title);
            return 1;
        }
        if let Some((level, title)) = section(line).or_else(|| underlined(line, next).map(|level| (level, line))) {
            self.close_lists(0);
            self.begin();
            let title = plain(title, &self.names).0;
            self.out.heading(level, &title);
            return 1 + usize::from(is_title);
        }
        let is_verbatim = matches!(self.style(), "source" | "listing" | "literal" | "verse" | "stem");
        match item(line).filter(|_| !is_verbatim) {
            Some(found) => self.item(lines, &found),
            None => self.paragraph(lines, line),
        }
    }

    /// The first word of what is said about the next block.
    fn style(&self) -> &str {
        let inside = self.attributes.rsplit('[').next().unwrap_or_default();
        inside.split([',', ']', '#', '.', '%']).next().unwrap_or_default()
    }

    /// Begins a block that is no item: writes its title, and ends the lists it does not belong to.
    fn begin(&mut self) -> String {
        if !std::mem::take(&mut self.is_attached) && !self.lists.is_empty() {
            self.close_lists(0);
        }
        self.is_after_blank = false;
        let style = self.style().to_owned();
        self.attributes.clear();
        self.write_title();
        style
    }

    /// Writes the title of the block that follows, which it announces: alone it is no sentence.
    fn write_title(&mut self) {
        let mut title = plain(&std::mem::take(&mut self.title), &self.names).0;
        if title.ends_with(|c: char| c.is_alphanumeric() || matches!(c, ')' | '"' | '\'')) {
            title.push(':');
        }
        self.out.words(&title);
    }

    fn close_lists(&mut self, left: usize) {
        while self.lists.len() > left {
            self.lists.pop();
            self.out.close_item();
        }
    }

    fn item(&mut self, lines: &[&'a str], found: &ItemLine<'a>) -> usize {
        self.is_attached = false;
        let place = self.lists.iter().position(|(marker, _)| *marker == found.marker);
        let last = place.and_then(|place| self.lists.get(place)).map_or(0, |(_, number)| *number);
        if let Some(place) = place {
            self.close_lists(place);
        }
        if !self.title.is_empty() {
            self.write_title();
        }
        self.attributes.clear();
        let number = found.number.unwrap_or_else(|| last.saturating_add(1));
        self.lists.push((found.marker, number));
        match found.marker {
            Marker::Term(_) => {
                let term = plain(found.term, &self.names).0;
                self.out.open_term(&term);
            }
            Marker::Number(_) | Marker::Callout => self.out.open_item(Some(number)),
            Marker::Bullet(_) => self.out.open_item(None),
        }
        self.is_after_blank = false;
        let mut words = vec![found.words];
        let mut taken = 1;
        // What is said of a term may begin on the next line, with an empty one between.
        if found.words.is_empty() {
            taken += lines.get(1..).unwrap_or_default().iter().take_while(|line| line.is_empty()).count();
            let begins = lines.get(taken).is_some_and(|line| !self.ends_words(line) && !line.starts_with(' '));
            if taken > 1
                && !begins
                && !lines.get(taken).is_some_and(|line| item(line).is_none() && line.starts_with(' '))
            {
                return 1;
            }
        }
        while let Some(line) = lines.get(taken).filter(|line| !line.is_empty() && !self.ends_words(line)) {
            words.push(line.trim());
            taken += 1;
        }
        self.words(words.join("\n").trim());
        taken
    }

    /// Whether a line is no more of the words above it.
    fn ends_words(&self, line: &str) -> bool {
        let is_item = !self.lists.is_empty() && item(line).is_some();
        line == "+" || fence(line).is_some() || is_block_attributes(line) || is_item || line.starts_with("//")
    }

    fn paragraph(&mut self, lines: &[&'a str], line: &str) -> usize {
        let is_indented = line.starts_with([' ', '\t']);
        // What is indented below an item belongs to it.
        self.is_attached |= is_indented && !self.lists.is_empty();
        let style = self.begin();
        let length = lines.iter().take_while(|line| !line.is_empty()).count();
        let ends = |line: &&str| *line == "+" || fence(line).is_some() || is_block_attributes(line);
        let taken = 1 + lines.get(1..length).unwrap_or_default().iter().take_while(|line| !ends(line)).count();
        let own = lines.get(..taken).unwrap_or_default();
        let is_code = matches!(style.as_str(), "source" | "listing" | "literal" | "stem" | "latexmath");
        if is_code || is_indented && style != "normal" {
            self.out.code(&own.join("\n"));
            return taken;
        }
        let own = own.iter().filter(|line| !line.starts_with("//")).copied().collect::<Vec<_>>().join("\n");
        let note = NOTES.iter().find(|note| own.strip_prefix(**note).is_some_and(|rest| rest.starts_with(": ")));
        if let Some(note) = note {
            self.out.lead(&capitalised(note));
            self.words(own.get(note.len() + 2..).unwrap_or_default());
        } else if NOTES.contains(&style.as_str()) {
            self.out.lead(&capitalised(&style));
            self.words(&own);
        } else if matches!(style.as_str(), "quote" | "verse") || own.starts_with("> ") {
            self.out.open_quote();
            self.words(&own.replace("\n> ", "\n").replacen("> ", "", usize::from(own.starts_with("> "))));
            self.out.close_quote();
        } else if style != "comment" {
            self.words(&own);
        }
        taken
    }

    /// A block between two lines that are alike.
    fn fenced(&mut self, lines: &[&'a str], line: &str, kind: Fence, depth: usize) -> usize {
        let closing = if line.starts_with("```") { "```" } else { line };
        let length = lines.get(1..).unwrap_or_default().iter().take_while(|line| **line != closing).count();
        let inside = lines.get(1..=length).unwrap_or_default();
        let said = self.attributes.clone();
        if kind == Fence::Comment {
            return length + 2;
        }
        let style = self.begin();
        match kind {
            Fence::Comment => {}
            Fence::Passthrough if style == "stem" || style == "latexmath" => self.out.code(&inside.join("\n")),
            Fence::Passthrough => {}
            Fence::Listing | Fence::Literal => self.out.code(&inside.join("\n")),
            Fence::Open if matches!(style.as_str(), "source" | "listing" | "literal") => {
                self.out.code(&inside.join("\n"))
            }
            Fence::Table => self.table(line, &said, inside),
            Fence::Quote if style == "verse" => self.quote(&said, |own| own.words(&inside.join("\n"))),
            Fence::Quote => self.quote(&said, |own| own.inner(inside, depth)),
            Fence::Example | Fence::Sidebar | Fence::Open => {
                if NOTES.contains(&style.as_str()) {
                    self.out.lead(&capitalised(&style));
                }
                if style == "quote" {
                    self.quote(&said, |own| own.inner(inside, depth));
                } else if style != "comment" {
                    self.inner(inside, depth);
                }
            }
        }
        length + 2
    }

    /// Somebody's words, and below them whose they are.
    fn quote(&mut self, said: &str, read: impl FnOnce(&mut Self)) {
        self.out.open_quote();
        read(self);
        let inside = said.rsplit('[').next().unwrap_or_default().trim_end_matches(']');
        let whose: Vec<&str> = inside.split(',').skip(1).map(|part| part.trim().trim_matches('"')).collect();
        if !whose.is_empty() {
            self.words(&format!("— {}", whose.join(", ")));
        }
        self.out.close_quote();
    }

    /// The blocks inside of a block, whose lists are their own.
    fn inner(&mut self, lines: &[&'a str], depth: usize) {
        if depth >= DEPTH_MAX {
            self.words(&lines.join("\n"));
            return;
        }
        let lists = std::mem::take(&mut self.lists);
        self.read(lines, depth + 1);
        self.lists = lists;
        (self.is_attached, self.is_after_blank) = (false, false);
    }

    fn table(&mut self, fence: &str, said: &str, lines: &[&str]) {
        let mut rows = tables::rows(fence, said, lines);
        let mut footnotes = Vec::new();
        for cell in rows.iter_mut().flatten() {
            let (words, more) = plain(cell, &self.names);
            *cell = words;
            footnotes.extend(more);
        }
        self.out.table(&rows);
        self.write_footnotes(footnotes);
    }

    pub(super) fn words(&mut self, text: &str) {
        let text = text.replace(" +\n", "\n");
        let (words, footnotes) = plain(&text, &self.names);
        self.out.words(words.strip_suffix(" +").unwrap_or(&words));
        self.write_footnotes(footnotes);
    }

    fn write_footnotes(&mut self, footnotes: Vec<String>) {
        for footnote in footnotes {
            self.footnotes += 1;
            self.out.words(&format!("[{}] {footnote}", self.footnotes));
        }
    }
}

fn capitalised(note: &str) -> String {
    let (first, rest) = note.split_at_checked(1).unwrap_or((note, ""));
    format!("{first}{}", rest.to_lowercase())
}
