//! `vouch check`: is a claim supported by the evidence given with it? Rules first, then the judge.

use std::{path::Path, process::ExitCode, sync::Arc};

use anyhow::Context;
use futures::StreamExt;
use serde::Deserialize;
use vouch_domain::ports::ClaimJudge;
use vouch_engine::{policy::VerifyPolicy, verify::support::weigh};
use vouch_service::wire::VerdictWire;

use super::{batch, load, print, print_json};
use crate::{
    cli::{CheckArgs, Common},
    wiring,
};

/// How many claims of a batch are under way at once.
const AT_ONCE: usize = 4;
const EVIDENCE_BYTES_MAX: u64 = 16 << 20;

/// One line of a batch.
#[derive(Debug, Deserialize)]
struct Line {
    id: serde_json::Value,
    claim: String,
    evidence: Evidence,
}

/// A list of texts, or one.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Evidence {
    Texts(Vec<String>),
    Text(String),
}

impl Evidence {
    fn texts(&self) -> Vec<&str> {
        match self {
            Self::Texts(texts) => texts.iter().map(String::as_str).collect(),
            Self::Text(text) => vec![text.as_str()],
        }
    }
}

/// The verdict for a person.
fn render(verdict: &VerdictWire) -> String {
    let word = match (verdict.supported, verdict.contradicted) {
        (true, _) => "supported",
        (false, true) => "contradicted",
        (false, false) => "not supported",
    };
    let mut text = format!("{word} (score {:.2}; checked: {})\n", verdict.score, verdict.checks.join(", "));
    for reason in &verdict.reasons {
        text.push_str(&format!("  - {reason}\n"));
    }
    text
}

pub(super) async fn run(common: &Common, args: &CheckArgs) -> anyhow::Result<ExitCode> {
    let loaded = load(common)?;
    let judge = wiring::judge(&loaded)?.map(|judge| Arc::new(judge) as Arc<dyn ClaimJudge>);
    let policy = &loaded.policies.verify;
    if let Some(path) = &args.batch {
        return run_batch(common, batch::read(path)?, judge.as_ref(), policy).await;
    }
    let texts = args.evidence.iter().map(|path| read(path)).collect::<anyhow::Result<Vec<String>>>()?;
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let claim = args.claim.clone().unwrap_or_default();
    let verdict = VerdictWire::new(serde_json::Value::Null, weigh(&claim, &texts, judge.as_ref(), policy).await);
    if common.json {
        print_json(&verdict)?;
    } else {
        print(&render(&verdict))?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn run_batch(
    common: &Common,
    lines: Vec<Line>,
    judge: Option<&Arc<dyn ClaimJudge>>,
    policy: &VerifyPolicy,
) -> anyhow::Result<ExitCode> {
    let mut verdicts = futures::stream::iter(lines.into_iter().map(|line| async move {
        let weighed = weigh(&line.claim, &line.evidence.texts(), judge, policy).await;
        VerdictWire::new(line.id, weighed)
    }))
    .buffered(AT_ONCE);
    while let Some(verdict) = verdicts.next().await {
        if common.json {
            print_json(&verdict)?;
        } else {
            print(&format!("{}: {}", verdict.id, render(&verdict)))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn read(path: &Path) -> anyhow::Result<String> {
    let size = std::fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?.len();
    anyhow::ensure!(
        size <= EVIDENCE_BYTES_MAX,
        "{} has {size} bytes, the limit is {EVIDENCE_BYTES_MAX}",
        path.display()
    );
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}
