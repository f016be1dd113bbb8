//! `vouch ask --stream`: sentences as they pass, then what they rest on; with `--json` one event per line.

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicUsize, Ordering},
};

use vouch_engine::ask::{AnswerSentence, AskError, Listener};
use vouch_service::{
    ask_service::AskServiceError,
    question::{AskOutcome, AskRequest},
    wire::{Event, Reply},
};

use super::{failure::into_cli_error, print, print_json, print_styled, tell};
use crate::{
    explain,
    markdown::{Flow, Screen, render as render_markdown, without_dead_links},
    render, screen, terminal,
    wiring::App,
};

/// Prints sentences as they arrive.
pub(super) struct Printer {
    as_json: bool,
    told: AtomicUsize,
    /// The terminal that is written to, if a person reads there.
    screen: Option<(Screen, Mutex<Flow>)>,
}

impl Printer {
    pub(super) fn new(as_json: bool) -> Self {
        let screen = Screen::of_stdout().filter(|_| !as_json).map(|on| (on, Mutex::new(Flow::new(on))));
        Self { as_json, told: AtomicUsize::new(0), screen }
    }

    /// Prints the rest of a reply whose sentences were already printed.
    pub(super) fn finish(&self, reply: &Reply) -> anyhow::Result<()> {
        let is_told = self.told.load(Ordering::Relaxed) > 0;
        if let Some((on, flow)) = &self.screen {
            if !is_told {
                return print_styled(&screen::reply(reply, *on));
            }
            print_styled(&flow.lock().unwrap_or_else(PoisonError::into_inner).finish())?;
            reply.asides.iter().try_for_each(|aside| print_styled(&render_markdown(aside, *on)))?;
            return print_styled(&screen::grounds(reply, *on));
        }
        if !is_told {
            return print(&render::reply(reply));
        }
        let asides: String = reply.asides.iter().map(|aside| format!("\n{}\n", terminal::sanitize(aside))).collect();
        print(&format!("\n{asides}{}", render::grounds(reply)))
    }
}

impl Listener for Printer {
    fn on_sentence(&self, said: &AnswerSentence<'_>) {
        self.told.fetch_add(1, Ordering::Relaxed);
        // A reader that has gone away ends the process; any other failure shows with the rest of the reply.
        let _ = if self.as_json {
            Event::from_sentence(said).iter().try_for_each(print_json)
        } else if let Some((_, flow)) = &self.screen {
            let mut flow = flow.lock().unwrap_or_else(PoisonError::into_inner);
            print_styled(&flow.push(said.lead, &said.claim.with_markers()))
        } else {
            print(&format!("{}{}", said.lead, without_dead_links(&said.claim.with_markers())))
        };
    }

    fn on_checking(&self) {
        if self.as_json {
            let _ = print_json(&Event::checking());
        } else if self.screen.is_some()
            && let Event::Checking { text } = Event::checking()
        {
            tell(text);
        }
    }
}

pub(super) async fn run(app: &App, ask_request: &AskRequest, as_json: bool) -> anyhow::Result<AskOutcome> {
    let printer = Printer::new(as_json);
    if as_json {
        print_json(&Event::Start { request_id: ask_request.request_id.clone() })?;
    }
    let AskOutcome { response, reply } = match app.ask_service_aside()?.answer_streaming(ask_request, &printer).await {
        Ok(answered) => answered,
        Err(error) => {
            if as_json {
                let code = match &error {
                    AskServiceError::Ask(AskError::Model(error)) => error.code(),
                    AskServiceError::Ask(AskError::NotAQuestion(_) | AskError::Agent(_)) => "invalid_request",
                    AskServiceError::Ask(AskError::Port(_)) | AskServiceError::Unrecorded(_) => "context",
                };
                print_json(&Event::Error { code, message: error.to_string() })?;
            }
            return Err(into_cli_error(error));
        }
    };
    if as_json {
        for notice in &reply.notices {
            print_json(&Event::Notice { text: notice.clone() })?;
        }
        print_json(&Event::Done { reply: Box::new(reply.clone()) })?;
        return Ok(AskOutcome { response, reply });
    }
    printer.finish(&reply)?;
    if ask_request.explains {
        print(&explain::trace(&response.trace))?;
        print(&explain::confidence(&reply))?;
    }
    Ok(AskOutcome { response, reply })
}
