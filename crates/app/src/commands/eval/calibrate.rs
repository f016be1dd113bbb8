//! `vouch eval calibrate`: both halves of golden sets → how sure an answer must be, what that proves, and the certificate of it.

use std::{path::Path, process::ExitCode};

use anyhow::{Context, bail};
use serde::Serialize;
use vouch_evals::{
    bounds::{Rate, upper_bound},
    calibration::{Calibration, Cut, Target, calibrate, grid},
    graded::Graded,
};
use vouch_service::certificate::{Certificate, FILE, Figures};

use super::{
    certify::{self, AskedSet, Proof, certificate},
    circumstances, open_filled, print, print_json, read,
    resume::{self, Heading},
    run::{Kept, evaluate},
    tell,
};
use crate::{
    certificate_file,
    cli::{Common, EvalCalibrateArgs},
    exit::Usage,
    render,
    settings::{self, AnswerFigures, settings_path, with_figures},
};

/// What is printed as JSON.
#[derive(Serialize)]
struct Told<'a> {
    #[serde(flatten)]
    calibration: &'a Calibration,
    certificate: Option<&'a Certificate>,
}

pub(super) async fn run(common: &Common, args: &EvalCalibrateArgs) -> anyhow::Result<ExitCode> {
    let shares = [args.max_hallucination, args.max_false_refusal, args.min_answered];
    if !(0.5..1.0).contains(&args.confidence) || shares.iter().any(|share| !(0.0..=1.0).contains(share)) {
        return Err(Usage("shares lie between 0 and 1, and the confidence between 0.5 and 1".to_owned()).into());
    }
    let sets = match &args.golden {
        Some(golden) => vec![ask(common, golden, None).await?],
        None => args.asked.iter().map(|path| read_asked(path)).collect::<anyhow::Result<_>>()?,
    };
    let half = |split: &str| -> Vec<Graded> { sets.iter().flat_map(|set| set.half(split)).collect() };
    let (chosen_on, tested_on) = (half("tune"), half("test"));
    if chosen_on.is_empty() || tested_on.is_empty() {
        return Err(Usage("it takes questions of both halves, `tune` and `test`".to_owned()).into());
    }
    let target = Target {
        hallucination: args.max_hallucination,
        false_refusal: args.max_false_refusal,
        confidence: args.confidence,
        coverage: args.min_answered,
    };
    let found = calibrate(&chosen_on, &tested_on, &grid(Cut::default()), target);
    if !common.json {
        print(&shown(&found, chosen_on.len()))?;
    }
    let issued = match (args.write, &args.golden, &args.certificate) {
        (true, Some(golden), _) if found.is_met => Some(write_figures(common, golden, &found).await?),
        (true, ..) => {
            tell("Nothing was written: these figures do not reach what was asked for.");
            None
        }
        (false, _, None) => None,
        // Nothing was chosen, so the counts speak for themselves.
        (false, _, Some(_)) => Some(certificate(&sets, &Proof { confidence: args.confidence, chosen: None }, now_ms())),
    };
    if let (Some(path), Some(issued)) = (&args.certificate, &issued) {
        certificate_file::write(path, issued)?;
    }
    if common.json {
        print_json(&Told { calibration: &found, certificate: issued.as_ref() })?;
    } else if let Some(issued) = &issued {
        print(&certify::shown(issued))?;
    }
    Ok(if found.is_met { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Asks a golden set, or one half of it.
async fn ask(common: &Common, golden: &Path, split: Option<&str>) -> anyhow::Result<AskedSet> {
    let (all, bytes) = read(golden, None)?;
    let mut app = open_filled(common)?;
    app.engine.be_patient();
    let meta = circumstances::meta(&app, golden, (&all, &bytes)).await?;
    let heading = Heading::new(&meta, &circumstances::state(&app).await?);
    let questions: Vec<_> = all.into_iter().filter(|one| split.is_none_or(|split| one.split == split)).collect();
    let graded = evaluate(&app, (&questions, &heading), Kept::default()).await?;
    Ok(AskedSet { heading, graded })
}

fn read_asked(path: &Path) -> anyhow::Result<AskedSet> {
    let (heading, graded) = resume::read(path)?;
    Ok(AskedSet { heading, graded })
}

/// Writes the chosen figures where they are higher than those in force, asks the half they were not chosen on again with them, and
/// issues the certificate in the data folder. Where they do not bear out what was worked out, the settings are put back.
async fn write_figures(common: &Common, golden: &Path, found: &Calibration) -> anyhow::Result<Certificate> {
    let Some(cut) = found.cut else { bail!("there are no figures to write") };
    let path = settings_path(common.config.as_deref());
    let is_there = path.exists();
    let cannot = || format!("cannot read {}", path.display());
    let before = if is_there { std::fs::read_to_string(&path).with_context(cannot)? } else { String::new() };
    let figures = raised(common, cut)?;
    let text = with_figures(&path.display().to_string(), &before, figures).map_err(|error| Usage(error.to_string()))?;
    let put = |text: &str| std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()));
    let put_back =
        || if is_there { put(&before) } else { std::fs::remove_file(&path).context("cannot remove the settings") };
    if text != before {
        put(&text)?;
    }
    let asked = ask(common, golden, Some("test")).await;
    let outcome = asked.and_then(|set| {
        let chosen = Figures { confidence: cut.confidence, answerability: cut.answerability };
        let target = found.target;
        let proof = Proof { confidence: target.confidence, chosen: Some((chosen, target.hallucination)) };
        let issued = certificate(&[set], &proof, now_ms());
        let proved = upper_bound(issued.errors, issued.questions, target.confidence);
        if proved > target.hallucination {
            bail!(
                "with these figures {} of {} questions are answered wrongly, more than was worked out",
                issued.errors,
                issued.questions
            );
        }
        certificate_file::write(&common.data.join(FILE), &issued)?;
        Ok(issued)
    });
    if outcome.is_err() && text != before {
        put_back()?;
    }
    outcome
}

/// The figures of the settings, where those that were chosen are not higher.
fn raised(common: &Common, cut: Cut) -> anyhow::Result<AnswerFigures> {
    let now = AnswerFigures::of(&settings::load(common.config.as_deref(), None)?.settings);
    #[expect(clippy::cast_possible_truncation, reason = "a share with two digits")]
    let wanted = cut.answerability as f32;
    Ok(AnswerFigures {
        confidence: Some(cut.confidence).filter(|own| *own > now.confidence.unwrap_or(0)).or(now.confidence),
        answerability: now.answerability.map(|own| own.max(wanted)),
    })
}

fn now_ms() -> u64 {
    let since = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

fn shown(found: &Calibration, chosen_on: usize) -> String {
    let mut rows = vec![
        ["confidence", "answerability", "wrong", "of", "answerable refused", "of", "answered"]
            .map(str::to_owned)
            .to_vec(),
    ];
    for (cut, tally) in &found.curve {
        let counts = [tally.wrong, tally.questions, tally.refused, tally.answerable, tally.answered];
        let figures = [cut.confidence.to_string(), format!("{:.2}", cut.answerability)];
        rows.push(figures.into_iter().chain(counts.iter().map(usize::to_string)).collect());
    }
    let curve = render::table(&rows);
    let sure = found.target.confidence * 100.0;
    let (Some(cut), Some(tally), Some(bound)) = (found.cut, found.tested, found.bound) else {
        return format!(
            "{curve}\nNo figures are proved to keep wrong answers at {:.1} % or less with {sure:.0} % confidence.\n",
            found.target.hallucination * 100.0
        );
    };
    let told = |rate: Rate| format!("{} of {} ({:.1} %)", rate.part, rate.of, rate.share * 100.0);
    let verdict = match found.is_met {
        true => "Both figures are met.",
        false => "Too many answerable questions are refused for what was asked: both figures cannot be met.",
    };
    format!(
        "{curve}\nchosen on {chosen_on} questions: confidence {} and answerability {:.2} at least\ntested on {} others: wrong {}, which \
         proves at most {:.1} % with {sure:.0} % confidence; answerable and refused {}\n{verdict}\n",
        cut.confidence,
        cut.answerability,
        tally.questions,
        told(tally.hallucination()),
        bound * 100.0,
        told(tally.false_refusal())
    )
}
