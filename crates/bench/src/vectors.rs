//! Texts → the embedder's vectors, so that they can be compared with its float original.

use std::{path::Path, process::ExitCode};

use serde::Deserialize;
use vouch_domain::ports::Embedder;
use vouch_models::GteSmall;

use vouch_app::{batch, console::print, wiring};

/// As many as are embedded at a time.
const TOGETHER: usize = 64;

#[derive(Deserialize)]
struct Line {
    text: String,
}

pub(crate) async fn run(path: &Path) -> anyhow::Result<ExitCode> {
    let embedder = GteSmall::load(wiring::threads())?;
    let texts: Vec<String> = batch::read::<Line>(path)?.into_iter().map(|line| line.text).collect();
    for texts in texts.chunks(TOGETHER) {
        for vector in embedder.embed(texts.to_vec()).await? {
            print(&(serde_json::to_string(vector.values())? + "\n"))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
