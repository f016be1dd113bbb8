//! A judge's words → its verdict on two answers.
//!
//! Invariant: a verdict is one JSON object of exactly this form with scores from 1 to 5. Everything else is none; nothing is guessed.

use serde::{Deserialize, Serialize};

/// What answers are scored by, in the order of `Scores::each`.
pub const CRITERIA: [&str; 4] = ["faithfulness", "completeness", "structure", "balance"];

/// What servers that see to a schema are told of a verdict.
pub const SCHEMA: &str = r#"{"type": "object", "properties": {"first": {"type": "object", "properties": {"faithfulness": {"type": "integer", "enum": [1, 2, 3, 4, 5]}, "completeness": {"type": "integer", "enum": [1, 2, 3, 4, 5]}, "structure": {"type": "integer", "enum": [1, 2, 3, 4, 5]}, "balance": {"type": "integer", "enum": [1, 2, 3, 4, 5]}}, "required": ["faithfulness", "completeness", "structure", "balance"], "additionalProperties": false}, "second": {"type": "object", "properties": {"faithfulness": {"type": "integer", "enum": [1, 2, 3, 4, 5]}, "completeness": {"type": "integer", "enum": [1, 2, 3, 4, 5]}, "structure": {"type": "integer", "enum": [1, 2, 3, 4, 5]}, "balance": {"type": "integer", "enum": [1, 2, 3, 4, 5]}}, "required": ["faithfulness", "completeness", "structure", "balance"], "additionalProperties": false}, "better": {"type": "string", "enum": ["first", "second", "tie"]}}, "required": ["first", "second", "better"], "additionalProperties": false}"#;

/// The longest verdict that is read, in bytes: several times what one takes.
const BYTES_MAX: usize = 4_096;

/// What an answer is given, 1 to 5 each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scores {
    /// Whether what it cites says what it says.
    pub faithfulness: u8,
    /// Whether it answers the whole question.
    pub completeness: u8,
    /// Whether it is easy to follow.
    pub structure: u8,
    /// Whether it keeps conditions and objections.
    pub balance: u8,
}

impl Scores {
    /// All four, in the order of `CRITERIA`.
    #[must_use]
    pub fn each(&self) -> [u8; 4] {
        [self.faithfulness, self.completeness, self.structure, self.balance]
    }

    fn is_in_bounds(&self) -> bool {
        self.each().iter().all(|score| (1..=5).contains(score))
    }
}

/// The better of two answers, by the place it was shown in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// The one that was shown first.
    First,
    /// The one that was shown second.
    Second,
    /// Neither.
    Tie,
}

/// What a judge makes of two answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Verdict {
    /// The scores of the one that was shown first.
    pub first: Scores,
    /// The scores of the other.
    pub second: Scores,
    /// The better one.
    pub better: Better,
}

/// The verdict in a judge's words; none if they are anything else.
#[must_use]
pub fn read(said: &str) -> Option<Verdict> {
    let said = said.trim();
    if said.len() > BYTES_MAX {
        return None;
    }
    let verdict: Verdict = serde_json::from_str(said).ok()?;
    (verdict.first.is_in_bounds() && verdict.second.is_in_bounds()).then_some(verdict)
}

#[cfg(test)]
mod tests {
    use super::{BYTES_MAX, Better, SCHEMA, read};

    const SAID: &str = r#"{"first": {"faithfulness": 5, "completeness": 4, "structure": 3, "balance": 2},
        "second": {"faithfulness": 1, "completeness": 1, "structure": 1, "balance": 1}, "better": "first"}"#;

    #[test]
    fn a_whole_verdict_is_read() {
        let verdict = read(&format!("\n{SAID}\n ")).expect("a verdict");
        assert_eq!((verdict.first.each(), verdict.second.each()), ([5, 4, 3, 2], [1; 4]));
        assert_eq!(verdict.better, Better::First);
    }

    #[test]
    fn anything_else_is_none() {
        for (from, to) in [
            (": 5", ": 6"),
            (": 2", ": 0"),
            (": 5", ": 4.5"),
            (": 5", ": \"5\""),
            (": 5", ": -1"),
            ("\"first\"}", "\"a\"}"),
            ("\"first\"}", "\"First\"}"),
            (", \"better\": \"first\"", ""),
            ("\"balance\": 2", "\"clarity\": 2"),
            ("\"balance\": 2", "\"balance\": 2, \"clarity\": 2"),
            ("\"balance\": 2", "\"balance\": 2, \"balance\": 2"),
            ("\"first\"}", "\"first\", \"why\": \"it is longer\"}"),
            ("{\"first\"", "Here it is: {\"first\""),
            ("\"first\"}", "\"first\"} {}"),
            ("{\"first\"", "```json\n{\"first\""),
        ] {
            let said = SAID.replacen(from, to, 1);
            assert_ne!(said, SAID, "{from}");
            assert_eq!(read(&said), None, "{said}");
        }
        assert_eq!([read(""), read("[]"), read("first"), read("null")], [None; 4]);
        assert_eq!(read(&SAID.replacen(' ', &" ".repeat(BYTES_MAX), 1)), None);
    }

    #[test]
    fn the_schema_is_json() {
        assert!(serde_json::from_str::<serde_json::Value>(SCHEMA).is_ok());
    }
}
