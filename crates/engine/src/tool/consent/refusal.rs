//! Some words of an answer → whether they say no to what was proposed.

use super::{
    items::Item,
    words::{Class, TELLERS},
};

/// Whether it says no.
pub(super) fn is_refusal(rest: &[Item<'_>]) -> bool {
    let is_lead = |item: &Item<'_>| {
        matches!(item.class, Class::Polite | Class::Ok | Class::Yes | Class::No)
            || item.is(&["so", "then", "well", "just", "oh", "you"])
    };
    let start = rest.iter().take_while(|item| is_lead(item)).count();
    let has_unknown = rest.iter().any(|item| item.class == Class::Unknown);
    rest.iter().enumerate().any(|(at, item)| match item.class {
        Class::Refusal => true,
        Class::Recall => !has_unknown,
        Class::No => is_no(rest, at, has_unknown),
        Class::Not => denies(rest, at, at <= start),
        Class::Yes
        | Class::Ok
        | Class::Command
        | Class::Polite
        | Class::Filler
        | Class::Urgent
        | Class::Hold
        | Class::Condition
        | Class::But
        | Class::Change
        | Class::Beyond
        | Class::Doubt
        | Class::Ask
        | Class::Wish
        | Class::News
        | Class::Echo
        | Class::Act
        | Class::Unknown => false,
    })
}

/// Whether a "no" refuses, and does not begin a noun ("no internet") or an offer of both ("yes or no").
fn is_no(rest: &[Item<'_>], at: usize, has_unknown: bool) -> bool {
    let before = at.checked_sub(1).and_then(|at| rest.get(at));
    if before.is_some_and(|before| before.class == Class::Condition) {
        return false;
    }
    match rest.get(at + 1).map(|next| next.class) {
        None
        | Some(
            Class::Polite
            | Class::Filler
            | Class::No
            | Class::Not
            | Class::Refusal
            | Class::Recall
            | Class::Hold
            | Class::Yes
            | Class::Ok
            | Class::Command
            | Class::Act
            | Class::Wish
            | Class::Urgent,
        ) => true,
        Some(Class::Echo) => !has_unknown,
        Some(
            Class::Condition
            | Class::But
            | Class::Change
            | Class::Beyond
            | Class::Doubt
            | Class::Ask
            | Class::News
            | Class::Unknown,
        ) => false,
    }
}

/// Whether it says that what is there is not wanted, needed or used any more.
pub(super) fn is_disuse(rest: &[Item<'_>]) -> bool {
    let denied = rest.iter().position(|item| item.class == Class::Not || item.is(&["no longer"]));
    let wished = rest.iter().position(|item| item.class == Class::Wish);
    let has_act = rest.iter().any(|item| matches!(item.class, Class::Act | Class::Command | Class::Yes | Class::No));
    let tells = rest.first().is_some_and(|first| first.is(TELLERS));
    let is_near = denied.zip(wished).is_some_and(|(denied, wished)| wished == denied + 1);
    tells && is_near && !has_act
}

/// Whether a word that denies says no to what was proposed.
fn denies(rest: &[Item<'_>], at: usize, is_first: bool) -> bool {
    let Some(item) = rest.get(at) else { return false };
    let after = rest.get(at + 1..).unwrap_or_default();
    let is_order = item.is(&["don't", "dont", "dnt", "never"]) || item.words.len() == 2;
    let spared = ["worry", "hesitate", "forget", "mind", "care", "waste"];
    if is_order && is_first {
        return !after.first().is_some_and(|next| next.is(&spared) || matches!(next.class, Class::News | Class::Doubt));
    }
    if is_order && after.is_empty() {
        return true;
    }
    let is_told = after.first().is_some_and(|next| matches!(next.class, Class::Yes | Class::Ok | Class::Command));
    let near: Vec<&Item<'_>> = after.iter().take(3).collect();
    let is_stated = item.is(&["never", "didn't", "didnt", "haven't", "havent", "nobody"]);
    let is_act = near
        .iter()
        .take_while(|next| matches!(next.class, Class::Filler | Class::Polite | Class::Act | Class::Wish | Class::News))
        .any(|next| next.class == Class::Act);
    let wish = near.iter().position(|next| next.class == Class::Wish);
    let is_wish = wish.is_some_and(|wish| {
        let of_it = after.get(wish + 1).is_none_or(|next| {
            matches!(
                next.class,
                Class::Filler
                    | Class::Polite
                    | Class::Urgent
                    | Class::Echo
                    | Class::Act
                    | Class::Wish
                    | Class::Beyond
                    | Class::Command
            )
        });
        of_it && wish <= 1
    });
    let is_assent = near.iter().take(2).any(|next| next.class == Class::Yes);
    is_told || is_assent || ((is_act || is_wish) && !is_stated)
}
