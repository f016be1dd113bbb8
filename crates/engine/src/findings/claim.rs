//! A document → its claims: sentences that give a figure, a date or a name for something.
//!
//! Invariant: what is no statement of its document is no claim: questions, examples, code, rows of tables, headings, and
//! sentences whose subject stands in another sentence.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use vouch_domain::{
    CharSpan, ClaimSketch,
    finding::UncomparedDocument,
    language::{
        blocks::{BlockKind, blocks},
        sentences::{block_sentences, leans},
        words::{is_stop_word, stem, terms},
    },
};

use super::{
    signature::digest,
    value::{Values, values},
};
use crate::reading::{Sentence, budget::Budget, sentences, token::Joint};

/// Claims of one document that are kept.
const CLAIMS_MAX: usize = 400;
/// Shorter and longer sentences are no statement that can be compared.
const BYTES: std::ops::RangeInclusive<usize> = 15..=500;
/// Fewer words are a label.
const WORDS_MIN: usize = 5;
/// Words of a statement besides its values.
const TERMS_MIN: usize = 2;
const TERMS_MAX: usize = 40;
/// Characters of the sentence before that an item of a list, or a sentence that leans on it, is read with.
const SAID_BEFORE_MAX: usize = 200;
/// What stands between a title and the headings below it.
const CONTEXT_MARK: &str = " / ";

/// What a sentence may open with that says nothing.
const OPENINGS: &[&str] = &[
    "So, ",
    "However, ",
    "Also, ",
    "Please note that ",
    "Note that ",
    "Note: ",
    "Note:_ ",
    "NOTE: ",
    "In addition, ",
    "Finally, ",
];
/// Words that introduce what holds only for the sake of an example, or at some other time.
const EXAMPLE_WORDS: &[&str] = &[
    "example",
    "examples",
    "suppose",
    "assume",
    "assuming",
    "assumed",
    "e.g",
    "eg",
    "instance",
    "imagine",
    "hypothetical",
    "previously",
    "formerly",
    "originally",
    "scenario",
    "output",
    "tutorial",
];
/// Verbs and adverbs that any two sentences may have or lack. Sorted by sense, compared as stems.
const LIGHT_WORDS: &[&str] = &[
    "get",
    "take",
    "entitled",
    "granted",
    "grant",
    "need",
    "needs",
    "required",
    "require",
    "requires",
    "requirement",
    "allow",
    "allowed",
    "use",
    "using",
    "make",
    "set",
    "start",
    "starting",
    "keep",
    "ask",
    "give",
    "given",
    "currently",
    "current",
    "usually",
    "default",
    "least",
    "most",
    "normal",
    "regular",
    "typically",
    "receive",
    "people",
    "person",
    "employee",
    "employees",
    "staff",
    "colleague",
    "new",
    "please",
    "able",
    "only",
    "even",
    "still",
    "yet",
    "now",
    "also",
    "always",
    "every",
    "each",
    "per",
    "within",
    "until",
    "without",
    "additional",
    "available",
    "possible",
    "time",
    "date",
    "end",
    "day",
    "year",
    "want",
    "like",
    "see",
    "go",
    "come",
    "pay",
    "paid",
    "want",
    "before",
    "after",
    "longer",
    "shorter",
    "less",
    "more",
    "than",
    "up",
    "about",
    "around",
    "approximately",
    "roughly",
    "maximum",
    "minimum",
    "limit",
    "limited",
    "must",
    "should",
    "can",
    "cannot",
    "someone",
    "everyone",
    "anybody",
    "everybody",
    "whoever",
    "online",
    "onwards",
    "later",
    "old",
    "older",
    "again",
    "note",
];

static LIGHT_STEMS: LazyLock<BTreeSet<String>> = LazyLock::new(|| LIGHT_WORDS.iter().map(|word| stem(word)).collect());

