//! Why there is no answer → the same in words alone; the figures are for `--explain` and for programs.

use vouch_service::wire::Reply;

const FAR: &str = "Nothing in these documents is close enough to this question.";
const SILENT: &str = "Some passages are about this, but none of them clearly answers it.";
const UNREAD: &str = "The passages that were found could not be read.";
const UNSURE: &str = "Something was found, but it is not certain enough to be shown as an answer.";
const UNVERIFIED: &str = "What the model wrote could not be verified.";
const NONE: &str = "Nothing about this was found in the documents.";
const PARTLY: &str = "Nothing was found, but part of the search was unavailable. Please ask again later.";

/// Stands above what comes nearest. That the documents do not say something is more than a search that found no answer knows.
pub(crate) const NEAREST: &str = "No certain answer was found. Closest matches:";

/// What a warning begins with that names words of the question which were not found.
const MISSING: &str = "Not in the evidence: ";

/// The warnings that are told beside a reply. Of a refusal the words that were not found are told with its reason.
pub(crate) fn warnings(reply: &Reply) -> impl Iterator<Item = &String> {
    let is_refused = reply.refusal_reason.is_some();
    reply.warnings.iter().filter(move |warning| !(is_refused && warning.starts_with(MISSING)))
}

/// The reason of a refusal (`gate NAME: sentence with a figure`) for a person, with the words that were not found.
pub(crate) fn why(reason: &str, warnings: &[String]) -> String {
    let told = reason_of(reason);
    match warnings.iter().find_map(|warning| warning.strip_prefix(MISSING)) {
        Some(missing) if [FAR, SILENT].contains(&told.as_str()) => {
            format!("{told} What was found does not mention {missing}.")
        }
        Some(_) | None => told,
    }
}

fn reason_of(reason: &str) -> String {
    let (gate, sentence) = reason.strip_prefix("gate ").and_then(|rest| rest.split_once(": ")).unwrap_or(("", reason));
    let told = match gate {
        "top1" | "coverage" | "no_context" | "bail_out" => FAR,
        "answerability" if sentence.starts_with("No passage was read") => UNREAD,
        "answerability" => SILENT,
        "evidence" if sentence.starts_with("0 passages") => NONE,
        "evidence" if sentence.starts_with("no passage") => PARTLY,
        "evidence" if sentence.starts_with("none of") => FAR,
        "evidence" => SILENT,
        "confidence" => UNSURE,
        "claims" | "outline" => UNVERIFIED,
        "constraints" => return as_sentence(sentence.split_once(": ").map_or(sentence, |(_, unmet)| unmet)),
        _ => return as_sentence(sentence),
    };
    told.to_owned()
}

/// The words with a capital in front and a full stop behind.
fn as_sentence(words: &str) -> String {
    let mut signs = words.chars();
    let first: String = signs.next().into_iter().flat_map(char::to_uppercase).collect();
    let end = if words.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{first}{}{end}", signs.as_str())
}

#[cfg(test)]
mod tests {
    use super::{FAR, MISSING, NEAREST, NONE, PARTLY, SILENT, UNREAD, UNSURE, UNVERIFIED, why};

    #[test]
    fn the_page_says_the_same() {
        let page = include_str!("../../server/web/words.js");
        for sentence in [FAR, SILENT, UNREAD, UNSURE, UNVERIFIED, NONE, PARTLY, NEAREST, MISSING] {
            assert!(page.contains(&format!("\"{sentence}\"")), "{sentence}");
        }
    }

    #[test]
    fn words_that_were_not_found_are_told_with_the_reason() {
        let missing = ["Not in the evidence: ceilometer".to_owned()];
        let told = why("gate top1: Top-1 similarity (0.58) not above threshold (0.7)", &missing);
        assert_eq!(told, format!("{FAR} What was found does not mention ceilometer."));
        assert_eq!(why("gate entity: no document is called \"ADR-77\"", &missing), "No document is called \"ADR-77\".");
    }

    #[test]
    fn a_reason_loses_its_figures_and_keeps_what_it_says() {
        let cases = [
            ("gate top1: Top-1 similarity (0.58) not above threshold (0.7)", FAR),
            ("gate answerability: The judge does not find the answer in any passage (0.25, below 0.45)", SILENT),
            (
                "gate constraints: The question's conditions are not met: the documents found mention 2018, not 2021",
                "The documents found mention 2018, not 2021.",
            ),
            ("gate terminology: no vocabulary defines \"twin\"", "No vocabulary defines \"twin\"."),
            ("gate entity: no document is called \"ADR-77\"", "No document is called \"ADR-77\"."),
            ("gate evidence: 0 passages found, at least 1 is needed", NONE),
            ("gate evidence: no passage found, and a part of the search was down", PARTLY),
            ("gate evidence: none of the 3 passages found is close enough", FAR),
            ("something else", "Something else."),
        ];
        for (reason, expected) in cases {
            assert_eq!(why(reason, &[]), expected, "{reason}");
        }
    }
}
