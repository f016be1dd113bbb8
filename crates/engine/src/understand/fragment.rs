//! A follow-up that is no sentence and the question before → the question before, asked anew: "and after 15 years?", "and a P4?".

use vouch_domain::language::fold_spaces;

const QUESTION_WORDS: &[&str] = &["what", "which", "who", "whom", "whose", "when", "where", "why", "how"];
const AUXILIARIES: &[&str] = &[
    "is", "are", "was", "were", "do", "does", "did", "can", "could", "may", "must", "should", "will", "would", "has",
    "have", "had",
];
/// What a circumstance begins with.
const CIRCUMSTANCES: &[&str] = &[
    "after", "at", "before", "by", "during", "for", "from", "if", "in", "on", "per", "since", "under", "until",
    "while", "with", "within", "without",
];
/// What is left of a question whose circumstance is exchanged.
const WORDS_LEFT_MIN: usize = 3;

/// The question before with the fragment in the place of what it exchanges; none if this is no fragment, or it is not
/// certain what it exchanges.
pub(super) fn completed(fragment: &str, before: &str) -> Option<String> {
    let fragment = fragment.trim_end_matches(['?', '.', '!', ' ']);
    let words: Vec<String> = fragment.split_whitespace().map(fold_spaces).collect();
    let first = words.first()?.as_str();
    let is_question = words.iter().any(|word| QUESTION_WORDS.contains(&word.as_str()));
    if AUXILIARIES.contains(&first) || is_question {
        return None;
    }
    let before = before.trim().trim_end_matches(['?', '.', '!', ' ']);
    if CIRCUMSTANCES.contains(&first) {
        Some(with_circumstance(fragment, before))
    } else {
        with_sibling(fragment, before)
    }
}

/// The last circumstance of the question before makes room for this one.
fn with_circumstance(fragment: &str, before: &str) -> String {
    let words: Vec<&str> = before.split_whitespace().collect();
    let is_one = |word: &&str| CIRCUMSTANCES.contains(&fold_spaces(word).as_str());
    let last = words.iter().rposition(is_one).filter(|at| *at >= WORDS_LEFT_MIN);
    let kept = words.get(..last.unwrap_or(words.len())).unwrap_or_default();
    format!("{} {fragment}?", kept.join(" "))
}

/// A code in the question before that differs by its number alone makes room for the one named now.
fn with_sibling(fragment: &str, before: &str) -> Option<String> {
    let codes =
        |text: &str| -> Vec<String> { text.split_whitespace().map(bare).filter(|word| is_code(word)).collect() };
    let now = codes(fragment);
    let [now] = now.as_slice() else { return None };
    let old = codes(before).into_iter().find(|old| letters(old).eq_ignore_ascii_case(letters(now)) && old != now)?;
    let words: Vec<&str> = before.split_whitespace().collect();
    let at = words.iter().position(|word| bare(word) == old)?;
    let exchanged = words.iter().enumerate().map(|(place, word)| match place == at {
        true => word.replacen(old.as_str(), now, 1),
        false => (*word).to_owned(),
    });
    Some(format!("{}?", exchanged.collect::<Vec<_>>().join(" ")))
}

fn bare(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned()
}

fn is_code(word: &str) -> bool {
    word.contains(|c: char| c.is_ascii_digit())
}

/// A code without the number at its end.
fn letters(code: &str) -> &str {
    code.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')
}

#[cfg(test)]
mod tests {
    use super::completed;

    #[test]
    fn a_fragment_takes_the_place_of_what_it_exchanges() {
        let cases = [
            (
                "after 15 years?",
                "How much leave do I earn in my first year?",
                "How much leave do I earn after 15 years?",
            ),
            (
                "if I am away for a month",
                "Which line do I use for a week of leave?",
                "Which line do I use if I am away for a month?",
            ),
            ("for pumps?", "Who pays?", "Who pays for pumps?"),
            ("a P4?", "How soon must we answer a P3 incident?", "How soon must we answer a P4 incident?"),
            ("2023?", "Who audited it in 2018?", "Who audited it in 2023?"),
            ("2023?", "Who signed ISO27001-2018 in 2018?", "Who signed ISO27001-2018 in 2023?"),
        ];
        for (fragment, before, expected) in cases {
            assert_eq!(completed(fragment, before).as_deref(), Some(expected), "{fragment}");
        }
    }

    #[test]
    fn a_question_is_no_fragment_and_a_new_thing_exchanges_nothing_for_certain() {
        for text in ["when are the awards paid?", "who signs it?", "is it paid?", "the slope?"] {
            assert_eq!(completed(text, "When was the Stone Channel built?"), None, "{text}");
        }
    }
}
