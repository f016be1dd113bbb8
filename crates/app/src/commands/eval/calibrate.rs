//! `vouch eval calibrate`: what was asked of both halves of golden sets → how sure an answer must be, and what that proves.

use std::process::ExitCode;

use vouch_evals::{
    bounds::Rate,
    calibration::{Calibration, Cut, Target, calibrate, grid},
    graded::Graded,
};

use super::{print, print_json, resume};
use crate::{
    cli::{Common, EvalCalibrateArgs},
    exit::Usage,
    render,
};

pub(super) fn run(common: &Common, args: &EvalCalibrateArgs) -> anyhow::Result<ExitCode> {
    let shares = [args.max_hallucination, args.max_false_refusal, args.min_answered];
    if !(0.5..1.0).contains(&args.confidence) || shares.iter().any(|share| !(0.0..=1.0).contains(share)) {
        return Err(Usage("shares lie between 0 and 1, and the confidence between 0.5 and 1".to_owned()).into());
    }
    let mut asked = Vec::new();
    for path in &args.asked {
        asked.extend(resume::read(path)?);
    }
    let (chosen_on, rest): (Vec<Graded>, Vec<Graded>) = asked.into_iter().partition(|one| one.split == "tune");
    let tested_on: Vec<Graded> = rest.into_iter().filter(|one| one.split == "test").collect();
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
    if common.json {
        print_json(&found)?;
    } else {
        print(&shown(&found, chosen_on.len()))?;
    }
    Ok(if found.is_met { ExitCode::SUCCESS } else { ExitCode::FAILURE })
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
