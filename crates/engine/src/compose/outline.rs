//! Question and notes → the notes an answer would rest on, before anything is written.
//!
//! Invariant: without a thesis, or without a note that was given, there is no outline, and so no answer.

use vouch_domain::ModelError;

use crate::model_registry::{
    JobModel,
    prompt::{OUTLINE, fill_template, system_message, user_message},
};

use super::budget::Note;

/// Has a model plan the answer: the notes its thesis rests on, the most important first; none if it finds no thesis.
/// The thesis itself is unverified and goes no further.
///
/// # Errors
/// As the model's server.
pub async fn outline(job_model: &JobModel, question: &str, notes: &[Note]) -> Result<Option<Vec<u32>>, ModelError> {
    let shown: Vec<String> = notes.iter().map(|note| format!("{}.\n{}", note.marker, note.text)).collect();
    let messages =
        vec![system_message(fill_template(OUTLINE, &[("notes", &shown.join("\n\n"))])), user_message(question)];
    let said = job_model.complete(messages).await?;
    let known: Vec<u32> = notes.iter().map(|note| note.marker).collect();
    Ok(read(&said, &known))
}

/// What a planner's words come to.
fn read(said: &str, known: &[u32]) -> Option<Vec<u32>> {
    let line = |name: &str| {
        let bare = said.lines().map(|line| line.trim().trim_start_matches(['*', '#', '-', ' ']));
        let found = bare.rev().find(|line| line.to_uppercase().starts_with(name))?;
        Some(found.get(name.len()..).unwrap_or_default().trim_start_matches([':', ' ', '*']).trim().to_owned())
    };
    let thesis = line("THESIS")?;
    let is_none = thesis.trim_matches(|c: char| !c.is_alphanumeric()).eq_ignore_ascii_case("none");
    if is_none || !thesis.chars().any(char::is_alphanumeric) {
        return None;
    }
    let notes = line("NOTES")?;
    let mut markers: Vec<u32> = Vec::new();
    for number in notes.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()) {
        if known.contains(&number) && !markers.contains(&number) {
            markers.push(number);
        }
    }
    (!markers.is_empty()).then_some(markers)
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn a_thesis_and_notes_that_were_given_make_an_outline() {
        let outline = read("THESIS: Leave is ten days.\nNOTES: 2, [^1], 2, 9", &[1, 2]);
        assert_eq!(outline, Some(vec![2, 1]));
    }

    #[test]
    fn a_planner_that_decorates_or_corrects_itself_is_read_by_its_last_word() {
        let said = "THESIS: NONE\nNOTES: 1\n**THESIS:** Leave is ten days.\n**NOTES:** 2";
        assert_eq!(read(said, &[1, 2]), Some(vec![2]));
    }

    #[test]
    fn anything_less_is_none() {
        for said in [
            "",
            "THESIS: NONE\nNOTES: 1",
            "thesis: none.\nnotes: 1",
            "THESIS: Leave is ten days.\nNOTES:",
            "THESIS: Leave is ten days.\nNOTES: 7",
            "THESIS:\nNOTES: 1",
            "Leave is ten days [^1].",
        ] {
            assert_eq!(read(said, &[1, 2]), None, "{said:?}");
        }
    }
}
