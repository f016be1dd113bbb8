//! Some words of an answer → whether they say no to what was proposed, keep things as they are, or deny a no.

use super::{
    items::{Item, holds},
    proposal::Proposal,
    remark::is_person,
    words::{Class, FORMER, SPARED, STATES, among},
};

/// Whether it says no.
pub(super) fn is_refusal(rest: &[Item<'_>]) -> bool {
    let is_lead = |item: &Item<'_>| {
        matches!(item.class, Class::Polite | Class::Ok | Class::Yes | Class::No)
            || item.is(&["so", "then", "well", "just", "oh", "you", "actually"])
    };
    let start = rest.iter().take_while(|item| is_lead(item)).count();
    let has_unknown = holds(rest, Class::Unknown);
    rest.iter().enumerate().any(|(at, item)| {
        (item.class == Class::Refusal && !is_denied(rest, at))
            || (item.class == Class::Objection && (at > 0 || !item.is(&["against"])))
            || (item.class == Class::Recall && !has_unknown)
            || (item.class == Class::No && !is_unsaid(rest, at) && is_no(rest, at, has_unknown))
            || (item.class == Class::Not && denies(rest, at, at <= start))
    })
}

/// Whether it tells that somebody does not say that: "I'm not saying no".
fn is_unsaid(rest: &[Item<'_>], at: usize) -> bool {
    let said = at.checked_sub(1).and_then(|at| rest.get(at)).is_some_and(|said| said.is_among("say saying said"));
    said && rest.iter().take(at).any(|item| item.class == Class::Not)
}

/// Whether it tells that somebody will not say what says no: "I won't change my mind".
fn is_denied(rest: &[Item<'_>], at: usize) -> bool {
    let is_told = rest.iter().take(2).any(|item| is_person(item));
    let before = rest.iter().take(at).rev().take(3);
    is_told && before.into_iter().any(|item| item.class == Class::Not)
}

/// Whether it denies that there is anything against it: "I wouldn't say no to that", "I don't object".
pub(super) fn is_double_denial(rest: &[Item<'_>]) -> bool {
    let Some(denied) = rest.iter().position(|item| matches!(item.class, Class::Not | Class::No)) else { return false };
    let may = rest.iter().take(denied + 1).any(|item| {
        among("would could can will wouldn't wouldnt couldn't can't cant cannot won't wont i'd", item.text())
    });
    let after = rest.get(denied + 1..).unwrap_or_default();
    let is_link = |item: &Item<'_>| {
        matches!(item.class, Class::Filler | Class::Polite)
            || item.is(&["see", "have", "think", "any", "reason", "anything"])
    };
    let next = after.iter().position(|item| !is_link(item)).and_then(|at| after.get(at..).map(|tail| (at, tail)));
    let Some((_, [against, tail @ ..])) = next else { return false };
    let is_against = against.class == Class::Objection || (against.class == Class::No && may);
    let is_rest = |item: &Item<'_>| {
        matches!(item.class, Class::Filler | Class::Polite | Class::Echo | Class::Act | Class::Yes | Class::Command)
    };
    is_against && tail.iter().all(is_rest)
}

/// Whether it only tells not to wait, to ask or to worry: "no need to think twice".
pub(super) fn is_sparing(rest: &[Item<'_>]) -> bool {
    let Some(spared) = rest.iter().position(|item| item.is_among(SPARED)) else {
        return false;
    };
    let is_lead = |item: &Item<'_>| {
        matches!(
            item.class,
            Class::Not | Class::No | Class::Refusal | Class::Filler | Class::Polite | Class::Wish | Class::News
        )
    };
    let denies =
        |item: &Item<'_>| matches!(item.class, Class::Not | Class::No | Class::Refusal) || item.words.len() == 2;
    let lead = rest.get(..=spared).unwrap_or_default();
    let is_led = rest.iter().take(spared).all(is_lead) && lead.iter().any(denies);
    let after = rest.get(spared + 1..).unwrap_or_default();
    let is_rest = |item: &Item<'_>| {
        matches!(item.class, Class::Filler | Class::Polite)
            || item.is_among(SPARED)
            || item.is(&["again", "longer", "anything"])
    };
    is_led && after.iter().all(is_rest)
}

