//! Question → `Understanding`: what is asked, before anything is looked up.
//!
//! Invariant: the asker's own words always take part in the search.

mod addresses;
mod class;
mod dates;
mod decided;
mod definition;
mod enumeration;
mod fragment;
mod intent;
mod list_request;
mod rewrites;
mod subject;
mod unnamed;

use std::collections::BTreeSet;

use vouch_domain::{
    Question, TermKey,
    language::{KeyWord, detect_language, fold_spaces, key_words, terms, words::is_stop_word, words::stem},
};

use crate::{
    policy::UnderstandPolicy,
    trace::{Rewrite, RewriteKind},
};

use unnamed::Unnamed;

pub use addresses::{Mention, address_of_name, mentions};
pub use class::QueryClass;
pub use dates::DateSpan;
pub use decided::decided_about;
pub use enumeration::EnumeratedItem;
pub use intent::{Intent, definable, intent};
pub use list_request::ListRequest;

/// How many words, and how many runs of words, of a question are tried for a term.
const TERM_RUN_MAX: usize = 3;
const TERM_RUNS_MAX: usize = 16;
/// How many other labels of its terms a question is asked with.
const SYNONYMS_MAX: usize = 2;
/// Words that ask to be shown something, whatever it is.
const REQUESTS: [&str; 10] = ["cite", "find", "give", "list", "quote", "read", "say", "see", "show", "tell"];

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Understanding {
    text: String,
    /// The same, with its subject and in the documents' spelling; what passages are judged by.
    asked: String,
    rewrites: Vec<Rewrite>,
    respelt: Vec<Respelling>,
    class: QueryClass,
    intent: Intent,
    definable: Vec<String>,
    mentions: Vec<Mention>,
    kinds: Vec<String>,
    key_words: Vec<KeyWord>,
    unnamed: Option<Unnamed>,
    languages: Vec<String>,
}

/// A word of the question read as one of the documents'.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Respelling {
    /// As it was asked.
    pub asked: String,
    /// As the documents write it.
    pub written: String,
    /// Whether it is certainly meant; where it is not, it is searched for and nothing more.
    pub is_meant: bool,
}

impl Understanding {
    /// The question's words, trimmed.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The question as it can be understood alone: its subject carried over, its words as the documents spell them.
    #[must_use]
    pub fn asked(&self) -> &str {
        &self.asked
    }

    /// Every way it is asked, the asker's own words first.
    #[must_use]
    pub fn rewrites(&self) -> &[Rewrite] {
        &self.rewrites
    }

    /// The question in its parts, if it is several; else as a whole.
    #[must_use]
    pub fn questions(&self) -> Vec<&str> {
        let parts: Vec<&str> = self
            .rewrites
            .iter()
            .filter(|rewrite| rewrite.kind == RewriteKind::SubQuestion)
            .map(|rewrite| rewrite.text.as_str())
            .collect();
        if parts.is_empty() { vec![self.asked.as_str()] } else { parts }
    }

    /// The things it asks the same of, each by itself; empty if it is several questions, or asks of one thing.
    #[must_use]
    pub fn enumeration(&self) -> Vec<EnumeratedItem> {
        if self.questions().len() > 1 { Vec::new() } else { enumeration::enumeration(&self.asked) }
    }

    /// The tags of its languages, first that it is to be answered in, then that it is asked in; empty if nothing tells.
    #[must_use]
    pub fn languages(&self) -> &[String] {
        &self.languages
    }

    /// Words that were read as another spelling.
    #[must_use]
    pub fn respellings(&self) -> &[Respelling] {
        &self.respelt
    }

    /// The kinds of document it names.
    #[must_use]
    pub fn kinds(&self) -> &[String] {
        &self.kinds
    }

    /// The kind it names where it names nothing else: "Show me the verse".
    #[must_use]
    pub fn kind_alone(&self) -> Option<&str> {
        let kinds: BTreeSet<String> = self.kinds.iter().flat_map(|kind| terms(kind)).collect();
        let is_subject = |term: &String| !kinds.contains(term) && REQUESTS.binary_search(&term.as_str()).is_err();
        let has_subject = key_words(&self.asked).iter().any(|word| is_subject(&word.term));
        self.kinds.first().map(String::as_str).filter(|_| !has_subject)
    }

