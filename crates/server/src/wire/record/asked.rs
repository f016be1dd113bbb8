//! The question as it was asked, so that it can be asked again.

use serde::Serialize;
use vouch_domain::{Question, Speaker, Turn};

use super::Words;

#[derive(Debug, Serialize)]
pub(super) struct AskedRecord<'a> {
    query: Option<&'a str>,
    chat_history: Option<Vec<TurnRecord<'a>>>,
    model: Option<&'a str>,
    max_context_chunks: Option<usize>,
}

#[derive(Debug, Serialize)]
struct TurnRecord<'a> {
    role: &'static str,
    content: &'a str,
    sources: &'a [String],
}

impl<'a> AskedRecord<'a> {
    pub(super) fn of(question: &'a Question, words: Words) -> Self {
        Self {
            query: words.kept(question.text.as_str()),
            chat_history: words.kept(()).map(|()| question.conversation.iter().map(turn).collect()),
            model: question.model.as_deref(),
            max_context_chunks: question.passages_max,
        }
    }
}

/// Which of the asker's questions it is, from 1.
pub(super) fn turn_number(question: &Question) -> usize {
    question.conversation.iter().filter(|turn| turn.speaker == Speaker::Asker).count() + 1
}

fn turn(turn: &Turn) -> TurnRecord<'_> {
    let role = match turn.speaker {
        Speaker::Asker => "user",
        Speaker::Vouch => "assistant",
    };
    TurnRecord { role, content: &turn.text, sources: &turn.sources }
}
