//! `vouch vocab import`: SKOS files into the store, each whole or not at all.

use std::{path::Path, process::ExitCode};

use anyhow::{Context, bail};
use serde::Serialize;
use vouch_adapters::{embedded::VocabularyCounts, skos_file};

use super::{open, print, print_json, tell};
use crate::{
    cli::{Common, VocabCommand},
    wiring::App,
};

/// The largest vocabulary file.
const FILE_BYTES_MAX: u64 = 256 << 20;

#[derive(Serialize)]
struct Imported {
    file: String,
    concepts: usize,
    labels: usize,
    defined: usize,
    replaced: usize,
}

pub(super) fn run(common: &Common, command: &VocabCommand) -> anyhow::Result<ExitCode> {
    let VocabCommand::Import { files, tenant } = command;
    let app = open(common)?;
    let mut code = ExitCode::SUCCESS;
    for file in files {
        match import(&app, tenant, file) {
            Err(error) => {
                tell(&format!("failed: {error:#}"));
                code = ExitCode::FAILURE;
            }
            Ok(VocabularyCounts { concepts, labels, defined, replaced }) => {
                let file = file.display().to_string();
                if concepts == 0 {
                    tell(&format!("note: {file} has no concepts; is it a SKOS file?"));
                }
                if common.json {
                    print_json(&Imported { file, concepts, labels, defined, replaced })?;
                } else {
                    print(&format!(
                        "{file}: {concepts} concepts, {labels} labels, {defined} with a definition, {replaced} replaced\n"
                    ))?;
                }
            }
        }
    }
    Ok(code)
}

fn import(app: &App, tenant: &str, file: &Path) -> anyhow::Result<VocabularyCounts> {
    let size = std::fs::metadata(file).with_context(|| format!("cannot read {}", file.display()))?.len();
    if size > FILE_BYTES_MAX {
        bail!("{} has {size} bytes, the limit is {FILE_BYTES_MAX}", file.display());
    }
    let bytes = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let concepts = skos_file::read(file, &bytes).map_err(|fault| {
        let place = if fault.place.is_empty() { String::new() } else { format!(", {}", fault.place) };
        anyhow::anyhow!("{}{place}: {}", file.display(), fault.sentence)
    })?;
    let source = std::fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    Ok(app.store.vocabulary.replace(tenant, &source.display().to_string(), &concepts)?)
}
