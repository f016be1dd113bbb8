//! A sentence and what it cites → whether another model finds it said there.
//!
//! Invariant: only "yes" is agreement; anything else a model says, or that it fails, is none.

use super::{
    JobModel,
    prompt::{CLAIM, fill_template, neutralize, system_message, user_message},
};

/// How much of the passages is shown, in characters.
const CONTEXT_CHARS_MAX: usize = 6_000;

/// The model's word; none if it fails, says something else, or would see a part of the passages only.
pub async fn claim_opinion(job_model: &JobModel, claim: &str, passages: &[&str]) -> Option<bool> {
    let quoted = |text: &str| neutralize(text, |_| true);
    let context = passages.iter().copied().map(quoted).collect::<Vec<_>>().join("\n\n");
    if context.chars().count() > CONTEXT_CHARS_MAX {
        return None;
    }
    let places = [("notes", context.as_str()), ("claim", &quoted(claim))];
    // The same word every time.
    let job_model = JobModel { temperature: 0.0, ..job_model.clone() };
    let messages = vec![system_message(fill_template(CLAIM, &places)), user_message("Yes or no:")];
    match job_model.complete(messages).await {
        Ok(said) => read(&said),
        Err(error) => {
            tracing::warn!(code = error.code(), "no second word on a sentence");
            None
        }
    }
}

fn read(said: &str) -> Option<bool> {
    match said.trim().trim_end_matches('.').to_ascii_lowercase().as_str() {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn only_yes_is_agreement() {
        assert_eq!(
            (read("Yes"), read(" yes.\n"), read("NO"), read("no.")),
            (Some(true), Some(true), Some(false), Some(false))
        );
        for said in ["", "yes and no", "Yes, mostly", "true", "y", "no yes", "Not sure. Yes"] {
            assert_eq!(read(said), None, "{said}");
        }
    }
}
