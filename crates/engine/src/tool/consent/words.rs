//! The words a short answer is made of, by what they do in it, read from the table beside this file.

use std::sync::LazyLock;

/// What a word or a phrase does in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Says yes, and means nothing else.
    Yes,
    /// May say yes, or only that something was heard.
    Ok,
    /// Tells to do what was proposed.
    Command,
    /// Polite or lively, and neither yes nor no.
    Polite,
    /// Joins other words.
    Filler,
    /// How soon.
    Urgent,
    /// Says no, or takes back.
    Refusal,
    /// Says no of what was proposed, and means something else beside a word that was not: "cancel my contract".
    Recall,
    /// Asks for time.
    Hold,
    /// "No" and its like, which may also begin a noun: "no internet".
    No,
    /// Denies what stands beside it.
    Not,
    /// What it is made to depend on.
    Condition,
    /// Sets what follows against what came before.
    But,
    /// Another thing than was proposed.
    Change,
    /// More or less than was proposed, or a word that takes part of it back.
    Beyond,
    /// Is not sure.
    Doubt,
    /// Begins a question.
    Ask,
    /// A wish or a need.
    Wish,
    /// What somebody heard, knows or will do: news that may matter.
    News,
    /// A word of what was proposed.
    Echo,
    /// The verb of what was proposed.
    Act,
    /// Anything else.
    Unknown,
}

/// Every phrase with its class, word by word, in the order of the table.
pub(super) static PHRASES: LazyLock<Vec<(Class, Vec<&'static str>)>> = LazyLock::new(|| {
    let (mut phrases, mut class) = (Vec::new(), Class::Unknown);
    for line in include_str!("words.txt").lines().filter(|line| !line.starts_with('#')) {
        match CLASSES.iter().find(|(name, _)| *name == line) {
            Some((_, own)) => class = *own,
            None => {
                let own = line.split('|').map(str::trim).filter(|phrase| !phrase.is_empty());
                phrases.extend(own.map(|phrase| (class, phrase.split(' ').collect())));
            }
        }
    }
    phrases
});

/// The classes as the table names them.
const CLASSES: &[(&str, Class)] = &[
    ("[yes]", Class::Yes),
    ("[ok]", Class::Ok),
    ("[command]", Class::Command),
    ("[polite]", Class::Polite),
    ("[filler]", Class::Filler),
    ("[urgent]", Class::Urgent),
    ("[refusal]", Class::Refusal),
    ("[recall]", Class::Recall),
    ("[hold]", Class::Hold),
    ("[no]", Class::No),
    ("[not]", Class::Not),
    ("[condition]", Class::Condition),
    ("[but]", Class::But),
    ("[change]", Class::Change),
    ("[beyond]", Class::Beyond),
    ("[doubt]", Class::Doubt),
    ("[ask]", Class::Ask),
    ("[wish]", Class::Wish),
    ("[news]", Class::News),
];

/// What a question begins with that has no word for it.
pub(super) const INVERTED: &[&str] = &[
    "is",
    "are",
    "was",
    "were",
    "do",
    "does",
    "did",
    "can",
    "could",
    "would",
    "will",
    "shall",
    "should",
    "may",
    "might",
    "has",
    "have",
    "had",
    "am",
    "isn't",
    "aren't",
    "doesn't",
    "don't",
    "didn't",
    "can't",
    "won't",
    "wouldn't",
    "couldn't",
    "shouldn't",
];

/// What stands after an inverted verb.
pub(super) const SUBJECTS: &[&str] = &[
    "i", "you", "it", "this", "that", "we", "they", "he", "she", "the", "my", "your", "our", "there", "these", "those",
    "a", "an", "any", "anyone", "somebody", "someone",
];

/// What a remark begins with.
pub(super) const TELLERS: &[&str] = &[
    "i", "i've", "i'm", "i'll", "we", "we've", "we're", "we'll", "he", "she", "they", "it", "it's", "somebody",
    "someone", "nobody", "my", "our", "this", "that", "there", "the", "no idea",
];

/// Whom a wish may be about that is no part of what was proposed.
pub(super) const OTHERS: &[&str] =
    &["them", "him", "her", "anyone", "anybody", "someone", "somebody", "people", "anyone", "strangers"];

/// What stands after "I'd", "shall I" and the like is the verb of what is proposed.
pub(super) const PROPOSING: &[&str] = &[
    "i'd",
    "i'll",
    "i will",
    "i would",
    "i can",
    "i could",
    "i am going to",
    "i'm going to",
    "shall i",
    "should i",
    "may i",
    "can i",
    "could i",
    "would you like me to",
    "want me to",
    "we will",
    "we'll",
    "shall we",
];

/// Verbs that mean the same to who answers.
pub(super) const SAME_ACTS: &[&[&str]] = &[
    &["cancel", "remove", "end", "terminate", "delete", "get rid of", "call off", "take off"],
    &["open", "file", "raise", "submit", "lodge", "start"],
    &["send", "mail", "email", "forward"],
    &["book", "arrange", "schedule", "reserve"],
    &["move", "shift", "reschedule", "rebook"],
    &["order", "get"],
    &["change", "switch", "swap", "update", "move"],
    &["block", "lock", "bar", "freeze", "disable"],
    &["pause", "suspend"],
    &["raise", "increase", "up"],
    &["extend", "prolong", "renew"],
    &["restart", "reboot"],
    &["set up", "start", "activate", "switch on", "turn on", "enable", "add"],
    &["split", "divide"],
    &["save", "store"],
    &["refund", "pay back", "reimburse"],
];

/// Parts of a day: from and to, in minutes.
pub(super) const DAY_PARTS: &[(&str, u32, u32)] = &[
    ("morning", 240, 720),
    ("noon", 690, 780),
    ("afternoon", 720, 1_080),
    ("evening", 1_020, 1_380),
    ("night", 1_200, 1_440),
];

/// Names of days and months, which are also written by their first letters.
pub(super) const CALENDAR: &[&str] = &[
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Words that say when something happens, besides days, months and clock times.
pub(super) const TIMES: &[&str] =
    &["tomorrow", "tonight", "today", "week", "month", "year", "end", "midnight", "noon", "weekend"];

/// Verbs that end or stop something: not to want it any more speaks for them.
pub(super) const ENDING: &[&str] =
    &["cancel", "remove", "end", "terminate", "delete", "block", "pause", "disable", "stop", "suspend"];
