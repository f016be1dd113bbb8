//! A model's context window, divided: instructions are never cut, room for the answer is kept, then comes the
//! conversation, then the evidence.
//!
//! Invariant: the question and the asker's last message always stay; the oldest messages and the least relevant notes go
//! first; what cannot fit is an error and not a cut.

use vouch_domain::{ModelError, Speaker, Turn};

use crate::policy::BudgetPolicy;

/// Tokens of the message framing around a text, at most.
const MESSAGE_TOKENS: usize = 8;

/// Everything that needs room in the window.
pub struct BudgetRequest<'a> {
    /// The instructions, without the evidence.
    pub system: &'a str,
    /// The question.
    pub question: &'a str,
    /// What was said before, oldest first.
    pub history: &'a [Turn],
    /// The evidence as the model would see it.
    pub notes: Vec<Note>,
}

/// One piece of evidence as the model would see it.
#[derive(Debug, Clone, PartialEq)]
pub struct Note {
    /// The piece's number.
    pub marker: u32,
    /// How relevant it is.
    pub relevance: f32,
    /// Its text with its heading and fence.
    pub text: String,
}

/// What fits into the window.
#[derive(Debug, Clone, PartialEq)]
pub struct Allocation {
    /// What was said before, oldest first.
    pub history: Vec<Turn>,
    /// The evidence, in the order it was given.
    pub notes: Vec<Note>,
    /// The tokens of the evidence.
    pub context_tokens: usize,
    /// The tokens of the conversation.
    pub history_tokens: usize,
}

/// What a model has room for.
#[derive(Clone, Copy)]
pub struct ModelCapacity<'a> {
    /// How its tokens are counted.
    pub count: &'a dyn Fn(&str) -> usize,
    /// Prompt and answer together.
    pub window: usize,
    /// The most it may say.
    pub response: usize,
}

/// Divides the window.
///
/// # Errors
/// Fails if the question, or the asker's last message with it, cannot fit, or no evidence does.
pub fn allocate(
    wanted: BudgetRequest<'_>,
    room: ModelCapacity<'_>,
    policy: &BudgetPolicy,
) -> Result<Allocation, ModelError> {
    let counted = |text: &str| (room.count)(text) + MESSAGE_TOKENS;
    let system = counted(wanted.system).max(policy.system_reserved);
    let fixed = system + room.response.min(policy.response_max) + counted(wanted.question);
    let too_much = |needed: usize| ModelError::TokenBudgetExceeded { needed, available: room.window };
    let left = room.window.checked_sub(fixed).ok_or_else(|| too_much(fixed))?;
    let (history, history_tokens) = recent(wanted.history, (left / 3).min(policy.history_max), &counted);
    let left = left.checked_sub(history_tokens).ok_or_else(|| too_much(fixed + history_tokens))?;
    let (notes, context_tokens) = relevant(wanted.notes, left.min(policy.context_max), &counted);
    if notes.is_empty() {
        let sentence = format!("no passage fits in the {} tokens that are left", left.min(policy.context_max));
        return Err(ModelError::Context { sentence });
    }
    Ok(Allocation { history, notes, context_tokens, history_tokens })
}

/// The newest messages that fit; the asker's last one stays whatever it takes.
fn recent(history: &[Turn], tokens_max: usize, counted: &dyn Fn(&str) -> usize) -> (Vec<Turn>, usize) {
    let last_asked = history.iter().rposition(|turn| turn.speaker == Speaker::Asker);
    let mut kept: Vec<Turn> = Vec::new();
    let mut tokens = 0;
    for (place, turn) in history.iter().enumerate().rev() {
        let cost = counted(&turn.text);
        let must_stay = last_asked == Some(place);
        let fits = tokens + cost <= tokens_max;
        if !fits && !must_stay {
            // What was answered to the last question may go where the question itself stays.
            if last_asked.is_some_and(|asked| place > asked) {
                continue;
            }
            break;
        }
        tokens += cost;
        kept.push(turn.clone());
        if !fits {
            break;
        }
    }
    kept.reverse();
    (kept, tokens)
}

/// The notes that fit, the least relevant left out first.
fn relevant(notes: Vec<Note>, tokens_max: usize, counted: &dyn Fn(&str) -> usize) -> (Vec<Note>, usize) {
    let mut kept: Vec<(Note, usize)> =
        notes.into_iter().map(|note| (counted(&note.text), note)).map(|(c, n)| (n, c)).collect();
    let mut tokens: usize = kept.iter().map(|(_, cost)| cost).sum();
    while tokens > tokens_max {
        let least = (0..kept.len()).min_by(|a, b| {
            let relevance = |at: &usize| kept.get(*at).map_or(0.0, |(note, _)| note.relevance);
            relevance(a).total_cmp(&relevance(b)).then(b.cmp(a))
        });
        let Some(least) = least else { break };
        let (_, cost) = kept.remove(least);
        tokens -= cost;
    }
    (kept.into_iter().map(|(note, _)| note).collect(), tokens)
}
