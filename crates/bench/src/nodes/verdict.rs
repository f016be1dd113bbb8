//! What clients were told → what of it was wrong.
//!
//! Invariant: a check that accepts everything is a fault of its own. The answers are checked a second time against a history in which every
//! change comes one generation later, and some of them must be wrong by that.

use std::sync::Arc;

use serde::Serialize;

use super::{
    changes::{Change, removals},
    ferries,
    load::Answer,
    node::Node,
    timeline::Timeline,
};

/// Most faults of a kind that are told in words.
const TOLD_MAX: usize = 20;
/// One of so many replies may say that it was cut in the place of its figure.
const CUT_IN: usize = 100;

/// Answers held against what the documents said at the generation each names.
#[derive(Debug, Default, Serialize)]
pub(super) struct AnswerCheck {
    pub(super) replies: usize,
    /// Replies that state the figure of the document asked for.
    pub(super) right: usize,
    /// Questions for a document that was not there, which state no figure of it.
    pub(super) rightly_without: usize,
    /// Replies without the figure which say that something was down, late or cut.
    pub(super) cut_and_said: usize,
    pub(super) wrong: usize,
    /// The first of what is wrong.
    pub(super) faults: Vec<String>,
    /// How many would be wrong if every change had come one generation later; none means that the check shows nothing.
    pub(super) wrong_against_another_history: usize,
}

/// Errors and whether a kill explains them.
#[derive(Debug, Default, Serialize)]
pub(super) struct ErrorCheck {
    /// Connections that were cut while their server was away.
    pub(super) cut: usize,
    /// All others.
    pub(super) unexplained: usize,
    pub(super) faults: Vec<String>,
}

/// How far behind the newest acknowledged change replies were.
#[derive(Debug, Default, Serialize)]
pub(super) struct Lag {
    /// Of all replies, those that were behind a change that was acknowledged before they were asked for.
    pub(super) behind: usize,
    pub(super) p50_ms: Option<f64>,
    pub(super) p95_ms: Option<f64>,
    pub(super) longest_ms: Option<f64>,
}

/// A check of many things and what was wrong with them.
#[derive(Debug, Serialize)]
pub(super) struct Checked {
    pub(super) checked: usize,
    pub(super) wrong: usize,
    pub(super) faults: Vec<String>,
}

impl AnswerCheck {
    /// Whether enough was stated for "nothing was wrong" to mean something: a server that refuses everything states nothing wrong.
    pub(super) fn means_something(&self) -> bool {
        self.right > 0 && self.wrong_against_another_history > 0 && self.cut_and_said * CUT_IN <= self.replies
    }
}

impl Checked {
    pub(super) fn new(checked: usize, mut faults: Vec<String>) -> Self {
        let wrong = faults.len();
        faults.truncate(TOLD_MAX);
        Self { checked, wrong, faults }
    }
}

enum Finding {
    Right,
    RightlyWithout,
    CutAndSaid,
    Wrong(String),
}

pub(super) fn check_answers(answers: &[Answer], timeline: &Timeline) -> AnswerCheck {
    let mut check = AnswerCheck::default();
    let replies = || answers.iter().filter(|answer| answer.status == Ok(200));
    for answer in replies() {
        check.replies += 1;
        match weigh(answer, timeline) {
            Finding::Right => check.right += 1,
            Finding::RightlyWithout => check.rightly_without += 1,
            Finding::CutAndSaid => check.cut_and_said += 1,
            Finding::Wrong(why) => {
                check.wrong += 1;
                if check.faults.len() < TOLD_MAX {
                    check.faults.push(format!("{} (server {}): {why}", answer.id, answer.node));
                }
            }
        }
    }
    let other = timeline.one_later();
    check.wrong_against_another_history =
        replies().filter(|answer| matches!(weigh(answer, &other), Finding::Wrong(_))).count();
    check
}

fn weigh(answer: &Answer, timeline: &Timeline) -> Finding {
    let Some(generation) = answer.generation else {
        return Finding::Wrong("neither the reply nor the trail names a generation".to_owned());
    };
    let untrue = answer.figures.iter().find(|(name, figure)| !timeline.states(name, *figure, generation));
    if let Some((name, figure)) = untrue {
        let then = timeline.figure_at(name, generation);
        return Finding::Wrong(format!("says {name} carries {figure}; at generation {generation} it was {then:?}"));
    }
    let name = ferries::name(answer.document);
    let is_stated = answer.figures.iter().any(|(stated, _)| *stated == name);
    match timeline.figure_at(&name, generation) {
        None => Finding::RightlyWithout,
        Some(_) if is_stated => Finding::Right,
        Some(_) if answer.is_cut => Finding::CutAndSaid,
        Some(figure) => Finding::Wrong(format!(
            "'{}' without the {figure} that {name} stated at generation {generation}",
            answer.outcome
        )),
    }
}

/// Every reply but 200 and every change that was not acknowledged must have met a kill.
pub(super) fn check_errors(answers: &[Answer], changes: &[Change], nodes: &[Arc<Node>]) -> ErrorCheck {
    let mut check = ErrorCheck::default();
    let mut note = |node: usize, (sent, ended), is_cut_off: bool, what: String| {
        let was_away = nodes.get(node).is_some_and(|node| node.was_away(sent, ended));
        if is_cut_off && was_away {
            check.cut += 1;
            return;
        }
        check.unexplained += 1;
        if check.faults.len() < TOLD_MAX {
            check.faults.push(format!("server {node} at {sent:.1?}: {what}"));
        }
    };
    for answer in answers.iter().filter(|answer| answer.status != Ok(200)) {
        let time = (answer.sent, answer.ended);
        note(answer.node, time, answer.status.is_err(), format!("{}: {:?}", answer.id, answer.status));
    }
    for change in changes {
        let Some(fault) = &change.fault else { continue };
        let is_cut_off = !fault.starts_with("status ");
        note(change.node, (change.sent, change.ended), is_cut_off, format!("a change of {}: {fault}", change.document));
    }
    check
}

