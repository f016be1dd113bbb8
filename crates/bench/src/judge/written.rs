//! Sentences that a model wrote from passages of the profiles, read and labelled one by one: how many true ones are kept, how many
//! false ones are shown.
//!
//! The set is `crates/bench/data/written.json`, made with `training/writer.py`. Sentences that stand in a passage word for word are
//! not in it, nor those that can be read either way. One half is for tuning; no question is in both, some passages are.

use std::{collections::BTreeMap, sync::Arc};

use anyhow::Context;
use serde::{Deserialize, Serialize};
use vouch_domain::ports::ClaimJudge;
use vouch_engine::{policy::VerifyPolicy, verify::support::weigh};

static STORED: &str = include_str!("../../data/written.json");

#[derive(Deserialize)]
struct Set {
    passages: BTreeMap<String, String>,
    claims: Vec<Written>,
}

#[derive(Deserialize)]
struct Written {
    id: String,
    claim: String,
    evidence: Vec<String>,
    supported: bool,
    split: String,
}

/// One half's figures.
#[derive(Debug, Default, Serialize)]
pub(super) struct Row {
    pub(super) half: String,
    pub(super) true_ones: usize,
    pub(super) kept: usize,
    pub(super) false_ones: usize,
    pub(super) shown: usize,
    /// True sentences that a rule objected to.
    pub(super) lost_to_rules: usize,
    /// What went wrong, sentence by sentence; told of the half for tuning alone.
    pub(super) errors: Vec<WrongVerdict>,
}

/// A true sentence that was not kept, or a false one that was shown.
#[derive(Debug, Serialize)]
pub(super) struct WrongVerdict {
    pub(super) id: String,
    pub(super) claim: String,
    pub(super) is_true: bool,
    pub(super) score: f32,
    pub(super) reasons: Vec<String>,
}

pub(super) async fn measure(judge: &Arc<dyn ClaimJudge>, policy: &VerifyPolicy) -> anyhow::Result<Vec<Row>> {
    let set: Set = serde_json::from_str(STORED).context("the set of written sentences is damaged")?;
    let mut rows: BTreeMap<String, Row> = BTreeMap::new();
    for one in set.claims {
        let evidence: Vec<&str> =
            one.evidence.iter().filter_map(|id| set.passages.get(id)).map(String::as_str).collect();
        let weighed = weigh(&one.claim, &evidence, Some(judge), policy).await;
        let row = rows.entry(one.split.clone()).or_default();
        row.half.clone_from(&one.split);
        let passed = usize::from(weighed.is_supported);
        if one.supported {
            row.true_ones += 1;
            row.kept += passed;
            row.lost_to_rules += usize::from(!weighed.is_supported && !weighed.checked.findings.is_empty());
        } else {
            row.false_ones += 1;
            row.shown += passed;
        }
        if one.supported != weighed.is_supported && one.split == "tune" {
            let (score, reasons) = (weighed.score, weighed.reasons);
            row.errors.push(WrongVerdict { id: one.id, claim: one.claim, is_true: one.supported, score, reasons });
        }
    }
    Ok(rows.into_values().collect())
}
