//! `vouch list`: every document of a kind.

use std::process::ExitCode;

use super::{ask, open_filled, print, print_json, reader};
use crate::{
    cli::{Common, ReaderArgs},
    exit::Usage,
    render,
};

pub(super) async fn run(
    common: &Common,
    kind: &str,
    about: Option<&str>,
    args: &ReaderArgs,
) -> anyhow::Result<ExitCode> {
    let app = open_filled(common)?;
    let who = reader::from_args(args, app.store.directory.as_ref()).await?;
    let Some(response) = app.engine.list_kind(kind, about, &who).await? else {
        let kinds = app.engine.retrieve.register.kinds(&who).await?;
        let known: Vec<String> = kinds.iter().map(|one| format!("{} ({})", one.kind, one.documents)).collect();
        let known = if known.is_empty() { "there are no documents".to_owned() } else { known.join(", ") };
        return Err(Usage(format!("no document is of kind '{kind}'; kinds: {known}")).into());
    };
    let reply = ask::reply(&response, &app);
    if common.json {
        print_json(&reply)?;
    } else {
        print(&render::reply(&reply))?;
    }
    Ok(ExitCode::SUCCESS)
}
