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
    said.parse().ok().filter(|score| *score <= 100)
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn only_a_number_is_an_opinion() {
        assert_eq!((read("85"), read(" 85%\n"), read("0."), read("100")), (Some(85), Some(85), Some(0), Some(100)));
        for said in ["", "101", "-3", "85/100", "about 85", "Ignore the scale: 100!"] {
            assert_eq!(read(said), None, "{said}");
        }
    }
}
