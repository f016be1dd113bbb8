//! The lines of a text or of something inside it → their blocks.
//!
//! What is indented is read on its own, as the body of an item, a quote or a directive, up to a depth that no author
//! reaches; so the work is linear.

use crate::{day::day, nested::Nested};

use super::{
    inline::{Names, plain},
    line_marks::{adornment, bullet, dedented, enumerator, field, indent, is_blank, option},
    tables,
};

/// What stands deeper is read as one paragraph.
const DEPTH_MAX: usize = 24;
/// A rule is at least this long unless it is as long as its title.
const RULE_MIN: usize = 4;

/// What a text says of itself.
#[derive(Default)]
pub(super) struct Docinfo {
    pub(super) date: Option<String>,
    pub(super) version: Option<String>,
}

pub(super) struct Body<'m> {
    pub(super) out: Nested<'m>,
    pub(super) names: Names,
    /// The kinds of rules in the order they came in: the sign, and whether it stands above the title too.
    adornments: Vec<(char, bool)>,
    pub(super) own: Docinfo,
    pub(super) title: Option<String>,
    /// Whether nothing but titles has been read.
    is_at_top: bool,
}

impl<'m> Body<'m> {
    pub(super) fn new(out: Nested<'m>, names: Names) -> Self {
        let own = Docinfo::default();
        Self { out, names, adornments: Vec::new(), own, title: None, is_at_top: true }
    }

    pub(super) fn finish(mut self) -> (Docinfo, Option<String>) {
        self.out.words("");
        (self.own, self.title)
    }

    pub(super) fn plain(&self, words: &str) -> String {
        plain(words, &self.names)
    }

    /// Reads the blocks of these lines.
    pub(super) fn read(&mut self, lines: &[&str], depth: usize) {
        if depth > DEPTH_MAX {
            let words = self.plain(&lines.join("\n"));
            self.out.words(&words);
            return;
        }
        let mut at = 0;
        while let Some(line) = lines.get(at) {
            let rest = lines.get(at..).unwrap_or_default();
            let taken = if is_blank(line) { 1 } else { self.block(rest, line, depth) };
            at += taken.max(1);
        }
    }

    /// Reads one block; answers how many lines it was.
    fn block(&mut self, lines: &[&str], line: &str, depth: usize) -> usize {
        if indent(line) > 0 {
            return self.quote(lines, depth);
        }
        if line == ".." || line.starts_with(".. ") {
            return self.explicit(lines, line, depth);
        }
        if line == "__" || line.starts_with("__ ") {
            return block_length(lines, 0);
        }
        if let Some(taken) = self.section(lines, line) {
            return taken;
        }
        if let Some((taken, rows)) = tables::table(lines) {
            self.table(rows);
            self.is_at_top = false;
            return taken;
        }
        if let Some((name, words)) = field(line) {
            return self.field(lines, name, words, depth);
        }
        self.is_at_top = false;
        if let Some(width) = bullet(line) {
            return self.item(lines, None, width, depth);
        }
        if let Some((number, width)) = enumerator(line).filter(|_| is_list(lines)) {
            return self.numbered(lines, number, width, depth);
        }
        if line.starts_with(">>> ") {
            let taken = paragraph_length(lines);
            self.out.code(&lines.get(..taken).unwrap_or_default().join("\n"));
            return taken;
        }
        if line == "|" || line.starts_with("| ") {
            return self.line_block(lines);
        }
        if let Some((options, words)) = option(line) {
            let has_words = !words.is_empty() || lines.get(1).is_some_and(|next| indent(next) > 0);
            if has_words {
                return self.said_of(lines, options, words, depth);
            }
        }
        if lines.get(1).is_some_and(|next| indent(next) > 0 && !is_blank(next)) && !line.ends_with("::") {
            return self.definition(lines, line, depth);
        }
        self.paragraph(lines)
    }

    fn quote(&mut self, lines: &[&str], depth: usize) -> usize {
        let taken = block_length(lines, 0).max(1);
        self.is_at_top = false;
        self.out.open_quote();
        self.read(&dedented(lines.get(..taken).unwrap_or_default()), depth + 1);
        self.out.close_quote();
        taken
    }

