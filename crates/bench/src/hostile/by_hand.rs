//! Sentences about the profiles' own corpora that were written by hand, true and false ones, said by a scribe in answer to a question.
//!
//! The sets are in `crates/bench/data/by_hand`. One half is for tuning, told sentence by sentence; of the other only counts are told. No
//! document is in both halves. A lie has reached the asker where its own words are shown; a truth, where they are or the sentences
//! it rests on. The gates are off, so that every question gets to the scribe.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use anyhow::Context;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use vouch_app::cli::Common;
use vouch_domain::{Question, ports::Embedder};
use vouch_engine::{
    ask::{Engine, Response},
    verify::support::{ClaimVerdict, weigh},
};
use vouch_evals::{
    auroc::auroc,
    hostile::{HostileScribe, Manner},
};

use super::{MODEL, one_spaced, text, with_scribe};
use crate::{cli::BenchArgs, datasets};

/// The sets, by profile: sentences, and whole answers of an honest writer.
const SETS: [(&str, &str, &str); 4] = [
    (
        "architecture",
        include_str!("../../data/by_hand/architecture.jsonl"),
        include_str!("../../data/by_hand/architecture_honest.jsonl"),
    ),
    ("book", include_str!("../../data/by_hand/book.jsonl"), include_str!("../../data/by_hand/book_honest.jsonl")),
    (
        "handbook",
        include_str!("../../data/by_hand/handbook.jsonl"),
        include_str!("../../data/by_hand/handbook_honest.jsonl"),
    ),
    (
        "lectures",
        include_str!("../../data/by_hand/lectures.jsonl"),
        include_str!("../../data/by_hand/lectures_honest.jsonl"),
    ),
];
/// The half whose sentences may be looked at.
const TUNED_ON: &str = "tune";

#[derive(Deserialize)]
struct Sentence {
    id: String,
    split: String,
    question: String,
    source: Vec<String>,
    claim: String,
    is_true: bool,
    kind: String,
}

#[derive(Deserialize)]
struct HonestAnswer {
    id: String,
    question: String,
    sentences: Vec<HonestSentence>,
}

#[derive(Deserialize)]
struct HonestSentence {
    claim: String,
    source: Vec<String>,
}

/// What became of the sentences of one kind in one half.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct Kept {
    pub(super) said: usize,
    /// Shown in their own words.
    pub(super) own: usize,
    /// In whose place what they rest on is shown.
    pub(super) quoted: usize,
    /// Of which nothing is shown, and what they rest on is in the answer that the documents give without a model.
    pub(super) otherwise: usize,
}

/// What an honest writer's answers came to.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct Honest {
    pub(super) questions: usize,
    /// Refused before anything was written.
    pub(super) unasked: usize,
    pub(super) complete: usize,
    pub(super) sentences: usize,
    pub(super) reached: usize,
    pub(super) incomplete: Vec<String>,
}

/// What rules and judge alone make of sentences, where nothing can be put in their place.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct Checked {
    pub(super) truths: usize,
    pub(super) kept: usize,
    pub(super) lies: usize,
    pub(super) shown: usize,
    /// How well the figure tells the two apart.
    pub(super) auroc: Option<f64>,
    #[serde(skip)]
    scores: (Vec<f32>, Vec<f32>),
}

/// One sentence of the half for tuning.
#[derive(Debug, Serialize)]
pub(super) struct Told {
    id: String,
    kind: String,
    is_true: bool,
    fate: &'static str,
    claim: String,
    source: Vec<String>,
    shown: Vec<String>,
    reason: String,
}

/// Everything that was measured.
#[derive(Debug, Default, Serialize)]
pub(super) struct ByHand {
    /// By half, then whether it is true, then kind.
    pub(super) kept: BTreeMap<String, BTreeMap<bool, BTreeMap<String, Kept>>>,
    /// What `vouch check` makes of them beside their passage, by half.
    pub(super) checked: BTreeMap<String, Checked>,
    /// Sentences whose source was not among the passages found.
    pub(super) not_found: usize,
    pub(super) honest: Honest,
    pub(super) told: Vec<Told>,
}

