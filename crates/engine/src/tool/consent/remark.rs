//! Some words of an answer → whether they tell something that changes nothing of what was proposed.

use super::{
    items::Item,
    proposal::Proposal,
    words::{BEING, CHANGED, Class, DETERMINERS, DONE, FORMER, FREE, OTHERS, PERSONS, TOLD, among},
};

/// How little a remark weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Remark {
    /// Stands beside any yes.
    Free,
    /// Stands beside what tells to do it: by itself it may mean that it is done, or known, or wrong.
    Aside,
}

/// What a remark begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Subject {
    /// Somebody, or what was said.
    Person,
    /// What was proposed, or what is somebody's.
    Thing,
    /// Something else.
    Other,
    /// Nobody: "found it cheaper".
    Nobody,
}

/// What it weighs, where it is a remark.
pub(super) fn remark(rest: &[Item<'_>], proposal: &Proposal) -> Option<Remark> {
    let told = told(rest);
    let subject = subject(told)?;
    // Where something is to be done, what has changed may concern it; where it is to end, that is a reason.
    let is_changed = |item: &Item<'_>| item.is_among(CHANGED);
    if !proposal.is_ending() && told.iter().any(is_changed) || denies_proposed(told, proposal) {
        return None;
    }
    // What it costs elsewhere is why it is to end.
    let is_found =
        proposal.is_ending() && has_new_value(told, proposal) && told.iter().take(2).any(|item| item.is_among(DONE));
    let is_wrong = |item: &Item<'_>| item.is(&["wrong", "mistake", "incorrect", "better", "best"]);
    if (matches!(subject, Subject::Thing | Subject::Other) && told.iter().any(is_wrong))
        || (!is_found && has_new_value(told, proposal))
    {
        return None;
    }
    if subject == Subject::Other && told.first().is_some_and(|first| first.words.iter().any(|word| word.is_capital)) {
        return None;
    }
    let wishes = wishes(told);
    let weigh = |at: usize| is_free(told, at, (subject, wishes), proposal);
    let frees = (0..told.len()).map(weigh).collect::<Option<Vec<bool>>>()?;
    let is_aside =
        |item: &Item<'_>| matches!(item.class, Class::News | Class::Act | Class::Heard) && !item.is(&["may"]);
    let knows = told.iter().take(2).any(|item| item.class == Class::Heard || item.is(&["know", "aware", "understand"]));
    let is_known = (knows && told.len() > 2) || !told.iter().any(is_aside);
    // "Tom is my brother" tells who is meant.
    let names = told.windows(2).any(|pair| match pair {
        [being, who] => being.is_among("is was isn't") && who.is_among("my our your a an"),
        _ => false,
    });
    let is_own = subject == Subject::Person || (subject == Subject::Thing && !names);
    let is_free = is_own && is_known && !is_found && frees.into_iter().all(|is_free| is_free);
    Some(if is_free { Remark::Free } else { Remark::Aside })
}

/// Whether it denies a word of what was proposed, or that it is what was meant: "that's not my account", "I can't be there then".
fn denies_proposed(told: &[Item<'_>], proposal: &Proposal) -> bool {
    let knows = told.iter().take(2).any(|item| item.class == Class::Heard || item.is(&["know", "aware", "understand"]));
    let Some(denied) = told.iter().position(|item| matches!(item.class, Class::Not | Class::No)) else { return false };
    let near: Vec<&Item<'_>> = told.iter().skip(denied + 1).take(4).collect();
    let wishes = near.iter().any(|item| item.class == Class::Wish);
    let is_that = told.first().is_some_and(|first| first.is(&["that's", "that", "thats", "this"]));
    let is_proposed = |item: &&Item<'_>| {
        let is_absent = item.is_among(FREE) && !proposal.is_ending();
        matches!(item.class, Class::Echo | Class::Ask) || item.is(&["that", "such"]) || is_absent
    };
    !knows && !wishes && (is_that || near.iter().any(is_proposed))
}

/// Whether it tells something, whatever it holds, and wishes for nothing.
pub(super) fn tells(rest: &[Item<'_>]) -> bool {
    let told = told(rest);
    subject(told).is_some() && !wishes(told)
}

/// Whether a wish is not denied.
fn wishes(told: &[Item<'_>]) -> bool {
    let is_denied =
        |at: usize| at.checked_sub(1).and_then(|at| told.get(at)).is_some_and(|item| item.class == Class::Not);
    told.iter()
        .enumerate()
        .any(|(at, item)| item.class == Class::Wish && !item.is_among("use using watch") && !is_denied(at))
}

/// Whether somebody tells of himself or of others what may be the reason of an answer, and wishes for nothing else.
pub(super) fn is_reason(rest: &[Item<'_>], proposal: &Proposal) -> bool {
    let told = told(rest);
    let is_doing = told.first().is_some_and(|first| first.text().len() > 4 && first.text().ends_with("ing"));
    let is_somebody =
        subject(told) == Some(Subject::Person) && !told.first().is_some_and(|first| first.text().starts_with("it"));
    let is_set_right = told.windows(2).any(|pair| match pair {
        [being, value] => {
            being.is_among(BEING) && !being.is(&["on", "at"]) && has_new_value(&[*being, *value], proposal)
        }
        _ => false,
    });
    (is_somebody || is_doing)
        && !wishes(told)
        && !told.iter().any(|item| item.is(&["mean", "meant", "rather"]))
        && !is_set_right
}

/// Without what leads to it: "well", "actually", "because".
fn told<'a, 'b>(rest: &'a [Item<'b>]) -> &'a [Item<'b>] {
    let is_lead = |item: &Item<'_>| {
        let is_said = is_person(item) || item.is_among(DETERMINERS) || item.says("no idea");
        let is_bound = item.is_among("for to on in at by with from of about between through over");
        matches!(item.class, Class::Polite | Class::Filler | Class::Urgent) && !is_said && !is_bound
    };
    let start = rest.iter().take_while(|item| is_lead(item)).count();
    rest.get(start..).unwrap_or_default()
}

fn subject(told: &[Item<'_>]) -> Option<Subject> {
    let [first, after @ ..] = told else { return None };
    let next = after.first()?;
    let is_verb = |item: &Item<'_>| {
        let text = item.text();
        among(TOLD, text) || text.ends_with("'s") || (text.len() > 4 && text.ends_with("ed"))
    };
    let verb = after.iter().position(is_verb);
    let told_verb = after.iter().position(|item| item.is_among(TOLD));
    let is_thing = first.is_among(DETERMINERS) || first.class == Class::Echo;
    let is_fixed = among("this that these those there", first.text());
    if first.is(&["you"]) && among("can could may should must need have might", next.text()) {
        None
    } else if (is_fixed && is_verb(next)) || (is_thing && verb.is_some()) {
        Some(Subject::Thing)
    } else if is_person(first) && !is_fixed || first.class == Class::Heard {
        Some(Subject::Person)
    } else if first.is_among(DETERMINERS) {
        None
    } else if among(DONE, first.text())
        || first.says("no idea")
        || first.is(&["too"])
        || (first.text().len() > 4
            && first.text().ends_with("ed")
            && next.is_among("it them him her the a an my our this that these to"))
    {
        Some(Subject::Nobody)
    } else {
        // "Customers are complaining", and not "make sure it is free" or "in red is better".
        let before = told_verb.and_then(|verb| told.get(..=verb)).filter(|before| before.len() <= 2)?;
        before.iter().all(|item| item.class == Class::Unknown && !is_person(item)).then_some(Subject::Other)
    }
}

/// Whether it is somebody, or what was said, also with a verb: "we're".
pub(super) fn is_person(item: &Item<'_>) -> bool {
    let (person, _) = item.text().split_once('\'').unwrap_or((item.text(), ""));
    item.words.len() == 1 && among(PERSONS, person)
}

/// Whether a word of a remark leaves what was proposed as it is; none where it does not, even beside what tells to do it.
fn is_free(told: &[Item<'_>], at: usize, (subject, wishes): (Subject, bool), proposal: &Proposal) -> Option<bool> {
    let item = told.get(at)?;
    let before = at.checked_sub(1).and_then(|at| told.get(at));
    let is_denied = before.is_some_and(|before| before.class == Class::Not || before.says("no longer"));
    let is_of_it = told.get(at + 1).is_none_or(|next| {
        next.is_among(OTHERS) || matches!(next.class, Class::Echo | Class::Polite) || next.is(&["it", "this", "that"])
    });
    let is_being = before.is_some_and(|before| before.is_among(BEING));
    let is_habit = subject == Subject::Person && !wishes && !proposal.has_time;
    // "Too big" is no addition, and "the old one" no other.
    let is_degree = item.is(&["too"]) && told.get(at + 1).is_some_and(|next| next.class == Class::Unknown);
    let is_former = item.is(&["one"]) && before.is_some_and(|before| before.is_among(FORMER));
    let is_more = subject == Subject::Person && !wishes && !is_being && item.is_among("more less too one ones");
    let is_beyond = at == 0 || is_degree || is_former || is_more;
    let may_wish =
        is_denied || item.is_among("use using watch") || (is_of_it && !item.is_among("like want prefer rather"));
    let is_when = is_habit && item.is_among("only when once before after while until till ever first");
    let is_unsaid = || told.iter().take(at).rev().take(3).any(|item| item.class == Class::Not);
    let stands = match item.class {
        Class::Wish => may_wish,
        Class::Beyond => is_beyond,
        Class::Condition => is_when,
        Class::Doubt => item.says("no idea"),
        Class::Refusal => is_unsaid(),
        Class::But | Class::Change | Class::Hold | Class::Recall | Class::Objection | Class::Keep => false,
        Class::News => !item.is(&["may"]) || item.words.iter().all(|word| word.is_capital),
        Class::Yes | Class::Ok | Class::Command | Class::Polite | Class::Filler | Class::Urgent | Class::No => true,
        Class::Not | Class::Heard | Class::Ask | Class::Echo | Class::Act | Class::Unknown => true,
    };
    let is_light = !matches!(item.class, Class::Beyond | Class::Condition | Class::Ask)
        || (item.class == Class::Beyond && at == 0);
    stands.then_some(is_light)
}

/// Whether it names a value that was not proposed. "Last week" and "every day" name none.
pub(super) fn has_new_value(rest: &[Item<'_>], proposal: &Proposal) -> bool {
    rest.iter().enumerate().any(|(at, item)| {
        let next = rest.get(at + 1).and_then(|next| next.words.first());
        let before = at.checked_sub(1).and_then(|at| rest.get(at));
        let is_past = before.is_some_and(|before| before.is_among("last every this each all a per since"));
        let is_word = !matches!(item.class, Class::Echo | Class::Filler | Class::Polite) && item.words.len() == 1;
        let is_bound = before.is_some_and(|before| before.is_among("by until till from before after next"));
        let is_value = |word| proposal.is_new_value(word, (at == 0, is_bound), next);
        is_word && !is_past && item.words.iter().any(is_value)
    })
}
