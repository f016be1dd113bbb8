//! Documents → the names in them, each with the place in a sentence it can fill.
//!
//! Invariant: a name is kept once for each sort of place, there are at most `NAMES_MAX`, and a word that its document
//! also writes small is no name.

use std::collections::BTreeSet;

use super::sentence::{Sentence, Token, is_listed};

/// More names make no better choice.
pub const NAMES_MAX: usize = 20_000;
/// A longer run is a heading or a title.
const RUN_WORDS_MAX: usize = 4;

/// Words with a capital that are no name of their own.
const NO_NAMES: &str = "\
    i i'm i've mr mrs ms dr sir st january february march april may june july august september october november \
    december monday tuesday wednesday thursday friday saturday sunday the a an in on of and bc ad bce ce note it \
    this that these he she they we you if when but for to god lord prof professor president king queen prince \
    duke emperor pope lady captain colonel general mount lake saint north south east west northern southern \
    eastern western central university county city river war great new yes no not see am pm ii iii iv vi vii \
    viii jr sr";

/// Words that tell a name's place by standing after it: none of them is described by the name.
pub(super) const FUNCTION_WORDS: &str = "\
    a about after against also among an and are as at because become before between both but by can could did do \
    does during for from had has have he in including into is it may might must near nor not of on or over she \
    should since so than that the their they this through to under until was we were when where which while who \
    whom whose will with within would you";

/// Endings of names of peoples and tongues, which describe rather than name.
const PEOPLE_ENDINGS: &str = "ian ish ese ean can ians eans cans ist ists ic";
const PEOPLES: &str = "\
    german germans french greek greeks roman romans dutch swiss european indian norman normans jew jews arab \
    arabs turk turks muslim muslims catholic latin protestant protestants catholics czech thai welsh ottoman \
    huguenot huguenots jewish mongol mongols viking vikings buddhist han slav slavs";

/// The names of a set of documents.
#[derive(Debug, Clone, Default)]
pub struct Names {
    known: BTreeSet<Name>,
}

/// A name and where it stood.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Name {
    pub(super) place: Place,
    pub(super) before: String,
    pub(super) text: String,
}

/// The sort of place a name fills.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    /// Whether `the` stands before.
    has_article: bool,
    /// Whether a word after it is described by it.
    is_describing: bool,
    /// Whether it is a people or a tongue.
    is_people: bool,
    /// Whether it names many.
    is_plural: bool,
    /// Whether something is said to be its own.
    is_owner: bool,
    /// Whether it is in capitals throughout.
    is_initials: bool,
    words: usize,
}

/// A run of capitalised words in a sentence.
pub(super) struct Run<'t> {
    pub(super) range: std::ops::Range<usize>,
    pub(super) text: &'t str,
    pub(super) place: Place,
    pub(super) before: String,
}

impl Names {
    /// Adds the names of a document, as long as there is room.
    pub fn add<'s>(&mut self, sentences: impl IntoIterator<Item = &'s str>, document: &str) {
        let small = small_words(document);
        for text in sentences {
            let sentence = Sentence::new(text);
            for run in runs(&sentence, &small) {
                if self.known.len() >= NAMES_MAX {
                    return;
                }
                self.known.insert(Name { place: run.place, before: run.before, text: run.text.to_owned() });
            }
        }
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// The names that fill a sort of place, in a fixed order.
    pub(super) fn of(&self, place: &Place) -> impl Iterator<Item = &Name> {
        self.known.iter().filter(move |name| name.place == *place)
    }
}

/// The words a document writes small.
pub(super) fn small_words(document: &str) -> BTreeSet<&str> {
    document.split(|c: char| !c.is_alphanumeric()).filter(|word| word.starts_with(char::is_lowercase)).collect()
}

/// The names inside a sentence, not at its start.
pub(super) fn runs<'t>(sentence: &Sentence<'t>, small: &BTreeSet<&str>) -> Vec<Run<'t>> {
    let mut found = Vec::new();
    let mut at = 1;
    while at < sentence.tokens.len() {
        let end = run_end(sentence, at);
        if end > at {
            found.extend(run(sentence, at..end, small));
        }
        at = end.max(at + 1);
    }
    found
}

