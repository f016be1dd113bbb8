//! What a server says of a question that is too long → by how much, where it says so.
//!
//! Every server words it differently, and few give figures in fields of their own:
//! `request (5031 tokens) exceeds the available context size (2048 tokens)`,
//! `maximum context length is 8192 tokens. However, your messages resulted in 10000 tokens`,
//! `prompt too long; exceeded max context length by 1200 tokens`, `the input length exceeds the context length`.

use vouch_domain::ModelError;

/// The failure a message tells, if it is about a question too long for the model; `window` is the room asked for.
pub(crate) fn read_overflow(message: &str, window: usize) -> Option<ModelError> {
    let message = message.to_lowercase();
    let words = ["context length", "context size", "context window"];
    let (_, after) = words.iter().find_map(|word| message.split_once(word))?;
    let needed = token_counts(&message).into_iter().max();
    let available = numbers(after).into_iter().next().map(|(number, _)| number);
    Some(match (needed, available) {
        (Some(excess), _) if after.trim_start().starts_with("by ") => {
            ModelError::TokenBudgetExceeded { needed: window.saturating_add(excess), available: window }
        }
        (Some(needed), Some(available)) if needed > available => ModelError::TokenBudgetExceeded { needed, available },
        _ => ModelError::Context { sentence: "the server says that it is longer than the model can read".to_owned() },
    })
}

/// The numbers that count tokens.
fn token_counts(text: &str) -> Vec<usize> {
    let is_count = |after: &str| {
        let after = after.trim_start();
        after.starts_with("token") || after.starts_with("input token")
    };
    numbers(text).into_iter().filter(|(_, after)| is_count(after)).map(|(number, _)| number).collect()
}

/// Every number, its thousands set apart by commas or not, with what comes after it.
fn numbers(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let from = rest.get(at..).unwrap_or_default();
        let length = from.find(|c: char| !c.is_ascii_digit() && c != ',').unwrap_or(from.len());
        let (digits, after) = from.split_at_checked(length).unwrap_or((from, ""));
        found.extend(digits.replace(',', "").parse().ok().map(|number| (number, after)));
        rest = after;
    }
    found
}

#[cfg(test)]
mod tests {
    use vouch_domain::ModelError;

    use super::read_overflow;

    fn check(message: &str, expected: Option<(usize, usize)>) {
        let read = read_overflow(message, 4096);
        let figures = match &read {
            Some(ModelError::TokenBudgetExceeded { needed, available }) => Some((*needed, *available)),
            _ => None,
        };
        assert_eq!(figures, expected, "{message}: {read:?}");
        assert!(read.is_some(), "{message}");
    }

    #[test]
    fn figures_are_read_from_every_servers_words() {
        check("request (5031 tokens) exceeds the available context size (2048 tokens), try", Some((5031, 2048)));
        let openai = "This model's maximum context length is 8192 tokens. However, your messages resulted in 10000 \
                      tokens. Please reduce the length of the messages.";
        check(openai, Some((10000, 8192)));
        let with_answer = "This model's maximum context length is 16,385 tokens. However, you requested 20,000 tokens \
                           (18,000 in the messages, 2,000 in the completion).";
        check(with_answer, Some((20000, 16385)));
        check("prompt too long; exceeded max context length by 1200 tokens", Some((5296, 4096)));
    }

    #[test]
    fn no_figures_are_made_up() {
        check("the input length exceeds the context length", None);
        let unclear = "'max_tokens' is too large: 5000. This model's maximum context length is 4096 tokens and your \
                       request has 1000 input tokens (5000 > 4096 - 1000).";
        check(unclear, None);
    }

    #[test]
    fn other_failures_are_not_about_length() {
        assert_eq!(read_overflow("model 'x' not found", 10), None);
        assert_eq!(read_overflow("context canceled", 10), None);
    }
}