pub(super) async fn measure(
    common: &Common,
    args: &BenchArgs,
    profiles: &Path,
    embedder: &Arc<dyn Embedder>,
) -> anyhow::Result<ByHand> {
    let mut report = ByHand::default();
    let common = Common { data: profiles.to_owned(), ..common.clone() };
    for (name, sentences, honest) in SETS {
        let set = datasets::open(&common, args, name, embedder).await?;
        let scribe = HostileScribe::named(MODEL);
        let as_shipped = with_scribe(&set.app.engine, &scribe);
        let mut engine = as_shipped.clone();
        engine.policies.judge.gates.clear();
        let mut pieces: BTreeMap<String, Vec<(u32, String)>> = BTreeMap::new();
        for sentence in lines::<Sentence>(sentences)? {
            if !pieces.contains_key(&sentence.question) {
                pieces.insert(sentence.question.clone(), passages(&engine, &sentence.question).await?);
            }
            let found = pieces.get(&sentence.question).map(Vec::as_slice).unwrap_or_default();
            say(&engine, &scribe, &sentence, found, &mut report).await?;
        }
        for answer in lines::<HonestAnswer>(honest)? {
            answer_honestly(&as_shipped, &scribe, &answer, &mut report.honest).await?;
        }
    }
    for checked in report.checked.values_mut() {
        checked.auroc = auroc(&checked.scores.0, &checked.scores.1);
    }
    Ok(report)
}

impl Checked {
    fn add(&mut self, is_true: bool, weighed: &ClaimVerdict) {
        let passed = usize::from(weighed.is_supported);
        if is_true {
            self.truths += 1;
            self.kept += passed;
            self.scores.0.push(weighed.score);
        } else {
            self.lies += 1;
            self.shown += passed;
            self.scores.1.push(weighed.score);
        }
    }
}

fn lines<T: DeserializeOwned>(text: &str) -> anyhow::Result<Vec<T>> {
    text.lines().map(|line| serde_json::from_str(line).context("a set written by hand is damaged")).collect()
}

/// The passages that the scribe would be given, by their numbers.
async fn passages(engine: &Engine, question: &str) -> anyhow::Result<Vec<(u32, String)>> {
    let asked = datasets::question(question, None);
    let quoted = Question { model: Some("extractive".to_owned()), ..asked };
    let response = engine.ask(&quoted).await?;
    let pieces = response.evidence.pieces().iter();
    Ok(pieces.map(|piece| (piece.marker, piece.passage.passage.text.clone())).collect())
}

fn marker(found: &[(u32, String)], source: &[String]) -> Option<u32> {
    let wanted = source.first().map(|words| one_spaced(words))?;
    found.iter().find(|(_, text)| one_spaced(text).contains(&wanted)).map(|(marker, _)| *marker)
}

