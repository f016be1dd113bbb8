//! A sentence and a passage → whether another model finds the sentence said there.
//!
//! Invariant: only a whole "yes" is agreement. A model that fails, is late, is cut off, says something else or could not see all of the
//! passage has not agreed.

use std::time::Duration;

use super::{
    JobModel,
    prompt::{CLAIM, fill_template, neutralize, system_message, user_message},
};

/// How long a passage may be, in characters.
const PASSAGE_CHARS_MAX: usize = 6_000;
const ASKED: &str = "Yes or no:";

/// What a model makes of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClaimOpinion {
    /// The passage says so.
    Agrees,
    /// It does not.
    Disagrees,
    /// It said neither, or could not be shown the whole.
    Unclear,
    /// It failed or was late.
    Failed,
}

/// The model's word, within a time.
pub async fn claim_opinion(job_model: &JobModel, claim: &str, passage: &str, timeout: Duration) -> ClaimOpinion {
    let quoted = |text: &str| neutralize(text, |_| true);
    let prompt = fill_template(CLAIM, &[("notes", &quoted(passage)), ("claim", &quoted(claim))]);
    let tokens = job_model.count(&prompt) + job_model.count(ASKED) + job_model.allowed.response_tokens_max;
    if passage.chars().count() > PASSAGE_CHARS_MAX || tokens > job_model.allowed.context_window {
        return ClaimOpinion::Unclear;
    }
    // As near to the same word every time as a server allows.
    let job_model = JobModel { temperature: 0.0, ..job_model.clone() };
    let messages = vec![system_message(prompt), user_message(ASKED)];
    match tokio::time::timeout(timeout, job_model.complete_uncut(messages)).await {
        Ok(Ok(said)) => said.map_or(ClaimOpinion::Unclear, |said| read(&said)),
        Ok(Err(error)) => {
            tracing::warn!(code = error.code(), "no second word on a sentence");
            ClaimOpinion::Failed
        }
        Err(_) => ClaimOpinion::Failed,
    }
}

fn read(said: &str) -> ClaimOpinion {
    match said.trim().trim_end_matches('.').to_ascii_lowercase().as_str() {
        "yes" => ClaimOpinion::Agrees,
        "no" => ClaimOpinion::Disagrees,
        _ => ClaimOpinion::Unclear,
    }
}

#[cfg(test)]
mod tests {
    use super::{ClaimOpinion, read};

    #[test]
    fn only_yes_is_agreement() {
        assert_eq!([read("Yes"), read(" yes.\n")], [ClaimOpinion::Agrees; 2]);
        assert_eq!([read("NO"), read("no.")], [ClaimOpinion::Disagrees; 2]);
        for said in ["", "yes and no", "Yes, mostly", "true", "y", "no yes", "Not sure. Yes"] {
            assert_eq!(read(said), ClaimOpinion::Unclear, "{said}");
        }
    }
}
