//! Words with reStructuredText's marks → the words a reader sees.
//!
//! Invariant: the work is linear. An end of a mark that is looked for in vain is not looked for again in the same text.

use std::{cell::Cell, collections::BTreeMap};

/// What a text refers to by name.
#[derive(Default)]
pub(super) struct Names {
    /// What stands for `|name|`.
    pub(super) substitutions: BTreeMap<String, String>,
    /// The titles that labels stand above, by the label.
    pub(super) titles: BTreeMap<String, String>,
    /// The numbers of footnotes such as `[#name]`.
    pub(super) footnotes: BTreeMap<String, usize>,
    /// The numbers of footnotes without a name, in the order of both the footnotes and of what refers to them.
    pub(super) nameless: Vec<usize>,
    /// How many of these have been referred to, and have been read.
    counted: Cell<(usize, usize)>,
    /// How many bytes substitutions may still stand for.
    pub(super) left: Cell<usize>,
}

impl Names {
    /// What a substitution goes by: neither case nor white space matter.
    pub(super) fn key(name: &str) -> String {
        name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
    }

    /// Whether a name may still stand for these words: a text of nothing but names must stay in proportion.
    fn take(&self, words: &str) -> bool {
        let left = self.left.get().checked_sub(words.len());
        self.left.set(left.unwrap_or(0));
        left.is_some()
    }

    fn next_referred(&self) -> usize {
        let (referred, defined) = self.counted.get();
        self.counted.set((referred + 1, defined));
        self.nameless.get(referred).copied().unwrap_or(referred + 1)
    }

    /// The number of the next footnote without a name.
    pub(super) fn next_defined(&self) -> usize {
        let (referred, defined) = self.counted.get();
        self.counted.set((referred, defined + 1));
        self.nameless.get(defined).copied().unwrap_or(defined + 1)
    }
}

/// The marks that have an end, and the one of a role, which stands before or after its words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Literal,
    Strong,
    Emphasis,
    Target,
    Interpreted,
    Substitution,
}

impl Mark {
    const ALL: [(Self, &'static str, &'static str); 6] = [
        (Self::Literal, "``", "``"),
        (Self::Strong, "**", "**"),
        (Self::Emphasis, "*", "*"),
        (Self::Target, "_`", "`"),
        (Self::Interpreted, "`", "`"),
        (Self::Substitution, "|", "|"),
    ];
}

/// The longest name of a role.
const ROLE_BYTES_MAX: usize = 60;

struct Inline<'a> {
    names: &'a Names,
    words: String,
    /// The ends that do not come any more.
    missing: Vec<&'static str>,
}

pub(super) fn plain(text: &str, names: &Names) -> String {
    if !text.contains(['*', '`', '_', '|', '\\']) {
        return text.to_owned();
    }
    let mut inline = Inline { names, words: String::with_capacity(text.len()), missing: Vec::new() };
    let (mut rest, mut before) = (text, None);
    while let Some(c) = rest.chars().next() {
        let used = inline.marked(rest, before).unwrap_or_else(|| inline.character(c, rest));
        let (taken, after) = rest.split_at_checked(used).unwrap_or((rest, ""));
        (before, rest) = (taken.chars().next_back(), after);
    }
    inline.words
}

