//! Words → `Intent`: a term to define, a list to give, or neither. Patterns are in tables, checked in order.
//!
//! Invariant: exclusions are read before patterns. Only questions that say "definition", "meaning" or "term" are exempt
//! from them, and a numbered record is never a term.

use std::sync::LazyLock;

use regex::Regex;
use vouch_domain::language::fold_spaces;

/// What a question wants, as far as its words alone tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Intent {
    /// The meaning of a term: lower case, trimmed, without article or question mark.
    Terminology(String),
    /// Documents of a kind.
    List(ListRequest),
    /// Anything else.
    Open,
}

/// Documents of a kind; whoever asks for their number gets it above the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListRequest {
    /// The word for what is listed, as the asker says it, perhaps behind a status.
    pub noun: String,
    /// What they must be about, if that is said.
    pub about: Option<String>,
}

/// Documents people speak of; a question that names one wants what it says and no term.
const DOCUMENT: &str = r"(?:adrs?|principles?|polic(?:y|ies)|decisions?|decision records?|guidelines?|handbooks?|manuals?|documents?|docs?|standards? document|chapters?)";

/// Questions that look like terminology and are not.
const EXCLUSIONS: &[(&str, &str)] = &[
    ("a numbered record", r"\badr[.\-\s]?[0-9]+"),
    ("a list command", r"^list\b"),
    ("a show command", r"^show\b"),
    ("advice", r"\bwhat (?:should|can|could|will|would|must|may|do|did|has|have)\b"),
    (
        "a document's content",
        r"\b(?:in|from|within|inside|by|under|per) (?:the |our |an? |all )?(?:\S+ ){0,3}DOCUMENT$",
    ),
    ("a document's content, further on", r"\b(?:in|from) the \S+ (?:policy|adr|principle)\b"),
    ("a decision", r"\b(?:decision|decided|decide|decides) (?:about|on|for|in|regarding)\b"),
    (
        "something decided or done",
        r"^what(?: is|'s|s) (?:decided|done|needed|required|used|allowed|planned|missing|wrong|new|included|expected|stored|happening|being|going|in|on|at|not|there)\b",
    ),
    (
        "a certain document",
        r"^(?:what(?: is|'s|s)|define|explain) (?:(?:the|our|your) (?:\S+ )+|(?:\S{3,} )+)DOCUMENT$",
    ),
    (
        "one of ours",
        r"^(?:what(?: is|'s|s)|define) (?:our|your|my|their|his|her|its|this|that|these|those|it|he|she)\b",
    ),
    ("what it is about", r"\b(?:about|for|like)$"),
    (
        "requirements and the like",
        r"^define (?:the |our )?(?:\S+ )*(?:requirements?|rules?|criteria|steps?|responsibilities|roles?|scope|process|procedure)\b",
    ),
    (
        "a property of something",
        r"^what(?: is|'s|s) the (?:\S+ ){1,4}(?:of|for|in|on|at|to|from|between|when|if|before|after|during|that|which|used|allowed|required|per|with|by|with(?:in|out))\b",
    ),
    (
        "a figure or fact",
        r"^what(?: is|'s|s) (?:the )?(?:maximum|minimum|max|min|lowest|highest|largest|smallest|longest|shortest|latest|current|default|recommended|required|right|correct|best|main|first|last|next|new|old|difference|relation|relationship|status|purpose|reason|cause|point|owner|name|number|date|deadline|version|cost|price|size|limit)\b",
    ),
    ("several certain things", r"^what are (?:the|our|your|their|these|those|all)\b"),
    ("a pronoun", r"^what does (?:it|this|that|he|she|they|one) mean$"),
];

/// Exclusions do not apply to these: whoever says "definition" wants one.
const PLAIN: &[(&str, &str)] = &[
    (
        "Meaning of X",
        r"^(?:what(?: is|'s|s) )?(?:the |a )?(?:meaning|definition) of (?:the (?:term|word|concept) )?(.+)$",
    ),
    ("Explain the term X", r"^explain (?:me )?(?:the )?(?:term|word|concept) (.+)$"),
    ("Define the term X", r"^define (?:the )?(?:term|word|concept) (.+)$"),
    ("What is meant by X", r"^what(?: is|'s|s) meant by (?:the (?:term|word) )?(.+)$"),
    ("What does X stand for", r"^what does (.+) stand for$"),
    ("CIM term X", r"^(?:cim|skosmos|vocabulary) term (.+)$"),
];

