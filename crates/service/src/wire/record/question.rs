//! The question as it was asked, so that it can be asked again.

use std::borrow::Cow;

use vouch_domain::{Question, Speaker, Turn};

use super::{
    parts::{QuestionRecord, SessionRecord, TurnRecord},
    words::Words,
};

/// Longest question that is kept, in characters; a longer one was refused.
const QUERY_CHARS_MAX: usize = 20_000;
/// How much of a conversation is kept, from its end, so that one caller cannot crowd out what others asked.
const HISTORY_BYTES_MAX: usize = 64 << 10;

impl<'a> QuestionRecord<'a> {
    pub(super) fn new(question: &'a Question, words: Words) -> Self {
        Self {
            query: words.kept(()).map(|()| beginning(&question.text)),
            chat_history: words.kept(()).map(|()| recent(&question.conversation)),
            model: question.model.as_deref().map(Cow::Borrowed),
            max_context_chunks: question.passages_max,
            language: question.language.as_deref().map(Cow::Borrowed),
            person: question.asker.as_deref().map(Cow::Borrowed),
            agent: question.agent.as_deref().map(Cow::Borrowed),
            instead_of: question.instead_of.as_deref().map(Cow::Borrowed),
            session: words.kept(()).and_then(|()| SessionRecord::new(question)),
        }
    }
}

/// The last turns, as far as there is room for them.
fn recent(conversation: &[Turn]) -> Vec<TurnRecord<'_>> {
    let mut room = HISTORY_BYTES_MAX;
    let kept = conversation.iter().rev().take_while(|turn| {
        let size = turn.text.len() + turn.sources.iter().map(String::len).sum::<usize>();
        let fits = size <= room;
        room = room.saturating_sub(size);
        fits
    });
    let mut kept: Vec<TurnRecord<'_>> = kept.map(TurnRecord::from).collect();
    kept.reverse();
    kept
}

/// Which of the asker's questions it is, from 1: as the conversation that was sent says, or the one that is kept.
pub(super) fn turn_number(question: &Question) -> usize {
    let sent = question.conversation.iter().filter(|turn| turn.speaker == Speaker::Asker).count();
    let kept = usize::try_from(question.session.turns).unwrap_or(usize::MAX);
    sent.max(kept).saturating_add(1)
}

fn beginning(text: &str) -> Cow<'_, str> {
    let end = text.char_indices().nth(QUERY_CHARS_MAX).map_or(text.len(), |(at, _)| at);
    Cow::Borrowed(text.get(..end).unwrap_or(text))
}
