//! A model's sentence → what it says, without a frame that says only where it was read.
//!
//! "According to the notes, leave is 25 days." says that leave is 25 days. A frame that names a document stays: it is a
//! claim of its own.

/// How a frame begins.
const OPENINGS: &[&str] =
    &["according to ", "based on ", "as stated in ", "as per ", "as mentioned in ", "as described in "];
/// What it may name: nothing but what the model was given.
const GIVEN: &[&str] = &[
    "the notes",
    "the note",
    "the context",
    "the provided context",
    "the given context",
    "the provided notes",
    "the given notes",
    "the documents",
    "the document",
    "the provided documents",
    "the passages",
    "the passage",
    "the text",
    "the provided text",
    "the information provided",
    "the provided information",
    "the sources",
    "the available documents",
    "these notes",
    "the notes provided",
    "the context provided",
];
/// Frames that are whole.
const SAYINGS: &[&str] = &[
    "the notes say that ",
    "the notes state that ",
    "the context states that ",
    "the document states that ",
    "the documents state that ",
    "the passage states that ",
    "the text states that ",
    "the document says that ",
    "the notes indicate that ",
    "the context indicates that ",
];

/// The sentence without its frame.
#[must_use]
pub(super) fn strip_framing(text: &str) -> String {
    let lower = text.to_lowercase();
    // Letters whose small form has another length would put the places out.
    if lower.len() != text.len() {
        return text.to_owned();
    }
    let framed = OPENINGS.iter().find_map(|opening| {
        let rest = lower.strip_prefix(opening)?;
        let given = GIVEN.iter().find_map(|given| rest.strip_prefix(given)?.strip_prefix(", "))?;
        Some(text.len() - given.len())
    });
    let saying = || SAYINGS.iter().find(|saying| lower.starts_with(*saying)).map(|saying| saying.len());
    match framed.or_else(saying).and_then(|at| text.get(at..)) {
        Some(said) if said.split_whitespace().count() > 1 => {
            let mut signs = said.chars();
            signs.next().map_or_else(String::new, |first| first.to_uppercase().chain(signs).collect())
        }
        Some(_) | None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::strip_framing;

    #[test]
    fn a_frame_that_names_only_what_was_given_goes() {
        for (text, said) in [
            ("According to the notes, leave is 25 days.", "Leave is 25 days."),
            ("Based on the provided context, Mira signs.", "Mira signs."),
            ("The document states that leave is paid.", "Leave is paid."),
            ("According to the Travel Policy, leave is paid.", "According to the Travel Policy, leave is paid."),
            ("According to Mira, leave is paid.", "According to Mira, leave is paid."),
            ("Leave is paid according to the notes.", "Leave is paid according to the notes."),
        ] {
            assert_eq!(strip_framing(text), said);
        }
    }
}
