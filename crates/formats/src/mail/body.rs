//! The text of a mail → what its author wrote, without earlier mails and without a signature.

use crate::manuscript::Manuscript;

/// A mail of fewer words of its own is little else than what it quotes.
const OWN_WORDS_MIN: usize = 20;
/// How a mail that is passed on begins; what follows is what its author wants to be read.
const FORWARDED: &[&str] =
    &["begin forwarded message", "forwarded message", "weitergeleitete nachricht", "message transféré"];
/// How an earlier mail begins that is quoted without marks.
const ORIGINAL: &[&str] =
    &["-----original message-----", "-----ursprüngliche nachricht-----", "________________________________"];
const SENT_FROM: &[&str] = &["sent from my ", "von meinem iphone gesendet", "get outlook for "];

/// A paragraph, and whether it is quoted.
struct Paragraph {
    words: String,
    is_quoted: bool,
}

pub(super) fn write(text: &str, manuscript: &mut Manuscript) {
    let paragraphs = paragraphs(text);
    let count = |quoted: bool| {
        let own = paragraphs.iter().filter(|paragraph| paragraph.is_quoted == quoted);
        own.map(|paragraph| paragraph.words.split_whitespace().count()).sum::<usize>()
    };
    let keeps_quotes = count(false) < OWN_WORDS_MIN && count(false) < count(true);
    for Paragraph { words, is_quoted } in &paragraphs {
        if !is_quoted {
            manuscript.paragraph(words);
        } else if keeps_quotes {
            manuscript.quote(words);
        }
    }
}

fn paragraphs(text: &str) -> Vec<Paragraph> {
    let mut found: Vec<Paragraph> = Vec::new();
    let (mut is_open, mut is_original, mut is_forwarded) = (false, false, false);
    for line in text.lines() {
        let lower = line.trim().to_lowercase();
        is_forwarded |= lower.len() < 100
            && FORWARDED.iter().any(|start| lower.trim_matches(['-', ' ', ':', '=']).starts_with(start));
        is_original |= !is_forwarded && ORIGINAL.iter().any(|start| lower.starts_with(start));
        // Nothing but a signature follows such a line, unless more is quoted below.
        if line == "-- " || (line == "--" && !is_original) {
            is_open = false;
            if !is_forwarded {
                break;
            }
            continue;
        }
        if SENT_FROM.iter().any(|start| lower.starts_with(start)) && lower.len() < 80 {
            is_open = false;
            continue;
        }
        let (words, is_marked) = unquoted(line);
        if words.is_empty() {
            is_open = false;
            continue;
        }
        let is_quoted = (is_marked || is_original) && !is_forwarded;
        match found.last_mut().filter(|last| is_open && last.is_quoted == is_quoted) {
            Some(last) => {
                last.words.push('\n');
                last.words.push_str(words);
            }
            None => {
                if is_quoted {
                    found.iter_mut().next_back().into_iter().for_each(introduce);
                }
                found.push(Paragraph { words: words.to_owned(), is_quoted });
            }
        }
        is_open = true;
    }
    found
}

/// A line without the marks of a quote, and whether it had some.
fn unquoted(line: &str) -> (&str, bool) {
    let words = line.trim_start_matches(['>', ' ']);
    let is_marked = line.trim_start().starts_with('>');
    (if is_marked { words.trim() } else { line.trim() }, is_marked)
}

/// `On Monday Ada wrote:` belongs to the quote below it.
fn introduce(before: &mut Paragraph) {
    let (above, last) = before.words.rsplit_once("\n\n").unwrap_or(("", &before.words));
    let is_short = last.lines().count() <= 2 && last.len() < 300;
    if is_short
        && above.is_empty()
        && last.trim_end().ends_with(':')
        && last.contains(|c: char| c.is_ascii_digit() || c == '@')
    {
        before.is_quoted = true;
    }
}
