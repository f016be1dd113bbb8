//! Words → the term a question wants defined: certainly, by its words alone, or perhaps, if the vocabulary knows it.
//!
//! Invariant: exclusions are read before patterns, and only questions that say "definition", "meaning" or "term" are
//! exempt from them. What they exclude may still be a label of the vocabulary, so every reading is told, too; a numbered
//! record is never a term.

use std::sync::LazyLock;

use regex::Regex;

/// Documents people speak of; a question that names one wants what it says and no term.
const DOCUMENT: &str = r"(?:adrs?|principles?|polic(?:y|ies)|decisions?|decision records?|guidelines?|handbooks?|manuals?|documents?|docs?|standards? document|chapters?)";

/// Questions for records, lists, decisions and what documents hold; the vocabulary is not asked.
const NEVER: &[(&str, &str)] = &[
    ("a numbered record", r"\badr[.\-\s]?[0-9]+"),
    ("a list command", r"^list\b"),
    ("a show command", r"^show\b"),
    (
        "a document's content",
        r"\b(?:in|from|within|inside|by|under|per) (?:the |our |an? |all )?(?:\S+ ){0,3}DOCUMENT$",
    ),
    ("a document's content, further on", r"\b(?:in|from) the \S+ (?:policy|adr|principle)\b"),
    ("a decision", r"\b(?:decision|decided|decide|decides) (?:about|on|for|in|regarding)\b"),
];

