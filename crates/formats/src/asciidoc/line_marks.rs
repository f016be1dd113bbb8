//! Single lines → what they begin: a section, an item, a block, or something no reader sees.

/// The mark of an item; items with the same mark stand in the same list.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Marker<'a> {
    Bullet(&'a str),
    /// A number that is written, counted, or of a callout.
    Number(&'a str),
    Callout,
    Term(&'a str),
}

/// An item: its mark, its number or term, and its first words.
pub(super) struct ItemLine<'a> {
    pub(super) marker: Marker<'a>,
    pub(super) number: Option<u32>,
    pub(super) term: &'a str,
    pub(super) words: &'a str,
}

const MARKS_MAX: usize = 6;

pub(super) fn item(line: &str) -> Option<ItemLine<'_>> {
    let line = line.trim();
    let plain = |marker, number, words| Some(ItemLine { marker, number, term: "", words });
    let (mark, words) = line.split_once(' ').unwrap_or((line, ""));
    let words = words.trim_start();
    let is_run = |sign: char| mark.len() <= MARKS_MAX && !mark.is_empty() && mark.chars().all(|c| c == sign);
    if !words.is_empty() {
        if is_run('*') || mark == "-" || mark == "•" {
            return plain(
                Marker::Bullet(mark),
                None,
                words.strip_prefix("[ ] ").or(words.strip_prefix("[x] ")).unwrap_or(words),
            );
        }
        if is_run('.') {
            return plain(Marker::Number(mark), None, words);
        }
        if let Some(number) = mark.strip_suffix('.').and_then(|number| number.parse().ok()) {
            return plain(Marker::Number("1."), Some(number), words);
        }
        let letter = mark.strip_suffix('.').filter(|letter| letter.len() == 1).and_then(|letter| letter.chars().next());
        if let Some(letter) = letter.filter(char::is_ascii_lowercase) {
            return plain(Marker::Number("a."), Some(u32::from(letter) - u32::from('a') + 1), words);
        }
        if let Some(callout) = mark.strip_prefix('<').and_then(|mark| mark.strip_suffix('>'))
            && (callout == "." || callout.parse::<u32>().is_ok())
        {
            return plain(Marker::Callout, callout.parse().ok(), words);
        }
    }
    term(line)
}

/// `term:: words`.
fn term(line: &str) -> Option<ItemLine<'_>> {
    if line.starts_with("//") {
        return None;
    }
    for mark in ["::::", ":::", "::", ";;"] {
        let Some((term, words)) = line.split_once(&format!("{mark} ")).or_else(|| Some((line.strip_suffix(mark)?, "")))
        else {
            continue;
        };
        if !term.is_empty() && !term.ends_with([' ', ':', ';']) {
            let marker = Marker::Term(line.get(term.len()..term.len() + mark.len())?);
            return Some(ItemLine { marker, number: None, term, words: words.trim() });
        }
    }
    None
}

/// The level of a section and its title.
pub(super) fn section(line: &str) -> Option<(usize, &str)> {
    let sign = line.chars().next().filter(|c| matches!(c, '=' | '#'))?;
    let level = line.chars().take_while(|c| *c == sign).count();
    let title = line.get(level..)?.strip_prefix(' ')?.trim();
    let title = title.strip_suffix(line.get(..level)?).map_or(title, str::trim_end);
    (level <= 6 && !title.is_empty()).then_some((level, title))
}

/// The level of a title with this rule below it.
pub(super) fn underlined(line: &str, next: &str) -> Option<usize> {
    let sign = next.chars().next()?;
    let level = match sign {
        '=' => 1,
        '-' => 2,
        '~' => 3,
        '^' => 4,
        '+' => 5,
        _ => return None,
    };
    let is_rule = next.len() > 1 && next.chars().all(|c| c == sign);
    let is_title = line.chars().any(char::is_alphanumeric) && !line.starts_with([' ', '.', '[', '|', '/']);
    let difference = line.chars().count().abs_diff(next.len());
    (is_rule && is_title && difference <= 1).then_some(level)
}

/// What a block is that stands between two lines of its own.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fence {
    Listing,
    Literal,
    Example,
    Sidebar,
    Quote,
    Open,
    Passthrough,
    Comment,
    Table,
}

pub(super) fn fence(line: &str) -> Option<Fence> {
    let is_run = |sign: char| line.len() >= 4 && line.chars().all(|c| c == sign);
    match line {
        "--" => Some(Fence::Open),
        "|===" | ",===" | ":===" | "!===" => Some(Fence::Table),
        _ if line.starts_with("|===") && line.chars().skip(1).all(|c| c == '=') => Some(Fence::Table),
        _ if line.starts_with("```") && !line.get(3..).unwrap_or_default().contains('`') => Some(Fence::Listing),
        _ if is_run('-') => Some(Fence::Listing),
        _ if is_run('.') => Some(Fence::Literal),
        _ if is_run('=') => Some(Fence::Example),
        _ if is_run('*') => Some(Fence::Sidebar),
        _ if is_run('_') => Some(Fence::Quote),
        _ if is_run('+') => Some(Fence::Passthrough),
        _ if is_run('/') => Some(Fence::Comment),
        _ => None,
    }
}

/// The name and the value of an attribute; no value where the name is taken back.
pub(super) fn attribute(line: &str) -> Option<(&str, Option<&str>)> {
    let (name, value) = line.strip_prefix(':')?.split_once(':')?;
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_');
    if !(value.is_empty() || value.starts_with(' ')) {
        return None;
    }
    match name.strip_prefix('!').or(name.strip_suffix('!')) {
        Some(name) => is_name(name).then_some((name, None)),
        None => is_name(name).then_some((name, Some(value.trim()))),
    }
}

/// Whether a line only says something about the block below it.
pub(super) fn is_block_attributes(line: &str) -> bool {
    let inside = line.strip_prefix('[').and_then(|line| line.strip_suffix(']'));
    inside.is_some_and(|inside| {
        inside.is_empty()
            || inside.starts_with(|c: char| c.is_alphanumeric() || "[.#%\"'_,{".contains(c))
                && !inside.starts_with("[[")
    })
}

/// Whether a line only gives the block below it an id.
pub(super) fn is_anchor(line: &str) -> bool {
    line.starts_with("[[") && line.ends_with("]]")
}

/// Whether a line holds a macro that is a block of its own and shows no words.
pub(super) fn is_silent_macro(line: &str) -> bool {
    let names = ["image", "video", "audio", "toc", "include", "ifdef", "ifndef", "ifeval", "endif", "link-css", "icon"];
    let rest = names.iter().find_map(|name| line.strip_prefix(name)?.strip_prefix("::"));
    rest.is_some_and(|rest| rest.ends_with(']') && rest.contains('['))
}
