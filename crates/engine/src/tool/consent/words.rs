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
    /// Is against it; where that is denied, is for it.
    Objection,
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
    /// Says that something was heard, or nothing yet.
    Heard,
    /// Begins a question.
    Ask,
    /// A wish or a need.
    Wish,
    /// Keeps things as they are.
    Keep,
    /// What somebody heard, knows or did: news that may matter.
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
        let named = |class: &&Class| format!("[{class:?}]").to_lowercase() == line;
        match CLASSES.iter().find(named) {
            Some(own) => class = *own,
            None => {
                let own = line.split('|').map(str::trim).filter(|phrase| !phrase.is_empty());
                phrases.extend(own.map(|phrase| (class, phrase.split(' ').collect())));
            }
        }
    }
    phrases
});

/// The classes that the table names.
const CLASSES: &[Class] = {
    use Class::{
        Ask, Beyond, But, Change, Command, Condition, Doubt, Filler, Heard, Hold, Keep, News, No, Not, Objection, Ok,
        Polite, Recall, Refusal, Urgent, Wish, Yes,
    };
    &[
        Ask, Beyond, But, Change, Command, Condition, Doubt, Filler, Heard, Hold, Keep, News, No, Not, Objection, Ok,
        Polite, Recall, Refusal, Urgent, Wish, Yes,
    ]
};

/// What a question begins with that has no word for it.
pub(super) const INVERTED: &str = "is are was were do does did can could would will shall should may might has have had am isn't aren't doesn't \
     don't didn't can't won't wouldn't couldn't shouldn't";

/// Of those, what begins nothing else, whatever follows.
pub(super) const ALWAYS_INVERTED: &str = "does did are was were am has isn't aren't doesn't didn't";

/// What stands after an inverted verb.
pub(super) const SUBJECTS: &str =
    "i you it this that we they he she the my your our there these those a an any anyone somebody someone";

/// Who does something, or what is the case, also shortened with a verb ("we're"): whatever follows tells of it.
pub(super) const PERSONS: &str =
    "i im ive we he she they somebody someone nobody nothing you it its that thats there everything everyone";

/// What a subject begins with that tells something only if a verb follows.
pub(super) const DETERMINERS: &str = "my our your the this that these those there his her their";

/// Verbs that tell something of such a subject, besides those that end in "ed".
pub(super) const TOLD: &str = "is are was were has have had isn't aren't wasn't won't doesn't don't didn't can't cannot will does did got \
     broke went keep keeps make makes works says say costs lost came died needs need stopped still fell left took \
     kept told gave became ran stole found made paid sold sent spent love loves like likes hate hates want wants \
     know knows think thinks";

/// What somebody did, with nobody named.
pub(super) const DONE: &str = "found got bought had made went saw took lost broke forgot been sold never didn't don't dont can't cant won't \
     haven't paid left sick tired waiting";

/// What stands before a value that is set right: "it is 21".
pub(super) const BEING: &str = "is are be was were i'm we're it's its that's for to at on say";

/// Whom a wish may be about that is no part of what was proposed.
pub(super) const OTHERS: &str = "them him her anyone anybody someone somebody people strangers";

/// What somebody is told not to do who may go ahead: "don't wait", "no need to ask".
pub(super) const SPARED: &str = "worry hesitate forget mind care waste wait ask think explain check confirm repeat apologise apologize \
     convince remind warn tell rush hurry double-check even twice";

/// What a thing is left as by who refuses to have it changed.
pub(super) const STATES: &str = "on off open active running alone be here there unchanged valid alive going working separate apart private \
     old current existing previous present original same now way was were one ones untouched everything things \
     thing both anyway still";

/// Words of what has changed, or was got wrong, which may concern what is to be done.
pub(super) const CHANGED: &str =
    "changed changes moved switched new live lives wrong mistake incorrect said told asked";

/// Who has time.
pub(super) const FREE: &str = "free available home flexible there";

/// What was there before.
pub(super) const FORMER: &str = "old current existing previous present original";

/// Two words one after the other that mock, where nothing tells to do it.
pub(super) const MOCKING: &[(&str, &str)] = &[
    ("yeah yea ya yep ok okay oh sure", "right"),
    ("oh", "great perfect wonderful fantastic brilliant lovely awesome super excellent sure joy really"),
    ("sure", "sure"),
    ("great", "great"),
    ("yeah", "yeah"),
];

/// Numbers in words.
pub(super) const NUMBERS: &str = "two three four five six seven eight nine ten eleven twelve fifteen twenty thirty fifty hundred thousand \
     double";

/// What is counted where a number says how long or how often something was.
pub(super) const SPANS: &str = "times weeks days months years hours minutes min mins week month day year hour minute a";

/// A word of a list of words.
pub(super) fn among(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|own| own == word)
}

/// What stands after "I'd", "shall I" and the like is the verb of what is proposed.
pub(super) const PROPOSING: &str = "i'd|i'll|i will|i would|i can|i could|going to|shall i|should i|may i|can i|could i|if i|\
     me to|ready to|about to|i propose to|we will|we'll|we can|shall we|let me";

/// What may belong to a verb: "turn it off" is not "turn it on".
pub(super) const PARTICLES: &str = "on off up out down back in over";

/// Verbs that mean the same to who answers.
pub(super) const SAME_ACTS: &str = "cancel|remove|end|terminate|delete|get rid of|call off|take off|kill|ditch;\
     open|file|raise|submit|lodge|start;send|mail|email|forward;book|arrange|schedule|reserve;\
     move|shift|reschedule|rebook;order|get;change|switch|swap|update|move;upgrade|switch|change;\
     downgrade|switch|change;block|lock|bar|freeze|disable;pause|suspend|put on hold;reduce|lower|decrease|cut;\
     turn off|switch off|deactivate|disable|stop;merge|combine|join;wipe|erase|delete;ship|send;\
     issue|send|create;transfer|move|port;report|submit;apply|use|redeem;release|free up|give up;roll|revert;\
     raise|increase|up;extend|prolong|renew;restart|reboot;set up|start|activate|switch on|turn on|enable|add;\
     split|divide;save|store;refund|pay back|reimburse";

/// Parts of a day: from and to, in minutes.
pub(super) const DAY_PARTS: &[(&str, u32, u32)] = &[
    ("morning", 240, 720),
    ("noon", 690, 780),
    ("afternoon", 720, 1_080),
    ("evening", 1_020, 1_380),
    ("night", 1_200, 1_440),
];

/// Names of days and months, which are also written by their first letters.
pub(super) const CALENDAR: &str = "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august \
     september october november december";

/// Words that say when something happens, besides days, months and clock times.
pub(super) const TIMES: &str = "tomorrow tonight today week month year end midnight noon weekend";

/// Verbs that end or stop something: not to want it any more speaks for them.
pub(super) const ENDING: &str =
    "cancel remove end terminate delete block pause disable stop suspend downgrade reduce lower off unsubscribe";
