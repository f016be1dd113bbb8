//! Which documents and claims the judge has learnt from or was tuned on; none of them is reported on.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context;
use serde::Deserialize;

static STORED: &str = include_str!("../../../../models/judge/splits.json");

/// What is not held out.
#[derive(Debug, Deserialize)]
pub(crate) struct Splits {
    documents: BTreeMap<String, BTreeSet<String>>,
    claims: BTreeMap<String, BTreeSet<String>>,
}

impl Splits {
    pub(crate) fn read() -> anyhow::Result<Self> {
        serde_json::from_str(STORED).context("the judge's splits are damaged")
    }

    pub(crate) fn is_held_out(&self, set: &str, document: &str) -> bool {
        self.documents.get(set).is_none_or(|known| !known.contains(document))
    }

    /// Whether a claim was kept apart; a star stands for every claim of its set.
    pub(super) fn is_claim_held_out(&self, set: &str, claim: &str) -> bool {
        self.claims.get(set).is_none_or(|known| !known.contains("*") && !known.contains(claim))
    }
}
