//! `vouch-bench hostile`: a scribe that lies in every known way, on corpora the checks were not tuned on, and an honest one
//! that says true things in other words. What reaches the asker is counted.

mod by_hand;
mod listening;
mod table;

use std::{collections::BTreeMap, process::ExitCode, sync::Arc, time::Duration};

use anyhow::Context;
use serde::Serialize;
use vouch_domain::{Question, ports::Embedder};
use vouch_engine::{
    ask::{Engine, Response},
    decide::{Decision, Referral, UnsureOutcome},
    model_registry::{EstimatedTokens, JobModel, ModelLimits},
    verify::{Citation, VerifiedText},
};
use vouch_evals::hostile::{HostileScribe, Lie, LieKind, Manner, Names, TruePiece, Truth, claims, lies, reword};

use super::datasets::{self, DataSet};
use crate::cli::HostileArgs;
use vouch_app::{
    cli::Common,
    console::{load, print, print_json, tell},
    wiring,
};

const MODEL: &str = "hostile";
const SEED: u64 = 7_411;
/// How many sentences an honest scribe says in one answer.
const HONEST_SENTENCES: usize = 6;
/// How many sentences of one answer are turned into lies.
const SENTENCES_A_QUESTION: usize = 4;
/// How long a scribe that never ends is listened to.
const TIMEOUT: Duration = Duration::from_secs(3);

/// What became of one kind of lie.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct Tally {
    told: usize,
    reached: usize,
    /// The first few that did.
    examples: Vec<String>,
}

/// Everything that was measured.
#[derive(Debug, Default, Serialize)]
pub(super) struct Report {
    sets: Vec<String>,
    questions: usize,
    lies: BTreeMap<LieWord, Tally>,
    /// Citations shown that no piece of the turn stands behind.
    invented_citations: usize,
    reworded: usize,
    reworded_lost: usize,
    lost: Vec<String>,
    slowest_listener_ms: u128,
    by_hand: by_hand::ByHand,
}

/// A kind of lie, in the order of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LieWord(LieKind);

impl Serialize for LieWord {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.as_str())
    }
}

