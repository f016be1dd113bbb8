//! A clause of an answer → what it does there.

use super::{
    items::{Item, holds, items},
    proposal::Proposal,
    refusal::{is_against_former, is_disuse, is_double_denial, is_refusal, is_sparing, keeps, names_former},
    remark::{Remark, has_new_value, is_person, is_reason, remark, tells},
    tokens::{Clause, Word},
    words::{ALWAYS_INVERTED, Class, FREE, INVERTED, SUBJECTS},
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
    /// Says no, and nothing else.
    No,
    /// Says what is not to be done.
    Refusal,
    /// Keeps or wants back what is.
    Back,
    /// Asks for time.
    Hold,
    /// Tells something that changes nothing.
    Remark,
    /// The same, where something tells to do it.
    Aside,
    /// Says no more than that something was heard.
    Heard,
    /// Takes back what stands before it, to say it in other words.
    Anew,
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

/// How a run of words is joined to what stands before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Joint {
    None,
    But,
    So,
}

/// Words that are read as a whole.
struct Run<'a> {
    items: Vec<Item<'a>>,
    joint: Joint,
    is_asked: bool,
}

/// What the parts of an answer do, in order.
pub(super) fn parts(clauses: &[Clause], proposal: &Proposal) -> Vec<Part> {
    let runs: Vec<Run<'_>> = clauses.iter().flat_map(|clause| runs(clause, proposal)).collect();
    let mut parts = Vec::new();
    for (at, run) in runs.iter().enumerate() {
        let answers = |next: &Run<'_>| {
            let first = next.items.iter().find(|item| item.class != Class::Polite);
            next.joint == Joint::So
                && first.is_some_and(|first| matches!(first.class, Class::Yes | Class::Command | Class::Act))
        };
        // "I can't before Sunday, so yes": why somebody says yes, whatever it holds.
        if runs.get(at + 1).is_some_and(answers) && is_cause(run, proposal) {
            parts.push(Part::Remark);
        } else {
            run_parts(run, proposal, &mut parts);
        }
    }
    parts
}

/// Whether every word of a clause is one of an answer, whatever it answers.
pub(super) fn is_plain(clause: &Clause, proposal: &Proposal) -> bool {
    items(&clause.words, proposal).iter().all(|item| !matches!(item.class, Class::Unknown | Class::Echo))
}

/// Whether it tells why, and changes nothing.
fn is_cause(run: &Run<'_>, proposal: &Proposal) -> bool {
    let changes = holds(&run.items, Class::Change) || holds(&run.items, Class::But) || holds(&run.items, Class::No);
    let is_alone = !holds(&run.items, Class::Doubt) && !run.is_asked && run.joint != Joint::But;
    let opens = run.items.first().is_some_and(|first| !matches!(first.class, Class::Yes | Class::Ok | Class::Ask));
    let is_kept = holds(&run.items, Class::Not) || !has_new_value(&run.items, proposal);
    is_alone && opens && !changes && tells(&run.items) && is_kept
}

/// The words of a clause, parted where a word joins two runs, and where somebody begins to tell of himself after an answer.
fn runs<'a>(clause: &'a Clause, proposal: &Proposal) -> Vec<Run<'a>> {
    let all = items(&clause.words, proposal);
    let mut runs = Vec::new();
    let (mut own, mut joint): (Vec<Item<'a>>, Joint) = (Vec::new(), Joint::None);
    let mut close = |own: &mut Vec<Item<'a>>, joint: Joint, is_last: bool| {
        let is_asked = clause.is_asked && is_last;
        if !own.is_empty() || joint == Joint::But {
            runs.push(Run { items: std::mem::take(own), joint, is_asked });
        }
    };
    for (at, item) in all.iter().enumerate() {
        if is_joint(&all, at) {
            close(&mut own, joint, false);
            joint = if item.class == Class::But {
                Joint::But
            } else if item.is(&["so"]) {
                Joint::So
            } else {
                Joint::None
            };
            continue;
        }
        if begins_to_tell(&own, item) {
            close(&mut own, joint, false);
            joint = Joint::None;
        }
        own.push(*item);
    }
    close(&mut own, joint, true);
    runs
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
        ) || is_person(next)
            || next.is(&["my", "our", "the", "let's", "just"])
    });
    item.class == Class::But || item.is(&["and"]) || (opens && item.is(&["so", "because", "cause", "since"]))
}

