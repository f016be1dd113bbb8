//! `vouch chat`: questions line by line; a number asks the suggestion of that number.

use std::{
    io::{BufRead, IsTerminal, Write},
    process::ExitCode,
};

use vouch_domain::{Question, Reader, Speaker, Turn};
use vouch_service::{question::AskOutcome, wire::SuggestionWire};

use super::{ask, ask_stream::Printer, open, print, print_json, reader, tell};
use crate::{
    cli::{Common, ReaderArgs},
    wiring::App,
};

/// How much of the conversation is remembered.
const TURNS_MAX: usize = 20;

pub(super) async fn run(common: &Common, args: &ReaderArgs) -> anyhow::Result<ExitCode> {
    let app = open(common)?;
    let reader = reader::from_args(args, app.store.directory.as_ref()).await?;
    converse(&app, &reader, common.json).await
}

/// Answers every line of standard input until it ends.
pub(super) async fn converse(app: &App, reader: &Reader, as_json: bool) -> anyhow::Result<ExitCode> {
    let is_person = std::io::stdin().is_terminal();
    if is_person {
        tell("Ask a question, or `:quit` to leave.");
    }
    let ask_service = app.ask_service()?;
    // A conversation has the id of its first request.
    let mut session: Option<String> = None;
    let mut conversation: Vec<Turn> = Vec::new();
    let mut suggestions: Vec<SuggestionWire> = Vec::new();
    loop {
        if is_person {
            print("\n> ")?;
            std::io::stdout().flush()?;
        }
        let mut line = String::new();
        if std::io::stdin().lock().read_line(&mut line)? == 0 {
            return Ok(ExitCode::SUCCESS);
        }
        let words = line.trim();
        if words.is_empty() {
            continue;
        }
        if matches!(words, ":quit" | ":q" | "exit" | "quit") {
            return Ok(ExitCode::SUCCESS);
        }
        let text = chosen(words, &suggestions).unwrap_or(words).to_owned();
        if !is_person && !as_json {
            print(&format!("> {text}\n"))?;
        }
        let question = Question {
            text,
            conversation: conversation.clone(),
            reader: reader.clone(),
            passages_max: None,
            model: None,
        };
        let mut ask_request = ask::ask_request(app, question, false);
        let session_id = session.get_or_insert_with(|| ask_request.request_id.clone());
        ask_request.session_id = Some(session_id.clone());
        // A person sees sentences as they pass; a program gets the reply whole.
        let printer = Printer::default();
        let outcome = match as_json {
            true => ask_service.answer(&ask_request).await,
            false => ask_service.answer_streaming(&ask_request, &printer).await,
        };
        match outcome {
            Err(error) => tell(&format!("vouch: {error}")),
            Ok(AskOutcome { reply, .. }) => {
                if as_json {
                    print_json(&reply)?;
                } else {
                    printer.finish(&reply)?;
                    print("\n")?;
                }
                conversation.push(Turn::new(Speaker::Asker, ask_request.question.text));
                let sources = reply.citations.iter().map(|citation| citation.source_id.clone()).collect();
                conversation.push(Turn { speaker: Speaker::Vouch, text: reply.answer, sources });
                conversation.drain(..conversation.len().saturating_sub(TURNS_MAX));
                suggestions = reply.suggestions;
            }
        }
    }
}

fn chosen<'a>(words: &str, suggestions: &'a [SuggestionWire]) -> Option<&'a str> {
    let number: usize = words.parse().ok()?;
    suggestions.get(number.checked_sub(1)?).map(|suggestion| suggestion.query.as_str())
}
