//! `vouch-bench support`: how often the router of the profile `support` is right, and which summaries of its tools' outputs pass.
//!
//! The questions and summaries are in `crates/bench/data/support`. `--wrong` tells which summaries of the half
//! that may be looked at were judged wrongly, and every lie that passed; of the rest only counts are told.

mod router;
mod summaries;

use std::{process::ExitCode, sync::Arc};

use serde::{Serialize, de::DeserializeOwned};
use vouch_adapters::embedded::EmbedderCheck;
use vouch_app::{
    cli::Common,
    console::{load, print, print_json},
    exit::Usage,
    render, wiring,
};
use vouch_domain::ports::Embedder;
use vouch_models::GteSmall;

use crate::{cli::SupportArgs, datasets};

/// How many of one kind came out as they should.
#[derive(Debug, Default, Serialize)]
struct Row {
    part: String,
    kind: String,
    right: usize,
    of: usize,
}

pub(crate) async fn run(common: &Common, args: &SupportArgs) -> anyhow::Result<ExitCode> {
    let folder = args.profiles.join("support");
    let settings = folder.join("vouch.yaml");
    if !settings.is_file() {
        anyhow::bail!(Usage(format!("{} is missing: --profiles names the folder of the profiles", settings.display())));
    }
    let common = Common { config: Some(settings), ..common.clone() };
    let embedder: Arc<dyn Embedder> = Arc::new(GteSmall::load(wiring::threads())?);
    let app = wiring::build_with(&load(&common)?, &args.store.join("support"), EmbedderCheck::Enforce, embedder)?;
    datasets::ingest_files(&app, &folder.join("corpus")).await?;
    let Some(agents) = &app.engine.agents else { anyhow::bail!(Usage("the profile has no agents".to_owned())) };
    let mut rows = router::measure(agents, &app.engine.retrieve).await?;
    rows.extend(summaries::measure(&agents.policy, args.wrong)?);
    if common.json {
        print_json(&rows)?;
    } else {
        let mut table = vec![["part", "kind", "right", "of"].map(str::to_owned).to_vec()];
        table.extend(
            rows.iter().map(|row| vec![row.part.clone(), row.kind.clone(), row.right.to_string(), row.of.to_string()]),
        );
        print(&render::table(&table))?;
    }
    let lies = rows.iter().filter(|row| row.kind.starts_with("false"));
    Ok(if lies.into_iter().all(|row| row.right == row.of) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// One value a line.
fn lines<T: DeserializeOwned>(text: &str) -> anyhow::Result<Vec<T>> {
    Ok(text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

/// Counts one outcome.
fn count(rows: &mut Vec<Row>, (part, kind): (&str, &str), is_right: bool) {
    let at = rows.iter().position(|row| row.part == part && row.kind == kind).unwrap_or_else(|| {
        rows.push(Row { part: part.to_owned(), kind: kind.to_owned(), ..Row::default() });
        rows.len() - 1
    });
    if let Some(row) = rows.get_mut(at) {
        row.right += usize::from(is_right);
        row.of += 1;
    }
}