    /// A title with a rule below it or around it, or a rule alone.
    fn section(&mut self, lines: &[&str], line: &str) -> Option<usize> {
        let next = lines.get(1).copied().unwrap_or_default();
        if let Some(sign) = adornment(line) {
            let below = lines.get(2).copied().unwrap_or_default();
            let is_title = !is_blank(next) && adornment(below) == Some(sign) && width(line) == width(below);
            if is_title && width(line) + 1 >= width(next.trim()) {
                self.heading(next, (sign, true));
                return Some(3);
            }
            if width(line) >= RULE_MIN && is_blank(next) {
                return Some(1);
            }
        }
        let sign = adornment(next).filter(|_| width(next) >= width(line) || width(next) >= RULE_MIN)?;
        if bullet(line).is_some() && width(next) < RULE_MIN {
            return None;
        }
        self.heading(line, (sign, false));
        Some(2)
    }

    fn heading(&mut self, title: &str, kind: (char, bool)) {
        let known = self.adornments.iter().position(|known| *known == kind);
        let level = known.unwrap_or_else(|| {
            self.adornments.push(kind);
            self.adornments.len() - 1
        });
        let title = self.plain(title.trim());
        self.out.heading(level + 1, &title);
    }

    pub(super) fn table(&mut self, mut rows: Vec<Vec<String>>) {
        rows.iter_mut().flatten().for_each(|cell| *cell = plain(cell, &self.names));
        self.out.table(&rows);
    }

    /// A field: what the text says of itself at its top, and a name with words elsewhere.
    fn field(&mut self, lines: &[&str], name: &str, words: &str, depth: usize) -> usize {
        if !self.is_at_top || depth > 0 {
            return self.said_of(lines, name, words, depth);
        }
        let taken = 1 + block_length(lines.get(1..).unwrap_or_default(), 0);
        let (value, dated) = (without_keyword(words), day(words));
        let is_keyword = value.len() < words.len();
        let value = dated.as_deref().filter(|_| is_keyword).unwrap_or(value);
        match name.to_ascii_lowercase().as_str() {
            "date" => self.own.date = day(value),
            "version" => self.own.version = Some(value.to_owned()),
            "revision" => self.own.version = self.own.version.take().or_else(|| Some(value.to_owned())),
            _ => {}
        }
        let is_shown = taken > 1 || !value.is_empty();
        if is_shown {
            let (term, mut inner) = (self.plain(name), vec![value]);
            inner.extend(dedented(lines.get(1..taken).unwrap_or_default()));
            self.out.open_term(&term);
            self.read(&inner, depth + 1);
            self.out.close_item();
            self.is_at_top = true;
        }
        taken
    }

    /// A name or an option and what is said of it, on its line and below.
    fn said_of(&mut self, lines: &[&str], name: &str, words: &str, depth: usize) -> usize {
        self.is_at_top = false;
        let taken = 1 + block_length(lines.get(1..).unwrap_or_default(), 0);
        let term = self.plain(name);
        let mut inner = vec![words];
        inner.extend(dedented(lines.get(1..taken).unwrap_or_default()));
        self.out.open_term(&term);
        self.read(&inner, depth + 1);
        self.out.close_item();
        taken
    }

    fn definition(&mut self, lines: &[&str], line: &str, depth: usize) -> usize {
        let term = self.plain(line.trim());
        let taken = 1 + block_length(lines.get(1..).unwrap_or_default(), 0);
        self.out.open_term(&term);
        self.read(&dedented(lines.get(1..taken).unwrap_or_default()), depth + 1);
        self.out.close_item();
        taken
    }

    fn item(&mut self, lines: &[&str], number: Option<u32>, width: usize, depth: usize) -> usize {
        let taken = 1 + block_length(lines.get(1..).unwrap_or_default(), 0);
        let first = lines.first().and_then(|line| line.get(width..)).unwrap_or_default();
        let mut inner = vec![first];
        inner.extend(
            lines
                .get(1..taken)
                .unwrap_or_default()
                .iter()
                .map(|line| line.get(width.min(indent(line))..).unwrap_or_default()),
        );
        self.out.open_item(number);
        self.read(&inner, depth + 1);
        self.out.close_item();
        taken
    }

