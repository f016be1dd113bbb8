//! Question → `Understanding`: what is asked, before anything is looked up.
//!
//! Invariant: the asker's own words always take part in the search.

mod addresses;
mod class;
mod intent;

use vouch_domain::{
    Question,
    language::{KeyWord, key_words},
};

use crate::policy::UnderstandPolicy;

pub use addresses::{Mention, address_of_name, mentions};
pub use class::QueryClass;
pub use intent::{Intent, ListRequest, intent};

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Understanding {
    text: String,
    class: QueryClass,
    intent: Intent,
    mentions: Vec<Mention>,
    key_words: Vec<KeyWord>,
}

impl Understanding {
    /// The question's words, trimmed.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What sort of question it is.
    #[must_use]
    pub fn class(&self) -> QueryClass {
        self.class
    }

    /// What it wants, as far as its words alone tell.
    #[must_use]
    pub fn intent(&self) -> &Intent {
        &self.intent
    }

    /// The addresses it names.
    #[must_use]
    pub fn mentions(&self) -> &[Mention] {
        &self.mentions
    }

    /// The words that carry its subject.
    #[must_use]
    pub fn key_words(&self) -> &[KeyWord] {
        &self.key_words
    }
}

/// A topic as something to search for: its words, and no intent of its own.
#[must_use]
pub fn understand_topic(topic: &str) -> Understanding {
    Understanding {
        text: topic.trim().to_owned(),
        class: QueryClass::Factual,
        intent: Intent::Open,
        mentions: Vec::new(),
        key_words: key_words(topic),
    }
}

/// Why a question cannot be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotAQuestion {
    /// There is nothing in it.
    #[error("the question is empty")]
    Empty,
    /// It is longer than the configured limit.
    #[error("the question has {chars} characters, the limit is {chars_max}")]
    TooLong {
        /// How long it is.
        chars: usize,
        /// How long it may be.
        chars_max: usize,
    },
}

/// Reads a question.
///
/// # Errors
/// An empty or over-long question is not taken.
pub fn understand(question: &Question, policy: &UnderstandPolicy) -> Result<Understanding, NotAQuestion> {
    let text = question.text.trim();
    let chars = text.chars().count();
    if !text.chars().any(char::is_alphanumeric) {
        return Err(NotAQuestion::Empty);
    }
    if chars > policy.question_chars_max {
        return Err(NotAQuestion::TooLong { chars, chars_max: policy.question_chars_max });
    }
    let class = class::classify(text, !question.conversation.is_empty());
    let mentions = mentions(text, &policy.addresses);
    Ok(Understanding { text: text.to_owned(), class, intent: intent(text), mentions, key_words: key_words(text) })
}
