//! A sentence → the words that limit what it says: conditions, exceptions, hedges, bounds, duties, how many and how often.
//!
//! Invariant: what counts is whether a sort of limit is there at all, not which word tells it; so a sentence in other words is
//! only taken to say the same where it is limited in the same ways.

use crate::reading::token::Token;

/// A way in which a sentence is limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Qualifier {
    Condition,
    Exception,
    Until,
    Before,
    After,
    Only,
    Possibility,
    Frequency,
    Plan,
    Duty,
    Advice,
    About,
    AtLeast,
    AtMost,
    All,
    Part,
    Denial,
    Comparison,
    Cause,
    Agent,
}

/// What each is told by, as runs of folded words.
const WORDS: &[(Qualifier, &[&str])] = &[
    (
        Qualifier::Condition,
        &[
            "if",
            "when",
            "whenever",
            "provided",
            "providing",
            "once",
            "as long as",
            "subject to",
            "in case",
            "depending",
            "depends",
            "where",
            "otherwise",
            "whether",
            "while",
            "during",
            "on condition",
            "as soon as",
        ],
    ),
    (
        Qualifier::Exception,
        &[
            "unless",
            "except",
            "excluding",
            "apart from",
            "other than",
            "aside from",
            "besides",
            "rather than",
            "instead",
        ],
    ),
    (Qualifier::Until, &["until", "till"]),
    (Qualifier::Before, &["before", "prior to", "in advance", "ahead of", "beforehand", "earlier"]),
    (Qualifier::After, &["after", "afterwards", "following", "since", "later"]),
    (Qualifier::Only, &["only", "solely", "exclusively", "alone", "just", "nothing but"]),
    (
        Qualifier::Possibility,
        &[
            "may",
            "might",
            "could",
            "can",
            "possibly",
            "perhaps",
            "probably",
            "likely",
            "potentially",
            "seems",
            "seem",
            "appears",
            "appear",
            "suggests",
            "thought",
            "believed",
            "said",
            "maybe",
            "allowed",
            "permitted",
            "able to",
        ],
    ),
    (
        Qualifier::Frequency,
        &[
            "usually",
            "normally",
            "generally",
            "typically",
            "often",
            "sometimes",
            "occasionally",
            "mostly",
            "mainly",
            "rarely",
            "seldom",
            "largely",
            "usual",
            "tend",
            "tends",
            "frequently",
        ],
    ),
    (
        Qualifier::Plan,
        &[
            "planned",
            "plans",
            "plan",
            "planning",
            "proposed",
            "proposes",
            "proposal",
            "intended",
            "intends",
            "expected",
            "expects",
            "will",
            "would",
            "aims",
            "aim",
            "estimated",
            "draft",
            "considered",
            "hopes",
            "hoped",
        ],
    ),
    (
        Qualifier::Duty,
        &[
            "must",
            "shall",
            "required",
            "requires",
            "require",
            "requirement",
            "need",
            "needs",
            "have to",
            "has to",
            "had to",
            "mandatory",
            "obliged",
            "obligatory",
            "needed",
            "compulsory",
        ],
    ),
    (Qualifier::Advice, &["should", "ought", "recommended", "recommends", "advised", "preferably", "advisable"]),
    (
        Qualifier::About,
        &[
            "about",
            "around",
            "roughly",
            "approximately",
            "nearly",
            "almost",
            "circa",
            "some of",
            "or so",
            "close to",
            "~",
        ],
    ),
    (
        Qualifier::AtLeast,
        &[
            "at least",
            "minimum",
            "no less",
            "or more",
            "more than",
            "exceeds",
            "exceeding",
            "exceed",
            "above",
            "over",
            "no fewer",
            "or longer",
            "or above",
            "longer than",
            "greater than",
            ">",
            "≥",
            "+",
        ],
    ),
    (
        Qualifier::AtMost,
        &[
            "at most",
            "maximum",
            "up to",
            "no more",
            "or less",
            "less than",
            "under",
            "below",
            "within",
            "fewer",
            "no later",
            "no longer than",
            "not exceed",
            "or fewer",
            "shorter than",
            "by the end",
            "limit",
            "limited",
            "capped",
            "<",
            "≤",
        ],
    ),
    (
        Qualifier::All,
        &[
            "all",
            "every",
            "each",
            "any",
            "everyone",
            "everybody",
            "always",
            "whole",
            "entire",
            "entirely",
            "both",
            "anyone",
            "everything",
            "fully",
            "completely",
            "throughout",
            "anything",
        ],
    ),
    (
        Qualifier::Part,
        &[
            "some",
            "most",
            "many",
            "several",
            "few",
            "part",
            "partly",
            "partially",
            "half",
            "majority",
            "minority",
            "mostly",
            "certain",
            "quarter",
            "third",
        ],
    ),
    (
        Qualifier::Denial,
        &[
            "not",
            "no",
            "never",
            "none",
            "neither",
            "nor",
            "without",
            "cannot",
            "nothing",
            "nobody",
            "lack",
            "lacks",
            "lacking",
            "fails to",
            "failed to",
            "refused",
            "refuses",
            "hardly",
            "unable",
            "nowhere",
            "cant",
            "dont",
            "doesnt",
            "isnt",
            "arent",
            "wasnt",
            "werent",
            "wont",
            "didnt",
            "can't",
            "don't",
            "doesn't",
            "isn't",
            "aren't",
            "wasn't",
            "weren't",
            "won't",
            "didn't",
            "couldn't",
            "shouldn't",
            "hasn't",
            "haven't",
        ],
    ),
    (
        Qualifier::Comparison,
        &[
            "than", "more", "less", "most", "least", "better", "worse", "higher", "lower", "larger", "smaller",
            "faster", "slower", "longer", "shorter", "greater", "highest", "lowest", "largest", "smallest", "best",
            "worst", "first", "last", "oldest", "newest", "latest", "twice", "double",
        ],
    ),
    (
        Qualifier::Cause,
        &[
            "because",
            "so that",
            "in order to",
            "due to",
            "therefore",
            "thus",
            "hence",
            "owing to",
            "causes",
            "caused",
            "leads to",
            "led to",
        ],
    ),
    (Qualifier::Agent, &["by"]),
];