/// Whether it names nothing but what was to be changed, to want it back.
pub(super) fn names_former(rest: &[Item<'_>], proposal: &Proposal) -> bool {
    let is_plain = |item: &Item<'_>| matches!(item.class, Class::Echo | Class::Filler | Class::Polite);
    rest.iter().all(is_plain) && rest.iter().any(|item| item.words.iter().any(|word| proposal.is_left(word)))
}

/// Whether it tells what stands against what is to be changed, and so for changing it: "I can't make it on Monday".
pub(super) fn is_against_former(rest: &[Item<'_>], proposal: &Proposal) -> bool {
    let names_former = rest.iter().any(|item| item.words.iter().any(|word| proposal.is_left(word)));
    let denies = |item: &Item<'_>| {
        item.class == Class::Not
            || (item.class == Class::Refusal && item.words.len() > 2 && item.text().starts_with("can"))
    };
    let is_left = |item: &Item<'_>| item.words.iter().any(|word| proposal.is_left(word));
    let is_told = rest.iter().take(2).any(|item| is_person(item)) || rest.first().is_some_and(is_left);
    let wants = [Class::Wish, Class::Act, Class::Keep, Class::Command].into_iter().any(|class| holds(rest, class));
    is_told && names_former && !wants && rest.iter().any(denies)
}

/// Whether it keeps or wants back what is: "leave it on", "I'll stay with the old one", "Monday is fine".
pub(super) fn keeps(rest: &[Item<'_>], proposal: &Proposal) -> bool {
    let is_value = |item: &Item<'_>| item.words.iter().any(|word| proposal.is_left(word));
    let is_done = rest.iter().any(|item| matches!(item.class, Class::Yes | Class::Command | Class::Act | Class::Not));
    let is_former = |item: &Item<'_>| item.is_among(FORMER) || is_value(item);
    let is_fine = |item: &Item<'_>| item.class == Class::Ok || item.is(&["better", "enough", "best", "good", "happy"]);
    let from = rest.iter().any(|item| item.is(&["from"]));
    let is_plain = |item: &Item<'_>| {
        matches!(item.class, Class::Filler | Class::Polite | Class::Echo | Class::Keep | Class::No)
            || is_fine(item)
            || is_former(item)
            || item.is_among(STATES)
            || item.is(&["me", "us", "much", "already", "have"])
    };
    if rest.iter().any(is_former) && rest.iter().any(is_fine) && !is_done && !from && rest.iter().all(is_plain) {
        return true;
    }
    let is_used = holds(rest, Class::Wish)
        && !holds(rest, Class::Not)
        && rest.iter().all(|item| is_plain(item) || item.class == Class::Wish);
    if proposal.is_ending() && is_used && rest.iter().any(|item| item.is(&["still"])) {
        return true;
    }
    let Some(kept) = rest.iter().position(|item| item.class == Class::Keep) else { return false };
    let is_lead = |item: &Item<'_>| {
        matches!(item.class, Class::Filler | Class::Polite | Class::No | Class::Ok | Class::Echo)
            || (item.class == Class::Wish && !item.is(&["use"]))
            || item.is(&["rather", "still", "decided", "going", "gonna"])
    };
    let after = rest.get(kept + 1..).unwrap_or_default();
    let is_kept = |item: &Item<'_>| is_plain(item) || matches!(item.class, Class::Urgent);
    let is_own = rest.get(kept).is_some_and(|item| proposal.does(item.text()));
    // "I keep getting calls" tells of a habit.
    let is_habit = kept.checked_sub(1).and_then(|at| rest.get(at)).is_some_and(|item| item.is(&["i", "we"]))
        && !after.first().is_some_and(|item| item.is(&["it"]));
    let is_led = rest.iter().take(kept).all(is_lead);
    // "Stay with" has no other meaning, whatever it names.
    let stays = rest.get(kept).is_some_and(|item| item.is_among("stay staying stick sticking remain"))
        && after.first().is_some_and(|item| item.is(&["on", "with", "to"]));
    let is_named = |item: &Item<'_>| is_kept(item) || (stays && item.class == Class::Unknown);
    !is_own && !is_habit && is_led && after.iter().all(is_named)
}

