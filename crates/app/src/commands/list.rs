//! `vouch list`: every document of a kind, or the kinds there are.

use std::process::ExitCode;

use serde::Serialize;
use vouch_domain::ports::KindCount;

use super::{ask, open_filled, print, print_json, print_styled, reader};
use crate::{
    cli::{Common, ReaderArgs},
    exit::Usage,
    markdown::Screen,
    render, screen,
};

/// What is listed.
pub(super) struct Wanted<'a> {
    pub(super) kind: Option<&'a str>,
    pub(super) about: Option<&'a str>,
    pub(super) topic: Option<&'a str>,
}

#[derive(Serialize)]
struct KindsWire {
    kinds: Vec<KindWire>,
}

#[derive(Serialize)]
struct KindWire {
    kind: String,
    documents: u64,
}

pub(super) async fn run(common: &Common, wanted: Wanted<'_>, args: &ReaderArgs) -> anyhow::Result<ExitCode> {
    let app = open_filled(common)?;
    let who = reader::from_args(args, app.store.directory.as_ref()).await?;
    let Some(kind) = wanted.kind else {
        show_kinds(common, app.engine.retrieve.register.kinds(&who).await?)?;
        return Ok(ExitCode::SUCCESS);
    };
    let Some(response) = app.engine.list_kind(kind, (wanted.about, wanted.topic), &who).await? else {
        let kinds = app.engine.retrieve.register.kinds(&who).await?;
        let known: Vec<String> = kinds.iter().map(|one| format!("{} ({})", one.kind, one.documents)).collect();
        let known = if known.is_empty() { "there are no documents".to_owned() } else { known.join(", ") };
        return Err(Usage(format!("no document is of kind '{kind}'; kinds: {known}")).into());
    };
    let reply = ask::reply(&response, &app);
    if common.json {
        print_json(&reply)?;
    } else {
        match Screen::of_stdout() {
            Some(on) => print_styled(&screen::listing(&reply, on))?,
            None => print(&render::listing(&reply))?,
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn show_kinds(common: &Common, kinds: Vec<KindCount>) -> anyhow::Result<()> {
    if common.json {
        let kinds = kinds.into_iter().map(|one| KindWire { kind: one.kind, documents: one.documents }).collect();
        return print_json(&KindsWire { kinds });
    }
    let rows: Vec<Vec<String>> = kinds.into_iter().map(|one| vec![one.kind, one.documents.to_string()]).collect();
    print(&render::table(&rows))
}