/// Whether somebody begins to tell of himself here, after an answer without a stop: "do it I'm tired of waiting".
fn begins_to_tell(before: &[Item<'_>], item: &Item<'_>) -> bool {
    let is_answer = before.iter().any(|item| {
        matches!(item.class, Class::Yes | Class::Command | Class::Act | Class::Refusal | Class::Recall | Class::Keep)
    });
    let is_done = before.last().is_some_and(|last| {
        matches!(last.class, Class::Polite | Class::Command | Class::Urgent | Class::Refusal)
            || last.is(&["it", "that", "this", "all"])
    });
    let is_no = holds(before, Class::No) && before.iter().all(|item| matches!(item.class, Class::No | Class::Polite));
    let is_thing = item.text().starts_with("it") || item.text().starts_with("th");
    is_person(item)
        && ((is_answer && is_done && !is_thing && !item.is(&["you"])) || (is_no && !item.is(&["it", "that"])))
}

/// What a word does that says something by itself where a run begins with it.
fn opening(first: &Item<'_>, next: Option<&Item<'_>>) -> Option<Part> {
    let is_of = first.ends("with") || next.is_some_and(|next| next.is(&["with", "by"]));
    if first.class == Class::Yes {
        Some(Part::Yes)
    } else if first.class == Class::Ok {
        (!is_of).then_some(Part::Ok)
    } else if first.class == Class::Heard {
        Some(if first.text() == "for" { Part::Remark } else { Part::Heard })
    } else {
        let is_courtesy = first.class == Class::Polite || first.is(&["well", "then", "actually"]);
        is_courtesy.then_some(Part::Courtesy)
    }
}

/// What a run does: what it begins with says yes by itself, and the rest is read as a whole.
fn run_parts(run: &Run<'_>, proposal: &Proposal, parts: &mut Vec<Part>) {
    let (mut rest, mut is_glued) = (run.items.as_slice(), false);
    while let [first, tail @ ..] = rest {
        let Some(part) = opening(first, tail.first()) else { break };
        // What is heard is more than that if something follows: "I know it's final".
        if part == Part::Heard && (is_glued || !tail.is_empty()) && first.words.len() > 1 {
            break;
        }
        is_glued |= part != Part::Courtesy && part != Part::Heard;
        // "Yes?" asks.
        let is_asked = run.is_asked && tail.is_empty() && part != Part::Courtesy;
        parts.push(if is_asked { Part::Blocker(Blocker::Doubt) } else { part });
        rest = tail;
    }
    if rest.is_empty() {
        // "Though" takes back what stands before it.
        parts.extend((run.joint == Joint::But && run.items.is_empty()).then_some(Part::Blocker(Blocker::Condition)));
        return;
    }
    let part = rest_part(rest, run.is_asked, proposal);
    let part = if matches!(part, Part::Remark | Part::Aside) && run.joint == Joint::But {
        // What is set against a yes and says no by no word may still mean it.
        Part::Blocker(Blocker::Condition)
    } else if part == Part::Remark && is_glued {
        Part::Aside
    } else if part == Part::Remark
        && proposal.has_time
        && !holds(rest, Class::Not)
        && rest.iter().any(|item| item.is_among(FREE))
    {
        // "Fine, I'm free then" is about the time.
        Part::Courtesy
    } else if parts.contains(&Part::No) && names_former(rest, proposal) {
        Part::Back
    } else {
        part
    };
    // "Do it but don't do that" is another thing than was proposed.
    let refuses_part = (run.joint == Joint::But && holds(rest, Class::Act))
        || (holds(rest, Class::No) && holds(rest, Class::Echo) && !holds(rest, Class::Act));
    let is_half = part == Part::Refusal && refuses_part;
    if is_half && parts.iter().any(|part| matches!(part, Part::Yes | Part::Command)) {
        parts.push(Part::Blocker(Blocker::Change));
    }
    // "Let me check first" makes what follows wait for it.
    let waits = part == Part::Hold && holds(rest, Class::Condition);
    parts.extend(waits.then_some(Part::Blocker(Blocker::Condition)));
    parts.push(part);
    let held = rest.iter().position(|item| item.class == Class::Hold);
    if let (Part::Hold, Some(held)) = (part, held) {
        let after = rest.get(held + 1..).unwrap_or_default();
        if after.iter().any(|item| matches!(item.class, Class::Yes | Class::Command | Class::No)) {
            run_parts(&Run { items: after.to_vec(), ..*run }, proposal, parts);
        }
    }
}

fn rest_part(rest: &[Item<'_>], is_asked: bool, proposal: &Proposal) -> Part {
    if is_request(rest, proposal) {
        return Part::Command;
    }
    if is_asked || is_inverted(rest) {
        return Part::Blocker(Blocker::Question);
    }
    if rest.first().is_some_and(|first| first.says("i mean")) {
        return Part::Anew;
    }
    if is_double_denial(rest) {
        return Part::Command;
    }
    if is_sparing(rest) {
        return Part::Courtesy;
    }
    // "It's not that I don't want it".
    if rest.iter().any(|item| item.says("not that i don't")) {
        return Part::Aside;
    }
    if is_against_former(rest, proposal) {
        return Part::Remark;
    }
    if proposal.is_ending() && is_disuse(rest) {
        return Part::Echo;
    }
    if keeps(rest, proposal) {
        return Part::Back;
    }
    let is_no = |item: &Item<'_>| matches!(item.class, Class::No | Class::Polite | Class::Filler);
    if holds(rest, Class::No) && rest.iter().all(is_no) {
        return Part::No;
    }
    if is_refusal(rest) {
        return Part::Refusal;
    }
    if holds(rest, Class::Hold) && !rest.iter().any(|item| item.is(&["if", "unless"])) {
        let is_other = rest.iter().any(|item| item.is(&["better"]));
        return if is_other { Part::Blocker(Blocker::Change) } else { Part::Hold };
    }
    if let Some(part) = accounted(rest, proposal) {
        return part;
    }
    if let [number, counted] = rest
        && number.class == Class::Echo
        && proposal.is_value(number.words)
        && counted.class == Class::Unknown
        && !has_new_value(rest, proposal)
    {
        return Part::Echo;
    }
    match remark(rest, proposal) {
        Some(Remark::Free) => Part::Remark,
        Some(Remark::Aside) => Part::Aside,
        None => Part::Blocker(blocker(rest, proposal)),
    }
}

/// Why words that are no answer stand against a yes.
fn blocker(rest: &[Item<'_>], proposal: &Proposal) -> Blocker {
    let is_odd_yes = rest.len() <= SHORT_MAX && (holds(rest, Class::Yes) || holds(rest, Class::Command));
    let is_reason = is_reason(rest, proposal);
    if holds(rest, Class::Condition) && !is_reason {
        Blocker::Condition
    } else if holds(rest, Class::Change) && !is_reason {
        Blocker::Change
    } else if holds(rest, Class::Doubt) || is_odd_yes {
        Blocker::Doubt
    } else if has_new_value(rest, proposal) && !is_reason {
        Blocker::Value
    } else {
        Blocker::Unknown
    }
}

/// What a part does in which every word is accounted for; none where one is not.
fn accounted(rest: &[Item<'_>], proposal: &Proposal) -> Option<Part> {
    let is_known = |item: &Item<'_>| {
        let is_plain = matches!(item.class, Class::Yes | Class::Ok | Class::Command | Class::Polite | Class::Filler);
        let is_proposed = matches!(item.class, Class::Urgent | Class::Echo | Class::Act);
        is_plain || is_proposed || (item.class == Class::Wish && !item.is(&["use"]))
    };
    if !rest.iter().all(is_known) {
        return None;
    }
    let words: Vec<Word> = rest.iter().flat_map(|item| item.words.iter().cloned()).collect();
    let leads = rest
        .iter()
        .find(|item| !matches!(item.class, Class::Polite | Class::Filler | Class::Urgent | Class::Yes | Class::Ok));
    // "I opened it" tells that it is done.
    let is_done = rest.windows(2).any(|pair| match pair {
        [who, did] => is_person(who) && did.class == Class::Act && did.text().ends_with("ed"),
        _ => false,
    });
    if is_done {
        return Some(Part::Aside);
    }
    let is_act = leads.is_some_and(|item| item.class == Class::Act);
    let is_told = is_act || [Class::Command, Class::Yes, Class::Ok].into_iter().any(|class| holds(rest, class));
    // "Just July" of June and July.
    let is_part = !is_told && rest.first().is_some_and(|first| first.is(&["just"]));
    if (holds(rest, Class::Urgent) && proposal.has_time) || proposal.goes_back(&words) || is_part {
        return Some(Part::Blocker(Blocker::Change));
    }
    let names_value = || rest.iter().any(|item| item.class == Class::Echo && proposal.is_value(item.words));
    let part = if holds(rest, Class::Command) || is_act {
        Part::Command
    } else if holds(rest, Class::Yes) || (holds(rest, Class::Ok) && names_value()) {
        Part::Yes
    } else if holds(rest, Class::Ok) {
        Part::Ok
    } else if holds(rest, Class::Echo) || holds(rest, Class::Act) {
        Part::Echo
    } else {
        Part::Courtesy
    };
    Some(part)
}

/// Whether it asks to do what was proposed, politely: "could you please open it", "if you could open it".
fn is_request(rest: &[Item<'_>], proposal: &Proposal) -> bool {
    let is_if = rest.first().is_some_and(|first| first.is(&["if"]));
    let asked = rest.get(usize::from(is_if)..).unwrap_or_default();
    let mut lead = asked.iter().map(Item::text);
    let (first, second) = (lead.next().unwrap_or_default(), lead.next().unwrap_or_default());
    let may = |word: &str| ["could", "can", "would", "will"].contains(&word);
    let is_led = if is_if { first == "you" && may(second) } else { may(first) && second == "you" };
    let is_polite = is_if || holds(asked, Class::Polite);
    is_led && is_polite && accounted(asked, proposal) == Some(Part::Command)
}

/// Whether it is a question by how it begins.
fn is_inverted(rest: &[Item<'_>]) -> bool {
    let [first, tail @ ..] = rest else { return false };
    let is_verb = first.is_among(INVERTED);
    let has_subject = tail.first().is_some_and(|next| super::words::among(SUBJECTS, next.text()));
    first.class == Class::Ask || (is_verb && (first.is_among(ALWAYS_INVERTED) || has_subject))
}
