//! `vouch chat`: questions line by line; a number asks the suggestion of that number.

use std::{
    io::{BufRead, IsTerminal, Write},
    process::ExitCode,
};

use vouch_domain::{Caller, Question, Speaker, Timestamp, Turn};
use vouch_service::{
    question::AskOutcome,
    wire::{Reply, SuggestionWire, timestamp},
};

use super::{ask, ask_stream::Printer, follow::Following, open_to_ask, print, print_json, reader, serve, tell};
use crate::{
    cli::{Common, ReaderArgs},
    wiring::App,
};

/// How much of the conversation is remembered.
const TURNS_MAX: usize = 20;

pub(super) async fn run(common: &Common, args: &ReaderArgs) -> anyhow::Result<ExitCode> {
    let app = open_to_ask(common)?;
    let reader = reader::from_args(args, app.store.directory.as_ref()).await?;
    let person = args.user.clone();
    let asker = Caller { person, reader, ..serve::local() };
    converse(&app, &asker, common.json).await
}

/// Answers every line of standard input until it ends.
pub(super) async fn converse(app: &App, asker: &Caller, as_json: bool) -> anyhow::Result<ExitCode> {
    let is_person = std::io::stdin().is_terminal();
    if is_person {
        tell("Ask a question, or type `:help` for help or `:quit` to leave.");
    }
    let (ask_service, _following) = (app.ask_service()?, Following::start(app));
    // A conversation has the id of its first request.
    let mut session: Option<String> = None;
    let mut conversation: Vec<Turn> = Vec::new();
    let (mut suggestions, mut suggested_by): (Vec<SuggestionWire>, Option<String>) = (Vec::new(), None);
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
        let text = match Line::read(words, &suggestions) {
            Line::Quit => return Ok(ExitCode::SUCCESS),
            Line::Tell(sentence) => {
                tell(&sentence);
                continue;
            }
            Line::Ask(text) => text.to_owned(),
        };
        let is_taken_up = text != words;
        if !is_person && !as_json {
            print(&format!("> {text}\n"))?;
        }
        let question = Question {
            conversation: conversation.clone(),
            asker: asker.person.clone(),
            instead_of: suggested_by.clone().filter(|_| is_taken_up),
            ..Question::new(text, asker.reader.clone())
        };
        let mut ask_request = ask::ask_request(app, question, false);
        ask_request.session_id = Some(session.get_or_insert_with(|| ask_request.request_id.clone()).clone());
        let asked_at = now(app);
        // A person sees sentences as they pass; a program gets the reply whole.
        let printer = Printer::new(as_json);
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
                let asked = Turn::new(Speaker::Asker, ask_request.question.text);
                conversation.extend([Turn { said_at: asked_at, ..asked }, turn_of(&reply, now(app))]);
                conversation.drain(..conversation.len().saturating_sub(TURNS_MAX));
                // What was offered before stays until something else is.
                if !reply.suggestions.is_empty() {
                    (suggestions, suggested_by) = (reply.suggestions, Some(reply.request_id));
                }
            }
        }
    }
}

/// A reply as the conversation remembers it.
fn turn_of(reply: &Reply, said_at: Option<Timestamp>) -> Turn {
    let sources = reply.citations.iter().map(|citation| citation.source_id.clone()).collect();
    Turn { sources, said_at, ..Turn::new(Speaker::Vouch, reply.answer_alone()) }
}

/// The moment, as it is kept with a turn.
fn now(app: &App) -> Option<Timestamp> {
    Timestamp::parse(&timestamp(app.engine.clock.now_ms()))
}

const HELP: &str = "\
Type a question, or a follow-up to the last one (\"and in winter?\").
Type a number to ask the suggestion with that number.
  :help   show this help
  :quit   leave
Every answer is word for word from the documents, or a model's sentence that was checked against them; [^1] is its source.";

/// What a line of a conversation is.
#[derive(Debug, PartialEq, Eq)]
enum Line<'a> {
    /// The end of it.
    Quit,
    /// Nothing to ask: something is told instead.
    Tell(String),
    /// A question.
    Ask(&'a str),
}

impl<'a> Line<'a> {
    fn read(words: &'a str, suggestions: &'a [SuggestionWire]) -> Self {
        let command = words.strip_prefix([':', '/']);
        match command.unwrap_or(words).to_lowercase().as_str() {
            "quit" | "exit" | "q" | "bye" | "goodbye" => return Self::Quit,
            "help" | "?" => return Self::Tell(HELP.to_owned()),
            _ => {}
        }
        if command.is_some_and(|command| !command.contains(char::is_whitespace)) {
            return Self::Tell(format!("There is no command {words}. Type :help to see what you can type."));
        }
        match words.parse::<usize>() {
            Err(_) => Self::Ask(words),
            Ok(number) => match number.checked_sub(1).and_then(|at| suggestions.get(at)) {
                Some(suggestion) => Self::Ask(&suggestion.query),
                None => Self::Tell(format!("There is no suggestion {number}. Type a question, or :help.")),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Line;

    #[test]
    fn commands_are_told_from_questions() {
        for words in [":quit", ":q", "q", "/quit", "/exit", "exit", "quit", "bye", "Goodbye"] {
            assert_eq!(Line::read(words, &[]), Line::Quit, "{words}");
        }
        for words in [":help", "/help", "help", "?", "/nonsense", ":wq", "7", "0"] {
            assert!(matches!(Line::read(words, &[]), Line::Tell(_)), "{words}");
        }
        for words in ["How tall is the mast?", "/etc/hosts is what?", "help me with leave", "h"] {
            assert_eq!(Line::read(words, &[]), Line::Ask(words), "{words}");
        }
    }
}