/// A claim, read.
pub(super) struct Claim<'a> {
    pub(super) sentence: Sentence<'a>,
    pub(super) values: Values,
    /// The stems that say what it is about, without the values.
    pub(super) terms: BTreeSet<String>,
    /// Every word of it.
    pub(super) words: BTreeSet<String>,
    /// The stems of what it stands under.
    pub(super) context: BTreeSet<String>,
    /// The letters of the same without what is between its words.
    pub(super) context_letters: String,
    /// The stems of the document's title.
    pub(super) title: BTreeSet<String>,
    /// The stems that are written with a capital inside the sentence, as names are.
    pub(super) capitals: BTreeSet<String>,
    /// Numbers right after a name, which belong to it: "Python 2".
    pub(super) numbered: BTreeMap<String, String>,
    /// Whether it denies something.
    pub(super) denies: bool,
    /// Whether it says what may be done, beside which other things may be done too.
    pub(super) is_option: bool,
}

/// The claims of a document.
pub(super) fn claims(document: &UncomparedDocument, budget: &Budget) -> Vec<ClaimSketch> {
    let text = document.text.as_str();
    let mut found = Vec::new();
    let mut place = Place::default();
    let mut lead_in = "";
    for block in blocks(text).iter().filter(|block| is_prose(block.kind)) {
        let is_item = matches!(block.kind, BlockKind::ListItem { .. });
        let mut before = if is_item { lead_in } else { "" };
        for range in block_sentences(text, block) {
            let Some(sentence) = text.get(range.clone()) else { continue };
            let said_before = std::mem::replace(&mut before, sentence);
            lead_in = if is_item { lead_in } else { sentence };
            if !BYTES.contains(&sentence.len()) {
                continue;
            }
            if found.len() >= CLAIMS_MAX || !budget.spend(sentence.len()) {
                return found;
            }
            let start = place.chars_before(text, range.start);
            let plain = plain(sentence);
            if !(is_item || is_ended(&plain)) || (leans(&plain) && said_before.is_empty()) {
                continue;
            }
            let mut context = context(document, start);
            if is_item || leans(&plain) {
                context.push_str(CONTEXT_MARK);
                context.extend(said_before.chars().take(SAID_BEFORE_MAX));
            }
            let Some(claim) = read(&plain, &context) else { continue };
            let span = CharSpan { start, end: start + sentence.chars().count() };
            let terms = claim.terms.iter().take(TERMS_MAX).map(|term| digest(term)).collect();
            found.push(ClaimSketch { span, sentence: sentence.to_owned(), context, terms });
        }
    }
    found
}

fn is_prose(kind: BlockKind) -> bool {
    match kind {
        BlockKind::Paragraph | BlockKind::ListItem { .. } | BlockKind::Quote => true,
        BlockKind::TableRow { .. } | BlockKind::Code | BlockKind::Heading => false,
    }
}

/// Counts characters up to ever later bytes of a text, each once.
#[derive(Default)]
struct Place {
    byte: usize,
    character: usize,
}

impl Place {
    fn chars_before(&mut self, text: &str, byte: usize) -> usize {
        self.character += text.get(self.byte..byte).map_or(0, |between| between.chars().count());
        self.byte = byte;
        self.character
    }
}

/// The title and the headings above a character of a document.
fn context(document: &UncomparedDocument, at: usize) -> String {
    let next = document.headings.partition_point(|(span, _)| span.end <= at);
    let path = document.headings.get(next).filter(|(span, path)| span.start <= at && !path.is_empty());
    match path {
        Some((_, path)) => [std::slice::from_ref(&document.card.title), path.as_ref()].concat().join(CONTEXT_MARK),
        None => document.card.title.clone(),
    }
}

