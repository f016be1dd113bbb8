//! Words → a request for documents of a kind, its conditions taken off one by one, in whatever order they were said.
//!
//! Invariant: no condition is dropped. What is not understood stays with the noun, which is then the name of no kind.

use std::sync::LazyLock;

use regex::{Captures, Regex};
use vouch_domain::language::words::is_stop_word;

use super::{dates::DateSpan, definition::without_wrapping};

/// Documents of a kind; whoever asks for their number gets it above the list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListRequest {
    /// The words for what is listed, as the asker says them: a kind, perhaps behind words that say which of it.
    pub noun: String,
    /// The status they must have, if that is said apart from the noun.
    pub status: Option<String>,
    /// What they must be about, if that is said apart from the noun.
    pub about: Option<String>,
    /// When they must be from, if that is said.
    pub dated: Option<DateSpan>,
}

/// How a request for documents begins, and whether it may mean one of them: "Show me the verse on moles" wants one,
/// "Show me the verses on moles" wants a list.
const OPENINGS: &[(&str, bool)] = &[
    (r"^how many (.+)$", false),
    (r"^(?:what(?: is|'s|s) )?(?:the )?(?:total )?(?:number|count) of (.+)$", false),
    (r"^count (.+)$", false),
    (r"^(?:list|enumerate)(?: me| us)? (.+)$", false),
    (
        r"^(?:show|give|display|print|get|find|name|tell)(?: me| us)? (?:(?:an?|the) (?:full |complete )?(?:list|overview) of |all |every )(.+)$",
        false,
    ),
    (r"^(?:show|give|display|print|get|find|name)(?: me| us)? (.+)$", true),
    (r"^(all .+)$", true),
];
/// Questions that are requests where something is said of the documents: that there are some, how they stand, when they
/// are from, or what they are about.
const ASKED: &str = r"^(?:which|what) ((?:[^ ]+ )*[^ ]+)$";
/// What follows "what" where no documents do.
const VERBS: &[&str] =
    &["is", "are", "was", "were", "do", "does", "did", "can", "should", "will", "has", "have", "must"];

/// The longest pair of kinds with what they are about, in words.
const BARE_WORDS_MAX: usize = 8;

/// Words that only say that there is something.
const THERE: &str = r"(?:^| )(?:are there|there are|do we have|have we(?: got)?|we have|do exist|exist|are available|are there available|in total|altogether|in all|in the (?:catalogue|catalog|corpus|repository|register|collection))(?: |$)";
/// Words before a noun that leave nothing out.
const WHOLE: &[&str] = &["all", "every", "each", "of", "the", "our", "existing", "different", "available", "known"];

const STATUS: &str = r"^(.+?) (?:(?:that |which )?(?:are|is|were|was|have been|has been|got)(?: currently| still| now| already)?|with (?:the |a )?status(?: of)?|whose status is|in status|marked(?: as)?) (\S+)$";
const SPEAKS: &str = r"^(.+?) (?:(?:that |which )?(?:are |is )(?:about|on|for|regarding|concerning|related to|dealing with)|(?:that |which )?(?:concerns?|deals? with|covers?|mentions?|speaks? (?:of|about)|treats?|address(?:es)?|touch(?:es)?(?: on)?)) (.+)$";
const ABOUT: &str = r"^(.+?) (?:about|on|for|regarding|concerning|related to|relating to|dealing with|covering|mentioning|on the (?:topic|subject) of) (.+)$";

static TABLES: LazyLock<Tables> = LazyLock::new(Tables::build);

struct Tables {
    openings: Vec<(Regex, bool)>,
    asked: Option<Regex>,
    there: Option<Regex>,
    status: Option<Regex>,
    speaks: Option<Regex>,
    about: Option<Regex>,
}

impl Tables {
    fn build() -> Self {
        let opening = |(pattern, may_be_one): &(&str, bool)| Some((Regex::new(pattern).ok()?, *may_be_one));
        Self {
            openings: OPENINGS.iter().filter_map(opening).collect(),
            asked: Regex::new(ASKED).ok(),
            there: Regex::new(THERE).ok(),
            status: Regex::new(STATUS).ok(),
            speaks: Regex::new(SPEAKS).ok(),
            about: Regex::new(ABOUT).ok(),
        }
    }
}