/// Other questions that look like terminology and are not, unless the vocabulary knows what they name.
const EXCLUSIONS: &[(&str, &str)] = &[
    ("advice", r"\bwhat (?:should|can|could|will|would|must|may|do|did|has|have)\b"),
    (
        "something decided or done",
        r"^what(?: is|'s|s) (?:decided|said|known|stated|written|done|needed|required|used|allowed|planned|missing|wrong|new|included|expected|stored|happening|being|going|in|on|at|not|there)\b",
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
    ("What do we mean by X", r"^what do (?:we|you|they|people) mean (?:by|with) (?:the (?:term|word) )?(.+)$"),
    ("What is meant by X", r"^what(?: is|'s|s) meant by (?:the (?:term|word) )?(.+)$"),
    (
        "What does the term X mean",
        r"^what (?:does|do) the (?:terms?|words?|acronym|abbreviation|concept) (.+) (?:mean|stand for)$",
    ),
    ("What does X stand for", r"^what does (.+) stand for$"),
    ("CIM term X", r"^(?:cim|skosmos|vocabulary) term (.+)$"),
];

/// Questions for a term.
const PATTERNS: &[(&str, &str)] = &[
    ("What is X", r"^what(?: is|'s|s) (.+)$"),
    ("What are X", r"^what are ((?:\S+ ?){1,4})$"),
    ("Define X", r"^define (.+)$"),
    ("What does X mean", r"^what (?:does|do) (.+) mean$"),
    ("How is X defined", r"^how (?:is|are) (.+) defined$"),
    ("How do we define X", r"^how (?:do|does|would|should) (?:we|you|they|one) define (.+)$"),
];

/// Questions that want a definition if what they name is a term, and anything else if it is not.
const PERHAPS: &[(&str, &str)] = &[
    ("What are X", r"^what are (.+)$"),
    ("Explain X", r"^(?:explain|describe)(?: to me| me)? (.+)$"),
    ("X meaning", r"^(.+?),? (?:meaning|definition|defined)$"),
];

/// Other ways to ask "What is X?" and "What does X mean?".
const FRAMES: &[(&str, &str)] = &[
    (
        r"^(?:(?:i )?(?:want|would like|'d like|need) to know|(?:do|does|did) (?:you|anyone|anybody) know|tell (?:me|us)|(?:explain|say|describe)(?: to me| to us| me)?|(?:can|could|would) you (?:tell|explain)(?: to)?(?: me| us)?),? what (.+?) (?:means?|stands? for)$",
        "what does $1 mean",
    ),
    (
        r"^(?:(?:i )?(?:want|would like|'d like|need) to know|(?:do|does|did) (?:you|anyone|anybody) know|tell (?:me|us)|(?:explain|say|describe)(?: to me| to us| me)?|(?:can|could|would) you (?:tell|explain)(?: to)?(?: me| us)?),? what (?:(?:is|are) (.+)|(.+?) (?:is|are))$",
        "what is $1$2",
    ),
    (r"^(?:tell me|give me|say) (?:the )?(meaning|definition) of (.+)$", "$1 of $2"),
    (r"^what (?:exactly|actually|precisely|really) (is|are|does|do)\b", "what $1"),
    (r"^(what (?:is|are)) (?:exactly|actually|precisely|really) ", "$1 "),
    (r"^(what (?:is|are|does|do) .+?),? (?:exactly|actually|precisely|really)$", "$1"),
    (r"^(what (?:does|do) .+?) (?:exactly|actually|precisely|really) mean$", "$1 mean"),
];

/// The longest term, in words, that a question's words alone make one; what is longer is a question of its own.
const TERM_WORDS_MAX: usize = 7;

static TABLES: LazyLock<Tables> = LazyLock::new(Tables::build);

struct Tables {
    never: Vec<Regex>,
    exclusions: Vec<Regex>,
    plain: Vec<Regex>,
    patterns: Vec<Regex>,
    perhaps: Vec<Regex>,
    frames: Vec<(Regex, &'static str)>,
}

impl Tables {
    fn build() -> Self {
        let compiled = |table: &[(&str, &str)]| {
            table.iter().filter_map(|(_, pattern)| Regex::new(&pattern.replace("DOCUMENT", DOCUMENT)).ok()).collect()
        };
        Self {
            never: compiled(NEVER),
            exclusions: compiled(EXCLUSIONS),
            plain: compiled(PLAIN),
            patterns: compiled(PATTERNS),
            perhaps: compiled(PERHAPS),
            frames: FRAMES.iter().filter_map(|(frame, plain)| Some((Regex::new(frame).ok()?, *plain))).collect(),
        }
    }
}

/// The term that bare words certainly ask for.
pub(super) fn term(text: &str) -> Option<String> {
    let (tables, text) = (&*TABLES, &unframed(text));
    let plain = || tables.plain.iter().find_map(|pattern| capture(pattern, text));
    let told = || tables.patterns.iter().find_map(|pattern| capture(pattern, text));
    let found = match plain().filter(|_| !is_record(text)) {
        Some(found) => found,
        None if tables.never.iter().chain(&tables.exclusions).any(|exclusion| exclusion.is_match(text)) => return None,
        None => told()?,
    };
    let term = without_wrapping(&found);
    // A vocabulary named behind the term, as in "bus (Grid terms)", does not count.
    let words = term.split(" (").next()?.split(' ').count();
    let asks_again = ["what", "how", "why", "who", "when", "where", "which"].contains(&term.split(' ').next()?);
    (!term.is_empty() && words <= TERM_WORDS_MAX && !asks_again).then(|| term.to_owned())
}

/// Everything bare words could ask the meaning of, whatever else they look like; the likeliest first.
pub(super) fn readings(text: &str) -> Vec<String> {
    let (tables, text) = (&*TABLES, &unframed(text));
    let is_plain = tables.plain.iter().any(|pattern| pattern.is_match(text));
    if is_record(text) || (!is_plain && tables.never.iter().any(|never| never.is_match(text))) {
        return Vec::new();
    }
    let patterns = tables.plain.iter().chain(&tables.patterns).chain(&tables.perhaps);
    let mut found: Vec<String> = Vec::new();
    for reading in patterns.filter_map(|pattern| capture(pattern, text)) {
        for name in [without_wrapping(&reading), reading.trim()] {
            if !name.is_empty() && found.iter().all(|known| known != name) {
                found.push(name.to_owned());
            }
        }
    }
    found
}

fn is_record(text: &str) -> bool {
    TABLES.never.first().is_some_and(|record| record.is_match(text))
}

/// The same question asked plainly.
fn unframed(text: &str) -> String {
    TABLES.frames.iter().fold(text.to_owned(), |text, (frame, plain)| frame.replace(&text, *plain).into_owned())
}

/// A term without quotes and without the article before it.
pub(super) fn without_wrapping(found: &str) -> &str {
    let quotes: &[char] = &['"', '\'', '“', '”', '«', '»', '`', ' '];
    let found = found.trim_matches(quotes);
    let found = ["a ", "an ", "the "].iter().find_map(|article| found.strip_prefix(article)).unwrap_or(found);
    found.trim_matches(quotes)
}

fn capture(pattern: &Regex, text: &str) -> Option<String> {
    Some(pattern.captures(text)?.get(1)?.as_str().to_owned())
}

#[cfg(test)]
mod tests {
    use super::{EXCLUSIONS, FRAMES, NEVER, PATTERNS, PERHAPS, PLAIN, TABLES};

    #[test]
    fn every_row_of_every_table_is_read() {
        let tables = &*TABLES;
        assert_eq!(tables.never.len(), NEVER.len());
        assert_eq!(tables.exclusions.len(), EXCLUSIONS.len());
        assert_eq!(tables.plain.len(), PLAIN.len());
        assert_eq!(tables.patterns.len(), PATTERNS.len());
        assert_eq!(tables.perhaps.len(), PERHAPS.len());
        assert_eq!(tables.frames.len(), FRAMES.len());
    }
}
