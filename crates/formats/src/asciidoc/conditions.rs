//! Lines → those that stand outside of conditions, or inside of ones that the text's own attributes fulfil.

use std::collections::BTreeSet;

use super::line_marks::attribute;

/// What is set when a text is shown as a page.
const ALWAYS_SET: &[&str] =
    &["asciidoctor", "backend-html5", "basebackend-html", "backend", "doctype-article", "outfilesuffix"];

pub(super) fn kept<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    let mut set: BTreeSet<String> = ALWAYS_SET.iter().map(|name| (*name).to_owned()).collect();
    let mut kept = Vec::with_capacity(lines.len());
    let mut open: Vec<bool> = Vec::new();
    let mut hidden = 0usize;
    for line in lines {
        if let Some((is_fulfilled, words)) = condition(line, &set) {
            match words {
                "" => {
                    open.push(is_fulfilled);
                    hidden += usize::from(!is_fulfilled);
                }
                words if is_fulfilled && hidden == 0 => kept.push(words),
                _ => {}
            }
        } else if line.starts_with("endif::") && line.ends_with(']') {
            hidden -= usize::from(open.pop() == Some(false));
        } else if hidden == 0 {
            match attribute(line) {
                Some((name, Some(_))) => drop(set.insert(name.to_lowercase())),
                Some((name, None)) => drop(set.remove(&name.to_lowercase())),
                None => {}
            }
            kept.push(
                line.strip_prefix('\\')
                    .filter(|line| line.starts_with("include::") || line.starts_with("ifdef::"))
                    .unwrap_or(line),
            );
        }
    }
    kept
}

/// Whether a condition is fulfilled, and the words it stands before on the same line.
fn condition<'a>(line: &'a str, set: &BTreeSet<String>) -> Option<(bool, &'a str)> {
    let (kind, rest) = line.split_once("::")?;
    let (names, words) = rest.strip_suffix(']')?.split_once('[')?;
    let is_set = |name: &str| set.contains(&name.trim().to_lowercase());
    let holds = if names.contains('+') { names.split('+').all(is_set) } else { names.split(',').any(is_set) };
    match kind {
        "ifdef" => Some((holds, words)),
        "ifndef" => Some((!holds, words)),
        // What is compared there is known to whoever renders the text.
        "ifeval" => Some((true, "")),
        _ => None,
    }
}