    /// What in it may be a term of a vocabulary: its words without stop words between, longest runs first.
    #[must_use]
    pub fn term_candidates(&self) -> Vec<TermKey> {
        let text = fold_spaces(&self.asked);
        let words: Vec<&str> = text.split(' ').map(|word| word.trim_matches(|c: char| !c.is_alphanumeric())).collect();
        let runs = (1..=TERM_RUN_MAX).rev().flat_map(|length| words.windows(length));
        let said = runs.filter(|run| run.iter().all(|word| !word.is_empty() && !is_stop_word(word)));
        said.filter_map(|run| TermKey::parse(&run.join(" "))).take(TERM_RUNS_MAX).collect()
    }

    /// The same question with words as the documents spell them, and with other labels of the terms it names.
    #[must_use]
    pub fn widen(&self, respelt: Vec<Respelling>, labels: &[(TermKey, String)], policy: &UnderstandPolicy) -> Self {
        let spelt = |text: &str, counts: fn(&Respelling) -> bool| {
            let read = respelt.iter().filter(|one| counts(one));
            read.fold(text.to_owned(), |text, one| rewrites::exchanged(&text, &one.asked, &one.written).unwrap_or(text))
        };
        let asked = spelt(&self.asked, |one| one.is_meant);
        let searched = spelt(&self.asked, |_| true);
        let synonyms = labels.iter().filter_map(|(term, label)| rewrites::exchanged(&asked, term.as_str(), label));
        let synonyms = synonyms.map(|text| Rewrite { kind: RewriteKind::Synonym, text }).take(SYNONYMS_MAX);
        let of_words = self
            .rewrites
            .iter()
            .skip(1)
            .map(|rewrite| Rewrite { kind: rewrite.kind, text: spelt(&rewrite.text, |one| one.is_meant) });
        let mut found: Vec<Rewrite> = of_words.chain(synonyms).collect();
        found.push(Rewrite { kind: RewriteKind::Spelling, text: searched });
        found.sort_by_key(|rewrite| rewrite.kind);
        let rewrites = rewrites::distinct(&self.text, found, policy.rewrites_max);
        Self { key_words: key_words(&asked), asked, rewrites, respelt, ..self.clone() }
    }

    /// The same with questions a model planned; they are searched for and nothing more.
    #[must_use]
    pub fn with_questions(mut self, questions: Vec<String>) -> Self {
        for text in questions {
            let said = fold_spaces(&text);
            if self.rewrites.iter().all(|known| fold_spaces(&known.text) != said) {
                self.rewrites.push(Rewrite { kind: RewriteKind::Planned, text });
            }
        }
        self
    }

    /// The same with words in the place of addresses: what documents say seldom names their address.
    #[must_use]
    pub fn spelt_out(&self, names: &[(std::ops::Range<usize>, String)]) -> Self {
        let mut asked = self.asked.clone();
        let mut last_first = names.to_vec();
        last_first.sort_by_key(|(at, _)| std::cmp::Reverse(at.start));
        for (at, words) in last_first {
            if asked.get(at.clone()).is_some() {
                asked.replace_range(at, &words);
            }
        }
        let mut spelt_out = Self { key_words: key_words(&asked), asked: asked.clone(), ..self.clone() };
        if asked != self.asked {
            spelt_out.rewrites.push(Rewrite { kind: RewriteKind::Subject, text: asked });
        }
        spelt_out
    }

    /// The same, looked for by other names, too.
    #[must_use]
    pub fn also_asked(mut self, names: &[String]) -> Self {
        self.rewrites.extend(names.iter().map(|name| Rewrite { kind: RewriteKind::Synonym, text: name.clone() }));
        self
    }