/// The limits of a sentence, each with the first words that tell it.
pub(super) fn qualifiers(tokens: &[Token<'_>]) -> Vec<(Qualifier, String)> {
    let mut found: Vec<(Qualifier, String)> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let told = || WORDS.iter().flat_map(|(qualifier, tellers)| tellers.iter().map(|words| (*qualifier, *words)));
        let here: Vec<(Qualifier, &str)> = told().filter(|(_, words)| stands_at(tokens, at, words)).collect();
        // "At most" is no "most".
        let length = here.iter().map(|(_, words)| words.split(' ').count()).max().unwrap_or(1);
        for (qualifier, words) in here.into_iter().filter(|(_, words)| words.split(' ').count() == length) {
            if found.iter().all(|(known, _)| *known != qualifier) {
                found.push((qualifier, words.to_owned()));
            }
        }
        at += length;
    }
    found
}

/// A limit that one of two sentences has and the other has not: of the source first, then of the claim.
pub(super) fn difference(claim: &[Token<'_>], source: &[Token<'_>]) -> Option<String> {
    let (said, read) = (qualifiers(claim), qualifiers(source));
    let misses = |own: &[(Qualifier, String)], one: Qualifier| own.iter().all(|(known, _)| *known != one);
    if let Some((_, words)) = read.iter().find(|(one, _)| misses(&said, *one)) {
        return Some(format!("it leaves out \"{words}\" of the sentence it rests on"));
    }
    let added = said.iter().find(|(one, _)| misses(&read, *one));
    added.map(|(_, words)| format!("its \"{words}\" is not in the sentence it rests on"))
}

fn stands_at(tokens: &[Token<'_>], at: usize, words: &str) -> bool {
    let mut place = at;
    words.split(' ').all(|word| {
        let is_there = tokens.get(place).is_some_and(|token| token.fold == word);
        place += 1;
        is_there
    })
}
