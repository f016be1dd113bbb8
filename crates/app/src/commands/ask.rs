//! `vouch ask`: one reply, or one per line.

use std::{
    process::ExitCode,
    sync::atomic::{AtomicU64, Ordering},
};

use futures::StreamExt;
use serde::Serialize;
use vouch_domain::{Question, Turn};
use vouch_engine::ask::Response;
use vouch_service::{
    outcome::Route,
    question::{AskOutcome, AskRequest},
    surface::Surface,
    wire::{HistoryMessage, Reply},
};

use super::failure::into_cli_error;
use super::{ask_stream, batch, follow::Following, open_to_ask, print, print_json, print_styled, reader};
use crate::{
    answer_certificate_file::CertificatePlace,
    cli::{AskArgs, Common},
    exit::Usage,
    explain, limited_file,
    markdown::Screen,
    render, screen,
    wiring::App,
};

/// How many questions of a batch are under way at once.
const AT_ONCE: usize = 4;
/// The largest file of earlier turns.
const HISTORY_BYTES_MAX: u64 = 16 << 20;

pub(super) async fn run(common: &Common, args: &AskArgs) -> anyhow::Result<ExitCode> {
    if let Some(path) = &args.batch {
        return run_batch(common, args, batch::read::<batch::Line>(path)?).await;
    }
    let certificate = args.certificate.as_deref().map(CertificatePlace::take).transpose()?;
    let conversation = match &args.history {
        None => Vec::new(),
        Some(path) => {
            let text = limited_file::read_text(path, HISTORY_BYTES_MAX)?;
            let messages: Vec<HistoryMessage> =
                serde_json::from_str(&text).map_err(|error| Usage(format!("{}: {error}", path.display())))?;
            messages.into_iter().map(Turn::from).collect()
        }
    };
    let app = open_to_ask(common)?;
    let reader = reader::from_args(&args.reader, app.store.directory.as_ref()).await?;
    let question = Question {
        conversation,
        model: args.model.clone(),
        language: args.language.clone(),
        asker: args.reader.user.clone(),
        agent: args.agent.clone(),
        ..Question::new(args.question.clone().unwrap_or_default(), reader)
    };
    let ask_request = AskRequest { session_id: args.session.clone(), ..ask_request(&app, question, args.explain) };
    let outcome = match args.stream {
        true => ask_stream::run(&app, &ask_request, common.json).await?,
        false => app.ask_service_aside()?.answer(&ask_request).await.map_err(into_cli_error)?,
    };
    // Written before anything is printed: whoever reads only the first lines has it too.
    let written = match certificate {
        Some(certificate) => certificate.write(&app, &ask_request, &outcome).await,
        None => Ok(()),
    };
    if !args.stream {
        print_outcome(&outcome, &ask_request, common.json)?;
    }
    written.map(|()| ExitCode::SUCCESS)
}

fn print_outcome(outcome: &AskOutcome, ask_request: &AskRequest, as_json: bool) -> anyhow::Result<()> {
    let AskOutcome { response, reply } = outcome;
    if as_json {
        return print_json(reply);
    }
    show(reply)?;
    if ask_request.explains {
        print(&explain::trace(&response.trace))?;
        print(&explain::confidence(reply))?;
    }
    Ok(())
}

/// A question of the local user, with a new request id.
pub(super) fn ask_request(app: &App, question: Question, explains: bool) -> AskRequest {
    let (request_id, asker) = (request_id(app), "command line".to_owned());
    AskRequest { request_id, asker, session_id: None, surface: Surface::CommandLine, question, explains }
}

/// A reply for whoever reads it: a person at a terminal, or a pipe.
fn show(reply: &Reply) -> anyhow::Result<()> {
    match Screen::of_stdout() {
        Some(on) => print_styled(&screen::reply(reply, on)),
        None => print(&render::reply(reply)),
    }
}

/// The reply to what was looked up by name and is not recorded, with a new request id.
pub(super) fn reply(response: &Response, app: &App) -> Reply {
    Reply::new(response, request_id(app), Route::Direct, false)
}

/// A unique request id.
fn request_id(app: &App) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("req-{:x}-{:x}-{count:x}", app.engine.clock.now_ms(), std::process::id())
}

#[derive(Serialize)]
struct Numbered {
    id: serde_json::Value,
    query: String,
    #[serde(flatten)]
    reply: Reply,
}

async fn run_batch(common: &Common, args: &AskArgs, lines: Vec<batch::Line>) -> anyhow::Result<ExitCode> {
    let mut app = open_to_ask(common)?;
    app.engine.be_patient();
    let (app, reader) = (&app, reader::from_args(&args.reader, app.store.directory.as_ref()).await?);
    let ask_service = app.ask_service()?;
    // Whoever lends the folder follows its database already.
    let _following = (!app.is_lent()).then(|| Following::start(app));
    let mut code = ExitCode::SUCCESS;
    let mut replies = futures::stream::iter(lines.into_iter().map(|line| {
        let (id, mut question) = line.question(&reader);
        question.model = question.model.or_else(|| args.model.clone());
        question.language = question.language.or_else(|| args.language.clone());
        question.agent = args.agent.clone();
        question.asker = args.reader.user.clone();
        let ask_request = ask_request(app, question, args.explain);
        let ask_service = &ask_service;
        async move { (id, ask_request.question.text.clone(), ask_service.answer(&ask_request).await) }
    }))
    .buffered(AT_ONCE);
    while let Some((id, query, outcome)) = replies.next().await {
        match outcome {
            Ok(AskOutcome { reply, .. }) if common.json => print_json(&Numbered { id, query, reply })?,
            Ok(AskOutcome { reply, .. }) => print(&format!("{id}\n{}\n", render::reply(&reply)))?,
            Err(error) => {
                code = ExitCode::FAILURE;
                print_json(&batch::Failed { id, error: error.to_string() })?;
            }
        }
    }
    Ok(code)
}
