//! `vouch term`: what the vocabulary says of a term, or that it says nothing.

use std::process::ExitCode;

use super::{ask, open, print, print_json, reader};
use crate::{
    cli::{Common, ReaderArgs},
    exit::Usage,
    render,
};

pub(super) async fn run(common: &Common, term: &str, args: &ReaderArgs) -> anyhow::Result<ExitCode> {
    if term.trim().is_empty() {
        return Err(Usage("the term is empty".to_owned()).into());
    }
    let app = open(common)?;
    let who = reader::from_args(args, app.store.directory.as_ref()).await?;
    let Some(response) = app.engine.define_term(term, &who).await? else {
        let sentence = "no vocabulary is loaded; import one with `vouch vocab import FILE`";
        return Err(Usage(sentence.to_owned()).into());
    };
    let reply = ask::reply(&response, &app);
    if common.json {
        print_json(&reply)?;
    } else {
        print(&render::reply(&reply))?;
    }
    Ok(ExitCode::SUCCESS)
}