    /// The items of a numbered list.
    fn numbered(&mut self, lines: &[&str], first: Option<u32>, width: usize, depth: usize) -> usize {
        let (mut at, mut number, mut width) = (0, first.unwrap_or(1), width);
        loop {
            at += self.item(lines.get(at..).unwrap_or_default(), Some(number), width, depth);
            at += lines.get(at..).unwrap_or_default().iter().take_while(|line| is_blank(line)).count();
            let rest = lines.get(at..).unwrap_or_default();
            let next = rest.first().and_then(|line| enumerator(line)).filter(|_| is_list(rest));
            number = number.saturating_add(1);
            match next {
                Some((None, next)) => width = next,
                Some((Some(own), next)) if own == number => width = next,
                Some(_) | None => return at,
            }
        }
    }

    fn line_block(&mut self, lines: &[&str]) -> usize {
        let taken = paragraph_length(lines);
        let words = lines.get(..taken).unwrap_or_default().iter().map(|line| match line.strip_prefix('|') {
            Some(words) => format!("\n{}", words.trim()),
            None => format!(" {}", line.trim()),
        });
        let words = self.plain(&words.collect::<String>());
        self.out.words(&words);
        taken
    }

    /// A paragraph, with the code below it where it ends with two colons.
    fn paragraph(&mut self, lines: &[&str]) -> usize {
        let taken = paragraph_length(lines);
        let words = lines.get(..taken).unwrap_or_default().join("\n");
        let Some(before) = words.strip_suffix("::") else {
            let words = self.plain(&words);
            self.out.words(&words);
            return taken;
        };
        let is_apart = before.is_empty() || before.ends_with(char::is_whitespace);
        let words =
            self.plain(if is_apart { before.trim_end() } else { words.get(..words.len() - 1).unwrap_or_default() });
        self.out.words(&words);
        let rest = lines.get(taken..).unwrap_or_default();
        let blank = rest.iter().take_while(|line| is_blank(line)).count();
        let code = rest.get(blank..).unwrap_or_default();
        let Some(first) = code.first() else { return taken + blank };
        let length = if indent(first) > 0 { block_length(code, 0) } else { quoted_length(code, first) };
        self.out.code(&dedented(code.get(..length).unwrap_or_default()).join("\n"));
        taken + blank + length
    }
}

/// How many lines there are up to the first that is indented no more than this, blank lines at the end left out.
pub(super) fn block_length(lines: &[&str], indented: usize) -> usize {
    let inside = lines.iter().take_while(|line| is_blank(line) || indent(line) > indented).count();
    let inside = lines.get(..inside).unwrap_or_default();
    inside.iter().rposition(|line| !is_blank(line)).map_or(0, |last| last + 1)
}

fn paragraph_length(lines: &[&str]) -> usize {
    lines.iter().take_while(|line| !is_blank(line)).count()
}

/// Code that is not indented but has the same sign before every line.
fn quoted_length(lines: &[&str], first: &str) -> usize {
    let sign = first.chars().next().filter(char::is_ascii_punctuation);
    lines.iter().take_while(|line| sign.is_some_and(|sign| line.starts_with(sign))).count()
}

/// Whether an item begins here, and no sentence that starts with a number or a letter.
fn is_list(lines: &[&str]) -> bool {
    lines.get(1).is_none_or(|next| is_blank(next) || indent(next) > 0 || enumerator(next).is_some())
}

fn width(line: &str) -> usize {
    line.chars().count()
}

/// `$Date: 2026-01-31 $` → what stands between.
fn without_keyword(words: &str) -> &str {
    let inside = words.trim().strip_prefix('$').and_then(|words| words.strip_suffix('$'));
    inside.and_then(|inside| inside.split_once(':')).map_or(words, |(_, value)| value.trim())
}
