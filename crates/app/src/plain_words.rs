//! Why there is no answer → the same in words alone; the figures are for `--explain` and for programs.

const FAR: &str = "Nothing in these documents comes near enough to this question.";
const SILENT: &str = "There are passages on this in the documents, and none of them says what was asked.";
const UNREAD: &str = "The passages that were found could not be read.";
const UNSURE: &str = "Something was found, and it is not sure enough to be shown as an answer.";
const UNVERIFIED: &str = "What the model wrote could not be verified.";
const NONE: &str = "The documents hold nothing that you may see on this.";

/// The reason of a refusal (`gate NAME: sentence with a figure`) for a person.
pub(crate) fn why(reason: &str) -> String {
    let (gate, sentence) = reason.strip_prefix("gate ").and_then(|rest| rest.split_once(": ")).unwrap_or(("", reason));
    let told = match gate {
        "top1" | "coverage" | "no_context" | "bail_out" => FAR,
        "answerability" if sentence.starts_with("No passage was read") => UNREAD,
        "answerability" => SILENT,
        "evidence" if sentence.starts_with("0 passages") => NONE,
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
    use super::{FAR, SILENT, why};

    #[test]
    fn a_reason_loses_its_figures_and_keeps_what_it_says() {
        let cases = [
            ("gate top1: Top-1 similarity (0.58) not above threshold (0.7)", FAR),
            ("gate answerability: The judge does not find the answer in any passage (0.25, below 0.45)", SILENT),
            (
                "gate constraints: What is asked for is not met: the documents speak of 2018, not of 2021",
                "The documents speak of 2018, not of 2021.",
            ),
            ("gate terminology: no vocabulary defines \"twin\"", "No vocabulary defines \"twin\"."),
            ("gate entity: no document is called \"ADR-77\"", "No document is called \"ADR-77\"."),
            ("something else", "Something else."),
        ];
        for (reason, expected) in cases {
            assert_eq!(why(reason), expected, "{reason}");
        }
    }
}
