//! A verb's plain form → the form after `he`, `she` or `it`; a word → whether it is a participle after `has`.

use super::sentence::is_listed;

/// Participles that do not end in `ed`.
const PARTICIPLES: &str = "\
    been become begun broken brought built caught chosen come done drawn driven fallen felt found given gone \
    gotten got grown had held kept known led left lost made meant met proven risen run said seen sent shown \
    spent spoken sought taken taught thought told understood won worn written";

/// Words that end in `ed` and more often describe what someone has.
const DESCRIBING: &str = "limited mixed increased reduced unlimited need seed speed red";

/// Whether a word after `has`, `have` or `had` makes it an auxiliary.
pub(super) fn is_participle(lower: &str) -> bool {
    is_listed(PARTICIPLES, lower) || (lower.ends_with("ed") && !is_listed(DESCRIBING, lower))
}

/// The form after `he`, `she` or `it`.
pub(super) fn third_person(verb: &str) -> String {
    let is_after_vowel = verb.chars().rev().nth(1).is_some_and(|c| matches!(c, 'a' | 'e' | 'i' | 'o' | 'u'));
    match verb {
        "have" => "has".to_owned(),
        "be" => "is".to_owned(),
        _ if verb.ends_with('y') && !is_after_vowel => format!("{}ies", verb.trim_end_matches('y')),
        _ if ["s", "x", "z", "ch", "sh", "o"].iter().any(|ending| verb.ends_with(ending)) => format!("{verb}es"),
        _ => format!("{verb}s"),
    }
}
