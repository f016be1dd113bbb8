//! The words beside the addresses in a question → what is wanted of the documents named.

use std::sync::LazyLock;

use regex::Regex;
use vouch_domain::{
    DocumentCard,
    language::{fold_spaces, key_words, words::is_stop_word, words::stem},
};

use super::entity::Entity;
use crate::{
    policy::UnderstandPolicy,
    understand::{Mention, Understanding},
};

/// What is wanted of the documents named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Aim {
    /// What they say as a whole.
    Whole,
    /// What their cards say: how they stand, whose they are, when they are from.
    Facts,
    /// What they say about something.
    About(String),
    /// An answer to a question about them.
    Question,
}

/// Words that ask for a document as a whole.
const WHOLE: &[&str] = &[
    "decide",
    "decided",
    "decides",
    "decision",
    "say",
    "says",
    "said",
    "state",
    "states",
    "read",
    "reads",
    "mean",
    "means",
    "contain",
    "contains",
    "content",
    "contents",
    "summary",
    "summarise",
    "summarize",
    "describe",
    "describes",
    "show",
    "open",
    "tell",
    "document",
    "text",
    "quote",
    "explain",
    "record",
    "rule",
    "cover",
    "covers",
];

/// Words that ask for something that stands on a card, and whether it stands on this one.
type Fact = (&'static [&'static str], fn(&DocumentCard) -> bool);

const FACTS: &[Fact] = &[
    (&["own", "owns", "owner", "owners", "owned", "responsible", "contact", "accountable"], |card| {
        card.owner.is_some()
    }),
    (
        &[
            "status",
            "accepted",
            "superseded",
            "supersedes",
            "replaced",
            "replaces",
            "valid",
            "deprecated",
            "current",
            "force",
            "effect",
            "effective",
            "active",
            "apply",
            "applies",
            "holds",
            "binding",
            "obsolete",
            "rejected",
            "proposed",
            "draft",
            "retired",
            "withdrawn",
            "successor",
            "standing",
            "final",
            "settled",
            "approved",
        ],
        |card| card.status.is_some() || card.superseded_by.is_some(),
    ),
    (&["date", "dated", "year", "old", "age"], |card| card.date.is_some()),
    (&["version"], |card| card.version.is_some()),
    (&["title", "name", "called"], |_| true),
];

/// Words that ask for nothing by themselves.
const NEUTRAL: &[&str] = &["still", "currently", "now", "already", "yet", "really", "actually", "please"];

/// Questions about when it was that a document was made.
const WHEN: &str = r"^(?:when|(?:on|in|from) (?:what|which) (?:date|day|year|month)|since when)\b";
const MADE: &[&str] = &[
    "made",
    "decided",
    "written",
    "published",
    "accepted",
    "adopted",
    "taken",
    "issued",
    "recorded",
    "proposed",
    "rejected",
    "from",
    "when",
    "day",
    "month",
];

const SAYS_ABOUT: &str = r"\b(?:say|says|said|state|states|decide|decides|decided|mention|mentions|tell|tells|rule|rules|require|requires|provide|provides)(?: us| me)? (?:about|on|of|regarding|concerning|for) (.+)$";

static PATTERNS: LazyLock<(Option<Regex>, Option<Regex>)> =
    LazyLock::new(|| (Regex::new(WHEN).ok(), Regex::new(SAYS_ABOUT).ok()));

/// What the words beside the addresses, the kinds and the names of collections ask for.
pub(super) fn aim(understanding: &Understanding, entities: &[Entity], policy: &UnderstandPolicy) -> Aim {
    let mut rest = understanding.asked().to_owned();
    for Mention { at, .. } in understanding.mentions().iter().rev() {
        if rest.get(at.clone()).is_some() {
            rest.replace_range(at.clone(), " ");
        }
    }
    let rest = fold_spaces(&rest);
    let rest = rest.trim_end_matches(|c: char| c.is_whitespace() || "?!.…".contains(c));
    let names = names(entities, policy);
    let words: Vec<String> = key_words(rest).into_iter().map(|word| fold_spaces(&word.word)).collect();
    let own: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .filter(|word| !is_stop_word(word) && !NEUTRAL.contains(word) && !names.contains(&stem(word)))
        .collect();
    let (when, says_about) = &*PATTERNS;
    let asks_when = when.as_ref().is_some_and(|when| when.is_match(rest));
    if asks_when && own.iter().all(|word| MADE.contains(word)) && entities.iter().all(|one| one.card.date.is_some()) {
        return Aim::Facts;
    }
    let asks_who = rest.starts_with("who ") || rest.starts_with("whom ");
    if !asks_who && own.iter().all(|word| WHOLE.contains(word)) {
        return Aim::Whole;
    }
    if !own.is_empty() && own.iter().all(|word| entities.iter().all(|entity| stands_on(&entity.card, word))) {
        return Aim::Facts;
    }
    let topic = says_about.as_ref().and_then(|pattern| Some(pattern.captures(rest)?.get(1)?.as_str().to_owned()));
    topic.map_or(Aim::Question, Aim::About)
}

/// Whether a word asks for something that a card says.
fn stands_on(card: &DocumentCard, word: &str) -> bool {
    FACTS.iter().any(|(words, is_there)| words.contains(&word) && is_there(card))
}

/// What the documents named are called beside their addresses: their kind, their collection; as stems.
fn names(entities: &[Entity], policy: &UnderstandPolicy) -> Vec<String> {
    let of = |card: &DocumentCard| {
        let kinds = policy.kind_names.iter().filter(|(_, kind)| kind.eq_ignore_ascii_case(&card.kind));
        let kinds = kinds.map(|(name, _)| name.clone()).chain([card.kind.clone(), card.collection.clone()]);
        kinds.flat_map(|name| key_words(&name)).map(|word| stem(&fold_spaces(&word.word))).collect::<Vec<_>>()
    };
    entities.iter().flat_map(|entity| of(&entity.card)).collect()
}