/// Questions for a term.
const PATTERNS: &[(&str, &str)] = &[
    ("What is X", r"^what(?: is|'s|s) (.+)$"),
    ("What are X", r"^what are ((?:\S+ ?){1,4})$"),
    ("Define X", r"^define (.+)$"),
    ("What does X mean", r"^what does (.+) mean$"),
    ("How is X defined", r"^how (?:is|are) (.+) defined$"),
];

/// Requests for documents of a kind: the noun, and what they are about.
const LISTS: &[(&str, &str)] = &[
    (
        "How many X are there",
        r"^how many (.+?)(?: (?:are there|do we have|exist|are available))?(?: (?:about|on|for|regarding) .+)?$",
    ),
    ("Number of X", r"^(?:what is the )?(?:number|count) of (?:all )?(?:the )?(.+)$"),
    ("List X", r"^(?:please )?list (?:me )?(?:all |every |the |of |our |existing )*(.+)$"),
    ("Show all X", r"^(?:please )?show (?:me )?(?:all |every |the |of |our )+(.+)$"),
    ("Show me X", r"^(?:please )?show me (.+)$"),
    (
        "Which X are there",
        r"^(?:which|what) (.+?) (?:are there|do we have|exist|are available)(?: (?:about|on|for|regarding) .+)?$",
    ),
    ("Which X are about Y", r"^(?:which|what) (.+? (?:are|is) (?:about|concerning|related to|dealing with) .+)$"),
    ("Give me all X", r"^give (?:me )?(?:all |every |a list of (?:all )?(?:the )?)(.+)$"),
];
/// Documents of a kind with a status: the noun, and the status.
const STATED: &str =
    r"^(?:which|what|how many) (\S+(?: \S+)?) (?:are|is|were|was|have been|has been) (?:currently |still |now )?(\S+)$";
const ABOUT: &str = r"^(.+?) (?:about|on|for|regarding|concerning|related to|that concern|dealing with) (.+)$";
const ABOUT_LATER: &str = r"(?:are there|do we have|exist|are available) (?:about|on|for|regarding) (.+)$";

/// The longest term, in words; what is longer is a question of its own.
const TERM_WORDS_MAX: usize = 7;
const NOUN_WORDS_MAX: usize = 4;

static TABLES: LazyLock<Tables> = LazyLock::new(Tables::build);

struct Tables {
    exclusions: Vec<Regex>,
    plain: Vec<Regex>,
    patterns: Vec<Regex>,
    lists: Vec<Regex>,
    stated: Option<Regex>,
    about: Option<Regex>,
    about_later: Option<Regex>,
}

impl Tables {
    fn build() -> Self {
        let compiled = |table: &[(&str, &str)]| {
            table.iter().filter_map(|(_, pattern)| Regex::new(&pattern.replace("DOCUMENT", DOCUMENT)).ok()).collect()
        };
        Self {
            exclusions: compiled(EXCLUSIONS),
            plain: compiled(PLAIN),
            patterns: compiled(PATTERNS),
            lists: compiled(LISTS),
            stated: Regex::new(STATED).ok(),
            about: Regex::new(ABOUT).ok(),
            about_later: Regex::new(ABOUT_LATER).ok(),
        }
    }
}

/// Reads a question's intent from its words.
#[must_use]
pub fn intent(text: &str) -> Intent {
    let text = bare(text);
    if let Some(request) = list_request(&text) {
        return Intent::List(request);
    }
    term(&text).map_or(Intent::Open, Intent::Terminology)
}

