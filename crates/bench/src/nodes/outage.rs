//! `vouch-bench nodes outage`: the database is taken away from servers under load and given back; every reply is held against what the
//! documents said, every change must be refused meanwhile, and the same processes must go on afterwards.

use std::{collections::BTreeMap, process::ExitCode, sync::atomic::Ordering, time::Duration};

use serde::Serialize;
use vouch_app::console::tell;

use super::{
    args::OutageArgs,
    changes::{self, Change},
    fleet::Fleet,
    load::{self, Answer, Load},
    timeline::Timeline,
    trail,
    verdict::{AnswerCheck, Checked, check_answers},
    way::{Passage, Way},
};
use crate::speed::{Latency, latency};

/// How long servers may take to notice that the database is away, or that it is back.
const NOTICED_WITHIN: Duration = Duration::from_secs(16);
/// How a change is refused, and what is said of it.
const REFUSED: (&str, &str) = ("status 503", "database");

#[derive(Debug, Serialize)]
struct OutageReport {
    nodes: usize,
    away_seconds: f64,
    is_silent: bool,
    before: Phase,
    away: Phase,
    after: Phase,
    /// From the moment the database was away to the last reply that did not say so.
    noticed_after_ms: f64,
    /// From the moment it was back to the last reply that said it was away.
    known_back_after_ms: f64,
    /// The same, to the first change that was acknowledged.
    written_after_ms: Option<f64>,
    changes: ChangesReport,
    answers: AnswerCheck,
    /// The replies among them that came while it was away.
    answers_while_away: AnswerCheck,
    trail: Checked,
    documents: Checked,
    /// Whether the processes at the end are those of the beginning.
    are_the_same_processes: bool,
}

/// Replies of a part of the run.
#[derive(Debug, Serialize)]
struct Phase {
    replies: usize,
    errors: usize,
    marked: usize,
    latency: Latency,
    longest_ms: f64,
}

#[derive(Debug, Serialize)]
struct ChangesReport {
    acknowledged: usize,
    refused_while_away: usize,
    acknowledged_while_away: usize,
    longest_refusal_ms: f64,
    /// The longest that any change waited for its answer.
    longest_ms: f64,
    /// Errors that are no refusal, or came when nothing was away.
    unexplained: Vec<String>,
    /// What was said, and how often.
    sentences: BTreeMap<String, usize>,
}

/// When the database was away.
#[derive(Clone, Copy)]
struct Away {
    from: Duration,
    until: Duration,
}

pub(super) async fn run(args: &OutageArgs, as_json: bool) -> anyhow::Result<ExitCode> {
    let documents = usize::from(args.documents);
    let way = Way::open(&args.fleet.database).await?;
    let mut fleet = Fleet::prepare_over(&args.fleet, way.address()).await?;
    fleet.ingest(&changes::first_documents(documents))?;
    fleet.start(usize::from(args.nodes)).await?;
    let pids = pids(&fleet);
    let questions = load::answerable(&fleet, documents).await?;
    let load = Load::new(&fleet.nodes, questions, fleet.began);
    let (away, mut answers, changes) = under_load(args, &way, &load).await?;
    let trails = trail::read_all(&fleet.nodes, &answers).await?;
    let trail_faults: Vec<String> = trails.iter().flat_map(|trail| trail::faults(&answers, trail)).collect();
    trail::fill_generations(&mut answers, &trails);
    let timeline = Timeline::new(&fleet.truth.passages().await?);
    let answered = answers.iter().filter(|answer| answer.status == Ok(200)).count();
    let since = |last: Option<Duration>, from: Duration| last.map_or(0.0, |at| millis(at.saturating_sub(from)));
    let last = |is_marked: bool, is_in: &dyn Fn(&Answer) -> bool| {
        let those = answers.iter().filter(|answer| answer.status == Ok(200) && answer.is_marked == is_marked);
        those.filter(|answer| is_in(answer)).map(|answer| answer.ended).max()
    };
    let while_away: Vec<Answer> =
        answers.iter().filter(|answer| away.holds(answer.sent, answer.ended)).cloned().collect();
    let report = OutageReport {
        nodes: fleet.nodes.len(),
        away_seconds: (away.until - away.from).as_secs_f64(),
        is_silent: args.silent,
        before: phase(&answers, |answer| answer.ended < away.from),
        away: phase(&answers, |answer| away.meets(answer.sent, answer.ended)),
        after: phase(&answers, |answer| answer.sent > away.until),
        noticed_after_ms: since(last(false, &|answer| away.holds(answer.sent, answer.ended)), away.from),
        known_back_after_ms: since(last(true, &|answer| answer.sent > away.until), away.until),
        written_after_ms: first_written(&changes, away),
        changes: changes_report(&changes, away),
        answers: check_answers(&answers, &timeline),
        answers_while_away: check_answers(&while_away, &timeline),
        trail: Checked::new(answered, trail_faults),
        documents: Checked::new(changes.len(), changes::faults(&changes, &timeline)),
        are_the_same_processes: self::pids(&fleet) == pids,
    };
    fleet.conclude(&report, as_json, (report.is_right(), &report.shown()))
}