/// Where the run of names that starts at a token ends; there, if none does.
fn run_end(sentence: &Sentence<'_>, start: usize) -> usize {
    let mut end = start;
    while sentence.tokens.get(end).is_some_and(is_name_word) {
        let is_joined = sentence.after(end).is_some();
        end += 1;
        if !is_joined {
            return end;
        }
        // `University of Warsaw` is one name.
        let joins = "of the de von van di al la";
        let gap = (0..3).find(|gap| sentence.tokens.get(end + gap).is_none_or(|t| !is_listed(joins, &t.lower)));
        let gap = gap.unwrap_or(0);
        let is_open = (end..end + gap).all(|at| sentence.after(at).is_some());
        if gap > 0 && is_open && sentence.tokens.get(end + gap).is_some_and(is_name_word) {
            end += gap;
        }
    }
    end
}

fn is_name_word(token: &Token<'_>) -> bool {
    token.is_plain && token.core.split('-').all(|part| part.starts_with(char::is_uppercase))
}

fn run<'t>(sentence: &Sentence<'t>, tokens: std::ops::Range<usize>, small: &BTreeSet<&str>) -> Option<Run<'t>> {
    let first = sentence.tokens.get(tokens.start)?;
    let last_at = tokens.end.checked_sub(1)?;
    let last = sentence.tokens.get(last_at)?;
    let range = first.range.start..last.range.end;
    let whole = sentence.text.get(range.clone())?;
    let text = whole.strip_suffix("'s").or_else(|| whole.strip_suffix("’s")).unwrap_or(whole);
    let is_owner = text.len() < whole.len();
    let before = sentence.before(tokens.start);
    let after = if is_owner { None } else { sentence.after(last_at) };
    // After a colon, a full stop or a quotation mark a capital tells nothing.
    let is_opening = !matches!(first.lead, "" | "(")
        || tokens
            .start
            .checked_sub(1)
            .and_then(|at| sentence.tokens.get(at))
            .is_none_or(|token| token.trail.contains(|sign| !matches!(sign, ',' | ';' | ')')));
    let is_neighboured = before.is_some_and(|token| !token.is_plain || token.is_capital() || ends_in_digit(token))
        || after.is_some_and(|token| !token.is_plain || token.core.starts_with(|c: char| c.is_ascii_digit()));
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    let last_word = words.last()?;
    let is_letters = text.chars().all(|c| c.is_alphabetic() || matches!(c, ' ' | '-' | '.'));
    let is_odd = words.iter().any(|word| small.contains(word.as_str()) && !is_listed(FUNCTION_WORDS, word))
        || is_listed(NO_NAMES, last_word)
        || words.iter().any(|word| word.trim_matches('.').chars().count() < 2)
        || text.chars().count() < 3;
    if is_opening || is_neighboured || is_odd || !is_letters || text.contains('\n') || words.len() > RUN_WORDS_MAX {
        return None;
    }
    if is_listed(NO_NAMES, words.first()?) && words.len() == 1 {
        return None;
    }
    let is_initials = !text.contains(char::is_lowercase);
    let place = Place {
        has_article: before.is_some_and(|token| token.lower == "the"),
        is_describing: after.is_some_and(|token| !is_listed(FUNCTION_WORDS, &token.lower) && is_noun_like(token)),
        is_people: is_people(last_word),
        is_plural: !is_initials && last_word.ends_with('s') && !last_word.ends_with("ss"),
        is_owner,
        is_initials,
        words: words.len(),
    };
    let before = before.map(|token| token.lower.clone()).filter(|word| is_listed(FUNCTION_WORDS, word));
    let range = range.start..range.start + text.len();
    Some(Run { range, text, place, before: before.unwrap_or_default() })
}

fn is_people(word: &str) -> bool {
    is_listed(PEOPLES, word) || PEOPLE_ENDINGS.split_whitespace().any(|ending| word.ends_with(ending))
}

/// Whether a small word could be one the name describes, and no verb in the past or adverb.
fn is_noun_like(token: &Token<'_>) -> bool {
    !token.lower.ends_with("ed") && !token.lower.ends_with("ly")
}

fn ends_in_digit(token: &Token<'_>) -> bool {
    token.core.ends_with(|c: char| c.is_ascii_digit())
}
