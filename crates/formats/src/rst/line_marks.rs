//! Single lines → what they begin: an item, a field, an option, a title's rule.

/// How far a line is indented; blank lines have no indentation of their own.
pub(super) fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

pub(super) fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}

/// Lines without the indentation they have in common.
pub(super) fn dedented<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    let common = lines.iter().filter(|line| !is_blank(line)).map(|line| indent(line)).min().unwrap_or(0);
    lines.iter().map(|line| line.get(common..).unwrap_or_default()).collect()
}

/// The sign that a rule of a title is made of.
pub(super) fn adornment(line: &str) -> Option<char> {
    let sign = line.chars().next()?;
    (sign.is_ascii_punctuation() && line.chars().all(|c| c == sign)).then_some(sign)
}

/// How far the words of an item are from its bullet.
pub(super) fn bullet(line: &str) -> Option<usize> {
    let sign = line.chars().next().filter(|c| matches!(c, '-' | '*' | '+' | '•' | '‣' | '⁃'))?;
    let rest = line.get(sign.len_utf8()..)?;
    (rest.is_empty() || rest.starts_with(' ')).then(|| sign.len_utf8() + indent(rest).max(1))
}

/// The number of an item, none for one that is to be counted, and how far its words are from the start of the line.
pub(super) fn enumerator(line: &str) -> Option<(Option<u32>, usize)> {
    let inside = line.strip_prefix('(').unwrap_or(line);
    let length = inside.bytes().take(8).take_while(u8::is_ascii_alphanumeric).count();
    let (label, rest) =
        if inside.starts_with('#') { inside.split_at_checked(1)? } else { inside.split_at_checked(length)? };
    let is_enclosed = inside.len() < line.len();
    let rest = rest.strip_prefix(if is_enclosed { &[')'][..] } else { &['.', ')'][..] })?;
    if !(rest.is_empty() || rest.starts_with(' ')) {
        return None;
    }
    let width = line.len() - rest.len() + indent(rest).max(1);
    Some((number(label)?, width))
}

/// `7`, `c` and `iv` as numbers; nothing inside for `#`.
fn number(label: &str) -> Option<Option<u32>> {
    if label == "#" {
        return Some(None);
    }
    if let Ok(number) = label.parse() {
        return Some(Some(number));
    }
    let mut letters = label.chars();
    let (first, more) = (letters.next()?.to_ascii_lowercase(), letters.next());
    if more.is_none() && first.is_ascii_lowercase() {
        // A lone `i` that begins a list is a Roman one.
        let place = if first == 'i' { 1 } else { u32::from(first) - u32::from('a') + 1 };
        return Some(Some(place));
    }
    roman(label).map(Some)
}

fn roman(label: &str) -> Option<u32> {
    let is_one_case = label.chars().all(|c| c.is_ascii_lowercase()) || label.chars().all(|c| c.is_ascii_uppercase());
    let mut values = Vec::new();
    for c in label.to_ascii_lowercase().chars() {
        values.push(match c {
            'i' => 1u32,
            'v' => 5,
            'x' => 10,
            'l' => 50,
            'c' => 100,
            'd' => 500,
            'm' => 1_000,
            _ => return None,
        });
    }
    let mut sum = 0i64;
    for (at, value) in values.iter().enumerate() {
        let is_less = values.get(at + 1).is_some_and(|next| next > value);
        sum += if is_less { -i64::from(*value) } else { i64::from(*value) };
    }
    u32::try_from(sum).ok().filter(|number| is_one_case && *number > 0)
}

/// The name of a field and what follows on its line.
pub(super) fn field(line: &str) -> Option<(&str, &str)> {
    let inside = line.strip_prefix(':')?;
    if inside.starts_with([' ', ':', '`']) {
        return None;
    }
    let mut from = 0;
    while let Some(at) = inside.get(from..)?.find(':').map(|at| at + from) {
        let (name, rest) = (inside.get(..at)?, inside.get(at + 1..)?);
        let is_end = rest.is_empty() || rest.starts_with(' ');
        if is_end && !name.ends_with(['\\', ' ']) {
            return Some((name, rest.trim_start()));
        }
        // What is right before words in backquotes is a role.
        if rest.starts_with('`') {
            return None;
        }
        from = at + 1;
    }
    None
}

/// The options of a program that a line names, and what it says of them on the same line.
pub(super) fn option(line: &str) -> Option<(&str, &str)> {
    let is_option = line.starts_with("--")
        && line.get(2..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
        || line.starts_with('-')
            && line.get(1..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
        || line.starts_with('/')
            && line.get(1..2).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()));
    if !is_option {
        return None;
    }
    let (options, words) = line.split_once("  ").unwrap_or((line, ""));
    let is_alone = options.split(", ").all(|one| {
        let parts = one.split_whitespace().count();
        one.starts_with(['-', '/']) && (parts == 1 || parts == 2)
    });
    is_alone.then(|| (options, words.trim_start()))
}