/// For each reply that was behind: how long ago the first change it lacks had been acknowledged.
pub(super) fn lag(answers: &[Answer], changes: &[Change], timeline: &Timeline) -> Lag {
    let stated = changes.iter().filter(|change| change.fault.is_none()).filter_map(|change| {
        let figure = change.figure?;
        let span = timeline.of(&ferries::name(change.document)).iter().find(|span| span.figure == figure)?;
        Some((span.born, change.ended.as_secs_f64()))
    });
    let mut known: Vec<(u64, f64)> = stated.collect();
    for document in 0..changes.iter().map(|change| change.document + 1).max().unwrap_or_default() {
        let those: Vec<&Change> = changes.iter().filter(|change| change.document == document).collect();
        known.extend(removals(&those, timeline).filter_map(|(change, gone)| Some((gone?, change.ended.as_secs_f64()))));
    }
    known.sort_by_key(|(generation, _)| *generation);
    let mut behind: Vec<f64> = answers
        .iter()
        .filter_map(|answer| {
            let generation = answer.generation?;
            let lacks = known.partition_point(|(known, _)| *known <= generation);
            let (_, acknowledged) = known.get(lacks)?;
            Some((answer.sent.as_secs_f64() - acknowledged) * 1e3).filter(|late| *late > 0.0)
        })
        .collect();
    behind.sort_by(f64::total_cmp);
    let at = |share: usize| behind.get(behind.len() * share / 100).copied();
    Lag { behind: behind.len(), p50_ms: at(50), p95_ms: at(95), longest_ms: behind.last().copied() }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::nodes::truth::PassageRow;

    fn answer(generation: u64, figures: &[(usize, u64)]) -> Answer {
        Answer {
            id: "load-0-1".to_owned(),
            node: 0,
            document: 0,
            sent: Duration::from_secs(10),
            ended: Duration::from_secs(11),
            status: Ok(200),
            generation: Some(generation),
            outcome: "answered".to_owned(),
            is_cut: false,
            is_marked: false,
            figures: figures.iter().map(|(document, figure)| (ferries::name(*document), *figure)).collect(),
        }
    }

    /// Document 0 states 7 from generation 3 on, 8 from generation 5 on, and is gone from generation 9 on.
    fn timeline() -> Timeline {
        let row = |figure, born, died| PassageRow { text: ferries::text(0, figure), born, died: Some(died) };
        Timeline::new(&[row(7, 3, 5), row(8, 5, 9)])
    }

    #[test]
    fn an_answer_is_held_against_the_generation_it_names() {
        let wrong = |answer: &Answer| check_answers(std::slice::from_ref(answer), &timeline()).wrong;
        for (generation, figures, expected) in [
            (4, &[(0, 7)][..], 0),
            (5, &[(0, 7)], 1),
            (5, &[(0, 8)], 0),
            (4, &[(0, 8)], 1),
            (4, &[], 1),
            (9, &[], 0),
            (9, &[(0, 8)], 1),
            (2, &[(0, 7)], 1),
            (4, &[(0, 7), (0, 8)], 1),
            (4, &[(0, 7), (1, 8)], 1),
        ] {
            assert_eq!(wrong(&answer(generation, figures)), expected, "{generation} {figures:?}");
        }
        assert_eq!(wrong(&Answer { generation: None, ..answer(4, &[(0, 7)]) }), 1);
        assert_eq!(wrong(&Answer { is_cut: true, ..answer(4, &[]) }), 0);
        assert_eq!(wrong(&Answer { is_cut: true, ..answer(5, &[(0, 7)]) }), 1);
    }

    #[test]
    fn a_check_that_would_accept_another_history_is_told() {
        let caught = |answers: &[Answer]| check_answers(answers, &timeline()).wrong_against_another_history;
        assert_eq!(caught(&[answer(4, &[(0, 7)])]), 0);
        assert_eq!(caught(&[answer(4, &[(0, 7)]), answer(5, &[(0, 8)])]), 1);
    }

    #[test]
    fn replies_that_state_nothing_show_nothing() {
        let checked = |refused: usize| {
            let mut answers = vec![answer(4, &[(0, 7)]), answer(5, &[(0, 8)])];
            answers.resize(2 + refused, Answer { is_cut: true, ..answer(4, &[]) });
            check_answers(&answers, &timeline())
        };
        assert!(checked(0).means_something());
        assert!(checked(1).wrong == 0 && !checked(1).means_something());
    }

    #[test]
    fn a_reply_is_behind_what_was_acknowledged_before_it_was_asked_for() {
        let time = Duration::from_secs;
        let change = Change { document: 0, figure: Some(8), node: 0, sent: time(8), ended: time(9), fault: None };
        let told = lag(&[answer(4, &[]), answer(5, &[])], &[change], &timeline());
        assert_eq!((told.behind, told.longest_ms.unwrap().round()), (1, 1_000.0));
    }

    #[test]
    fn an_error_without_a_kill_is_a_fault() {
        let cut = Answer { status: Err("reset".to_owned()), ..answer(4, &[]) };
        assert_eq!(check_errors(&[cut], &[], &[]).unexplained, 1);
    }
}
