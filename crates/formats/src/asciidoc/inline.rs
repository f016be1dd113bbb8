//! Words with AsciiDoc's marks → the words a reader sees.
//!
//! Invariant: the work is linear. The end of a mark is looked for once, and where there is none it is not looked for
//! again in the same text.

use std::{cell::Cell, collections::BTreeMap};

use super::macros::{self, Macro, Shown, without_tags};

/// What a text refers to by name.
#[derive(Default)]
pub(super) struct Names {
    pub(super) attributes: BTreeMap<String, String>,
    /// The titles of sections and blocks, by their ids.
    pub(super) titles: BTreeMap<String, String>,
    /// How many bytes names may still stand for.
    pub(super) left: Cell<usize>,
}

impl Names {
    /// Whether a name may still stand for these words: a text of nothing but names must stay in proportion.
    fn take(&self, words: &str) -> bool {
        let left = self.left.get().checked_sub(words.len());
        self.left.set(left.unwrap_or(0));
        left.is_some()
    }
}

/// The longest value that stands for a name.
pub(super) const VALUE_BYTES_MAX: usize = 300;
/// The longest name of an attribute.
const NAME_BYTES_MAX: usize = 80;
/// The longest words above or below the line.
const RAISED_BYTES_MAX: usize = 200;
/// Macros inside of macros that are deeper are left as they are.
const NESTING_MAX: usize = 4;

/// Marks around words; the doubled ones may stand inside of a word, those at the end without being doubled.
const MARKS: [(&str, Kind); 12] = [
    ("**", Kind::Anywhere),
    ("__", Kind::Anywhere),
    ("``", Kind::Anywhere),
    ("##", Kind::Anywhere),
    ("*", Kind::AroundWords),
    ("_", Kind::AroundWords),
    ("`", Kind::AroundWords),
    ("#", Kind::AroundWords),
    ("^", Kind::WithoutBlanks),
    ("~", Kind::WithoutBlanks),
    ("++", Kind::Verbatim),
    ("+", Kind::VerbatimWords),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Anywhere,
    AroundWords,
    WithoutBlanks,
    /// What is between is taken as it is.
    Verbatim,
    VerbatimWords,
}

struct Inline<'a> {
    names: &'a Names,
    depth: usize,
    /// How many curved quotes are open.
    curved: usize,
    words: String,
    footnotes: Vec<String>,
    /// Where marks end that were opened: how long they are, by their places.
    closings: BTreeMap<usize, usize>,
    /// Up to where each mark is open, and from where on it does not end any more.
    open_until: [usize; MARKS.len()],
    missing: [bool; MARKS.len()],
}

/// The words without marks, and the footnotes in them.
pub(super) fn plain(text: &str, names: &Names) -> (String, Vec<String>) {
    read(text, names, 0)
}

fn read(text: &str, names: &Names, depth: usize) -> (String, Vec<String>) {
    let mut inline = Inline {
        names,
        depth,
        curved: 0,
        words: String::with_capacity(text.len()),
        footnotes: Vec::new(),
        closings: BTreeMap::new(),
        open_until: [0; MARKS.len()],
        missing: [false; MARKS.len()],
    };
    let mut at = 0;
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        at += inline.step(text, at, c).max(1);
    }
    (inline.words, inline.footnotes)
}

