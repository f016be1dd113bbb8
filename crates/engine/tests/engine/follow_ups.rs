//! What a follow-up is read as after the question before it.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use vouch_domain::{Question, Speaker, Turn};
use vouch_engine::{policy::UnderstandPolicy, understand::understand};
use vouch_testkit::contracts::everyone;

fn asked(before: &str, text: &str) -> String {
    let conversation = vec![Turn::new(Speaker::Asker, before.to_owned())];
    let question = Question { conversation, ..Question::new(text, everyone()) };
    understand(&question, &UnderstandPolicy::default()).expect("a question").asked().to_owned()
}

#[test]
fn a_change_of_topic_exchanges_whole_words_and_only_what_is_of_its_sort() {
    let days = "How many vacation days do I have?";
    let cases = [
        (days, "what about part-time employees?", "How many vacation days do I have (part-time employees)"),
        (days, "what about sick days?", "How many sick days do I have?"),
        ("What is my notice period?", "how about contractors?", "What is my notice period (contractors)"),
        ("What is my notice period?", "how about my trial period?", "What is my trial period?"),
        ("Is soil tested for oil?", "what about tar?", "Is soil tested for tar?"),
        ("When was the Stone Channel built?", "What about the Long Channel?", "When was the Long Channel built?"),
    ];
    for (before, text, expected) in cases {
        assert_eq!(asked(before, text), expected, "{before} {text}");
    }
}
