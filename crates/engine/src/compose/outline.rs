//! Question and notes → the notes an answer would rest on, before anything is written.
//!
//! Invariant: only a planner that plainly finds no thesis ends the walk. A plan that cannot be read plans nothing, and the answer is written
//! from all notes.

use vouch_domain::ModelError;

use crate::model_registry::{
    JobModel,
    prompt::{OUTLINE, fill_template, system_message, user_message},
};

use super::budget::Note;

/// What servers that see to a schema are told of a plan.
const SCHEMA: &str = r#"{"type": "object", "properties": {"thesis": {"type": "string"}, "notes": {"type": "array", "items": {"type": "integer"}}}, "required": ["thesis", "notes"], "additionalProperties": false}"#;

/// Has a model plan the answer: the notes its thesis rests on, the most important first; none if it finds no thesis.
/// The thesis itself is unverified and goes no further.
///
/// # Errors
/// As the model's server.
pub async fn outline(job_model: &JobModel, question: &str, notes: &[Note]) -> Result<Option<Vec<u32>>, ModelError> {
    let shown: Vec<String> = notes.iter().map(|note| format!("{}.\n{}", note.marker, note.text)).collect();
    let messages =
        vec![system_message(fill_template(OUTLINE, &[("notes", &shown.join("\n\n"))])), user_message(question)];
    let said = job_model.complete_as(messages, SCHEMA).await?;
    let known: Vec<u32> = notes.iter().map(|note| note.marker).collect();
    Ok(read(&said, &known))
}

/// What a planner's words come to.
fn read(said: &str, known: &[u32]) -> Option<Vec<u32>> {
    let (thesis, notes) = from_json(said).or_else(|| from_lines(said)).unwrap_or_default();
    let is_none = thesis.trim_matches(|c: char| !c.is_alphanumeric()).eq_ignore_ascii_case("none");
    if is_none {
        return None;
    }
    let mut markers: Vec<u32> = Vec::new();
    for number in notes.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()) {
        if known.contains(&number) && !markers.contains(&number) {
            markers.push(number);
        }
    }
    Some(if markers.is_empty() { known.to_vec() } else { markers })
}

/// Thesis and notes of the last plan that is written as JSON. What is not well formed is read as far as it can be: nothing rests on it but which
/// notes are read.
fn from_json(said: &str) -> Option<(String, String)> {
    let value = |name: &str| {
        let key = format!("\"{name}\"");
        let after = said.get(said.rfind(&key)? + key.len()..)?;
        after.trim_start().strip_prefix(':').map(str::trim_start)
    };
    let thesis = value("thesis")?.strip_prefix('"')?;
    let mut is_escaped = false;
    let end = thesis.find(|sign: char| {
        let ends = sign == '"' && !is_escaped;
        is_escaped = sign == '\\' && !is_escaped;
        ends
    })?;
    let notes = value("notes").and_then(|notes| notes.strip_prefix('[')).and_then(|notes| notes.split(']').next());
    Some((thesis.get(..end)?.to_owned(), notes.unwrap_or_default().to_owned()))
}

/// The last lines that name both, for planners that know no JSON.
fn from_lines(said: &str) -> Option<(String, String)> {
    let line = |name: &str| {
        let bare = said.lines().map(|line| line.trim().trim_start_matches(['*', '#', '-', ' ']));
        let found = bare.rev().find(|line| line.to_uppercase().starts_with(name))?;
        Some(found.get(name.len()..).unwrap_or_default().trim_start_matches([':', ' ', '*']).trim().to_owned())
    };
    Some((line("THESIS")?, line("NOTES").unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn a_thesis_and_notes_that_were_given_make_an_outline() {
        assert_eq!(read(r#"{"thesis": "Leave is ten days.", "notes": [2, 1, 2, 9]}"#, &[1, 2]), Some(vec![2, 1]));
        assert_eq!(
            read("Here: {\"thesis\": \"Ten \\\"or so\\\".\", \"notes\": [\"2\"]} Done.", &[1, 2]),
            Some(vec![2])
        );
        assert_eq!(read("THESIS: Leave is ten days.\nNOTES: 2, [^1], 2, 9", &[1, 2]), Some(vec![2, 1]));
    }

    #[test]
    fn a_planner_that_decorates_or_corrects_itself_is_read_by_its_last_word() {
        let said = "THESIS: NONE\nNOTES: 1\n**THESIS:** Leave is ten days.\n**NOTES:** 2";
        assert_eq!(read(said, &[1, 2]), Some(vec![2]));
    }

    #[test]
    fn only_a_plain_none_is_none() {
        for said in ["THESIS: NONE\nNOTES: 1", "thesis: none.\nnotes: 1", r#"{"thesis": "NONE", "notes": []}"#] {
            assert_eq!(read(said, &[1, 2]), None, "{said:?}");
        }
    }

    #[test]
    fn what_cannot_be_read_plans_nothing() {
        for said in [
            "",
            "{",
            "}{",
            "THESIS: Leave is ten days.\nNOTES:",
            "THESIS: Leave is ten days.\nNOTES: 7",
            "THESIS:\nNOTES: ",
            "Leave is ten days [^1].",
            r#"{"thesis": "Ten.", "notes": "#,
        ] {
            assert_eq!(read(said, &[1, 2]), Some(vec![1, 2]), "{said:?}");
        }
    }
}