fn pids(fleet: &Fleet) -> Vec<Option<u32>> {
    fleet.nodes.iter().map(|node| node.pid()).collect()
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

async fn under_load(args: &OutageArgs, way: &Way, load: &Load) -> anyhow::Result<(Away, Vec<Answer>, Vec<Change>)> {
    let asking = {
        let (load, clients) = (load.clone(), usize::from(args.fleet.clients));
        tokio::spawn(async move { load.run(clients).await })
    };
    let every = Duration::from_millis(args.change_every_ms);
    let changing = tokio::spawn(changes::change(load.clone(), usize::from(args.documents), every));
    let length = Duration::from_secs(args.away);
    tokio::time::sleep(length / 2).await;
    tell("the database is away");
    let from = load.began.elapsed();
    way.set(if args.silent { Passage::Silent } else { Passage::Cut });
    tokio::time::sleep(length).await;
    let until = load.began.elapsed();
    way.set(Passage::Open);
    tell("the database is back");
    tokio::time::sleep(length.max(NOTICED_WITHIN * 2)).await;
    load.stop.store(true, Ordering::Relaxed);
    Ok((Away { from, until }, asking.await?, changing.await?))
}

impl Away {
    /// Whether a request was sent and answered while the database was away.
    fn holds(self, sent: Duration, ended: Duration) -> bool {
        sent >= self.from && ended <= self.until
    }

    fn meets(self, sent: Duration, ended: Duration) -> bool {
        sent <= self.until && ended >= self.from
    }
}

fn phase(answers: &[Answer], is_in: impl Fn(&Answer) -> bool) -> Phase {
    let those: Vec<&Answer> = answers.iter().filter(|answer| is_in(answer)).collect();
    let replies: Vec<&&Answer> = those.iter().filter(|answer| answer.status == Ok(200)).collect();
    let times: Vec<f64> = replies.iter().map(|answer| millis(answer.ended - answer.sent)).collect();
    Phase {
        replies: replies.len(),
        errors: those.len() - replies.len(),
        marked: replies.iter().filter(|answer| answer.is_marked).count(),
        longest_ms: times.iter().copied().fold(0.0, f64::max),
        latency: latency(times),
    }
}

fn first_written(changes: &[Change], away: Away) -> Option<f64> {
    let made = changes.iter().filter(|change| change.fault.is_none() && change.sent > away.from);
    made.map(|change| change.ended).filter(|ended| *ended > away.until).min().map(|ended| millis(ended - away.until))
}

fn changes_report(changes: &[Change], away: Away) -> ChangesReport {
    let mut report = ChangesReport {
        acknowledged: changes.iter().filter(|change| change.fault.is_none()).count(),
        refused_while_away: 0,
        acknowledged_while_away: 0,
        longest_refusal_ms: 0.0,
        longest_ms: changes.iter().map(|change| millis(change.ended - change.sent)).fold(0.0, f64::max),
        unexplained: Vec::new(),
        sentences: BTreeMap::new(),
    };
    for change in changes {
        let Some(fault) = &change.fault else {
            report.acknowledged_while_away += usize::from(away.holds(change.sent, change.ended));
            continue;
        };
        let (status, words) = REFUSED;
        let is_refusal = fault.starts_with(status) && fault.contains(words);
        if is_refusal && change.ended >= away.from && change.sent <= away.until + NOTICED_WITHIN {
            report.refused_while_away += 1;
            report.longest_refusal_ms = report.longest_refusal_ms.max(millis(change.ended - change.sent));
            *report.sentences.entry(sentence(fault)).or_default() += 1;
        } else {
            report.unexplained.push(format!("server {} at {:.1?}: {fault}", change.node, change.sent));
        }
    }
    report
}

/// What a refusal says, without what is different each time.
fn sentence(fault: &str) -> String {
    let body = fault.split_once(": ").map_or(fault, |(_, body)| body);
    let told: serde_json::Value = serde_json::from_str(body).unwrap_or_default();
    told.get("detail").and_then(|detail| detail.as_str()).unwrap_or(body).to_owned()
}

impl OutageReport {
    fn is_right(&self) -> bool {
        let bound = millis(NOTICED_WITHIN);
        let errors = self.before.errors + self.away.errors + self.after.errors;
        let wrong = errors + self.answers.wrong + self.trail.wrong + self.documents.wrong;
        let is_checked = self.answers.means_something()
            && self.answers_while_away.right > 0
            && self.away.marked > 0
            && self.before.marked == 0;
        let are_changes_right = self.changes.acknowledged_while_away == 0
            // A change that waits for a silent database may be made when it is back.
            && (self.changes.refused_while_away > 0 || self.is_silent)
            && self.changes.unexplained.is_empty();
        let is_back = self.known_back_after_ms < bound && self.written_after_ms.is_some_and(|ms| ms < bound);
        wrong == 0
            && is_checked
            && are_changes_right
            && is_back
            && self.noticed_after_ms < bound
            && self.are_the_same_processes
    }

    fn shown(&self) -> String {
        let phase = |name: &str, phase: &Phase| {
            let Phase { replies, errors, marked, latency, longest_ms } = phase;
            format!(
                "{name:<11} {replies} replies, {marked} marked, {errors} errors; p50 {:.0} ms, p95 {:.0} ms, longest {longest_ms:.0} ms",
                latency.p50_ms, latency.p95_ms
            )
        };
        let how = if self.is_silent { "silent" } else { "cut off" };
        let mut lines = vec![
            format!("{} servers, their database {how} for {:.0} s", self.nodes, self.away_seconds),
            phase("before", &self.before),
            phase("away", &self.away),
            phase("after", &self.after),
            format!(
                "marks       the last reply without a mark {:.1} s after it went, the last with one {:.1} s after it was back",
                self.noticed_after_ms / 1e3,
                self.known_back_after_ms / 1e3
            ),
            format!(
                "changes     {} acknowledged, {} of them while it was away; {} refused, the longest after {:.1} s; none waited longer than \
                 {:.1} s; the first acknowledged {} after it was back",
                self.changes.acknowledged,
                self.changes.acknowledged_while_away,
                self.changes.refused_while_away,
                self.changes.longest_refusal_ms / 1e3,
                self.changes.longest_ms / 1e3,
                self.written_after_ms.map_or("never".to_owned(), |ms| format!("{:.1} s", ms / 1e3))
            ),
            format!(
                "replies     {} held against their generation: {} state their figure ({} while it was away), {} say that they were cut, {} \
                 wrong; {} would be if every change had come one later",
                self.answers.replies,
                self.answers.right,
                self.answers_while_away.right,
                self.answers.cut_and_said,
                self.answers.wrong,
                self.answers.wrong_against_another_history
            ),
            format!("trail       {} answered requests, {} faults", self.trail.checked, self.trail.wrong),
            format!("documents   {} changes, {} faults", self.documents.checked, self.documents.wrong),
            format!("processes   {}", if self.are_the_same_processes { "the same" } else { "others" }),
        ];
        lines.extend(self.changes.sentences.iter().map(|(sentence, times)| format!("said {times}x    {sentence}")));
        let faults = [&self.answers.faults, &self.changes.unexplained, &self.trail.faults, &self.documents.faults];
        lines.extend(faults.into_iter().flatten().take(40).map(|fault| format!("FAULT {fault}")));
        lines.push(if self.is_right() { "nothing was wrong".to_owned() } else { "something was wrong".to_owned() });
        lines.join("\n") + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(sent: u64, ended: u64, fault: Option<&str>) -> Change {
        let time = Duration::from_secs;
        let fault = fault.map(str::to_owned);
        Change { document: 0, figure: Some(1), node: 0, sent: time(sent), ended: time(ended), fault }
    }

    #[test]
    fn a_change_may_be_refused_with_a_sentence_only_while_the_database_is_away() {
        let away = Away { from: Duration::from_secs(10), until: Duration::from_secs(40) };
        let refusal = Some("status 503: {\"detail\":\"the database cannot be reached\"}");
        let told = |changes: &[Change]| changes_report(changes, away);
        assert_eq!(told(&[change(20, 21, refusal)]).refused_while_away, 1);
        assert_eq!(told(&[change(20, 21, None)]).acknowledged_while_away, 1);
        for wrong in [
            change(1, 2, refusal),
            change(90, 91, refusal),
            change(20, 21, Some("connection reset")),
            change(20, 21, Some("status 500: the database")),
            change(20, 21, Some("status 503: something")),
        ] {
            assert_eq!(told(std::slice::from_ref(&wrong)).unexplained.len(), 1, "{wrong:?}");
        }
        assert_eq!(first_written(&[change(5, 6, None), change(41, 43, None)], away), Some(3_000.0));
    }
}