impl Inline<'_> {
    /// Takes one character that is no mark; answers how many bytes it was.
    fn character(&mut self, c: char, rest: &str) -> usize {
        let after = rest.get(c.len_utf8()..).unwrap_or_default();
        match c {
            '\\' => {
                let escaped = after.chars().next();
                self.words.extend(escaped.filter(|c| !c.is_whitespace()));
                1 + escaped.map_or(0, char::len_utf8)
            }
            '_' => {
                let marks = rest.len() - rest.trim_start_matches('_').len();
                let ends =
                    rest.get(marks..).and_then(|after| after.chars().next()).is_none_or(|c| !c.is_alphanumeric());
                if !(marks <= 2 && ends && self.ends_with_name()) {
                    self.words.push_str(rest.get(..marks).unwrap_or_default());
                }
                marks
            }
            c => {
                self.words.push(c);
                c.len_utf8()
            }
        }
    }

    /// Whether the words end with a name that can be a reference.
    fn ends_with_name(&self) -> bool {
        let is_part = |c: char| c.is_alphanumeric() || "-_.:+".contains(c);
        let name = self.words.rsplit(|c| !is_part(c)).next().unwrap_or_default();
        name.starts_with(char::is_alphanumeric) && name.ends_with(char::is_alphanumeric)
            || self.words.ends_with(']') && self.words.len() > 2
    }

    /// Takes what stands between two marks, if that is what comes next; answers how many bytes it was.
    fn marked(&mut self, rest: &str, before: Option<char>) -> Option<usize> {
        let first = rest.chars().next()?;
        if first == '[' {
            return self.footnote(rest);
        }
        if !matches!(first, '*' | '`' | '_' | '|' | ':') || !may_start_after(before) {
            return None;
        }
        let role = if first == ':' { role(rest)? } else { "" };
        let skipped = if role.is_empty() { 0 } else { role.len() + 2 };
        let marked = rest.get(skipped..)?;
        let (mark, start, end) = Mark::ALL.into_iter().find(|(_, start, _)| marked.starts_with(start))?;
        if !role.is_empty() && mark != Mark::Interpreted {
            return None;
        }
        let inside = marked.get(start.len()..)?;
        if inside.starts_with(char::is_whitespace) || is_quoted(before, inside) {
            return None;
        }
        let length = self.end_of(inside, end, mark)?;
        let words = inside.get(..length)?;
        let mut used = skipped + start.len() + length + end.len();
        let after = rest.get(used..).unwrap_or_default();
        match mark {
            Mark::Literal => self.words.push_str(words),
            Mark::Strong | Mark::Emphasis | Mark::Target => self.words.push_str(&unescaped(words)),
            Mark::Substitution => {
                used += after.len() - after.trim_start_matches('_').len();
                match self.names.substitutions.get(&Names::key(words)).filter(|known| self.names.take(known)) {
                    Some(known) => self.words.push_str(known),
                    None => self.words.push_str(words),
                }
            }
            Mark::Interpreted if after.starts_with('_') => {
                used += after.len() - after.trim_start_matches('_').len();
                self.words.push_str(&titled(&unescaped(words)));
            }
            Mark::Interpreted if role.is_empty() && after.starts_with(':') => {
                let role = self::role(after).unwrap_or_default();
                used += if role.is_empty() { 0 } else { role.len() + 2 };
                self.role(role, words);
            }
            Mark::Interpreted => self.role(role, words),
        }
        Some(used)
    }

    /// Takes the words of a role; a label alone stands for the title below it.
    fn role(&mut self, role: &str, words: &str) {
        let refers = matches!(role.rsplit(':').next(), Some("ref" | "numref"));
        let title = self.names.titles.get(&Names::key(words)).filter(|title| refers && self.names.take(title));
        match title {
            Some(title) => self.words.push_str(title),
            None => self.words.push_str(&in_role(role, words)),
        }
    }

    fn footnote(&mut self, rest: &str) -> Option<usize> {
        let label = rest.get(1..)?.split(|c: char| c == ']' || c.is_whitespace()).next()?;
        let used = label.len() + 2;
        rest.get(..used)?.strip_suffix(']')?;
        let after = rest.get(used..)?.strip_prefix('_')?;
        if label.is_empty() || after.starts_with(|c: char| c.is_alphanumeric()) {
            return None;
        }
        self.words.push('[');
        if label == "#" {
            self.words.push_str(&self.names.next_referred().to_string());
        } else if let Some(number) = self.names.footnotes.get(label) {
            self.words.push_str(&number.to_string());
        } else {
            self.words.push_str(label);
        }
        self.words.push(']');
        Some(used + 1)
    }

    /// Where a mark ends: after something, and before what is no part of a word.
    fn end_of(&mut self, inside: &str, end: &'static str, mark: Mark) -> Option<usize> {
        if self.missing.contains(&end) {
            return None;
        }
        let mut from = 0;
        while let Some(at) = inside.get(from..).and_then(|rest| rest.find(end)).map(|at| at + from) {
            let before = inside.get(..at).and_then(|text| text.chars().next_back());
            let after = inside.get(at + end.len()..).and_then(|text| text.chars().next());
            let is_escaped = mark != Mark::Literal && before == Some('\\');
            if before.is_some_and(|c| !c.is_whitespace()) && !is_escaped && may_end_before(after) {
                return Some(at);
            }
            from = at + end.chars().next().map_or(1, char::len_utf8);
        }
        self.missing.push(end);
        None
    }
}

