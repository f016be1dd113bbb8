//! A clause of an answer → what it does there.

use super::{
    items::{Item, items},
    proposal::Proposal,
    refusal::{is_disuse, is_refusal},
    tokens::{Clause, Word},
    words::{Class, INVERTED, OTHERS, SUBJECTS, TELLERS},
};

/// Up to so many words a yes among others is meant for what was proposed, whatever they say of it.
const SHORT_MAX: usize = 6;

/// What a part of an answer does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// Says yes.
    Yes,
    /// May say yes.
    Ok,
    /// Tells to do it.
    Command,
    /// Polite, and nothing else.
    Courtesy,
    /// Repeats what was proposed.
    Echo,
    /// Says no.
    Refusal,
    /// Asks for time.
    Hold,
    /// Tells something that changes nothing.
    Remark,
    /// Stands against a yes.
    Blocker(Blocker),
}

/// Why a part stands against a yes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Blocker {
    Question,
    Condition,
    Change,
    Value,
    Doubt,
    Unknown,
}

/// What the parts of a clause do, in order.
pub(super) fn parts(clause: &Clause, proposal: &Proposal) -> Vec<Part> {
    let items = items(&clause.words, proposal);
    let mut parts = Vec::new();
    let joins: Vec<bool> = (0..items.len()).map(|at| is_joint(&items, at)).collect();
    let mut runs: Vec<&[Item<'_>]> = Vec::new();
    let (mut joints, mut from) = (Vec::new(), 0);
    for (at, item) in items.iter().enumerate().filter(|(at, _)| joins.get(*at) == Some(&true)) {
        runs.push(items.get(from..at).unwrap_or_default());
        joints.push(item.class == Class::But);
        from = at + 1;
    }
    runs.push(items.get(from..).unwrap_or_default());
    let count = joints.len();
    for (at, run) in runs.into_iter().enumerate() {
        let is_but = at.checked_sub(1).and_then(|at| joints.get(at)).copied().unwrap_or(false);
        let is_asked = clause.is_asked && at == count;
        run_parts(run, (is_asked, is_but), proposal, &mut parts);
    }
    // "Though" at the end takes back what stands before it.
    if items.last().is_some_and(|item| item.class == Class::But) {
        parts.push(Part::Blocker(Blocker::Condition));
    }
    parts
}

/// Whether every word of a clause is one of an answer, whatever it answers.
pub(super) fn is_plain(clause: &Clause, proposal: &Proposal) -> bool {
    items(&clause.words, proposal).iter().all(|item| !matches!(item.class, Class::Unknown | Class::Echo))
}

/// Whether a word joins what stands before it with what follows.
fn is_joint(items: &[Item<'_>], at: usize) -> bool {
    let Some(item) = items.get(at) else { return false };
    let opens = items.get(at + 1).is_some_and(|next| {
        matches!(
            next.class,
            Class::Yes
                | Class::Ok
                | Class::Command
                | Class::Act
                | Class::Refusal
                | Class::Recall
                | Class::Hold
                | Class::No
                | Class::Not
                | Class::Polite
        ) || next.is(TELLERS)
            || next.is(&["you", "let's", "just"])
    });
    item.class == Class::But || item.is(&["and"]) || (opens && item.is(&["so", "because", "cause", "since"]))
}

/// What the words between two joints do: what they begin with says yes by itself, and the rest is read as a whole.
fn run_parts(run: &[Item<'_>], (is_asked, is_but): (bool, bool), proposal: &Proposal, parts: &mut Vec<Part>) {
    let mut rest = run;
    while let [first, tail @ ..] = rest {
        let part = match first.class {
            Class::Yes => Part::Yes,
            Class::Ok if !tail.first().is_some_and(|next| next.is(&["with", "by"])) => Part::Ok,
            Class::Polite => Part::Courtesy,
            Class::Filler if first.is(&["well", "then", "just"]) => Part::Courtesy,
            Class::Ok
            | Class::Command
            | Class::Filler
            | Class::Urgent
            | Class::Refusal
            | Class::Recall
            | Class::Hold
            | Class::No
            | Class::Not
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
            | Class::Unknown => break,
        };
        // "Yes?" asks.
        parts.push(if is_asked && tail.is_empty() && part != Part::Courtesy {
            Part::Blocker(Blocker::Doubt)
        } else {
            part
        });
        rest = tail;
    }
    if rest.is_empty() {
        return;
    }
    let part = rest_part(rest, is_asked, proposal);
    // What is set against a yes and says no by no word may still mean it.
    parts.push(if is_but && part == Part::Remark { Part::Blocker(Blocker::Condition) } else { part });
    let held = rest.iter().position(|item| item.class == Class::Hold);
    if let (Part::Hold, Some(held)) = (part, held) {
        let after = rest.get(held + 1..).unwrap_or_default();
        if after.iter().any(|item| matches!(item.class, Class::Yes | Class::Command | Class::No)) {
            run_parts(after, (is_asked, is_but), proposal, parts);
        }
    }
}

fn rest_part(rest: &[Item<'_>], is_asked: bool, proposal: &Proposal) -> Part {
    let is_question = is_asked || is_inverted(rest);
    if is_question {
        return Part::Blocker(Blocker::Question);
    }
    if proposal.is_ending() && is_disuse(rest) {
        return Part::Echo;
    }
    if is_refusal(rest) {
        return Part::Refusal;
    }
    let holds = |class: Class| rest.iter().any(|item| item.class == class);
    if holds(Class::Hold) {
        return Part::Hold;
    }
    let words: Vec<Word> = rest.iter().flat_map(|item| item.words.iter().cloned()).collect();
    let is_urgent_change = holds(Class::Urgent) && proposal.has_time;
    let is_accounted = rest.iter().all(|item| {
        item.class == Class::Wish && !item.is(&["use"])
            || matches!(
                item.class,
                Class::Yes
                    | Class::Ok
                    | Class::Command
                    | Class::Polite
                    | Class::Filler
                    | Class::Urgent
                    | Class::Echo
                    | Class::Act
            )
    });
    if is_accounted && (is_urgent_change || proposal.goes_back(&words)) {
        return Part::Blocker(Blocker::Change);
    }
    if is_accounted {
        return accounted(rest);
    }
    if is_remark(rest) {
        return Part::Remark;
    }
    let is_odd_yes = rest.len() <= SHORT_MAX && (holds(Class::Yes) || holds(Class::Command));
    let blocker = if holds(Class::Condition) {
        Blocker::Condition
    } else if holds(Class::Change) {
        Blocker::Change
    } else if holds(Class::Doubt) || is_odd_yes {
        Blocker::Doubt
    } else if has_new_value(rest) {
        Blocker::Value
    } else {
        Blocker::Unknown
    };
    Part::Blocker(blocker)
}

/// A part in which every word is accounted for.
fn accounted(rest: &[Item<'_>]) -> Part {
    let holds = |class: Class| rest.iter().any(|item| item.class == class);
    let leads = rest
        .iter()
        .find(|item| !matches!(item.class, Class::Polite | Class::Filler | Class::Urgent | Class::Yes | Class::Ok));
    let is_act = leads.is_some_and(|item| item.class == Class::Act);
    if holds(Class::Command) || is_act {
        Part::Command
    } else if holds(Class::Yes) {
        Part::Yes
    } else if holds(Class::Ok) {
        Part::Ok
    } else if holds(Class::Echo) || holds(Class::Act) {
        Part::Echo
    } else {
        Part::Courtesy
    }
}

/// Whether it is a question by how it begins.
fn is_inverted(rest: &[Item<'_>]) -> bool {
    let [first, tail @ ..] = rest else { return false };
    if first.class == Class::Ask {
        return true;
    }
    let [word] = first.words else { return false };
    let next = tail.first().and_then(|item| item.words.first()).map_or("", |word| word.text.as_str());
    let is_always = ["does", "did", "are", "was", "were", "am", "has", "isn't", "aren't", "doesn't", "didn't"];
    INVERTED.contains(&word.text.as_str()) && (is_always.contains(&word.text.as_str()) || SUBJECTS.contains(&next))
}

/// Whether it tells something that changes nothing of what was proposed.
fn is_remark(rest: &[Item<'_>]) -> bool {
    let tells = |item: &&Item<'_>| {
        let said: Vec<&str> = item.words.iter().map(|word| word.text.as_str()).collect();
        TELLERS.contains(&said.join(" ").as_str())
    };
    let is_about_others = |at: usize| {
        rest.get(at + 1).is_some_and(|next| next.is(OTHERS))
            && at.checked_sub(1).and_then(|at| rest.get(at)).is_some_and(|before| before.class == Class::Not)
    };
    let is_free = |(at, item): (usize, &Item<'_>)| match item.class {
        Class::Condition
        | Class::But
        | Class::Change
        | Class::Beyond
        | Class::News
        | Class::Act
        | Class::Hold
        | Class::Refusal
        | Class::Recall => false,
        Class::Wish => is_about_others(at),
        Class::Doubt => at == 0 && item.words.len() == 2 && item.words.first().is_some_and(|word| word.text == "no"),
        Class::Yes
        | Class::Ok
        | Class::Command
        | Class::Polite
        | Class::Filler
        | Class::Urgent
        | Class::No
        | Class::Not
        | Class::Ask
        | Class::Echo => true,
        Class::Unknown => !item.is(&["mistake", "wrong"]),
    };
    rest.first().filter(tells).is_some() && !has_new_value(rest) && rest.iter().enumerate().all(is_free)
}

/// Whether it names a value that was not proposed.
fn has_new_value(rest: &[Item<'_>]) -> bool {
    rest.iter().enumerate().filter(|(_, item)| item.class == Class::Unknown).any(|(at, item)| {
        item.words.iter().any(|word| {
            word.text.contains(|c: char| c.is_ascii_digit())
                || (word.is_capital && at > 0)
                || (word.text.chars().count() == 1 && word.text.chars().all(char::is_alphabetic))
        })
    })
}