/// A sentence without marks of emphasis and without the targets of its links, which say nothing about its subject.
pub(super) fn plain(sentence: &str) -> String {
    let mut plain = String::with_capacity(sentence.len());
    let mut rest = sentence;
    while let Some(at) = rest.find(['[', ']', '*', '`']) {
        let (before, mark) = rest.split_at(at);
        plain.push_str(before);
        let target = mark.strip_prefix("](").and_then(|target| target.split_once(')'));
        let marked = mark.strip_prefix(['[', ']', '*', '`']).unwrap_or_default();
        rest = target.map_or(marked, |(_, after)| after);
        if mark.starts_with("][") {
            plain.push(' ');
        }
    }
    plain.push_str(rest);
    let words = plain.trim_start_matches(['>', '_', ' ']);
    OPENINGS.iter().find_map(|opening| words.strip_prefix(opening)).unwrap_or(words).replace("\n>", "\n")
}

fn is_ended(text: &str) -> bool {
    text.trim().trim_end_matches(['_', ')', '"', '”', '\'', '’']).ends_with('.')
}

/// Whether a sentence states something: with words enough, and neither markup nor a question nor a welcome
/// nor what introduces a list.
fn is_statement(text: &str) -> bool {
    let text = text.trim();
    let has_markup = text.contains(['|', '<', '>', '{', '}']) || text.starts_with('(') || text.starts_with("Now,");
    !has_markup && !text.ends_with(['?', ':', '!']) && text.split_whitespace().count() >= WORDS_MIN
}

/// A sentence as a claim, if it is one; marks are taken out before.
pub(super) fn read<'a>(text: &'a str, context: &str) -> Option<Claim<'a>> {
    if !is_statement(text) {
        return None;
    }
    let mut sentence = sentences(&[text], &Budget::default());
    let sentence = sentence.pop().filter(|_| sentence.is_empty())?;
    if sentence.folds().any(|word| EXAMPLE_WORDS.contains(&word)) {
        return None;
    }
    let values = values(&sentence);
    let is_empty =
        values.amounts.is_empty() && values.versions.is_empty() && values.dates.is_empty() && values.names.is_empty();
    let is_value = |at: usize| {
        sentence.is_dated(at)
            || values.amounts.iter().any(|amount| amount.range.contains(&at))
            || values.versions.iter().any(|version| version.range.contains(&at))
    };
    let plain =
        |at: usize| sentence.tokens.get(at).filter(|token| token.is_content() && !token.is_address && !is_value(at));
    let terms: BTreeSet<String> = (0..sentence.tokens.len())
        .filter_map(plain)
        .filter(|token| !LIGHT_STEMS.contains(&token.key) && token.fold.chars().any(char::is_alphabetic))
        .map(|token| token.key.clone())
        .collect();
    if is_empty || terms.len() < TERMS_MIN {
        return None;
    }
    let words = sentence.tokens.iter().map(|token| token.key.clone()).collect();
    let denies = sentence.folds().any(|word| {
        matches!(word, "not" | "never" | "no" | "cannot" | "without" | "fail" | "fails") || word.ends_with("n't")
    });
    let capitals = sentence.tokens.iter().filter(|token| token.is_capital() && token.is_content());
    let capitals = capitals.map(|token| token.key.clone()).collect();
    let is_option =
        sentence.folds().any(|word| matches!(word, "can" | "may" | "could" | "might" | "lets" | "instructions"));
    let pairs = sentence.tokens.iter().zip(sentence.tokens.iter().skip(1));
    let numbered = pairs
        .filter(|(name, number)| {
            name.is_capital() && number.fold.starts_with(|c: char| c.is_ascii_digit()) && number.joint == Joint::Space
        })
        .map(|(name, number)| (name.key.clone(), number.fold.clone()))
        .collect();
    Some(Claim {
        numbered,
        is_option,
        capitals,
        values,
        terms,
        words,
        title: context_terms(context.split(CONTEXT_MARK).next().unwrap_or_default()),
        context: context_terms(context),
        context_letters: context.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect(),
        sentence,
        denies,
    })
}

fn context_terms(context: &str) -> BTreeSet<String> {
    terms(context).into_iter().filter(|term| !is_stop_word(term)).collect()
}