    /// The same as of another class.
    #[must_use]
    pub fn with_class(self, class: QueryClass) -> Self {
        Self { class, ..self }
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

    /// Everything it could ask the meaning of, the likeliest first.
    #[must_use]
    pub fn definable(&self) -> &[String] {
        &self.definable
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

    /// The word that stands for something nobody has named, if there is one.
    #[must_use]
    pub fn unnamed(&self) -> Option<&str> {
        self.unnamed.as_ref().map(|unnamed| unnamed.word.as_str())
    }

    /// The question with a name for what nobody has named.
    #[must_use]
    pub fn named(&self, name: &str) -> String {
        self.unnamed.as_ref().map_or_else(|| self.text.clone(), |unnamed| unnamed.named(&self.text, name))
    }
}

/// A topic as something to search for: its words, and no intent of its own.
#[must_use]
pub fn understand_topic(topic: &str) -> Understanding {
    Understanding {
        text: topic.trim().to_owned(),
        asked: topic.trim().to_owned(),
        rewrites: rewrites::distinct(topic.trim(), Vec::new(), 0),
        respelt: Vec::new(),
        class: QueryClass::Factual,
        intent: Intent::Open,
        definable: Vec::new(),
        mentions: Vec::new(),
        kinds: Vec::new(),
        key_words: key_words(topic),
        unnamed: None,
        languages: Vec::new(),
    }
}

/// Why a question is invalid.
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
/// Fails if the question is empty or too long.
pub fn understand(question: &Question, policy: &UnderstandPolicy) -> Result<Understanding, NotAQuestion> {
    let text = question.text.trim();
    let chars = text.chars().count();
    if !text.chars().any(char::is_alphanumeric) {
        return Err(NotAQuestion::Empty);
    }
    if chars > policy.question_chars_max {
        return Err(NotAQuestion::TooLong { chars, chars_max: policy.question_chars_max });
    }
    let class = class::classify(text, question.follows_a_conversation());
    let subject = subject::with_subject(text, &question.conversation).filter(|_| policy.uses(RewriteKind::Subject));
    let asked = subject.clone().unwrap_or_else(|| text.to_owned());
    Ok(Understanding {
        text: text.to_owned(),
        rewrites: rewritten(text, subject, policy),
        respelt: Vec::new(),
        class,
        intent: intent(text),
        definable: definable(text),
        mentions: mentions(&asked, &policy.addresses),
        kinds: kinds_named(&asked, policy),
        key_words: key_words(&asked),
        unnamed: unnamed::find(text).filter(|_| !question.follows_a_conversation()),
        languages: languages(question),
        asked,
    })
}

/// The language asked for, then the one that the words tell.
fn languages(question: &Question) -> Vec<String> {
    let told = detect_language(&question.text).map(str::to_owned);
    question.language.iter().cloned().chain(told).collect()
}

/// Every rewrite the words alone give.
fn rewritten(text: &str, subject: Option<String>, policy: &UnderstandPolicy) -> Vec<Rewrite> {
    let asked = subject.clone().unwrap_or_else(|| text.to_owned());
    let parts = rewrites::sub_questions(&asked);
    let items = if parts.is_empty() { rewrites::items(&asked) } else { Vec::new() };
    let of = |kind: RewriteKind, texts: Vec<String>| {
        let texts = if policy.uses(kind) { texts } else { Vec::new() };
        texts.into_iter().map(move |text| Rewrite { kind, text })
    };
    let found = of(RewriteKind::Subject, subject.into_iter().collect())
        .chain(of(RewriteKind::SubQuestion, parts))
        .chain(of(RewriteKind::Item, items))
        .chain(of(RewriteKind::Statement, rewrites::statement(&asked).into_iter().collect()));
    rewrites::distinct(text, found.collect(), policy.rewrites_max)
}

/// The kinds of document a question names by one of their words.
fn kinds_named(text: &str, policy: &UnderstandPolicy) -> Vec<String> {
    let stems = |text: &str| -> Vec<String> {
        fold_spaces(text).split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(stem).collect()
    };
    let said = stems(text);
    let mut kinds: Vec<String> = Vec::new();
    for (name, kind) in &policy.kind_names {
        let wanted = stems(name);
        let is_named = !wanted.is_empty() && said.windows(wanted.len()).any(|run| run == wanted);
        if is_named && !kinds.contains(kind) {
            kinds.push(kind.clone());
        }
    }
    kinds
}
