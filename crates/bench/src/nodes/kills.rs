//! `vouch-bench nodes kills`: one server after the other is killed while documents change; every reply is held against what the documents
//! said at the generation it names, every answered request against the trail, every job against the database and the logs.

use std::{
    process::ExitCode,
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use anyhow::bail;
use serde::Serialize;
use vouch_app::console::tell;

use super::{
    args::KillsArgs,
    changes::{self, Change},
    fleet::Fleet,
    jobs,
    load::{self, Answer, Load},
    timeline::Timeline,
    trail,
    verdict::{AnswerCheck, Checked, ErrorCheck, Lag, check_answers, check_errors, lag},
};

/// The whole run.
#[derive(Debug, Serialize)]
struct KillsReport {
    nodes: usize,
    seconds: f64,
    kills: usize,
    /// From the start of a killed server to its first reply.
    longest_start_ms: f64,
    questions_per_second: f64,
    changes: usize,
    answers: AnswerCheck,
    errors: ErrorCheck,
    lag: Lag,
    trail: Checked,
    documents: Checked,
    jobs: Checked,
    jobs_asked_for: usize,
    jobs_taken_over: usize,
}

/// What was seen while servers were killed.
struct Seen {
    answers: Vec<Answer>,
    changes: Vec<Change>,
    started: jobs::Started,
    kills: usize,
    longest_start: Duration,
    took: Duration,
}

pub(super) async fn run(args: &KillsArgs, as_json: bool) -> anyhow::Result<ExitCode> {
    let documents = usize::from(args.documents);
    let mut fleet = Fleet::prepare(&args.fleet).await?;
    fleet.ingest(&changes::first_documents(documents))?;
    fleet.start(usize::from(args.nodes)).await?;
    let questions = load::answerable(&fleet, documents).await?;
    let load = Load::new(&fleet.nodes, questions, fleet.began);
    let mut seen = under_load(args, &fleet, &load).await?;
    tell("waiting for the last jobs");
    let report = judge(&fleet, &mut seen).await?;
    fleet.conclude(&report, as_json, (report.is_right(), &report.shown()))
}

async fn under_load(args: &KillsArgs, fleet: &Fleet, load: &Load) -> anyhow::Result<Seen> {
    let clock = Instant::now();
    let asking = {
        let (load, clients) = (load.clone(), usize::from(args.fleet.clients));
        tokio::spawn(async move { load.run(clients).await })
    };
    let every = Duration::from_millis(args.change_every_ms);
    let changing = tokio::spawn(changes::change(load.clone(), usize::from(args.documents), every));
    let jobs = {
        let (load, folder, every) = (load.clone(), fleet.folder().to_owned(), Duration::from_secs(args.job_every));
        tokio::spawn(async move { jobs::start(load, &folder, every).await })
    };
    let killed = kill_one_by_one(args, fleet, clock).await;
    load.stop.store(true, Ordering::Relaxed);
    let took = clock.elapsed();
    let (answers, changes, started) = (asking.await?, changing.await?, jobs.await??);
    let (kills, longest_start) = killed?;
    Ok(Seen { answers, changes, started, kills, longest_start, took })
}

/// Kills a server whenever it is time, the next one each time, and starts it again; how often, and the longest start.
async fn kill_one_by_one(args: &KillsArgs, fleet: &Fleet, clock: Instant) -> anyhow::Result<(usize, Duration)> {
    let length = Duration::from_secs_f64(args.minutes.max(0.0) * 60.0);
    let every = Duration::from_secs(args.every);
    let (mut kills, mut longest) = (0, Duration::ZERO);
    loop {
        let due = clock + every * u32::try_from(kills + 1).unwrap_or(u32::MAX);
        if due > clock + length {
            tokio::time::sleep_until((clock + length).into()).await;
            return Ok((kills, longest));
        }
        tokio::time::sleep_until(due.into()).await;
        let Some(node) = fleet.nodes.get(kills % fleet.nodes.len().max(1)) else { bail!("there is no server") };
        node.kill()?;
        let took = node.start().await?;
        kills += 1;
        longest = longest.max(took);
        tell(&format!("kill {kills}: server {} answers again after {took:.1?}", node.number));
    }
}

async fn judge(fleet: &Fleet, seen: &mut Seen) -> anyhow::Result<KillsReport> {
    let jobs_then = jobs::wait_until_over(&fleet.truth).await?;
    let trails = trail::read_all(&fleet.nodes, &seen.answers).await?;
    let trail_faults: Vec<String> = trails.iter().flat_map(|trail| trail::faults(&seen.answers, trail)).collect();
    trail::fill_generations(&mut seen.answers, &trails);
    let passages = fleet.truth.passages().await?;
    let timeline = Timeline::new(&passages);
    let logged = jobs::LoggedJobs::read(&fleet.nodes)?;
    let job_faults = jobs::faults(&seen.started, &jobs_then, &logged, &passages);
    let answered = seen.answers.iter().filter(|answer| answer.status == Ok(200)).count();
    #[expect(clippy::cast_precision_loss, reason = "a count of requests")]
    let questions_per_second = answered as f64 / seen.took.as_secs_f64();
    Ok(KillsReport {
        nodes: fleet.nodes.len(),
        seconds: seen.took.as_secs_f64(),
        kills: seen.kills,
        longest_start_ms: seen.longest_start.as_secs_f64() * 1e3,
        questions_per_second,
        changes: seen.changes.len(),
        answers: check_answers(&seen.answers, &timeline),
        errors: check_errors(&seen.answers, &seen.changes, &fleet.nodes),
        lag: lag(&seen.answers, &seen.changes, &timeline),
        trail: Checked::new(answered, trail_faults),
        documents: Checked::new(seen.changes.len(), changes::faults(&seen.changes, &timeline)),
        jobs: Checked::new(jobs_then.len(), job_faults),
        jobs_asked_for: seen.started.ids.len(),
        jobs_taken_over: logged.further_attempts(),
    })
}

impl KillsReport {
    /// Whether nothing was wrong, and enough happened for that to mean something.
    fn is_right(&self) -> bool {
        let wrong =
            self.answers.wrong + self.errors.unexplained + self.trail.wrong + self.documents.wrong + self.jobs.wrong;
        let happened = self.kills > 0 && self.documents.checked > 0 && self.jobs.checked > 0;
        wrong == 0 && happened && self.answers.means_something()
    }

    fn shown(&self) -> String {
        let ms = |value: Option<f64>| value.map_or("none".to_owned(), |ms| format!("{ms:.0} ms"));
        let AnswerCheck { replies, right, rightly_without, cut_and_said, wrong, .. } = &self.answers;
        let mut lines = vec![
            format!(
                "{} servers, {:.0} s, {} kills, longest start {:.1} s, {:.1} questions a second, {} changes, {} jobs",
                self.nodes,
                self.seconds,
                self.kills,
                self.longest_start_ms / 1e3,
                self.questions_per_second,
                self.changes,
                self.jobs_asked_for
            ),
            format!(
                "replies     {replies}: {right} state their figure, {rightly_without} were for a document that was not there, {cut_and_said} \
                 say that they were cut, {wrong} wrong"
            ),
            format!(
                "self-test   {} of them would be wrong if every change had come one generation later",
                self.answers.wrong_against_another_history
            ),
            format!("errors      {} cut by a kill, {} others", self.errors.cut, self.errors.unexplained),
            format!(
                "behind      {} replies lacked an acknowledged change: p50 {}, p95 {}, longest {}",
                self.lag.behind,
                ms(self.lag.p50_ms),
                ms(self.lag.p95_ms),
                ms(self.lag.longest_ms)
            ),
            format!("trail       {} answered requests, {} faults", self.trail.checked, self.trail.wrong),
            format!("documents   {} changes, {} faults", self.documents.checked, self.documents.wrong),
            format!(
                "jobs        {} jobs, {} attempts after a first, {} faults",
                self.jobs.checked, self.jobs_taken_over, self.jobs.wrong
            ),
        ];
        let faults =
            [&self.answers.faults, &self.errors.faults, &self.trail.faults, &self.documents.faults, &self.jobs.faults];
        lines.extend(faults.into_iter().flatten().map(|fault| format!("FAULT {fault}")));
        lines.push(if self.is_right() { "nothing was wrong".to_owned() } else { "something was wrong".to_owned() });
        lines.join("\n") + "\n"
    }
}
