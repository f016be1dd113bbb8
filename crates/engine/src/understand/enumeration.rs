//! A question that asks the same of several things → what it asks of each, so that one without an answer can be named.
//!
//! Invariant: a question that asks about things together, or offers a choice between them, is one question.

use vouch_domain::language::{fold_spaces, key_terms, words::is_stop_word};

use super::rewrites::{QUESTION_WORDS, VERBS};

/// One of the things a question asks about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnumeratedItem {
    /// The question of this thing alone.
    pub question: String,
    /// The terms of the thing.
    pub terms: Vec<String>,
    /// The terms of the others.
    pub other_terms: Vec<String>,
    /// The terms of what is asked of each of them; empty where that is said by a question word alone.
    pub asked_terms: Vec<String>,
}

/// Where an item cannot go on.
const BOUNDARIES: &[&str] = &[
    "of", "in", "on", "for", "to", "at", "by", "from", "with", "without", "during", "about", "when", "if", "after",
    "before", "into", "over", "under", "per", "be", "not",
];
/// Words that make of several things one: before them, or anywhere after.
const JOINING_BEFORE: &[&str] = &["between", "among", "both", "with", "from", "against", "than"];
const JOINING: &[&str] = &[
    "difference",
    "differences",
    "differ",
    "compare",
    "compared",
    "comparison",
    "relation",
    "relationship",
    "together",
    "same",
    "interact",
    "versus",
    "vs",
    "each other",
    "combined",
    "share",
    "shared",
    "common",
];
const AUXILIARIES: &[&str] =
    &["do", "does", "did", "can", "could", "may", "might", "must", "should", "shall", "will", "would"];
const ARTICLES: &[&str] = &["the", "a", "an", "our", "my", "your", "their", "its"];
const ITEM_WORDS_MAX: usize = 4;
const ITEMS_MAX: usize = 6;

/// The items of a question; empty where it is not plain that it asks of each by itself.
pub(super) fn enumeration(text: &str) -> Vec<EnumeratedItem> {
    let text = text.trim().trim_end_matches(['?', '.', '!', ' ']);
    let words: Vec<&str> = text.split_whitespace().collect();
    let lower = format!(" {} ", fold_spaces(text));
    if JOINING.iter().any(|word| lower.contains(&format!(" {word} "))) {
        return Vec::new();
    }
    let Some(joint) = words.iter().rposition(|word| bare(word) == "and") else { return Vec::new() };
    let before = words.iter().take(joint).rev().take_while(|word| !ends(word)).count();
    let head = words.get(..joint - before).unwrap_or_default();
    let after = words.get(joint + 1..).unwrap_or_default();
    let mut length = after.iter().take_while(|word| !ends(word)).count();
    // "How long do clerks and porters stay?" ends with its verb.
    if head.last().is_some_and(|word| AUXILIARIES.contains(&bare(word).as_str())) && length == after.len() && length > 1
    {
        length -= 1;
    }
    let (after, tail) = after.split_at(length);
    let listed = words.get(joint - before..joint).unwrap_or_default().join(" ");
    let mut items: Vec<String> =
        listed.split(',').map(|item| item.trim().to_owned()).filter(|item| !item.is_empty()).collect();
    items.push(after.join(" ").trim_matches(',').to_owned());
    let joins = head.last().is_some_and(|word| JOINING_BEFORE.contains(&bare(word).as_str()));
    if joins || head.is_empty() || !(2..=ITEMS_MAX).contains(&items.len()) || !items.iter().all(|item| is_item(item)) {
        return Vec::new();
    }
    let (head, tail) = (head.join(" "), tail.join(" "));
    let asked_terms = subject_terms(&format!("{head} {tail}"));
    // "What are the terms and conditions?": two words for one thing are as likely as two things.
    if items.len() == 2 && subject_terms(&head).is_empty() {
        return Vec::new();
    }
    // "the height, width and depth": the article is said once.
    let article = items.first().and_then(|first| first.split_once(' ')).map(|(word, _)| word.to_owned());
    let article = article.filter(|word| ARTICLES.contains(&word.to_lowercase().as_str())).unwrap_or_default();
    let is_said =
        |item: &str| item.split(' ').next().is_some_and(|word| ARTICLES.contains(&word.to_lowercase().as_str()));
    let alone = |item: &String| {
        let article = if is_said(item) { "" } else { article.as_str() };
        let said: Vec<&str> =
            [head.as_str(), article, item, tail.as_str()].into_iter().filter(|words| !words.is_empty()).collect();
        let own = key_terms(item);
        let others = items.iter().filter(|other| *other != item).flat_map(|other| key_terms(other));
        EnumeratedItem {
            question: format!("{}?", said.join(" ")),
            other_terms: others.filter(|term| !own.contains(term)).collect(),
            terms: own,
            asked_terms: asked_terms.clone(),
        }
    };
    items.iter().map(alone).collect()
}

/// Whether a word is none of an item's.
fn ends(word: &str) -> bool {
    let word = bare(word);
    [BOUNDARIES, JOINING_BEFORE, VERBS, QUESTION_WORDS].iter().any(|words| words.contains(&word.as_str()))
}

fn is_item(item: &str) -> bool {
    (1..=ITEM_WORDS_MAX).contains(&item.split(' ').count()) && item.split(' ').any(|word| !is_stop_word(&bare(word)))
}

/// The terms of the words that carry a subject; unlike `key_terms`, none where no word does.
fn subject_terms(text: &str) -> Vec<String> {
    match text.split_whitespace().any(|word| !is_stop_word(&bare(word))) {
        true => key_terms(text),
        false => Vec::new(),
    }
}

fn bare(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::enumeration;

    fn questions(text: &str) -> Vec<String> {
        enumeration(text).into_iter().map(|item| item.question).collect()
    }

    #[test]
    fn each_thing_of_a_list_is_asked_for_alone() {
        assert_eq!(
            questions("What are the notice periods for full-time, part-time and interns?"),
            [
                "What are the notice periods for full-time?",
                "What are the notice periods for part-time?",
                "What are the notice periods for interns?"
            ]
        );
        assert_eq!(
            questions("What are the height, width, and depth of the tank?"),
            ["What are the height of the tank?", "What are the width of the tank?", "What are the depth of the tank?"]
        );
        assert_eq!(
            questions("How long is the probation of clerks and porters?"),
            ["How long is the probation of clerks?", "How long is the probation of porters?"]
        );
        assert_eq!(
            questions("How long do interns, clerks and porters stay?"),
            ["How long do interns stay?", "How long do clerks stay?", "How long do porters stay?"]
        );
    }

    #[test]
    fn what_is_asked_of_things_together_is_one_question() {
        for whole in [
            "What is the difference between clerks and porters?",
            "How far is the road from the gate and the mill?",
            "What are the terms and conditions for leave?",
            "Can I pay for lunch by card or cash?",
            "How do the pump, the valve and the tank work together?",
            "Who signs and approves leave?",
            "How tall is the mast?",
            "Which rules for the clerk of the upper northern gate house and porters hold?",
            "and",
            "",
        ] {
            assert!(questions(whole).is_empty(), "{whole}: {:?}", questions(whole));
        }
    }
}
