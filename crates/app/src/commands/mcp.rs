//! `vouch mcp`: the tools over standard input and output, for whoever runs it, until input ends.
//!
//! Invariant: standard output carries the protocol and nothing else.

use std::{process::ExitCode, sync::Arc, time::Duration};

use anyhow::Context;
use vouch_domain::{Caller, Role};
use vouch_server::{admission::Admission, door::Door, mcp::serve_stdio, service::Service};

use super::{load, open, reader};
use crate::cli::{Common, ReaderArgs};

pub(super) async fn run(common: &Common, args: &ReaderArgs, is_admin: bool) -> anyhow::Result<ExitCode> {
    let settings = load(common)?.settings.serve;
    let house = open(common)?;
    let caller = Caller {
        id: "command line".to_owned(),
        reader: reader::of(args, house.store.directory.as_ref()).await?,
        role: if is_admin { Role::Admin } else { Role::Reader },
        requests_per_minute: None,
    };
    // Who runs the command needs no key, so nobody watches the door.
    let door = Door {
        gatekeepers: Vec::new(),
        local: caller.clone(),
        rate: Arc::default(),
        clock: Arc::clone(&house.engine.clock),
    };
    let service = Service {
        desk: Arc::new(house.desk()?),
        door,
        admission: Admission::new(settings.running_max, settings.waiting_max),
        timeout: Duration::from_millis(settings.timeout_ms),
        body_bytes_max: settings.body_bytes_max,
    };
    serve_stdio(service, caller).await.context("the client cannot be spoken with")?;
    Ok(ExitCode::SUCCESS)
}
