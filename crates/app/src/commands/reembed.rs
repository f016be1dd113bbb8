//! `vouch reembed`: computes every vector again with the configured embedder.

use std::process::ExitCode;

use vouch_adapters::embedded::EmbedderCheck;
use vouch_engine::ingest::enriched;

use super::{load, print};
use crate::{cli::Common, wiring};

pub(super) async fn run(common: &Common) -> anyhow::Result<ExitCode> {
    let loaded = load(common)?;
    let house = wiring::build(&loaded, &common.data, EmbedderCheck::Reembedding)?;
    let bar = indicatif::ProgressBar::new_spinner();
    let made = house.store.reembed(&house.embedder, enriched, |passages| bar.inc(passages as u64)).await?;
    bar.finish_and_clear();
    print(&format!("{made} passages embedded again by {}\n", house.embedder.identity().name))?;
    Ok(ExitCode::SUCCESS)
}
