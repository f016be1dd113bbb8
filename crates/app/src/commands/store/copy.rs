//! `vouch store copy`, `digest` and `migrate`: a store from a folder to a database and back, and whether two hold the same.

use std::{collections::BTreeMap, path::Path, process::ExitCode};

use serde::Serialize;
use vouch_adapters::{
    embedded::{self, CopyReport, Unfinished},
    postgres::PostgresDatabase,
};

use crate::{
    cli::Common,
    commands::{load, print, print_json, tell},
    exit::Usage,
};

/// What the database of the settings is called on the command line.
const DATABASE: &str = "postgres";

#[derive(Serialize)]
struct DigestWire {
    rows: BTreeMap<String, u64>,
    digest: String,
}

#[derive(Serialize)]
struct CopyWire {
    rows: BTreeMap<String, u64>,
    digest: String,
    resumed: bool,
}

pub(super) fn run(common: &Common, (from, to): (&str, &str), starts_over: bool) -> anyhow::Result<ExitCode> {
    let unfinished = if starts_over { Unfinished::Discard } else { Unfinished::Keep };
    let report = match (from, to) {
        (DATABASE, DATABASE) => return Err(Usage("--from and --to are the same database".to_owned()).into()),
        (DATABASE, _) if starts_over => {
            let sentence = "--start-over is for a copy to `postgres`; to start an interrupted copy to a folder over, \
                            remove the folder";
            return Err(Usage(sentence.to_owned()).into());
        }
        (DATABASE, folder) => database(common)?.copy_to(Path::new(folder))?,
        (folder, DATABASE) => database(common)?.copy_from(Path::new(folder), unfinished)?,
        _ => {
            let sentence = "one of --from and --to must be `postgres`; between folders use `vouch store backup` and \
                            `vouch store restore`";
            return Err(Usage(sentence.to_owned()).into());
        }
    };
    show(common, report)?;
    tell("Keys, the trail, jobs and conversations are not copied: make keys with `vouch key add`.");
    Ok(ExitCode::SUCCESS)
}

fn show(common: &Common, report: CopyReport) -> anyhow::Result<()> {
    let CopyReport { rows, digest, was_resumed } = report;
    if common.json {
        return print_json(&CopyWire { rows, digest, resumed: was_resumed });
    }
    if was_resumed {
        tell("An earlier copy had been interrupted; this one went on where it stopped.");
    }
    let all: u64 = rows.values().sum();
    let of = |table: &str| rows.get(table).copied().unwrap_or(0);
    print(&format!(
        "copied {all} rows, among them {} documents with {} passages; read back and found the same (digest {digest})\n",
        of("documents"),
        of("passages")
    ))
}

pub(super) fn digest(common: &Common) -> anyhow::Result<ExitCode> {
    let CopyReport { rows, digest, .. } = embedded::digest_of(&common.data)?;
    if common.json {
        print_json(&DigestWire { rows, digest })?;
    } else {
        print(&format!("{} rows, digest {digest}\n", rows.values().sum::<u64>()))?;
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn migrate(common: &Common) -> anyhow::Result<ExitCode> {
    database(common)?;
    print("The tables are of this version.\n")?;
    Ok(ExitCode::SUCCESS)
}

fn database(common: &Common) -> anyhow::Result<PostgresDatabase> {
    let loaded = load(common)?;
    let missing = || Usage("the settings have no database; set store.postgres".to_owned());
    let postgres = loaded.settings.store.postgres.as_ref().ok_or_else(missing)?;
    Ok(PostgresDatabase::open(&postgres.for_adapter()?)?)
}