impl Inline<'_> {
    /// Takes what comes next; answers how many bytes it was.
    fn step(&mut self, text: &str, at: usize, c: char) -> usize {
        if let Some(length) = self.closings.remove(&at) {
            return length;
        }
        let (before, rest) = text.split_at_checked(at).unwrap_or((text, ""));
        let previous = before.chars().next_back();
        let taken = match c {
            '\\' => self.escaped(rest),
            '{' => self.attribute(rest),
            '<' | '[' | '(' | '&' | ':' => macros::bracketed(rest).map(|found| self.show(found)),
            'a'..='z' | 'A'..='Z' if !previous.is_some_and(char::is_alphanumeric) => {
                macros::named(rest).map(|found| self.show(found))
            }
            '"' | '\'' => quoted(rest).inspect(|_| {
                self.words.push(c);
                self.curved += 1;
            }),
            '`' if self.curved > 0 && rest.get(1..).is_some_and(|rest| rest.starts_with(['"', '\''])) => {
                self.curved -= 1;
                Some(1)
            }
            '*' | '_' | '`' | '#' | '^' | '~' | '+' => self.mark(text, at, previous),
            _ => None,
        };
        taken.unwrap_or_else(|| {
            self.words.push(c);
            c.len_utf8()
        })
    }

    fn show(&mut self, found: Macro<'_>) -> usize {
        match found.shown {
            Shown::Nothing => {}
            Shown::Verbatim(words) => self.words.push_str(&words),
            Shown::Marked(text) => self.words.push_str(&self.nested(text)),
            Shown::Title(id) => self.words.push_str(&title(self.names, id)),
            Shown::Footnote(text) if text.trim().is_empty() => {}
            Shown::Footnote(text) => self.footnotes.push(self.nested(text)),
        }
        found.used
    }

    /// The words inside of a macro, which holds no other one that deep.
    fn nested(&self, text: &str) -> String {
        if self.depth > NESTING_MAX { text.to_owned() } else { read(text, self.names, self.depth + 1).0 }
    }

    fn escaped(&mut self, rest: &str) -> Option<usize> {
        let after = rest.get(1..)?;
        let marks = after.bytes().take_while(|byte| b"*_`#^~+{<[(\\".contains(byte)).count();
        if marks > 0 {
            let marks = if after.starts_with("\\") { 1 } else { marks };
            self.words.push_str(after.get(..marks)?);
            return Some(1 + marks);
        }
        macros::is_macro(after).then_some(1)
    }

    fn attribute(&mut self, rest: &str) -> Option<usize> {
        let inside = rest.get(1..)?;
        let length = inside.bytes().take(NAME_BYTES_MAX).position(|byte| byte == b'}')?;
        let name = inside.get(..length)?;
        let value = self.names.attributes.get(&name.to_lowercase()).map(String::as_str).or_else(|| character(name))?;
        self.names.take(value).then(|| self.words.push_str(value))?;
        Some(length + 2)
    }

    /// Leaves out a mark that has an end, and remembers where that is.
    fn mark(&mut self, text: &str, at: usize, previous: Option<char>) -> Option<usize> {
        let rest = text.get(at..)?;
        if let Some(inside) = rest.strip_prefix("+++") {
            let end = inside.find("+++")?;
            self.words.push_str(&without_tags(inside.get(..end)?));
            return Some(end + 6);
        }
        let (index, (mark, kind)) = MARKS.iter().enumerate().find(|(_, (mark, _))| rest.starts_with(mark))?;
        let (open, missing) = (self.open_until.get_mut(index)?, self.missing.get_mut(index)?);
        if *missing || at < *open {
            return None;
        }
        let inside = rest.get(mark.len()..)?;
        let is_around_words = matches!(kind, Kind::AroundWords | Kind::VerbatimWords);
        if is_around_words && previous.is_some_and(is_word) || inside.starts_with(char::is_whitespace) {
            return None;
        }
        let Some(length) = end_of(inside, mark, *kind) else {
            // A sign that may not stand between blanks ends with its word, so another one may have an end.
            *missing = *kind != Kind::WithoutBlanks;
            return None;
        };
        if matches!(kind, Kind::Verbatim | Kind::VerbatimWords) {
            self.words.push_str(inside.get(..length)?);
            return Some(length + 2 * mark.len());
        }
        *open = at + mark.len() + length;
        self.closings.insert(*open, mark.len());
        Some(mark.len())
    }
}

fn end_of(inside: &str, mark: &str, kind: Kind) -> Option<usize> {
    let mut from = 1;
    let inside = if kind == Kind::WithoutBlanks { first_word(inside) } else { inside };
    while !inside.is_char_boundary(from) && from < inside.len() {
        from += 1;
    }
    while let Some(at) = inside.get(from..).and_then(|rest| rest.find(mark)).map(|at| at + from) {
        let before = inside.get(..at).and_then(|text| text.chars().next_back());
        let after = inside.get(at + mark.len()..).and_then(|text| text.chars().next());
        let is_apart = match kind {
            Kind::AroundWords | Kind::VerbatimWords => {
                before.is_some_and(|c| !c.is_whitespace()) && !after.is_some_and(is_word)
            }
            Kind::Anywhere | Kind::WithoutBlanks | Kind::Verbatim => true,
        };
        if is_apart {
            return Some(at);
        }
        from = at + mark.len();
    }
    None
}

/// What stands before the first blank, as far as a sign above or below the line reaches.
fn first_word(inside: &str) -> &str {
    let length = inside.bytes().take(RAISED_BYTES_MAX).take_while(|byte| !byte.is_ascii_whitespace()).count();
    let length = (0..=length).rev().find(|length| inside.is_char_boundary(*length));
    inside.get(..length.unwrap_or(0)).unwrap_or_default()
}

/// A quote that is to be a curved one, with the backquote next to it.
fn quoted(rest: &str) -> Option<usize> {
    let after = rest.get(1..)?.strip_prefix('`')?;
    let is_opening = after.starts_with(|c: char| !c.is_whitespace());
    is_opening.then_some(2)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The title of what has this id, or the id itself.
fn title(names: &Names, id: &str) -> String {
    let own = id.trim().rsplit('#').next().unwrap_or(id);
    let known = names.titles.get(own).filter(|title| names.take(title)).cloned();
    known.unwrap_or_else(|| format!("[{own}]"))
}

/// The names that stand for single characters.
fn character(name: &str) -> Option<&'static str> {
    let known = [
        ("empty", ""),
        ("blank", ""),
        ("sp", " "),
        ("nbsp", " "),
        ("zwsp", ""),
        ("wj", ""),
        ("apos", "'"),
        ("quot", "\""),
        ("lsquo", "‘"),
        ("rsquo", "’"),
        ("ldquo", "“"),
        ("rdquo", "”"),
        ("deg", "°"),
        ("plus", "+"),
        ("brvbar", "¦"),
        ("vbar", "|"),
        ("amp", "&"),
        ("lt", "<"),
        ("gt", ">"),
        ("startsb", "["),
        ("endsb", "]"),
        ("caret", "^"),
        ("asterisk", "*"),
        ("tilde", "~"),
        ("backslash", "\\"),
        ("backtick", "`"),
        ("two-colons", "::"),
        ("two-semicolons", ";;"),
        ("cpp", "C++"),
        ("pp", "++"),
        ("litdd", "--"),
    ];
    known.iter().find(|(own, _)| *own == name).map(|(_, shown)| *shown)
}
