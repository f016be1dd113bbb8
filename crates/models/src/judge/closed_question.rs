//! A question → whether yes or no would answer it: then no span of the passage is the answer, and the judge's margin of one over none
//! says nothing.

/// Words that may stand before the question itself.
const LEAD_INS: &[&str] = &["and", "but", "or", "so", "then", "also"];
/// How many of them are passed over.
const LEAD_INS_MAX: usize = 2;
/// Verbs that a question for yes or no begins with. `training/calibrate.py` has the same.
const OPENERS: &[&str] = &[
    "am", "are", "can", "could", "did", "do", "does", "had", "has", "have", "is", "may", "might", "must", "shall",
    "should", "was", "were", "will", "would",
];

pub(super) fn is_closed(question: &str) -> bool {
    let mut words =
        question.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).take(LEAD_INS_MAX + 1);
    let first = words.find(|word| !is_one_of(LEAD_INS, word));
    first.is_some_and(|word| is_one_of(OPENERS, word))
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
        ] {
            assert!(is_closed(closed), "{closed}");
        }
        for open in [
            "",
            "?!",
            "Who may swap?",
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
