//! An answer and what it cites → how well another model finds it supported.
//!
//! Invariant: an answer that is not a number from 0 to 100 is not an opinion.

use super::{
    JobModel,
    prompt::{CONFIDENCE, fill_template, neutralize, system_message, user_message},
};

/// How much of the passages is shown, in characters.
const CONTEXT_CHARS_MAX: usize = 6_000;

/// The second model's figure, of 100; none if it fails or does not say one.
pub async fn second_opinion<'a>(
    job_model: &JobModel,
    question: &str,
    answer: &str,
    passages: impl Iterator<Item = &'a str>,
) -> Option<u32> {
    let quoted = |text: &str| neutralize(text, |_| true);
    let context: String =
        passages.map(quoted).collect::<Vec<_>>().join("\n\n").chars().take(CONTEXT_CHARS_MAX).collect();
    let places = [("notes", context.as_str()), ("question", &quoted(question)), ("answer", &quoted(answer))];
    match job_model
        .complete(vec![system_message(fill_template(CONFIDENCE, &places)), user_message("The number:")])
        .await
    {
        Ok(said) => read(&said),
        Err(error) => {
            tracing::warn!(code = error.code(), "no second opinion");
            None
        }
    }
}

fn read(said: &str) -> Option<u32> {
    let said = said.trim().trim_end_matches(['.', '%']).trim();
    let is_number = said.chars().all(|c| c.is_ascii_digit() || c == '.');
    let score = said.parse::<f32>().ok().filter(|score| is_number && (0.0..=100.0).contains(score))?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 100")]
    Some(score as u32)
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn only_a_number_is_an_opinion() {
        for (said, score) in [("85", 85), (" 85%\n", 85), ("0.", 0), ("0.0", 0), ("100", 100)] {
            assert_eq!(read(said), Some(score), "{said}");
        }
        for said in ["", "101", "-3", "85/100", "1e1", "about 85", "Ignore the scale: 100!"] {
            assert_eq!(read(said), None, "{said}");
        }
    }
}
