//! `vouch init`: a commented settings file and a folder for documents.

use std::{fs::OpenOptions, io::Write, path::Path, process::ExitCode};

use anyhow::Context;

use super::{demo, tell};
use crate::{exit::Usage, profiles, settings};

pub(super) fn run(folder: &Path, profile: Option<&str>) -> anyhow::Result<ExitCode> {
    let text = match profile {
        None => settings::MANUAL,
        Some(name) => profiles::find(name)?.settings,
    };
    std::fs::create_dir_all(folder.join("documents")).with_context(|| format!("cannot create {}", folder.display()))?;
    let path = folder.join("vouch.yaml");
    let mut file = OpenOptions::new().write(true).create_new(true).open(&path).map_err(|error| {
        if error.kind() == std::io::ErrorKind::AlreadyExists {
            anyhow::Error::new(Usage(format!("{} already exists and was not changed", path.display())))
        } else {
            anyhow::Error::new(error).context(format!("cannot write {}", path.display()))
        }
    })?;
    if let Some(name) = profile {
        demo::load_database(profiles::find(name)?, &folder.join(".vouch"))?;
    }
    file.write_all(text.as_bytes()).with_context(|| format!("cannot write {}", path.display()))?;
    tell(&format!("Wrote {}. Put documents into {} and run:", path.display(), folder.join("documents").display()));
    tell(&format!("  cd {} && vouch ingest documents && vouch chat", folder.display()));
    Ok(ExitCode::SUCCESS)
}