/// Lower case, single spaces, without the marks that only end or wrap a question.
fn bare(text: &str) -> String {
    let text = fold_spaces(&text.replace(['’', '‘'], "'"));
    let text = text.trim_end_matches(|c: char| c.is_whitespace() || "?!.…".contains(c));
    let text =
        text.strip_prefix(['"', '“', '«']).map_or(text, |inner| inner.strip_suffix(['"', '”', '»']).unwrap_or(text));
    let text = text.trim_end_matches(|c: char| c.is_whitespace() || "?!.…".contains(c));
    let text =
        ["please ", "can you ", "could you "].iter().fold(text, |text, start| text.strip_prefix(start).unwrap_or(text));
    text.trim().to_owned()
}

fn term(text: &str) -> Option<String> {
    let tables = &*TABLES;
    let is_record = tables.exclusions.first().is_some_and(|record| record.is_match(text));
    let plain = || tables.plain.iter().find_map(|pattern| capture(pattern, text));
    let told = || tables.patterns.iter().find_map(|pattern| capture(pattern, text));
    let found = match plain().filter(|_| !is_record) {
        Some(found) => found,
        None if tables.exclusions.iter().any(|exclusion| exclusion.is_match(text)) => return None,
        None => told()?,
    };
    let term = without_wrapping(&found);
    // A vocabulary named behind the term, as in "bus (Grid terms)", does not count.
    let words = term.split(" (").next()?.split(' ').count();
    let asks_again = ["what", "how", "why", "who", "when", "where", "which"].contains(&term.split(' ').next()?);
    (!term.is_empty() && words <= TERM_WORDS_MAX && !asks_again).then(|| term.to_owned())
}

/// A term without quotes and without the article before it.
fn without_wrapping(found: &str) -> &str {
    let quotes: &[char] = &['"', '\'', '“', '”', '«', '»', '`', ' '];
    let found = found.trim_matches(quotes);
    let found = ["a ", "an ", "the "].iter().find_map(|article| found.strip_prefix(article)).unwrap_or(found);
    found.trim_matches(quotes)
}

fn list_request(text: &str) -> Option<ListRequest> {
    let tables = &*TABLES;
    let stated = tables.stated.as_ref().and_then(|pattern| pattern.captures(text));
    if let Some((_, [noun, status])) = stated.map(|parts| parts.extract()).filter(|(_, [_, word])| !is_being(word)) {
        return Some(ListRequest { noun: format!("{status} {noun}"), about: None });
    }
    let found = tables.lists.iter().find_map(|pattern| capture(pattern, text))?;
    let later = tables.about_later.as_ref().and_then(|pattern| capture(pattern, text));
    let split = tables.about.as_ref().and_then(|pattern| {
        let parts = pattern.captures(&found)?;
        Some((parts.get(1)?.as_str().to_owned(), parts.get(2)?.as_str().to_owned()))
    });
    let (noun, about) = match split {
        Some((noun, about)) => (noun, Some(about)),
        None => (found, later),
    };
    let noun = without_wrapping(noun.trim());
    let noun = [" are", " is"].iter().find_map(|verb| noun.strip_suffix(verb)).unwrap_or(noun).to_owned();
    let words = noun.split(' ').count();
    // "Show me the verse on moles" wants one, "Show me the verses on moles" wants a list.
    let wants_one = text.starts_with("show") && !text.starts_with("show all") && !noun.ends_with('s');
    (!noun.is_empty() && words <= NOUN_WORDS_MAX && !wants_one).then_some(ListRequest { noun, about })
}

/// Whether "are …" only says that something is there.
fn is_being(word: &str) -> bool {
    ["there", "available"].contains(&word)
}

fn capture(pattern: &Regex, text: &str) -> Option<String> {
    Some(pattern.captures(text)?.get(1)?.as_str().to_owned())
}

#[cfg(test)]
mod tests {
    use super::{EXCLUSIONS, LISTS, PATTERNS, PLAIN, TABLES};

    #[test]
    fn every_row_of_every_table_is_read() {
        let tables = &*TABLES;
        assert_eq!(tables.exclusions.len(), EXCLUSIONS.len());
        assert_eq!(tables.plain.len(), PLAIN.len());
        assert_eq!(tables.patterns.len(), PATTERNS.len());
        assert_eq!(tables.lists.len(), LISTS.len());
        assert!(tables.stated.is_some() && tables.about.is_some() && tables.about_later.is_some());
    }
}
