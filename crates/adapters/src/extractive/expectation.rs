//! A question → what its answer should look like, and whether a sentence does.

/// The look of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expectation {
    Number,
    Date,
    Person,
    Reason,
    Definition,
    Steps,
    Anything,
}

const NUMBERS: &[&str] = &[
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "twenty", "thirty",
    "forty", "fifty", "sixty", "hundred", "thousand", "million", "half", "twice", "once", "double",
];
const MONTHS: &[&str] = &[
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
    "spring",
    "summer",
    "autumn",
    "winter",
];
const REASONS: &[&str] =
    &["because", "since", "so that", "in order to", "due to", "owing to", "reason", "therefore", "to avoid"];

impl Expectation {
    pub(super) fn new(question: &str) -> Self {
        let lower = question.to_lowercase();
        let starts = |words: &[&str]| words.iter().any(|word| lower.starts_with(word));
        let holds = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        if starts(&["when "])
            || holds(&["what year", "which year", "what date", "what day", "what month", "in what year"])
        {
            return Self::Date;
        }
        let amounts = [
            "how many",
            "how much",
            "how tall",
            "how long",
            "how high",
            "how far",
            "how often",
            "how old",
            "how deep",
            "how large",
            "how big",
            "how fast",
            "how wide",
            "how heavy",
            "what percentage",
            "what share",
            "what height",
            "what is the height",
            "what is the maximum",
            "what is the minimum",
            "what voltage",
            "what temperature",
        ];
        if holds(&amounts) {
            return Self::Number;
        }
        let steps =
            ["how do ", "how to ", "how is ", "how are ", "how can ", "how should ", "what are the steps", "steps "];
        if starts(&steps) || holds(&["what questions", "procedure", "checklist", "which steps", "step by step"]) {
            return Self::Steps;
        }
        if starts(&["who ", "whose ", "whom "]) || holds(&[" by whom"]) {
            return Self::Person;
        }
        if starts(&["why "]) {
            return Self::Reason;
        }
        if starts(&["define ", "what does "]) && holds(&["mean", "define", "stand for"]) {
            return Self::Definition;
        }
        if starts(&["what is a ", "what is an ", "what is the meaning", "what's a ", "what are "]) {
            return Self::Definition;
        }
        Self::Anything
    }

    /// How well a sentence has the expected look, 0 to 1.
    pub(super) fn met_by(self, sentence: &str) -> f32 {
        let lower = sentence.to_lowercase();
        let has_word = |words: &[&str]| lower.split(|c: char| !c.is_alphanumeric()).any(|word| words.contains(&word));
        let is_met = match self {
            Self::Anything | Self::Steps => false,
            Self::Number => lower.bytes().any(|byte| byte.is_ascii_digit()) || has_word(NUMBERS),
            Self::Date => has_year(&lower) || has_month(sentence),
            Self::Person => has_name(sentence),
            Self::Reason => REASONS.iter().any(|word| lower.contains(word)),
            Self::Definition => [" is a ", " is an ", " is the ", " are ", " means ", " stands for ", " refers to "]
                .iter()
                .any(|verb| lower.contains(verb)),
        };
        f32::from(u8::from(is_met))
    }
}

fn has_year(lower: &str) -> bool {
    lower
        .split(|c: char| !c.is_ascii_digit())
        .any(|digits| digits.len() == 4 && (digits.starts_with('1') || digits.starts_with('2')))
}

/// A month is written with a capital; "may" is a verb.
fn has_month(sentence: &str) -> bool {
    sentence.split(|c: char| !c.is_alphanumeric()).any(|word| MONTHS.contains(&word))
}

/// A capital inside the sentence, where it marks a name and not the beginning.
fn has_name(sentence: &str) -> bool {
    sentence.split_whitespace().skip(1).any(|word| word.chars().next().is_some_and(char::is_uppercase))
}