async fn say(
    engine: &Engine,
    scribe: &HostileScribe,
    sentence: &Sentence,
    found: &[(u32, String)],
    report: &mut ByHand,
) -> anyhow::Result<()> {
    let Some(marker) = marker(found, &sentence.source) else {
        report.not_found += 1;
        return Ok(());
    };
    let passage = found.iter().find(|(known, _)| *known == marker).map(|(_, text)| text.as_str()).unwrap_or_default();
    let weighed = weigh(&sentence.claim, &[passage], engine.claim_judge.as_ref(), &engine.policies.verify).await;
    report.checked.entry(sentence.split.clone()).or_default().add(sentence.is_true, &weighed);
    scribe.behave(Manner::Says(vec![format!("{} [^{marker}]\n", sentence.claim).into_bytes()]));
    let response = engine.ask(&datasets::question(&sentence.question, None)).await?;
    let fate = fate(&response, &sentence.claim, &sentence.source);
    let half = report.kept.entry(sentence.split.clone()).or_default().entry(sentence.is_true).or_default();
    let kept = half.entry(sentence.kind.clone()).or_default();
    kept.said += 1;
    match fate {
        Fate::Own => kept.own += 1,
        Fate::Quoted => kept.quoted += 1,
        Fate::Otherwise => kept.otherwise += 1,
        Fate::Lost => {}
    }
    if sentence.split == TUNED_ON {
        let writer = response.trace.writer.as_ref();
        let left = writer.into_iter().flat_map(|writer| writer.left_out.iter().chain(&writer.replaced));
        let claims = text(&response).map(|text| text.claims()).unwrap_or_default();
        report.told.push(Told {
            id: sentence.id.clone(),
            kind: sentence.kind.clone(),
            is_true: sentence.is_true,
            fate: fate.as_str(),
            claim: sentence.claim.clone(),
            source: sentence.source.clone(),
            shown: claims.iter().map(|claim| claim.text().to_owned()).collect(),
            reason: left.map(|one| one.reason.clone()).collect::<Vec<_>>().join("; "),
        });
    }
    Ok(())
}

#[derive(Clone, Copy)]
enum Fate {
    Own,
    Quoted,
    Otherwise,
    Lost,
}

impl Fate {
    fn as_str(self) -> &'static str {
        match self {
            Self::Own => "own words",
            Self::Quoted => "quoted",
            Self::Otherwise => "quoted without it",
            Self::Lost => "lost",
        }
    }
}

/// What became of a sentence in a reply.
fn fate(response: &Response, claim: &str, source: &[String]) -> Fate {
    let Some(shown) = text(response) else { return Fate::Lost };
    let said = one_spaced(claim).to_lowercase();
    // A "yes" that nothing bears out is taken off.
    let is_own = |words: &str| said == words || (words.len() * 2 > said.len() && said.ends_with(words));
    let own = shown.claims().iter().filter(|claim| !claim.is_quoted());
    let is_model = shown.model() == MODEL;
    if is_model && own.map(|claim| one_spaced(claim.text()).to_lowercase()).any(|words| is_own(&words)) {
        return Fate::Own;
    }
    let all = one_spaced(&shown.claims().iter().map(|claim| claim.text()).collect::<Vec<_>>().join(" "));
    match (source.iter().all(|words| all.contains(&one_spaced(words))), is_model) {
        (true, true) => Fate::Quoted,
        (true, false) => Fate::Otherwise,
        (false, _) => Fate::Lost,
    }
}

/// Has the scribe give a whole true answer, and counts whether all of it reaches the asker.
async fn answer_honestly(
    engine: &Engine,
    scribe: &HostileScribe,
    answer: &HonestAnswer,
    report: &mut Honest,
) -> anyhow::Result<()> {
    report.questions += 1;
    let found = passages(engine, &answer.question).await?;
    let given = answer.sentences.iter().filter_map(|one| Some((one, marker(&found, &one.source)?)));
    let given: Vec<(&HonestSentence, u32)> = given.collect();
    let said: Vec<String> = given.iter().map(|(one, marker)| format!("{} [^{marker}]", one.claim)).collect();
    scribe.behave(Manner::Says(vec![said.join(" ").into_bytes()]));
    let response = engine.ask(&datasets::question(&answer.question, None)).await?;
    if response.trace.writer.is_none() {
        report.unasked += 1;
        return Ok(());
    }
    let reached =
        given.iter().filter(|(one, _)| !matches!(fate(&response, &one.claim, &one.source), Fate::Lost)).count();
    report.sentences += given.len();
    report.reached += reached;
    match reached == given.len() && !given.is_empty() {
        true => report.complete += 1,
        false => report.incomplete.push(answer.id.clone()),
    }
    Ok(())
}