/// Whether a "no" refuses, and does not begin a noun ("no internet") or an offer of both ("yes or no").
fn is_no(rest: &[Item<'_>], at: usize, has_unknown: bool) -> bool {
    let before = at.checked_sub(1).and_then(|at| rest.get(at));
    if before.is_some_and(|before| before.class == Class::Condition) {
        return false;
    }
    let is_short = rest.get(at).is_some_and(|no| no.is(&["no", "n"]));
    let Some(next) = rest.get(at + 1) else { return true };
    let begins_noun = matches!(
        next.class,
        Class::Condition
            | Class::But
            | Class::Change
            | Class::Beyond
            | Class::Doubt
            | Class::Ask
            | Class::News
            | Class::Heard
            | Class::Unknown
    );
    if next.class == Class::Echo {
        return !has_unknown || rest.iter().any(|item| item.is(&["needed", "required", "necessary"]));
    }
    is_person(next) || !begins_noun || !is_short
}

/// Whether it says that what is there is not wanted, needed or used any more.
pub(super) fn is_disuse(rest: &[Item<'_>]) -> bool {
    let denied =
        rest.iter().position(|item| item.class == Class::Not || item.is(&["no longer"]) || item.says("no longer"));
    let wished = rest.iter().position(|item| item.class == Class::Wish);
    let has_act = rest.iter().any(|item| matches!(item.class, Class::Act | Class::Command | Class::Yes | Class::No));
    let tells = rest.iter().take(2).any(|item| is_person(item));
    let is_near = denied.zip(wished).is_some_and(|(denied, wished)| wished == denied + 1);
    tells && is_near && !has_act
}

/// Whether a word that denies says no to what was proposed.
fn denies(rest: &[Item<'_>], at: usize, is_first: bool) -> bool {
    let Some(item) = rest.get(at) else { return false };
    let after = rest.get(at + 1..).unwrap_or_default();
    let is_order = item.is(&["don't", "dont", "dnt", "never"]) || item.words.len() == 2;
    if is_order && is_first {
        let is_spared = |next: &Item<'_>| {
            next.is_among(SPARED) || matches!(next.class, Class::News | Class::Doubt | Class::Heard | Class::Keep)
        };
        return !after.first().is_some_and(is_spared);
    }
    if is_order && after.is_empty() {
        return true;
    }
    // "This can't go on" tells of a thing.
    let is_of_thing = at > 0 && rest.get(at - 1).is_some_and(|before| before.is(&["it", "this", "things"]));
    let is_told =
        !is_of_thing && after.first().is_some_and(|next| matches!(next.class, Class::Yes | Class::Ok | Class::Command));
    let near: Vec<&Item<'_>> = after.iter().take(3).collect();
    let is_stated = item.is(&["never", "didn't", "didnt", "haven't", "havent", "nobody"]);
    let is_link =
        |next: &Item<'_>| matches!(next.class, Class::Filler | Class::Polite | Class::Act | Class::Wish | Class::News);
    let is_act = near.iter().take_while(|next| is_link(next)).any(|next| next.class == Class::Act);
    let wish = near.iter().position(|next| next.class == Class::Wish && !next.is_among("use using watch"));
    let is_wish = wish.is_some_and(|wish| {
        let of_it = |next: &Item<'_>| {
            is_link(next) || matches!(next.class, Class::Urgent | Class::Echo | Class::Beyond | Class::Command)
        };
        wish <= 1 && after.get(wish + 1).is_none_or(of_it)
    });
    let is_assent = near.iter().take(2).any(|next| next.class == Class::Yes);
    is_told || is_assent || ((is_act || is_wish) && !is_stated)
}
