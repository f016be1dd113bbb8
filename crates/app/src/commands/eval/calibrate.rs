//! `vouch eval calibrate`: both halves of golden sets → how sure an answer must be, what that proves, and the certificate of it.

use std::{collections::BTreeSet, path::Path, process::ExitCode};

use anyhow::{Context, bail};
use serde::Serialize;
use vouch_evals::{
    bounds::{Rate, upper_bound},
    calibration::{Calibration, Cut, Target, calibrate, grid},
    graded::Graded,
};
use vouch_service::certificate::{Certificate, CertifiedSet, FILE, Figures};

use super::{
    certify::{self, AskedSet, Proof, certificate},
    open_filled, print, print_json, resume, tell,
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
        return Err(Usage("shares must be between 0 and 1, and the confidence between 0.5 and 1".to_owned()).into());
    }
    let sets = match &args.golden {
        Some(golden) => vec![ask(common, golden, None).await?],
        None => args.asked.iter().map(|path| read_asked(path)).collect::<anyhow::Result<_>>()?,
    };
    let hashes: BTreeSet<&str> = sets.iter().map(|set| set.heading.golden_set_hash.as_str()).collect();
    if hashes.len() != sets.len() {
        return Err(Usage("the same golden set is given twice; give it once".to_owned()).into());
    }
    let half = |split: &str| -> Vec<Graded> { sets.iter().flat_map(|set| set.half(split)).collect() };
    let (chosen_on, tested_on) = (half("tune"), half("test"));
    if chosen_on.is_empty() || tested_on.is_empty() {
        return Err(Usage("questions of both halves, `tune` and `test`, are needed".to_owned()).into());
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
            tell("Nothing was written: these figures do not meet the targets.");
            None
        }
        (false, _, None) => None,
        (false, _, Some(_)) => Some(as_they_stand(common, &sets, args.confidence)),
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

/// Asks a golden set, or one half of it, with these settings.
async fn ask(common: &Common, golden: &Path, split: Option<&str>) -> anyhow::Result<AskedSet> {
    let mut app = open_filled(common)?;
    app.engine.be_patient();
    AskedSet::ask(&app, golden, split).await
}

fn read_asked(path: &Path) -> anyhow::Result<AskedSet> {
    let (heading, graded) = resume::read(path)?;
    Ok(AskedSet { heading, graded })
}

/// Asks the half the figures were not chosen on again with the chosen figures, where they are higher than those of the settings. Only what
/// that bears out is put into the settings, and the certificate into the data folder.
async fn write_figures(common: &Common, golden: &Path, found: &Calibration) -> anyhow::Result<Certificate> {
    let Some(cut) = found.cut else { bail!("there are no figures to write") };
    let path = settings_path(common.config.as_deref());
    let name = path.display().to_string();
    let read_settings = || match std::fs::read_to_string(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        read => read.with_context(|| format!("cannot read {name}")),
    };
    let before = read_settings()?;
    let figures = raised(common, (&name, &before), cut)?;
    let text = with_figures(&name, &before, figures).map_err(|error| Usage(error.to_string()))?;
    // Beside the settings, since paths in them are meant from there.
    let aside = path.with_file_name(format!(".vouch-calibrated-{}.yaml", std::process::id()));
    std::fs::write(&aside, &text).with_context(|| format!("cannot write {}", aside.display()))?;
    let tried = Common { config: Some(aside.clone()), ..common.clone() };
    let proved = ask(&tried, golden, Some("test")).await.and_then(|set| proved(set, figures, found));
    let outcome = proved.and_then(|issued| {
        if read_settings()? != before {
            bail!("{name} was changed in the meantime, so nothing was written");
        }
        std::fs::rename(&aside, &path).with_context(|| format!("cannot write {name}"))?;
        certificate_file::write(&common.data.join(FILE), &issued)?;
        Ok(issued)
    });
    if outcome.is_err() {
        let _ = std::fs::remove_file(&aside);
    }
    outcome
}

/// The certificate, where the questions bear out what was worked out.
fn proved(set: AskedSet, figures: AnswerFigures, found: &Calibration) -> anyhow::Result<Certificate> {
    let target = found.target;
    let written = |share: f32| share.to_string().parse().unwrap_or_default();
    let chosen = Figures {
        confidence: figures.confidence.unwrap_or_default(),
        answerability: figures.answerability.map(written).unwrap_or_default(),
    };
    let proof = Proof { confidence: target.confidence, chosen: Some((chosen, target.hallucination)) };
    let issued = certificate(&[set], &proof, now_ms());
    if upper_bound(issued.errors, issued.questions, target.confidence) > target.hallucination {
        bail!(
            "with these figures {} of {} questions are answered wrongly, more than was calculated; nothing was written",
            issued.errors,
            issued.questions
        );
    }
    Ok(issued)
}

/// The figures of the settings file, where those that were chosen are not higher.
fn raised(common: &Common, (name, text): (&str, &str), cut: Cut) -> anyhow::Result<AnswerFigures> {
    let own = AnswerFigures::of(&settings::parse_text(name, text)?.settings);
    if own != AnswerFigures::of(&settings::load(common.config.as_deref(), None)?.settings) {
        let sentence =
            "a variable of the environment sets these figures, so writing them into the settings would change nothing";
        return Err(Usage(sentence.to_owned()).into());
    }
    if own.answerability.is_none() && cut.answerability > 0.0 {
        let sentence = format!("{name} has no gate `answerability` to write a figure into");
        return Err(Usage(sentence).into());
    }
    #[expect(clippy::cast_possible_truncation, reason = "a share with two digits")]
    let wanted = cut.answerability as f32;
    Ok(AnswerFigures {
        confidence: Some(cut.confidence).filter(|chosen| *chosen > own.confidence.unwrap_or(0)).or(own.confidence),
        answerability: own.answerability.map(|own| own.max(wanted)),
    })
}

/// The certificate of the settings as they stand. Where they were chosen on the same questions before, their counts prove no more than was
/// tested then.
fn as_they_stand(common: &Common, sets: &[AskedSet], confidence: f64) -> Certificate {
    let mut issued = certificate(sets, &Proof { confidence, chosen: None }, now_ms());
    if let Some(Ok(kept)) = certificate_file::of_folder(&common.data) {
        let is_same = |set: &CertifiedSet| {
            issued.sets.iter().any(|own| own.golden_set == set.golden_set && own.settings == set.settings)
        };
        if kept.figures.is_some() && kept.sets.iter().any(is_same) {
            issued.bound = issued.bound.max(kept.bound);
            issued.figures = kept.figures;
        }
    }
    issued
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
            "{curve}\nNo thresholds are proved to keep wrong answers at {:.1} % or less with {sure:.0} % confidence.\n",
            found.target.hallucination * 100.0
        );
    };
    let told = |rate: Rate| match rate.of {
        0 => "none".to_owned(),
        _ => format!("{} of {} ({})", rate.part, rate.of, rate.percent()),
    };
    let verdict = match found.is_met {
        true => "Both targets are met.",
        false => "Both targets cannot be met: too many answerable questions would be refused.",
    };
    format!(
        "{curve}\nchosen on {chosen_on} questions: confidence {} and answerability {:.2} at least\ntested on {} others: wrong {}, which \
         rules out a rate above {:.1} % with {sure:.0} % confidence; answerable and refused {}\n{verdict}\n",
        cut.confidence,
        cut.answerability,
        tally.questions,
        told(tally.hallucination()),
        bound * 100.0,
        told(tally.false_refusal())
    )
}
