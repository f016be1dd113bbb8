//! Every pair of sentences that differ in a value, with what is counted of it and what the judge reads in it, for
//! `training/contradictions.py` to fit the weights.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{BufWriter, Write as _},
    path::Path,
    sync::Arc,
    time::Duration,
};

use anyhow::Context;
use serde::Serialize;
use vouch_domain::{
    Reader,
    finding::SketchedDocument,
    ports::{ClaimJudge, Findings},
};
use vouch_engine::{
    findings::{SUBJECT_FIGURES, every_suspicion, sketch},
    reading::budget::Budget,
};

const DEADLINE: Duration = Duration::from_secs(600);
/// Pairs that share fewer of their words than this are not read by the judge.
const READ_FROM: f64 = 0.35;

#[derive(Serialize)]
struct Line<'a> {
    documents: [&'a str; 2],
    sentences: [&'a str; 2],
    figures: BTreeMap<&'a str, f64>,
    supported: Option<[f32; 2]>,
}

/// Writes the pairs of everything that waits to be compared.
pub(super) async fn write(findings: &dyn Findings, judge: Option<&dyn ClaimJudge>, path: &Path) -> anyhow::Result<()> {
    let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
    let mut lines = BufWriter::new(file);
    let tenant = Reader::DEFAULT_TENANT;
    let documents = findings.uncompared(tenant, usize::MAX >> 1).await?;
    let mut sketched = Vec::new();
    for document in documents {
        let sketch = sketch(&document, &Budget::default());
        let (id, version) = (document.card.id.clone(), document.version);
        sketched.push((Arc::new(document.card), SketchedDocument { id, version, sketch }));
    }
    findings.keep_sketches(tenant, sketched.iter().map(|(_, one)| one.clone()).collect()).await?;
    for (card, one) in sketched {
        let similar = findings.similar(tenant, &one.id, &one.sketch).await?;
        for suspicion in every_suspicion(&card, &one.sketch, &similar, 0) {
            let [left, right] = &suspicion.finding().sides;
            let figures: BTreeMap<&str, f64> =
                SUBJECT_FIGURES.into_iter().zip(suspicion.figures().iter().copied()).collect();
            let is_read = figures.get("likeness").is_some_and(|likeness| *likeness >= READ_FROM);
            let supported = match judge.filter(|_| is_read) {
                Some(judge) => judge.weigh(suspicion.readings().to_vec(), DEADLINE).await?,
                None => Vec::new(),
            };
            let line = Line {
                documents: [left.document.id.as_str(), right.document.id.as_str()],
                sentences: [&left.sentence, &right.sentence],
                figures,
                supported: match supported.as_slice() {
                    [Some(one), Some(other)] => Some([one.supported, other.supported]),
                    _ => None,
                },
            };
            writeln!(lines, "{}", serde_json::to_string(&line)?)?;
        }
    }
    Ok(())
}
