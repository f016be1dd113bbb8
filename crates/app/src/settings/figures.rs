//! The figures an evaluation chose → the same settings file with them in it; comments and everything else stay as they are.

use anyhow::bail;
use vouch_engine::policy::GatePolicy;

use super::{MANUAL, Settings, file::parse};

/// How sure an answer must be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AnswerFigures {
    /// The confidence an answer needs, 0 to 100; none for any.
    pub confidence: Option<u32>,
    /// How sure the judge must be that a passage answers, 0 to 1; none where it is not asked.
    pub answerability: Option<f32>,
}

impl AnswerFigures {
    /// Those of some settings.
    pub fn of(settings: &Settings) -> Self {
        let gate = settings.judge.gates.iter().find_map(|gate| match gate {
            GatePolicy::Answerability { at_least } => Some(*at_least),
            GatePolicy::Top1 { .. }
            | GatePolicy::Coverage { .. }
            | GatePolicy::NoContext { .. }
            | GatePolicy::Specific { .. }
            | GatePolicy::BailOut { .. }
            | GatePolicy::Keywords { .. }
            | GatePolicy::QueryCoverage { .. }
            | GatePolicy::Constraints => None,
        });
        Self { confidence: settings.decide.confidence_at_least, answerability: gate }
    }
}

/// A settings file with other figures.
///
/// # Errors
/// Fails where they cannot be put in without touching anything else; nothing is guessed.
pub fn with_figures(name: &str, text: &str, figures: AnswerFigures) -> anyhow::Result<String> {
    let before = AnswerFigures::of(&parse(name, text)?);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    if let Some(confidence) = figures.confidence.filter(|_| figures.confidence != before.confidence) {
        set_confidence(&mut lines, confidence);
    }
    if let Some(at_least) = figures.answerability.filter(|_| figures.answerability != before.answerability) {
        set_answerability(&mut lines, at_least);
    }
    let written = lines.join("\n") + "\n";
    let is_as_meant = parse(name, &written).is_ok_and(|settings| AnswerFigures::of(&settings) == figures);
    if !is_as_meant {
        bail!(
            "{name} is not laid out so that its figures can be replaced; set decide.confidence_at_least to {} and `at_least` of \
             the gate `answerability` to {} by hand",
            figures.confidence.map_or("null".to_owned(), |own| own.to_string()),
            figures.answerability.map_or("none".to_owned(), |own| own.to_string())
        );
    }
    Ok(written)
}

fn set_confidence(lines: &mut Vec<String>, confidence: u32) {
    let line = format!("  confidence_at_least: {confidence}");
    let Some(section) = block(lines, "decide") else {
        return lines.extend(["decide:".to_owned(), line]);
    };
    let key = "confidence_at_least:";
    let own = lines.iter_mut().take(section.end).skip(section.start).find(|own| own.trim_start().starts_with(key));
    match own {
        Some(own) => replace_after(own, key, &confidence.to_string()),
        None => lines.insert(section.start, line),
    }
}

fn set_answerability(lines: &mut Vec<String>, at_least: f32) {
    let written = at_least.to_string();
    let section = block(lines, "judge");
    let within = section.clone().unwrap_or_default();
    let has_gates = lines.iter().take(within.end).skip(within.start).any(|own| own.trim_start().starts_with("gates:"));
    if !has_gates {
        // The gates of the manual, which are in force where a file names none.
        let manual: Vec<&str> = MANUAL.lines().collect();
        let from = manual.iter().position(|line| *line == "  gates:").unwrap_or(manual.len());
        let gates = manual.iter().skip(from).take_while(|line| !line.is_empty()).map(|line| (*line).to_owned());
        let (at, head) = match section {
            Some(section) => (section.start, None),
            None => (lines.len(), Some("judge:".to_owned())),
        };
        lines.splice(at..at, head.into_iter().chain(gates));
    }
    let own = lines.iter_mut().find(|own| own.contains("gate: answerability") && !own.trim_start().starts_with('#'));
    if let Some(own) = own {
        replace_after(own, "at_least:", &written);
    }
}

/// The lines below the head of a section, which stands by itself in its line.
fn block(lines: &[String], name: &str) -> Option<std::ops::Range<usize>> {
    let is_head = |line: &String| line.split('#').next().is_some_and(|own| own.trim_end() == format!("{name}:"));
    let start = lines.iter().position(is_head)? + 1;
    let is_next = |line: &String| !line.is_empty() && !line.starts_with([' ', '#', '\t']);
    let length = lines.iter().skip(start).position(is_next).unwrap_or(lines.len().saturating_sub(start));
    Some(start..start + length)
}

/// Another value behind a key; what follows it stays.
fn replace_after(line: &mut String, key: &str, value: &str) {
    let Some((before, after)) = line.split_once(key) else { return };
    let own = after.trim_start();
    let rest: String = own.chars().skip_while(|c| !c.is_whitespace() && !matches!(c, ',' | '}' | '#')).collect();
    *line = format!("{before}{key} {value}{rest}");
}

#[cfg(test)]
mod tests {
    use super::{AnswerFigures, with_figures};

    const FIGURES: AnswerFigures = AnswerFigures { confidence: Some(70), answerability: Some(0.6) };

    fn written(text: &str) -> String {
        with_figures("vouch.yaml", text, FIGURES).expect("settings")
    }

    #[test]
    fn figures_take_the_place_of_those_that_were_there() {
        let text = "judge:\n  gates:\n    - { gate: top1, above: 0.7 }  # first\n    - { gate: answerability, at_least: 0.2 }\n\
                    # how it decides\ndecide:\n  stale_after_days: null\n  confidence_at_least: 60  # sure\n";
        assert_eq!(
            written(text),
            "judge:\n  gates:\n    - { gate: top1, above: 0.7 }  # first\n    - { gate: answerability, at_least: 0.6 }\n\
             # how it decides\ndecide:\n  stale_after_days: null\n  confidence_at_least: 70  # sure\n"
        );
    }

    #[test]
    fn what_a_file_does_not_say_is_added_and_nothing_else_changes() {
        for text in ["", "# mine\n", "profile: mine\ndecide:\n  suggestions_max: 2\n", "judge:\n  model: built_in\n"] {
            let written = written(text);
            assert!(text.lines().all(|line| written.lines().any(|own| own == line)), "{written}");
            assert!(written.contains("gate: coverage") && written.contains("at_least: 0.6 }"), "{written}");
        }
    }

    #[test]
    fn a_file_that_cannot_be_changed_line_by_line_is_left_alone() {
        let error = with_figures("vouch.yaml", "decide: { confidence_at_least: 60 }\n", FIGURES).expect_err("no lines");
        assert!(error.to_string().contains("by hand"), "{error}");
        let blocks = "judge:\n  gates:\n    - gate: answerability\n      at_least: 0.2\n";
        assert!(with_figures("vouch.yaml", blocks, FIGURES).is_err());
    }
}
