//! A claim beside its evidence: is it supported? Floor: the share of its words that stand in the evidence.

use std::{path::Path, sync::Arc};

use serde::{Deserialize, Serialize};
use vouch_domain::ports::ClaimJudge;
use vouch_engine::{policy::VerifyPolicy, verify::support::weigh};
use vouch_evals::{
    auroc::{auroc, best_balanced_accuracy},
    containment::containment,
};

use super::{Work, answerability::lines, splits::Splits};

/// One set's figures.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    pub(super) set: String,
    pub(super) is_held_out: bool,
    pub(super) supported: usize,
    pub(super) unsupported: usize,
    pub(super) auroc: Option<f64>,
    pub(super) judge_auroc: Option<f64>,
    pub(super) floor_auroc: Option<f64>,
    pub(super) balanced_accuracy: Option<f64>,
    /// The share of the supported claims that pass.
    pub(super) kept: f64,
    /// The share of the others that pass too.
    pub(super) shown: f64,
    /// The balanced accuracy of the decision itself, not of the best threshold.
    pub(super) decided_accuracy: f64,
}

#[derive(Deserialize)]
struct Labelled {
    id: String,
    claim: String,
    evidence: String,
    label: String,
}

/// Scores of both classes.
#[derive(Default)]
struct Scores {
    supported: Vec<f32>,
    unsupported: Vec<f32>,
}

impl Scores {
    fn push(&mut self, is_supported: bool, score: f32) {
        if is_supported { &mut self.supported } else { &mut self.unsupported }.push(score);
    }

    fn auroc(&self) -> Option<f64> {
        auroc(&self.supported, &self.unsupported)
    }
}

pub(super) async fn measure(
    work: &Work<'_>,
    name: &str,
    judge: &Arc<dyn ClaimJudge>,
    policy: &VerifyPolicy,
    splits: &Splits,
) -> anyhow::Result<Row> {
    let mut labelled: Vec<Labelled> = lines(&work.common.data.join(name).join("claims.jsonl"))?;
    let is_held_out = labelled.iter().any(|one| splits.is_claim_held_out(name, &one.id));
    if is_held_out {
        labelled.retain(|one| splits.is_claim_held_out(name, &one.id));
    }
    let mut passed = [0usize; 2];
    let (mut whole, mut alone, mut floor) = (Scores::default(), Scores::default(), Scores::default());
    for one in labelled.iter().take(work.questions_max) {
        let is_supported = one.label == "supported";
        let weighed = weigh(&one.claim, &[&one.evidence], Some(judge), policy).await;
        let [shown, kept] = &mut passed;
        *(if is_supported { kept } else { shown }) += usize::from(weighed.is_supported);
        whole.push(is_supported, weighed.score);
        alone.push(is_supported, weighed.judged.map_or(1.0, |support| support.supported));
        floor.push(is_supported, containment(&one.claim, &one.evidence));
    }
    let share = |count: usize, of: usize| count as f64 / of.max(1) as f64;
    let [shown, kept] = passed;
    let (kept, shown) = (share(kept, whole.supported.len()), share(shown, whole.unsupported.len()));
    Ok(Row {
        kept,
        shown,
        decided_accuracy: (kept + 1.0 - shown) / 2.0,
        set: name.to_owned(),
        is_held_out,
        supported: whole.supported.len(),
        unsupported: whole.unsupported.len(),
        auroc: whole.auroc(),
        judge_auroc: alone.auroc(),
        floor_auroc: floor.auroc(),
        balanced_accuracy: best_balanced_accuracy(&whole.supported, &whole.unsupported).map(|(accuracy, _)| accuracy),
    })
}

/// The sets with claims, in order.
pub(super) fn sets(data: &Path, wanted: &[String]) -> anyhow::Result<Vec<String>> {
    let mut found: Vec<String> = Vec::new();
    for entry in std::fs::read_dir(data)? {
        let path = entry?.path();
        if path.join("claims.jsonl").is_file() {
            found.extend(path.file_name().map(|name| name.to_string_lossy().into_owned()));
        }
    }
    found.sort();
    found.retain(|name| wanted.is_empty() || wanted.contains(name));
    Ok(found)
}