pub(super) async fn run(common: &Common, args: &HostileArgs) -> anyhow::Result<ExitCode> {
    let embedder: Arc<dyn Embedder> = wiring::embedder(&load(common)?)?;
    let mut report = Report::default();
    if let Some(profiles) = &args.profiles {
        tell(&format!("{}: asking", profiles.display()));
        report.by_hand = by_hand::measure(common, &args.bench, profiles, &embedder).await?;
    }
    let names = if args.lies + args.reworded > 0 { datasets::names(common, &args.bench)? } else { Vec::new() };
    report.sets.clone_from(&names);
    for (done, name) in names.iter().enumerate() {
        tell(&format!("{name}: asking"));
        let set = datasets::open(common, &args.bench, name, &embedder).await?;
        // An equal part for every set, and what one leaves the next may use.
        let part = |all: usize| all * (done + 1) / names.len();
        measure(&set, (part(args.lies), part(args.reworded)), &mut report).await?;
    }
    if common.json {
        print_json(&report)?;
    } else {
        print(&table::shown(&report))?;
    }
    if let Some(path) = &args.output {
        std::fs::write(path, table::document(&report)).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// One set's questions until so many lies and so many honest sentences have been said in all.
async fn measure(set: &DataSet, (lies_max, reworded_max): (usize, usize), report: &mut Report) -> anyhow::Result<()> {
    let scribe = HostileScribe::named(MODEL);
    let engine = with_scribe(&set.app.engine, &scribe);
    let (mut names, mut elsewhere) = (Names::default(), String::new());
    let mut turn = 0;
    for golden in set.questions.iter().filter(|golden| golden.answerable) {
        let told: usize = report.lies.values().map(|tally| tally.told).sum();
        if told >= lies_max && report.reworded >= reworded_max {
            break;
        }
        let asked = datasets::question(&golden.query, None);
        let quoted = Question { model: Some("extractive".to_owned()), ..asked.clone() };
        let truth = engine.ask(&quoted).await?;
        let Some(text) = text(&truth) else { continue };
        report.questions += 1;
        let truths = truths(&truth, text, &elsewhere);
        for one in &truths {
            names.add(std::iter::once(one.sentence.as_str()), &one.sentence);
        }
        if told < lies_max {
            for one in truths.iter().take(SENTENCES_A_QUESTION) {
                for lie in lies(one, &names, SEED, turn) {
                    tell_lie(&engine, &scribe, &asked, &lie, report).await;
                }
                turn += 1;
            }
        }
        if report.reworded < reworded_max {
            say_truly(&engine, &scribe, &asked, &truth, report).await;
        }
        if let Some(one) = truths.first() {
            elsewhere.clone_from(&one.sentence);
        }
    }
    Ok(())
}

fn with_scribe(engine: &Engine, scribe: &HostileScribe) -> Engine {
    let mut engine = engine.clone();
    let allowed =
        ModelLimits { context_window: 32_768, response_tokens_max: 1_024, counter: Arc::new(EstimatedTokens) };
    engine.model_registry.allowed.insert(MODEL.to_owned(), allowed.clone());
    engine.model_registry.answer = Some(JobModel {
        server: Arc::new(scribe.clone()),
        model: MODEL.to_owned(),
        allowed,
        temperature: 0.0,
        first_token_timeout: TIMEOUT,
        gap_timeout: TIMEOUT,
        timeout: TIMEOUT,
    });
    engine
}

fn text(response: &Response) -> Option<&VerifiedText> {
    match &response.decision {
        Decision::Answer(answer) => Some(answer.text()),
        Decision::Refer(Referral { unsure: UnsureOutcome::Answer(answer), .. }) => Some(answer.text()),
        Decision::Refer(_) | Decision::Refuse(_) | Decision::Clarify(_) | Decision::General(_) | Decision::Tool(_) => {
            None
        }
    }
}

/// The sentences of the true answer, each with the evidence of its turn.
fn truths(response: &Response, text: &VerifiedText, elsewhere: &str) -> Vec<Truth> {
    let pieces: Vec<TruePiece> = response
        .evidence
        .pieces()
        .iter()
        .map(|piece| TruePiece {
            marker: piece.marker,
            source_id: piece.passage.source_id(),
            text: piece.passage.passage.text.clone(),
        })
        .collect();
    // The answer's own sentences, then others of the passages it cites.
    let marker = |shown: u32| {
        let cited = text.citations().iter().find(|cited| cited.marker() == shown)?;
        Some(cited.piece()?.marker)
    };
    let of = |sentence: &str, marker: u32| {
        let (sentence, pieces, elsewhere) = (sentence.to_owned(), pieces.clone(), elsewhere.to_owned());
        Truth { sentence, marker, pieces, elsewhere }
    };
    let own = text.claims().iter().filter(|claim| !claim.text().contains('\n') && claim.text().ends_with('.'));
    let mut found: Vec<Truth> =
        own.filter_map(|claim| Some(of(claim.text(), marker(claim.markers().first().copied()?)?))).collect();
    for cited in text.citations() {
        let Some(piece) = cited.piece() else { continue };
        for sentence in claims(cited.text()) {
            if found.iter().all(|known| known.sentence != sentence) {
                found.push(of(sentence, piece.marker));
            }
        }
    }
    found
}

async fn tell_lie(engine: &Engine, scribe: &HostileScribe, asked: &Question, lie: &Lie, report: &mut Report) {
    scribe.behave(lie.manner.clone());
    let started = std::time::Instant::now();
    let outcome = engine.ask(asked).await;
    let tally = report.lies.entry(LieWord(lie.kind)).or_default();
    tally.told += 1;
    let mut reached = None;
    if lie.kind.is_rare() {
        report.slowest_listener_ms = report.slowest_listener_ms.max(started.elapsed().as_millis());
        reached = listening::misheard(started.elapsed(), TIMEOUT);
    }
    if let Some(text) = outcome.as_ref().ok().and_then(text) {
        report.invented_citations += invented(text, outcome.as_ref().ok());
        reached = reached.or_else(|| shown(text, lie));
    }
    if let Some(words) = reached {
        tally.reached += 1;
        if tally.examples.len() < 5 {
            tally.examples.push(words);
        }
    }
}

/// A text as it is told: one space between words, none before a sign.
fn one_spaced(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    [" .", " ,", " ;", " :", " !", " ?"].iter().fold(text, |text, sign| text.replace(sign, sign.trim_start()))
}

/// Whether what is shown is what was said, with or without the frame it was said in.
fn says(shown: &str, said: &str) -> bool {
    let (shown, said) = (one_spaced(shown).to_lowercase(), one_spaced(said).to_lowercase());
    shown == said || said.strip_prefix("according to the notes, ") == Some(shown.as_str())
}

/// The words of a lie that are shown, where some are.
fn shown(text: &VerifiedText, lie: &Lie) -> Option<String> {
    let answer = one_spaced(&text.with_markers());
    if let Some(words) = lie.forbidden.iter().find(|words| answer.contains(&one_spaced(words))) {
        return Some(words.clone());
    }
    // A passage may well be cited for what it says itself.
    let says = |cited: &Citation| {
        let mut claims = text.claims().iter().filter(|claim| claim.markers().contains(&cited.marker()));
        claims.any(|claim| !one_spaced(cited.text()).contains(&one_spaced(claim.text())))
    };
    let uncitable = |cited: &&Citation| cited.piece().is_some_and(|piece| lie.uncitable.contains(&piece.marker));
    let cited = text.citations().iter().filter(uncitable).find(|cited| says(cited))?;
    Some(format!("{} cites {}", answer, cited.source_id()))
}

/// Citations in the text that lead to no piece of the turn.
fn invented(text: &VerifiedText, response: Option<&Response>) -> usize {
    let pieces = response.map(|response| response.evidence.pieces()).unwrap_or_default();
    let shown = text.with_markers();
    let is_known = |inside: &str| {
        let number = inside.split_once(']').and_then(|(number, _)| number.parse::<u32>().ok());
        let cited = text.citations().iter().find(|cited| Some(cited.marker()) == number);
        let cited = cited.and_then(|cited| cited.piece());
        cited.is_some_and(|cited| pieces.iter().any(|piece| piece.passage.key == cited.passage.key))
    };
    shown.split("[^").skip(1).filter(|inside| !is_known(inside)).count()
}

/// Has an honest scribe say what stands in the evidence, in other words, and counts what is lost.
async fn say_truly(engine: &Engine, scribe: &HostileScribe, asked: &Question, truth: &Response, report: &mut Report) {
    let reworded = truth.evidence.pieces().iter().flat_map(|piece| {
        reword(&piece.passage.passage.text).into_iter().map(|(sentence, other)| (sentence, other, piece.marker)).take(2)
    });
    let said: Vec<(String, String, u32)> = reworded.take(HONEST_SENTENCES).collect();
    if said.is_empty() {
        return;
    }
    let lines: Vec<String> = said.iter().map(|(_, other, marker)| format!("{other} [^{marker}]\n")).collect();
    scribe.behave(Manner::Says(vec![lines.concat().into_bytes()]));
    let Ok(response) = engine.ask(asked).await else { return };
    let kept: Vec<String> =
        text(&response).map_or(Vec::new(), |text| text.claims().iter().map(|one| one_spaced(one.text())).collect());
    let all = kept.join(" ");
    let left_out = response.trace.writer.as_ref().map(|writer| writer.left_out.clone()).unwrap_or_default();
    for (sentence, other, _) in &said {
        report.reworded += 1;
        if !kept.iter().any(|kept| says(kept, other)) && !all.contains(&one_spaced(sentence)) {
            report.reworded_lost += 1;
            let why = left_out.iter().find(|one| says(&one.text, other)).map_or("", |one| one.reason.as_str());
            report.lost.push(format!("{other} ← {sentence}: {why}"));
        }
    }
}
