//! A request as the trail keeps it: who asked what, under which circumstances, and everything that was replied.

use serde::Serialize;
use vouch_domain::{Scope, Speaker, Turn};

use super::Reply;
use crate::desk::{Asking, Circumstances};

/// One request, written down.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Record<'a> {
    surface: &'static str,
    asked: AskedRecord<'a>,
    circumstances: CircumstancesRecord<'a>,
    reply: Option<Reply>,
    failure: Option<String>,
}

#[derive(Debug, Clone, Serialize)]
struct AskedRecord<'a> {
    query: &'a str,
    tags: Option<Vec<&'a str>>,
    chat_history: Vec<TurnRecord<'a>>,
    model: Option<&'a str>,
    max_context_chunks: Option<usize>,
}

#[derive(Debug, Clone, Serialize)]
struct TurnRecord<'a> {
    role: &'static str,
    content: &'a str,
    sources: &'a [String],
}

#[derive(Debug, Clone, Serialize)]
struct CircumstancesRecord<'a> {
    version: &'a str,
    settings: &'a str,
    embedder: &'a str,
    judge: Option<&'a str>,
}

impl<'a> Record<'a> {
    /// A request that has begun.
    pub(crate) fn begun(asking: &'a Asking, circumstances: &'a Circumstances) -> Self {
        let question = &asking.question;
        let asked = AskedRecord {
            query: &question.text,
            tags: match &question.reader.scope {
                Scope::WholeTenant => None,
                Scope::Tags(tags) => Some(tags.iter().map(String::as_str).collect()),
            },
            chat_history: question.conversation.iter().map(turn).collect(),
            model: question.model.as_deref(),
            max_context_chunks: question.passages_max,
        };
        let circumstances = CircumstancesRecord {
            version: &circumstances.version,
            settings: &circumstances.settings,
            embedder: &circumstances.embedder,
            judge: circumstances.judge.as_deref(),
        };
        Self { surface: asking.surface, asked, circumstances, reply: None, failure: None }
    }

    /// A request with its reply.
    pub(crate) fn answered(asking: &'a Asking, circumstances: &'a Circumstances, reply: Reply) -> Self {
        Self { reply: Some(reply), ..Self::begun(asking, circumstances) }
    }

    /// A request that failed.
    pub(crate) fn failed(asking: &'a Asking, circumstances: &'a Circumstances, failure: String) -> Self {
        Self { failure: Some(failure), ..Self::begun(asking, circumstances) }
    }

    /// The text that is kept.
    pub(crate) fn written(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

fn turn(turn: &Turn) -> TurnRecord<'_> {
    let role = match turn.speaker {
        Speaker::Asker => "user",
        Speaker::Vouch => "assistant",
    };
    TurnRecord { role, content: &turn.text, sources: &turn.sources }
}
