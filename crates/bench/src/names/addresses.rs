//! Questions that name a document by its address: the right one, a refusal, or a question back; never a wrong one.

use std::sync::Arc;

use anyhow::Context;
use serde::Serialize;
use vouch_adapters::embedded::EmbedderCheck;
use vouch_domain::ports::Embedder;
use vouch_engine::decide::Decision;
use vouch_evals::golden;

use super::{blank::Blank, cited};
use crate::{cli::BenchArgs, datasets};
use vouch_app::{cli::Common, settings, wiring};

/// How these corpora call their documents.
const SCHEMES: &str = r#"
understand:
  addresses:
    - kind: adr
      pattern: '(?i)\bADR[-. ]?(?P<number>\d{1,6})\b'
      normal: 'ADR-{number:4}'
      from_name: '(?:^|[/:])(?P<number>\d{1,5})[-_][^/]*$'
      lead_section: Decision
    - kind: null
      pattern: '(?P<book>(?:[1-3] )?[A-Z][a-z]+(?: of [A-Z][a-z]+)?) (?P<chapter>\d{1,3})[:.](?P<verse>\d{1,3})(?:-(?P<to>\d{1,3}))?'
      normal: '{book} {chapter}:{verse}'
judge:
  model: none
  gates: []
"#;

#[derive(Debug, Default, Serialize)]
pub(super) struct Row {
    set: String,
    existing: usize,
    right: usize,
    asked_back: usize,
    refused: usize,
    wrong: usize,
    absent: usize,
    absent_refused: usize,
    wrong_questions: Vec<String>,
}

impl Row {
    pub(super) fn table(&self) -> Vec<Vec<String>> {
        let heading = ["addresses", "existing", "right", "asked back", "refused", "wrong", "absent", "refused"];
        let figures = [self.existing, self.right, self.asked_back, self.refused, self.wrong, self.absent];
        let figures = figures.iter().chain([&self.absent_refused]).map(usize::to_string);
        let mut table = vec![heading.map(str::to_owned).to_vec()];
        table.push(std::iter::once(self.set.clone()).chain(figures).collect());
        table.extend(self.wrong_questions.iter().take(5).map(|question| vec!["wrong:".to_owned(), question.clone()]));
        table
    }
}

pub(super) async fn measure(common: &Common, args: &BenchArgs, set: &str, queries: &str) -> anyhow::Result<Row> {
    let folder = common.data.join(set);
    let loaded = settings::parse_text("the benchmark's settings", SCHEMES)?;
    let embedder: Arc<dyn Embedder> = Arc::new(Blank::new());
    let store = args.store.join(format!("names-{set}"));
    let app = wiring::build_with(&loaded, &store, EmbedderCheck::Enforce, embedder)?;
    datasets::ingest_files(&app, &folder.join("corpus.jsonl")).await?;
    let path = folder.join(queries);
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut row = Row { set: set.to_owned(), ..Row::default() };
    for golden in golden::read(&text).with_context(|| path.display().to_string())? {
        let response = app.engine.ask(&datasets::question(&golden.query, None)).await?;
        let ids = cited(&response).unwrap_or_default();
        let is_right = !ids.is_empty() && ids.iter().all(|id| golden.gold_ids.iter().any(|gold| gold == id));
        let is_refused = matches!(response.decision, Decision::Refuse(_));
        if !golden.answerable {
            row.absent += 1;
            row.absent_refused += usize::from(is_refused);
            continue;
        }
        row.existing += 1;
        match &response.decision {
            Decision::Refuse(_) => row.refused += 1,
            Decision::Clarify(_) => row.asked_back += 1,
            Decision::Refer(_) | Decision::General(_) | Decision::Tool(_) => row.refused += 1,
            Decision::Answer(_) if is_right => row.right += 1,
            Decision::Answer(_) => {
                row.wrong += 1;
                row.wrong_questions.push(format!("{} → {}", golden.query, ids.join(", ")));
            }
        }
    }
    Ok(row)
}
