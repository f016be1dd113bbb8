//! Pairs of texts → what the judge makes of each, so that it can be compared with its float original.

use std::{path::Path, process::ExitCode, sync::Arc, time::Duration};

use serde::{Deserialize, Serialize};
use vouch_domain::ports::{ClaimJudge, ClaimPair, JudgedPassage, PassageJudge};
use vouch_models::Judge;

use vouch_app::{batch, console::print_json, wiring};

const DEADLINE: Duration = Duration::from_secs(600);

#[derive(Deserialize)]
struct Pair {
    a: String,
    b: String,
}

#[derive(Serialize)]
struct Line {
    answerable: f32,
    relevant: f32,
    supported: f32,
    span: Option<(usize, usize)>,
}

pub(crate) async fn run(path: &Path) -> anyhow::Result<ExitCode> {
    let judge = Judge::load(wiring::threads())?;
    let reader: Arc<dyn PassageJudge> = Arc::new(judge.clone());
    for pair in batch::read::<Pair>(path)? {
        let passage = JudgedPassage { heading: String::new(), text: pair.b.clone() };
        let readings = reader.read(&pair.a, vec![passage], DEADLINE).await?;
        let supports = judge.weigh(vec![ClaimPair { claim: pair.a, evidence: pair.b }], DEADLINE).await?;
        let (Some(Some(reading)), Some(Some(support))) = (readings.first(), supports.first()) else {
            anyhow::bail!("a pair was not read");
        };
        print_json(&Line {
            answerable: reading.answerable,
            relevant: reading.relevant,
            supported: support.supported,
            span: reading.span.map(|span| (span.start, span.end)),
        })?;
    }
    Ok(ExitCode::SUCCESS)
}