/// The request that bare words make, if they make one.
pub(super) fn list_request(text: &str) -> Option<ListRequest> {
    let tables = &*TABLES;
    let opened = tables
        .openings
        .iter()
        .find_map(|(opening, may_be_one)| Some((opening.captures(text)?.get(1)?.as_str(), *may_be_one)));
    let (said, may_be_one, is_asked) = match opened {
        Some((said, may_be_one)) => (said, may_be_one, false),
        None => (tables.asked.as_ref()?.captures(text)?.get(1)?.as_str(), true, true),
    };
    if is_asked && said.split(' ').next().is_some_and(|first| VERBS.contains(&first)) {
        return None;
    }
    let (said, says_there) = without_there(said);
    let (said, status) = taken(&said, tables.status.as_ref());
    let (said, spoken_of) = taken(&said, tables.speaks.as_ref());
    let says_something = says_there || status.is_some() || spoken_of.is_some();
    let (said, about) = match spoken_of {
        Some(about) => (said, Some(about)),
        None => taken(&said, tables.about.as_ref()),
    };
    let (said, about, dated) = take_date(&said, about);
    let (said, status) = match status {
        Some(status) => (said, Some(status)),
        None => taken(&said, tables.status.as_ref()),
    };
    let noun = bare_noun(&said);
    let wants_one = may_be_one && !noun.ends_with('s') && (about.is_some() || !is_asked);
    let is_request = !noun.is_empty() && !wants_one && (!is_asked || says_something || dated.is_some());
    is_request.then_some(ListRequest { noun, status, about, dated })
}

/// "Security decisions and principles": two plurals and nothing asked may be two kinds of documents; whether they are is for the
/// documents to say.
pub(super) fn bare_pair(text: &str) -> Option<ListRequest> {
    let (first, second) = text.rsplit_once(" and ")?;
    let is_plural = |words: &str| words.ends_with('s') && !words.ends_with("ss");
    let is_short = text.split(' ').count() <= BARE_WORDS_MAX && !second.contains(' ');
    let asks = |word: &str| is_stop_word(word) || VERBS.contains(&word);
    let is_bare = is_plural(first) && is_plural(second) && is_short && !first.split(' ').any(asks);
    is_bare.then(|| ListRequest { noun: text.to_owned(), ..ListRequest::default() })
}

/// The time in what is said, or in what it is said to be about; there it counts only where it is plainly the documents'.
fn take_date(said: &str, about: Option<String>) -> (String, Option<String>, Option<DateSpan>) {
    let (left, dated) = DateSpan::take_from(said);
    if dated.is_some() {
        return (left, about, dated);
    }
    let Some(about) = about else { return (left, None, None) };
    let (topic, dated) = DateSpan::take_told_from(&about);
    (left, Some(topic).filter(|topic| !topic.is_empty()), dated)
}

/// What is said without the words that only say that there is something, and whether any were.
fn without_there(said: &str) -> (String, bool) {
    let Some(there) = TABLES.there.as_ref() else { return (said.to_owned(), false) };
    let left = there.replace_all(said, " ");
    (left.trim().to_owned(), left.trim() != said)
}

/// What is left when a condition is taken off, and the condition.
fn taken(said: &str, condition: Option<&Regex>) -> (String, Option<String>) {
    let parts = |captures: Captures<'_>| {
        Some((captures.get(1)?.as_str().to_owned(), Some(without_wrapping(captures.get(2)?.as_str()).to_owned())))
    };
    let found = condition.and_then(|condition| condition.captures(said)).and_then(parts);
    found.unwrap_or_else(|| (said.to_owned(), None))
}

/// A noun without words before it that leave nothing out, nor a verb behind it that says nothing.
fn bare_noun(said: &str) -> String {
    let mut said = without_wrapping(said.trim());
    while let Some((_, rest)) = said.split_once(' ').filter(|(first, _)| WHOLE.contains(first)) {
        said = rest;
    }
    [" are", " is", " that", " which"].iter().find_map(|end| said.strip_suffix(end)).unwrap_or(said).to_owned()
}

#[cfg(test)]
mod tests {
    use super::{OPENINGS, TABLES};

    #[test]
    fn every_row_of_every_table_is_read() {
        let tables = &*TABLES;
        assert_eq!(tables.openings.len(), OPENINGS.len());
        assert!(tables.asked.is_some() && tables.there.is_some() && tables.status.is_some() && tables.about.is_some());
        assert!(tables.speaks.is_some());
    }
}
