//! `vouch-bench names`: terms of real vocabularies and addresses of real corpora, each to its own and to nothing else.

mod addresses;
mod blank;
mod terms;

use std::process::ExitCode;

use vouch_engine::ask::Response;

use crate::cli::BenchArgs;
use vouch_app::{
    cli::Common,
    console::{print, print_json},
    render,
};

pub(super) async fn run(common: &Common, args: &BenchArgs) -> anyhow::Result<ExitCode> {
    let wants = |name: &str| args.sets.is_empty() || args.sets.iter().any(|set| set == name);
    if wants("skos") {
        let row = terms::measure(common, args).await?;
        if common.json { print_json(&row)? } else { print(&render::table(&row.table()))? }
    }
    for (set, queries) in [("adr", "queries.jsonl"), ("kjv", "queries_address.jsonl")] {
        if wants(set) {
            let row = addresses::measure(common, args, set, queries).await?;
            if common.json { print_json(&row)? } else { print(&render::table(&row.table()))? }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The documents an answer cites.
fn cited(response: &Response) -> Option<Vec<&str>> {
    let vouch_engine::decide::Decision::Answer(answer) = &response.decision else { return None };
    Some(answer.text().citations().iter().map(|cited| cited.document().id.as_str()).collect())
}
