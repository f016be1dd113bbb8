//! The text of a document → its headings and its statements, each with a digest of its words without the values.

use std::collections::BTreeSet;

use vouch_domain::language::{
    blocks::{BlockKind, blocks},
    sentences::block_sentences,
};

use super::{claim::plain, signature::digest};
use crate::reading::{Sentence, budget::Budget, sentences, token::Token};

/// Statements of a document that are read.
const STATEMENTS_MAX: usize = 1_000;
/// Words besides the values; with fewer a row or a line says too little to be compared.
const WORDS_MIN: usize = 2;
/// Headings besides the title by which documents are found that are built alike.
const HEADINGS_MIN: usize = 3;
/// What stands in the place of a value.
const VALUE: &str = "#";

/// A sentence, a list item or a row of a table.
pub(super) struct Statement {
    /// As it is written, on one line.
    pub(super) words: String,
    /// Without marks of emphasis and targets of links.
    pub(super) plain: String,
    /// The digest of its words with a sign for each value.
    pub(super) without_values: u64,
    /// Its words that carry a subject, without the values.
    pub(super) terms: BTreeSet<String>,
    /// Its values, those of dates left out.
    pub(super) figures: Vec<String>,
}

/// A text as it is compared with another version of itself.
pub(super) struct Outline {
    /// The headings below the title, without values.
    pub(super) headings: Vec<String>,
    pub(super) statements: Vec<Statement>,
    /// Every word that carries a subject.
    pub(super) terms: BTreeSet<String>,
}

impl Outline {
    pub(super) fn read(title: &str, text: &str, budget: &Budget) -> Self {
        let mut outline = Self { headings: Vec::new(), statements: Vec::new(), terms: BTreeSet::new() };
        let title = heading(title, budget);
        for (at, block) in blocks(text).into_iter().enumerate() {
            match block.kind {
                BlockKind::Code => continue,
                BlockKind::Heading => {
                    let heading = heading(text.get(block.range).unwrap_or_default(), budget);
                    outline.terms.extend(heading.split(' ').map(str::to_owned));
                    if !is_title(&heading, at, &title) {
                        outline.headings.push(heading);
                    }
                    continue;
                }
                BlockKind::Paragraph | BlockKind::ListItem { .. } | BlockKind::Quote | BlockKind::TableRow { .. } => {}
            }
            for range in block_sentences(text, &block) {
                let Some(words) = text.get(range).filter(|words| budget.spend(words.len())) else { return outline };
                if outline.statements.len() >= STATEMENTS_MAX {
                    return outline;
                }
                let statement = Statement::read(words, budget);
                outline.terms.extend(statement.terms.iter().cloned());
                if statement.terms.len() >= WORDS_MIN {
                    outline.statements.push(statement);
                }
            }
        }
        outline
    }
}

impl Statement {
    fn read(words: &str, budget: &Budget) -> Self {
        let plain = plain(words);
        let (mut key, mut terms, mut figures) = (String::new(), BTreeSet::new(), Vec::new());
        for sentence in sentences(&[&plain], budget) {
            for (at, token) in sentence.tokens.iter().enumerate() {
                let is_value = is_value(&sentence, at, token);
                key.push_str(if is_value { VALUE } else { &token.key });
                key.push(' ');
                if is_value && !sentence.is_dated(at) {
                    figures.push(token.key.clone());
                } else if !is_value && token.is_content() {
                    terms.insert(token.key.clone());
                }
            }
        }
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
        Self { words, without_values: digest(&key), plain, terms, figures }
    }
}

/// Whether a token is a number or part of a date. A number in letters is one where it counts something.
fn is_value(sentence: &Sentence<'_>, at: usize, token: &Token<'_>) -> bool {
    let is_number = token.key.starts_with(|c: char| c.is_ascii_digit()) && !token.is_address;
    is_number || sentence.is_dated(at)
}

/// The words of a heading without values.
fn heading(text: &str, budget: &Budget) -> String {
    let mut words: Vec<String> = Vec::new();
    for sentence in sentences(&[text], budget) {
        let is_word = |(at, token): &(usize, &Token<'_>)| token.is_content() && !is_value(&sentence, *at, token);
        let own = sentence.tokens.iter().enumerate().filter(is_word);
        words.extend(own.map(|(_, token)| token.key.clone()));
    }
    words.join(" ")
}

/// Whether a heading is the title of its document: what the text opens with, or what is written like it. One without a word
/// besides its values tells nothing.
fn is_title(heading: &str, at: usize, title: &str) -> bool {
    at == 0 || heading == title || heading.is_empty()
}

/// The digest of how a document is built; none where it has too few headings.
pub(super) fn shape(title: &str, text: &str, budget: &Budget) -> Option<u64> {
    let title = heading(title, budget);
    let headings = blocks(text).into_iter().enumerate().filter(|(_, block)| block.kind == BlockKind::Heading);
    let headings = headings.map(|(at, block)| (at, heading(text.get(block.range).unwrap_or_default(), budget)));
    let headings: Vec<String> =
        headings.filter(|(at, heading)| !is_title(heading, *at, &title)).map(|(_, heading)| heading).collect();
    (headings.len() >= HEADINGS_MIN).then(|| digest(&format!("shape\n{}", headings.join("\n"))))
}
