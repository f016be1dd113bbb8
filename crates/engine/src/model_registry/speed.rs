//! A model that writes → how fast it reads and writes here, and how long an answer would take.
//!
//! Invariant: it is asked once, is listened to for a few words only, and has the deadlines that an answer has.

use std::{sync::Arc, time::Duration};

use vouch_domain::{ModelError, ports::Clock};

use super::{
    JobModel,
    prompt::{ANSWER, system_message, user_message},
};
use crate::policy::BudgetPolicy;

/// What it is given to read: sentences of about ten tokens each.
const SENTENCES: usize = 24;
/// How many pieces of its answer are listened to.
const PIECES: usize = 24;
/// How long an answer usually is, in tokens.
const ANSWER_TOKENS: f64 = 100.0;

/// How fast a model is, in tokens a second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ModelSpeed {
    /// How fast it reads.
    pub reads: f64,
    /// How fast it writes; none if it said a word or two and was done.
    pub writes: Option<f64>,
    /// After how long an answer would begin, with as much evidence as it may be given.
    pub first_word: Duration,
    /// How long such an answer would take.
    pub answer: Duration,
    /// How many tokens of evidence would let it begin in time; none where it does as it is.
    pub context_advised: Option<usize>,
}

/// Has the model read a little and write a little.
///
/// # Errors
/// As the model's server.
pub async fn measure_speed(
    job_model: &JobModel,
    clock: &Arc<dyn Clock>,
    budget: &BudgetPolicy,
) -> Result<ModelSpeed, ModelError> {
    let text: String =
        (1..=SENTENCES).map(|at| format!("Box {at} holds {} grey pens and a key. ", at * 7 + 3)).collect();
    let asked = "Count the boxes aloud, one by one: box 1, box 2 and so on.";
    let read = job_model.count(&text) + job_model.count(asked);
    let began = clock.since_start();
    let mut completion = job_model.stream_completion(vec![system_message(text), user_message(asked)]).await?;
    let mut first = None;
    let mut written = 0.0;
    for _ in 0..PIECES {
        let Some(bytes) = completion.next().await? else { break };
        match first {
            None => first = Some(clock.since_start()),
            Some(_) => written += (tokens(job_model.count(&String::from_utf8_lossy(&bytes)))).max(1.0),
        }
    }
    let ended = clock.since_start();
    let first = first.unwrap_or(ended);
    let reads = tokens(read) / seconds(first.saturating_sub(began));
    let writes = (written > 0.0).then(|| written / seconds(ended.saturating_sub(first)));
    let instructions = tokens(job_model.count(ANSWER).max(budget.system_reserved));
    let first_word = (instructions + tokens(budget.context_max)) / reads;
    let answer = first_word + writes.map_or(0.0, |writes| ANSWER_TOKENS / writes);
    let in_time = job_model.first_token_timeout.as_secs_f64() * reads - instructions;
    let is_late = first_word > job_model.first_token_timeout.as_secs_f64();
    Ok(ModelSpeed {
        reads,
        writes,
        first_word: Duration::try_from_secs_f64(first_word).unwrap_or(Duration::MAX),
        answer: Duration::try_from_secs_f64(answer).unwrap_or(Duration::MAX),
        context_advised: is_late.then(|| whole(in_time)),
    })
}

/// No less than a millisecond, so that nothing is divided by nothing.
fn seconds(time: Duration) -> f64 {
    time.as_secs_f64().max(0.001)
}

#[expect(clippy::cast_precision_loss, reason = "a count of tokens is far below what a float holds")]
fn tokens(count: usize) -> f64 {
    count as f64
}

/// Whole hundreds, none below nothing.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded on both sides before")]
fn whole(count: f64) -> usize {
    ((count.clamp(0.0, 1e9) / 100.0).floor() as usize) * 100
}
