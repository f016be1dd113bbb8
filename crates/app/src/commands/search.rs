//! `vouch search`: ranked passages, no answer.

use std::process::ExitCode;

use futures::StreamExt;
use serde::Serialize;
use vouch_domain::Question;
use vouch_engine::retrieve::{Candidate, Candidates, Lane, LaneChoice};
use vouch_service::wire::{HitWire, PassageWire};

use super::{batch, open_filled, print, print_json, reader};
use crate::{
    cli::{Common, LaneArg, SearchArgs},
    explain,
};

const AT_ONCE: usize = 4;
const SNIPPET_CHARS: usize = 160;

#[derive(Serialize)]
struct Hits {
    id: serde_json::Value,
    hits: Vec<HitWire>,
}

pub(super) async fn run(common: &Common, args: &SearchArgs) -> anyhow::Result<ExitCode> {
    let choice = match args.lane {
        LaneArg::All => LaneChoice::All,
        LaneArg::Dense => LaneChoice::Only(Lane::Dense),
        LaneArg::Lexical => LaneChoice::Only(Lane::Lexical),
        LaneArg::Address => LaneChoice::Only(Lane::Address),
        LaneArg::Memory => LaneChoice::Only(Lane::Memory),
    };
    let limit = Some(usize::from(args.k));
    if let Some(path) = &args.batch {
        let lines: Vec<batch::Line> = batch::read(path)?;
        let app = open_filled(common)?;
        let (app, reader) = (&app, reader::from_args(&args.reader, app.store.directory.as_ref()).await?);
        let mut found = futures::stream::iter(lines.into_iter().map(|line| {
            let (id, question) = line.question(&reader);
            let question = Question { passages_max: limit, ..question };
            async move { (id, app.engine.search(&question, choice).await) }
        }))
        .buffered(AT_ONCE);
        let mut code = ExitCode::SUCCESS;
        while let Some((id, candidates)) = found.next().await {
            match candidates {
                Ok(candidates) => {
                    print_json(&Hits { id, hits: candidates.items().iter().map(HitWire::new).collect() })?
                }
                Err(error) => {
                    code = ExitCode::FAILURE;
                    print_json(&batch::Failed { id, error: error.to_string() })?;
                }
            }
        }
        return Ok(code);
    }
    let text = args.query.clone().unwrap_or_default();
    let app = open_filled(common)?;
    let reader = reader::from_args(&args.reader, app.store.directory.as_ref()).await?;
    let question = Question { passages_max: limit, ..Question::new(text, reader) };
    let candidates = app.engine.search(&question, choice).await?;
    if common.json {
        print_json(&candidates.items().iter().map(PassageWire::new).collect::<Vec<_>>())?;
    } else {
        print(&render(&candidates))?;
        if args.explain {
            let pool: Vec<_> = candidates.items().iter().map(Candidate::report).collect();
            print("\n")?;
            print(&explain::search(candidates.rewrites(), candidates.lanes(), &pool))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn render(candidates: &Candidates) -> String {
    if candidates.items().is_empty() {
        return "Nothing found.\n".to_owned();
    }
    let mut text = String::new();
    for (number, candidate) in (1..).zip(candidates.items()) {
        let passage = &candidate.passage.passage;
        let heading: Vec<&str> = std::iter::once(candidate.passage.document.title.as_str())
            .chain(passage.section.iter().map(String::as_str))
            .collect();
        let words: Vec<&str> = passage.text.split_whitespace().collect();
        let snippet: String = words.join(" ").chars().take(SNIPPET_CHARS).collect();
        let relevance = candidate
            .similarity
            .map(|similarity| format!(", relevance {:.2}", similarity.relevance))
            .unwrap_or_default();
        text.push_str(&format!(
            "{number:>2}. {} [{}] score {:.3}{relevance}\n    {snippet}\n",
            heading.join(" › "),
            candidate.passage.source_id(),
            candidate.fused_score
        ));
    }
    text
}
