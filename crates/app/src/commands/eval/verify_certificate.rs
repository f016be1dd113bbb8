//! `vouch eval verify-certificate`: a certificate against its own sums, against what is so now, and against its questions.

use std::{path::Path, process::ExitCode};

use serde::Serialize;
use vouch_evals::bounds::upper_bound;
use vouch_service::certificate::{Certificate, CertifiedSet};

use super::{
    certify::{self, AskedSet, Proof},
    circumstances, open_filled, print, print_json, read,
    resume::Heading,
    run::{Kept, evaluate},
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
            "Of this set it holds: every count is the same when the questions are asked again. {others} other sets were not asked; ask \
             each of them of its own store."
        ),
        (true, false, _) => {
            "It holds: its sums are right, and corpus, settings and models are those it was issued for.".to_owned()
        }
        (false, ..) => "It does not hold.".to_owned(),
    };
    format!("{lines}{verdict}\n")
}

/// What differs from the set that was asked of this store; the nearest one where none was.
async fn changed(app: &App, certificate: &Certificate) -> anyhow::Result<Vec<String>> {
    let (now, state) = (&app.circumstances, circumstances::state(app).await?);
    let look = |set: &CertifiedSet| {
        let compared = [
            ("documents, entries or vocabularies", set.state == state),
            ("settings", set.settings == now.settings),
            ("embedder", set.embedder == now.embedder),
            ("judge", set.judge == now.judge),
            ("version of the program", set.version == now.version),
        ];
        compared.into_iter().filter(|(_, is_same)| !is_same).map(|(name, _)| name.to_owned()).collect::<Vec<_>>()
    };
    Ok(certificate.sets.iter().map(look).min_by_key(Vec::len).unwrap_or_default())
}

/// Asks the questions of one set again, and compares every count.
async fn ask_again(app: &App, certificate: &Certificate, golden: &Path) -> anyhow::Result<Vec<String>> {
    let (all, bytes) = read(golden, None)?;
    let meta = circumstances::meta(app, golden, (&all, &bytes)).await?;
    let Some(set) = certificate.sets.iter().find(|set| set.golden_set == meta.golden_set_hash) else {
        return Ok(vec![format!("the golden set: {} is none that it was issued for", golden.display())]);
    };
    let questions: Vec<_> = all.into_iter().filter(|question| question.split == "test").collect();
    let heading = Heading::new(&meta, &circumstances::state(app).await?, &questions);
    let graded = evaluate(app, (&questions, &heading), Kept::default()).await?;
    let proof = Proof { confidence: certificate.confidence, chosen: None };
    let again = certify::certificate(&[AskedSet { heading, graded }], &proof, 0);
    let Some(now) = again.sets.first() else { return Ok(Vec::new()) };
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
        changes.push("readings: those of the judge are others now".to_owned());
    }
    Ok(changes)
}
