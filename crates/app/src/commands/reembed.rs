//! `vouch reembed`: computes every vector again with the configured embedder.

use std::process::ExitCode;

use vouch_adapters::embedded::EmbedderCheck;
use vouch_engine::ingest::enrich;

use super::{load, print};
use crate::{cli::Common, wiring};

pub(super) async fn run(common: &Common) -> anyhow::Result<ExitCode> {
    let loaded = load(common)?;
    let app = wiring::build(&loaded, &common.data, EmbedderCheck::Reembedding)?;
    let bar = indicatif::ProgressBar::new_spinner();
    let made = app.store.reembed(&app.embedder, enrich, |passages| bar.inc(passages as u64)).await?;
    bar.finish_and_clear();
    print(&format!("{made} passages embedded again by {}\n", app.embedder.identity().name))?;
    Ok(ExitCode::SUCCESS)
}
