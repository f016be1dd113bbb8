//! `vouch eval verify-certificate`: a certificate against its own sums, against what is so now, and against its questions.

use std::{path::Path, process::ExitCode};

use serde::Serialize;
use vouch_evals::bounds::upper_bound;
use vouch_service::certificate::{Certificate, Certified, Live};

use super::{
    certify::{self, AskedSet},
    circumstances, open_filled, print, print_json,
};
use crate::{
    certificate_file,
    cli::{Common, EvalVerifyArgs},
    exit::Usage,
    wiring::App,
};

/// By how much a reading may differ that was written down and read again.
const READING_ROUNDING: f64 = 1e-6;

/// What was looked at, and what is wrong.
#[derive(Serialize)]
struct Verified {
    holds: bool,
    /// Sums that do not add up.
    faults: Vec<String>,
    /// What is not as it was.
    changes: Vec<String>,
    /// Whether the questions were asked again.
    asked_again: bool,
    /// Sets of other stores, whose questions were not asked again.
    sets_not_asked: usize,
}

pub(super) async fn run(common: &Common, args: &EvalVerifyArgs) -> anyhow::Result<ExitCode> {
    let unreadable = |fault: String| Usage(format!("{} {fault}", args.certificate.display()));
    let certificate = certificate_file::read(&args.certificate).map_err(unreadable)?;
    let mut verified = Verified {
        holds: false,
        faults: certificate.faults(upper_bound),
        changes: Vec::new(),
        asked_again: args.golden.is_some(),
        sets_not_asked: certificate.sets.len().saturating_sub(usize::from(args.golden.is_some())),
    };
    let mut app = open_filled(common)?;
    app.engine.be_patient();
    match &args.golden {
        Some(golden) => verified.changes = ask_again(&app, &certificate, golden).await?,
        None => verified.changes = changed(&app, &certificate).await?,
    }
    verified.holds = verified.faults.is_empty() && verified.changes.is_empty();
    if common.json {
        print_json(&verified)?;
    } else {
        print(&certify::shown(&certificate))?;
        print(&told(&verified))?;
    }
    Ok(if verified.holds { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn told(verified: &Verified) -> String {
    let lines = verified.faults.iter().map(|fault| format!("wrong: {fault}\n"));
    let lines: String = lines.chain(verified.changes.iter().map(|change| format!("changed: {change}\n"))).collect();
    let verdict = match (verified.holds, verified.asked_again, verified.sets_not_asked) {
        (true, true, 0) => "It holds: every count is the same when the questions are asked again.".to_owned(),
        (true, true, others) => format!(
            "It holds for this set: every count is the same when the questions are asked again. {others} other sets \
             were not asked; ask each against its own store."
        ),
        (true, false, _) => {
            "It holds: its sums are right, and corpus, settings and models are those it was issued for.".to_owned()
        }
        (false, ..) => "It does not hold.".to_owned(),
    };
    format!("{lines}{verdict}\n")
}

/// What differs from the set that was asked of this store, a sentence each.
async fn changed(app: &App, certificate: &Certificate) -> anyhow::Result<Vec<String>> {
    let now = (&app.circumstances, &circumstances::state(app).await?);
    let certified = Certified::new(Some(Ok(certificate.clone())), now, (Live::default(), &[]));
    Ok(certified.withdrawn.into_iter().map(|one| one.sentence).collect())
}

/// Asks the questions of one set again, and compares every count.
async fn ask_again(app: &App, certificate: &Certificate, golden: &Path) -> anyhow::Result<Vec<String>> {
    let asked = AskedSet::ask(app, golden, Some("test")).await?;
    let Some(set) = certificate.sets.iter().find(|set| set.golden_set == asked.heading.golden_set_hash) else {
        return Ok(vec![format!("the golden set: {} is not one it was issued for", golden.display())]);
    };
    let now = certify::certified(&asked, certificate.confidence);
    let mut changes = Vec::new();
    let mut compare = |name: &str, before: &str, now: &str| {
        if before != now {
            changes.push(format!("{name}: {before} before, {now} now"));
        }
    };
    compare("corpus", &set.corpus, &now.corpus);
    compare("settings", &set.settings, &now.settings);
    compare("embedder", &set.embedder, &now.embedder);
    compare("judge", set.judge.as_deref().unwrap_or("none"), now.judge.as_deref().unwrap_or("none"));
    compare("version", &set.version, &now.version);
    let counts = [
        ("questions", set.questions, now.questions),
        ("errors", set.errors, now.errors),
        ("answerable", set.answerable, now.answerable),
        ("refused", set.refused, now.refused),
    ];
    for (name, before, now) in counts {
        compare(name, &before.to_string(), &now.to_string());
    }
    let is_same = |(before, now): (&f64, &f64)| (before - now).abs() < READING_ROUNDING;
    if set.readings.len() != now.readings.len() || !set.readings.iter().zip(&now.readings).all(is_same) {
        changes.push("readings: the judge's readings are different now".to_owned());
    }
    Ok(changes)
}
