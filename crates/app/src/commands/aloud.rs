//! `vouch ask --stream`: sentences as they pass, then what they rest on; with `--json` one event per line.

use std::{
    process::ExitCode,
    sync::atomic::{AtomicUsize, Ordering},
};

use vouch_engine::ask::{AskError, Listener, Said};
use vouch_service::{
    desk::DeskError,
    question::{Answered, Asking},
    wire::{Event, Reply},
};

use super::{failure::undone, print, print_json};
use crate::{explain, render, wiring::House};

/// Prints sentences as they arrive.
#[derive(Default)]
pub(super) struct Printer {
    as_json: bool,
    told: AtomicUsize,
}

impl Printer {
    /// Prints the rest of a reply whose sentences were already printed.
    pub(super) fn finish(&self, reply: &Reply) -> anyhow::Result<()> {
        if self.told.load(Ordering::Relaxed) > 0 {
            print(&format!("\n{}", render::grounds(reply)))
        } else {
            print(&render::reply(reply))
        }
    }
}

impl Listener for Printer {
    fn hear(&self, said: &Said<'_>) {
        self.told.fetch_add(1, Ordering::Relaxed);
        // A reader that has gone away ends the process; any other failure shows with the rest of the reply.
        let _ = if self.as_json {
            Event::of(said).iter().try_for_each(print_json)
        } else {
            print(&format!("{}{}", said.lead, said.claim.with_markers()))
        };
    }
}

pub(super) async fn run(house: &House, asking: &Asking, as_json: bool) -> anyhow::Result<ExitCode> {
    let printer = Printer { as_json, told: AtomicUsize::new(0) };
    if as_json {
        print_json(&Event::Start { request_id: asking.request_id.clone() })?;
    }
    let Answered { response, reply } = match house.desk()?.answer_aloud(asking, &printer).await {
        Ok(answered) => answered,
        Err(error) => {
            if as_json {
                let code = match &error {
                    DeskError::Ask(AskError::Model(error)) => error.code(),
                    DeskError::Ask(AskError::NotAQuestion(_)) => "invalid_request",
                    DeskError::Ask(AskError::Port(_)) | DeskError::Unrecorded(_) => "context",
                };
                print_json(&Event::Error { code, message: error.to_string() })?;
            }
            return Err(undone(error));
        }
    };
    if as_json {
        for notice in &reply.notices {
            print_json(&Event::Notice { text: notice.clone() })?;
        }
        print_json(&Event::Done { reply: Box::new(reply) })?;
        return Ok(ExitCode::SUCCESS);
    }
    printer.finish(&reply)?;
    if asking.explains {
        print(&explain::trace(&response.trace))?;
    }
    Ok(ExitCode::SUCCESS)
}