fn may_start_after(before: Option<char>) -> bool {
    before.is_none_or(|c| {
        c.is_whitespace() || "'\"([{<-/:\u{201c}\u{2018}\u{ab}\u{2013}\u{2014}".contains(c) || c == '\\'
    })
}

fn may_end_before(after: Option<char>) -> bool {
    after.is_none_or(|c| !c.is_alphanumeric())
}

/// Whether a mark is itself what a pair of quotes or brackets holds, as in `'*'`.
fn is_quoted(before: Option<char>, inside: &str) -> bool {
    let closing = match before {
        Some('"') => '"',
        Some('\'') => '\'',
        Some('(') => ')',
        Some('[') => ']',
        Some('{') => '}',
        Some('<') => '>',
        _ => return false,
    };
    inside.starts_with(closing)
}

/// The name of a role between colons, right before or after its words.
fn role(text: &str) -> Option<&str> {
    let text = text.strip_prefix(':')?;
    let length =
        text.bytes().take(ROLE_BYTES_MAX).take_while(|byte| byte.is_ascii_alphanumeric() || b"-_.+:".contains(byte));
    let name = text.get(..length.count())?.strip_suffix(':')?;
    (!name.is_empty()).then_some(name)
}

/// The roles whose words are shown as they are. Every other one may refer to something, and what it refers to then stands in
/// angle brackets behind the words, with or without a blank between.
const PLAIN_ROLES: &[&str] = &[
    "guilabel",
    "menuselection",
    "kbd",
    "file",
    "command",
    "program",
    "abbr",
    "acronym",
    "dfn",
    "emphasis",
    "strong",
    "sub",
    "subscript",
    "sup",
    "superscript",
    "title",
    "title-reference",
    "mimetype",
    "makevar",
    "mailheader",
    "newsgroup",
    "regexp",
    "expr",
    "texpr",
];

/// The words of a role as they are shown.
fn in_role(role: &str, words: &str) -> String {
    match role.rsplit(':').next().unwrap_or_default() {
        "" => titled(&unescaped(words)),
        "math" | "code" | "literal" | "samp" => words.to_owned(),
        "pep" | "PEP" | "pep-reference" => format!("PEP {}", titled(words)),
        "rfc" | "RFC" | "rfc-reference" => format!("RFC {}", titled(words)),
        "raw" => String::new(),
        name if PLAIN_ROLES.contains(&name) => unescaped(words),
        name => {
            let shown = unescaped(before_target(words));
            let shown = shown.trim_start_matches('!');
            let shown = match shown.strip_prefix('~') {
                Some(path) => path.rsplit('.').next().unwrap_or_default(),
                None => shown,
            };
            let calls = matches!(name, "func" | "meth") && !shown.ends_with(')') && !words.contains('<');
            if calls { format!("{shown}()") } else { shown.to_owned() }
        }
    }
}

/// `title<target>` → the title, where the bracket is not escaped; a target alone is shown itself.
fn before_target(words: &str) -> &str {
    let Some((title, target)) = words.strip_suffix('>').and_then(|words| words.rsplit_once('<')) else { return words };
    match title.trim_end() {
        "" => target.trim_end_matches('_'),
        title if title.ends_with('\\') => words,
        title => title,
    }
}

/// `title <target>` → the title; a target alone is shown itself.
fn titled(words: &str) -> String {
    match words.strip_suffix('>').and_then(|words| words.rsplit_once('<')) {
        Some((title, target)) if title.trim().is_empty() => target.trim_end_matches('_').to_owned(),
        Some((title, _)) if title.ends_with(char::is_whitespace) => title.trim().to_owned(),
        Some(_) | None => words.to_owned(),
    }
}

fn unescaped(words: &str) -> String {
    let (mut plain, mut is_escaped) = (String::with_capacity(words.len()), false);
    for c in words.chars() {
        if std::mem::take(&mut is_escaped) {
            plain.extend(Some(c).filter(|c| !c.is_whitespace()));
        } else if c == '\\' {
            is_escaped = true;
        } else {
            plain.push(c);
        }
    }
    plain
}
