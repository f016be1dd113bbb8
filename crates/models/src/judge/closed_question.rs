//! A question → whether yes or no would answer it: then no span of the passage is the answer, and the judge's margin of one over none
//! says nothing.

/// Words that may stand before the question itself.
const LEAD_INS: &[&str] = &["and", "but", "or", "so", "then", "also"];
/// How many of them are passed over.
const LEAD_INS_MAX: usize = 2;
/// Verbs that a question for yes or no begins with, also as "isn't" begins. `training/calibrate.py` has all four lists.
const OPENERS: &[&str] = &[
    "am", "are", "aren", "can", "could", "couldn", "did", "didn", "do", "does", "doesn", "don", "had", "has", "hasn",
    "have", "haven", "is", "isn", "may", "might", "must", "shall", "should", "shouldn", "was", "wasn", "were", "weren",
    "will", "won", "would", "wouldn",
];
/// "Can you tell me who …" and "Do you know when …" ask for more than yes: one of these right before a question word.
const TELLING: &[&str] = &["me", "us", "know", "say", "tell", "explain", "remember", "about"];
const QUESTION_WORDS: &[&str] = &["who", "whom", "whose", "what", "which", "when", "where", "why", "how"];
/// How many words such a beginning has at most.
const BEGINNING_WORDS_MAX: usize = 8;

pub(super) fn is_closed(question: &str) -> bool {
    let words = question.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let beginning: Vec<&str> = words.take(BEGINNING_WORDS_MAX).collect();
    let first = beginning.iter().take(LEAD_INS_MAX + 1).find(|word| !is_one_of(LEAD_INS, word));
    let asks_to_tell =
        beginning.array_windows().any(|[before, word]| is_one_of(TELLING, before) && is_one_of(QUESTION_WORDS, word));
    first.is_some_and(|word| is_one_of(OPENERS, word)) && !asks_to_tell
}

fn is_one_of(known: &[&str], word: &str) -> bool {
    known.iter().any(|one| one.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::is_closed;

    #[test]
    fn questions_for_yes_or_no_are_told_from_others() {
        for closed in [
            "Is it open on Sundays?",
            "can I swap a shift",
            "And does that hold for interns?",
            "so, may they?",
            "  - Could we pay by card?",
            "Isn't it free?",
            "Don’t they close at noon?",
            "Is that what we agreed?",
        ] {
            assert!(is_closed(closed), "{closed}");
        }
        for open in [
            "",
            "?!",
            "Who may swap?",
            "Can you tell me who may swap?",
            "Do you know when it opens?",
            "Could you please explain to us how it works?",
            "What is open?",
            "and so then also is it?",
            "Island ferries",
            "isotope use",
            "25 is what?",
        ] {
            assert!(!is_closed(open), "{open}");
        }
    }
}
