//! "What is decided about TLS?" → what a decision is asked for on.

use std::sync::LazyLock;

use regex::Regex;
use vouch_domain::language::fold_spaces;

/// Ways to ask what was decided; the subject is the first group.
const PATTERNS: [&str; 5] = [
    r"^what(?: is| was| has been| have we| did we| do we| had been|'s)? (?:decided|decide) (?:about|on|for|regarding|concerning) (.+)$",
    r"^what(?: is| was|'s) (?:the |our )?decision (?:about|on|for|regarding|concerning) (.+)$",
    r"^what(?: is| was|'s) (?:the |our )?(.+?) decision(?: in (?:the |our )?(?:adrs?|decision records?|records?))?$",
    r"^(?:define|show|what are) (?:the |our )?(.+?) requirements? in (?:the |our )?(?:adrs?|decision records?|decisions?)$",
    r"^(?:the |our )?decisions? (?:about|on|for|regarding|concerning) (.+)$",
];

static ASKED: LazyLock<Vec<Regex>> =
    LazyLock::new(|| PATTERNS.iter().filter_map(|pattern| Regex::new(pattern).ok()).collect());

/// The subject of a question for what was decided; none if it asks for something else.
#[must_use]
pub fn decided_about(text: &str) -> Option<String> {
    let text = fold_spaces(text).to_lowercase();
    let text = text.trim_end_matches(|c: char| c.is_whitespace() || "?!.…".contains(c));
    let subject = ASKED.iter().find_map(|asked| asked.captures(text)?.get(1))?;
    Some(subject.as_str().trim().to_owned())
}
