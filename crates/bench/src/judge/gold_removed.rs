//! The whole walk where the answer's own document cannot be seen: a question that was answerable must be refused, and must
//! still be answered by somebody who sees everything.
//!
//! Documents are shared out over eight folds, each a tag; whoever asks for the removed answer sees all folds but that of the gold
//! documents. An answer that holds a gold answer all the same was found elsewhere: the share refused is told of all questions, and
//! of all but those.

use std::{collections::BTreeSet, path::Path, sync::Arc};

use anyhow::Context;
use futures::StreamExt;
use serde::Serialize;
use serde_json::{Map, Value};
use vouch_adapters::embedded::EmbedderCheck;
use vouch_app::{console::load, wiring};
use vouch_domain::{Reader, Scope, ports::Embedder};
use vouch_engine::{ask::Response, decide::Decision};
use vouch_evals::golden::{self, GoldenQuestion};

use super::{Work, answerability::lines, splits::Splits};
use crate::{cli::BenchArgs, datasets};

const AT_ONCE: usize = 2;
const FOLDS: usize = 8;

/// One set's figures.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    pub(super) set: String,
    pub(super) questions: usize,
    /// The share that is not answered where the gold documents cannot be seen.
    pub(super) refused: f64,
    /// The same of the questions that were not answered rightly from elsewhere.
    pub(super) refused_of_rest: f64,
    /// The share that is not answered where they can.
    pub(super) lost: f64,
    /// How many found the answer elsewhere.
    pub(super) elsewhere: usize,
}

pub(super) async fn measure(
    work: &Work<'_>,
    args: &BenchArgs,
    name: &str,
    embedder: &Arc<dyn Embedder>,
    splits: &Splits,
) -> anyhow::Result<Option<Row>> {
    let folder = work.common.data.join(name);
    let text = std::fs::read_to_string(folder.join("queries.jsonl")).context("no questions")?;
    let held_out = |golden: &GoldenQuestion| golden.gold_ids.iter().all(|id| splits.is_held_out(name, id));
    let asked: Vec<GoldenQuestion> = golden::read(&text)?
        .into_iter()
        .filter(|golden| golden.answerable && !golden.gold_ids.is_empty() && !golden.gold_answers.is_empty())
        .filter(held_out)
        .take(work.questions_max)
        .collect();
    if asked.is_empty() {
        return Ok(None);
    }
    let store = args.store.join(format!("{name}-folds"));
    let app = wiring::build_with(&load(work.common)?, &store, EmbedderCheck::Enforce, Arc::clone(embedder))?;
    let tagged = store.join("tagged.jsonl");
    write_tagged(&folder.join("corpus.jsonl"), &tagged)?;
    datasets::ingest_files(&app, &tagged).await?;
    let (mut refused, mut lost, mut elsewhere) = (0usize, 0usize, 0usize);
    let engine = &app.engine;
    let mut walks = futures::stream::iter(asked.iter().map(|golden| async move {
        let removed: BTreeSet<usize> = golden.gold_ids.iter().map(|id| fold(id)).collect();
        let whole = engine.ask(&question(&golden.query, &BTreeSet::new())).await;
        (golden, whole, engine.ask(&question(&golden.query, &removed)).await)
    }))
    .buffered(AT_ONCE);
    while let Some((golden, whole, without)) = walks.next().await {
        lost += usize::from(is_refused(&whole?));
        let without = without?;
        match is_refused(&without) {
            true => refused += 1,
            false => elsewhere += usize::from(holds_gold(&without, &golden.gold_answers)),
        }
    }
    let share = |count: usize, of: usize| count as f64 / of.max(1) as f64;
    Ok(Some(Row {
        set: name.to_owned(),
        questions: asked.len(),
        refused: share(refused, asked.len()),
        refused_of_rest: share(refused, asked.len() - elsewhere),
        lost: share(lost, asked.len()),
        elsewhere,
    }))
}

/// Which fold a document is in, by its id alone.
fn fold(id: &str) -> usize {
    usize::from(*blake3::hash(id.as_bytes()).as_bytes().first().unwrap_or(&0)) % FOLDS
}

fn tag(fold: usize) -> String {
    format!("fold-{fold}")
}

fn write_tagged(corpus: &Path, to: &Path) -> anyhow::Result<()> {
    let mut written = String::new();
    for mut document in lines::<Map<String, Value>>(corpus)? {
        let id = document.get("id").and_then(Value::as_str).context("a document without id")?;
        let tags = Value::from(vec![tag(fold(id))]);
        document.insert("tags".to_owned(), tags);
        written.push_str(&serde_json::to_string(&document)?);
        written.push('\n');
    }
    std::fs::write(to, written).with_context(|| to.display().to_string())
}

fn question(text: &str, removed: &BTreeSet<usize>) -> vouch_domain::Question {
    let seen = (0..FOLDS).filter(|fold| !removed.contains(fold)).map(tag).collect();
    let reader = Reader::of_scope(Reader::DEFAULT_TENANT, Scope::Tags(seen));
    vouch_domain::Question { reader, ..datasets::question(text, None) }
}

fn is_refused(response: &Response) -> bool {
    !matches!(response.decision, Decision::Answer(_))
}

/// Whether a gold answer stands in the answer, as whole words.
fn holds_gold(response: &Response, gold: &[String]) -> bool {
    let Decision::Answer(answer) = &response.decision else { return false };
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect()
    };
    let told: Vec<Vec<String>> = answer.text().claims().iter().map(|claim| words(claim.text())).collect();
    gold.iter()
        .map(|gold| words(gold))
        .filter(|gold| !gold.is_empty())
        .any(|gold| told.iter().any(|told| told.windows(gold.len()).any(|window| window == gold.as_slice())))
}
