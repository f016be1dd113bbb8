//! Words → `QueryClass`, by rule. The class is reported but decides nothing: every question goes through retrieval.

/// What sort of question it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueryClass {
    /// Asks for a fact.
    Factual,
    /// Asks how something is done.
    Procedural,
    /// Follows up on what was said before.
    Clarification,
    /// Greets or thanks.
    Greeting,
}

impl QueryClass {
    /// The class a model's word names, if it is one word of the four.
    #[must_use]
    pub fn parse(said: &str) -> Option<Self> {
        let word = said.trim().trim_matches(|c: char| !c.is_alphabetic()).to_lowercase();
        let all = [Self::Factual, Self::Procedural, Self::Clarification, Self::Greeting];
        all.into_iter().find(|class| class.as_str() == word)
    }

    /// The class as one word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Factual => "factual",
            Self::Procedural => "procedural",
            Self::Clarification => "clarification",
            Self::Greeting => "greeting",
        }
    }
}

const GREETINGS: &[&str] = &[
    "hi",
    "hello",
    "hello there",
    "hi there",
    "hey",
    "good morning",
    "good afternoon",
    "good evening",
    "thanks",
    "thank you",
    "thanks a lot",
    "many thanks",
    "thank you very much",
    "thx",
    "cheers",
    "bye",
    "goodbye",
    "see you",
    "how are you",
    "who are you",
    "what are you",
    "what can you do",
    "what documents do you have",
];
const PROCEDURES: &[&str] = &[
    "how do ",
    "how to ",
    "how can ",
    "how should ",
    "how does one ",
    "what are the steps",
    "steps to ",
    "procedure for ",
];
const FOLLOW_UPS: &[&str] =
    &["and ", "what about ", "why is that", "what do you mean", "which one", "can you explain that", "the second"];

pub(super) fn classify(text: &str, has_conversation: bool) -> QueryClass {
    let lower = text.to_lowercase();
    let bare = lower.trim_end_matches(|c: char| !c.is_alphanumeric());
    if GREETINGS.contains(&bare) {
        return QueryClass::Greeting;
    }
    if has_conversation && FOLLOW_UPS.iter().any(|start| lower.starts_with(start)) {
        return QueryClass::Clarification;
    }
    if PROCEDURES.iter().any(|start| lower.starts_with(start)) {
        return QueryClass::Procedural;
    }
    QueryClass::Factual
}

#[cfg(test)]
mod tests {
    use super::{QueryClass, classify};

    #[test]
    fn classes_are_told_by_their_words() {
        let cases = [
            ("Hello!", false, QueryClass::Greeting),
            ("Hello stations of the north?", false, QueryClass::Factual),
            ("How do I replace a battery?", false, QueryClass::Procedural),
            ("How tall is the mast?", false, QueryClass::Factual),
            ("and the second one?", true, QueryClass::Clarification),
            ("and the second one?", false, QueryClass::Factual),
        ];
        for (text, has_conversation, expected) in cases {
            assert_eq!(classify(text, has_conversation), expected, "{text}");
        }
    }
}
