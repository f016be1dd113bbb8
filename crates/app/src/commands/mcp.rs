//! `vouch mcp`: the tools over standard input and output, for whoever runs it, until input ends.
//!
//! Invariant: standard output carries the protocol and nothing else.

use std::{process::ExitCode, sync::Arc};

use anyhow::Context;
use vouch_domain::{Caller, Role};
use vouch_server::{access_control::AccessControl, mcp::serve_stdio};
use vouch_service::ask_service::AskService;

use super::{follow::Following, load, open, reader, serve};
use crate::{
    cli::{Common, ReaderArgs},
    delegation::{self, runner::Runner},
};

pub(super) async fn run(
    common: &Common,
    (args, is_admin): (&ReaderArgs, bool),
    runner: Runner,
) -> anyhow::Result<ExitCode> {
    let settings = load(common)?.settings.serve;
    let app = open(common)?;
    let caller = Caller {
        id: "command line".to_owned(),
        name: None,
        person: args.user.clone(),
        reader: reader::from_args(args, app.store.directory.as_ref()).await?,
        role: if is_admin { Role::Admin } else { Role::Reader },
        requests_per_minute: None,
    };
    // Whoever runs the command needs no key, so nothing is authenticated.
    let access_control = AccessControl {
        authenticators: Vec::new(),
        key_ring: None,
        local: caller.clone(),
        is_key_required: false,
        rate: Arc::default(),
        shared_rate: None,
        clock: Arc::clone(&app.engine.clock),
    };
    let _following = Following::start(&app);
    let service = serve::service(&app, &settings, app.ask_service()?, access_control)?;
    let ask_service = Arc::clone(&service.ask_service);
    let _listening = delegation::listener::open(&app, Arc::new(move || AskService::clone(&ask_service)), runner);
    serve_stdio(service, caller).await.context("cannot talk to the MCP client")?;
    Ok(ExitCode::SUCCESS)
}
