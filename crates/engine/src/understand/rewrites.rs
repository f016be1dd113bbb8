//! A question → other ways to ask for the same, by rule; the question itself always comes first.

use vouch_domain::{
    Speaker, Turn,
    language::{fold_spaces, key_words, words::is_stop_word},
};

use super::subject::with_subject;
use crate::trace::{Rewrite, RewriteKind};

pub(super) const QUESTION_WORDS: &[&str] = &["what", "when", "where", "who", "whom", "whose", "why", "how", "which"];
pub(super) const VERBS: &[&str] = &[
    "is", "are", "was", "were", "do", "does", "did", "can", "could", "may", "might", "must", "should", "shall", "will",
    "would", "has", "have", "had",
];
/// What a question that begins with its verb goes on with.
const SUBJECTS: &[&str] = &[
    "the", "a", "an", "our", "my", "your", "it", "they", "he", "she", "we", "i", "you", "this", "that", "these",
    "those", "there", "every", "each", "any", "all",
];
/// Where an item of a list cannot go on.
const BOUNDARIES: &[&str] = &[
    "in", "on", "for", "to", "at", "by", "from", "with", "without", "during", "between", "among", "about", "against",
    "when", "if", "after", "before", "than", "into", "over", "under", "per", "be", "not",
];
const ITEM_WORDS_MAX: usize = 4;
const PARTS_MAX: usize = 4;

/// Several questions in one, each by itself: at a full stop or a conjunction before a question word.
pub(super) fn sub_questions(text: &str) -> Vec<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let lower: Vec<String> = words.iter().map(|word| bare(word)).collect();
    let mut parts: Vec<Vec<&str>> = vec![Vec::new()];
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let word_at = |place: usize| lower.get(place).map(String::as_str).unwrap_or_default();
        let joins = ["and", "or", "but"].contains(&word_at(at));
        // "when and where" is one question, and "and is paid in hay" goes on with the one before.
        let follows_one = at > 0 && QUESTION_WORDS.contains(&word_at(at - 1));
        let asks = VERBS.contains(&word_at(at + 1)) && SUBJECTS.contains(&word_at(at + 2));
        let opens = (QUESTION_WORDS.contains(&word_at(at + 1)) && !follows_one) || asks;
        let is_full = parts.last().is_some_and(|part| part.len() >= 2);
        if joins && opens && is_full {
            parts.push(Vec::new());
        } else {
            parts.last_mut().into_iter().for_each(|part| part.push(word));
            if word.ends_with('?') && at + 1 < words.len() {
                parts.push(Vec::new());
            }
        }
        at += 1;
    }
    let questions: Vec<String> = parts
        .iter()
        .map(|part| part.join(" ").trim_end_matches(['?', ',', ';', '.', ' ']).to_owned())
        .filter(|part| part.split(' ').any(|word| !is_stop_word(&bare(word))))
        .collect();
    // More parts than can be read one by one are read as the whole they were asked as.
    if !(2..=PARTS_MAX).contains(&questions.len()) {
        return Vec::new();
    }
    // A later part may lean on the subject of the first.
    let first = questions.first().cloned().unwrap_or_default();
    let before = [Turn::new(Speaker::Asker, first)];
    let alone = |(place, question): (usize, String)| match place {
        0 => format!("{question}?"),
        _ => format!("{}?", with_subject(&question, &before).unwrap_or(question).trim_end_matches('?')),
    };
    questions.into_iter().enumerate().map(alone).collect()
}

/// "the Upper Gate, the Middle Gate and the Lower Gate" → the question with each of them alone.
pub(super) fn items(text: &str) -> Vec<String> {
    let text = text.trim().trim_end_matches(['?', '.', '!', ' ']);
    let words: Vec<&str> = text.split_whitespace().collect();
    let Some(joint) = words.iter().rposition(|word| ["and", "or"].contains(&bare(word).as_str())) else {
        return Vec::new();
    };
    let ends = |word: &str| {
        let word = bare(word);
        BOUNDARIES.contains(&word.as_str()) || VERBS.contains(&word.as_str()) || QUESTION_WORDS.contains(&word.as_str())
    };
    let after: Vec<&str> = words.iter().skip(joint + 1).take_while(|word| !ends(word)).copied().collect();
    let before: Vec<&str> = words.iter().take(joint).rev().take_while(|word| !ends(word)).copied().collect();
    let before: Vec<&str> = before.into_iter().rev().collect();
    let head = words.get(..joint.saturating_sub(before.len())).unwrap_or_default().join(" ");
    let tail = words.get(joint + 1 + after.len()..).unwrap_or_default().join(" ");
    let mut items: Vec<String> =
        before.join(" ").split(',').map(|item| item.trim().to_owned()).filter(|item| !item.is_empty()).collect();
    items.push(after.join(" ").trim_matches(',').to_owned());
    let is_item = |item: &String| {
        let words = item.split(' ').count();
        (1..=ITEM_WORDS_MAX).contains(&words) && item.split(' ').any(|word| !is_stop_word(&bare(word)))
    };
    if items.len() < 2 || head.is_empty() || !items.iter().all(is_item) {
        return Vec::new();
    }
    let whole = |item: &String| [head.as_str(), item.as_str(), tail.as_str()].join(" ").trim().to_owned();
    items.iter().map(whole).take(PARTS_MAX).collect()
}

/// "How tall is the mast?" → "the mast is tall": the words an answer would use.
pub(super) fn statement(text: &str) -> Option<String> {
    let bare_text = text.trim().trim_end_matches(['?', '.', '!', ' ']);
    let words: Vec<&str> = bare_text.split_whitespace().collect();
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let first = lower.first()?;
    let verb = lower.iter().position(|word| VERBS.contains(&word.as_str()))?;
    let rest = words.get(verb + 1..).filter(|rest| rest.len() >= 2)?.join(" ");
    let said = lower.get(verb)?;
    let is_question = QUESTION_WORDS.contains(&first.as_str());
    if !is_question && verb != 0 {
        return None;
    }
    let between = words.get(1.min(verb)..verb).unwrap_or_default().join(" ");
    Some(match (said.as_str(), between.is_empty()) {
        ("do" | "does" | "did", true) => rest,
        ("do" | "does" | "did", false) => format!("{rest} {between}"),
        (verb, true) => format!("{rest} {verb}"),
        (verb, false) => format!("{rest} {verb} {between}"),
    })
}

/// The text with a run of words exchanged, whatever its case; none if it does not hold it.
pub(super) fn exchanged(text: &str, from: &str, to: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let wanted: Vec<String> = fold_spaces(from).split(' ').map(str::to_owned).collect();
    let at =
        words.windows(wanted.len()).position(|run| run.iter().map(|word| bare(word)).eq(wanted.iter().cloned()))?;
    let last = words.get(at + wanted.len() - 1)?;
    let end: String =
        last.chars().rev().take_while(|c| !c.is_alphanumeric()).collect::<Vec<_>>().into_iter().rev().collect();
    let mut changed: Vec<String> = words.iter().take(at).map(|word| (*word).to_owned()).collect();
    changed.push(format!("{to}{end}"));
    changed.extend(words.iter().skip(at + wanted.len()).map(|word| (*word).to_owned()));
    Some(changed.join(" "))
}

/// Keeps what asks something new, the original first, with a limit on the rest. The parts of a question are kept all or
/// none: one that is left out would never be read.
pub(super) fn distinct(original: &str, found: Vec<Rewrite>, rewrites_max: usize) -> Vec<Rewrite> {
    let parts = found.iter().filter(|rewrite| rewrite.kind == RewriteKind::SubQuestion).count();
    let mut kept = vec![Rewrite { kind: RewriteKind::Original, text: original.to_owned() }];
    for rewrite in found {
        let said = fold_spaces(&rewrite.text);
        let is_new = kept.iter().all(|known| fold_spaces(&known.text) != said);
        if kept.len() <= rewrites_max && is_new && !key_words(&rewrite.text).is_empty() {
            kept.push(rewrite);
        }
    }
    if kept.iter().filter(|rewrite| rewrite.kind == RewriteKind::SubQuestion).count() < parts {
        kept.retain(|rewrite| rewrite.kind != RewriteKind::SubQuestion);
    }
    kept
}

fn bare(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::{Rewrite, RewriteKind, distinct, exchanged, items, statement, sub_questions};

    #[test]
    fn the_parts_of_a_question_are_kept_all_or_none() {
        let part = |text: &str| Rewrite { kind: RewriteKind::SubQuestion, text: text.to_owned() };
        let found = || vec![part("Where is the mast?"), part("Where is the lamp?"), part("Where is the rope?")];
        let kept = |rewrites_max| distinct("mast lamp rope", found(), rewrites_max).len();
        assert_eq!((kept(4), kept(3), kept(2), kept(0)), (4, 4, 1, 1));
    }

    #[test]
    fn several_questions_in_one_are_asked_one_by_one() {
        assert_eq!(
            sub_questions("How long is a vāṇira and who may lend it?"),
            ["How long is a vāṇira?", "who may lend vāṇira?"]
        );
        assert_eq!(
            sub_questions("Where is the mast? How tall is the mast?"),
            ["Where is the mast?", "How tall is the mast?"]
        );
        assert_eq!(
            sub_questions("How wide is the gate and does the keeper own it?"),
            ["How wide is the gate?", "does the keeper own it?"]
        );
        for whole in [
            "How tall is the mast?",
            "Who may search and rescue?",
            "Who keeps the gate and is paid in hay?",
            "What is said on when and where to open the gate?",
            "Where is the mast? Where is the lamp? Where is the rope? Where is the pump? Where is the roof?",
            "Bread and butter",
            "",
        ] {
            assert!(sub_questions(whole).is_empty(), "{whole}");
        }
    }

    #[test]
    fn the_items_of_a_list_are_asked_one_by_one() {
        assert_eq!(
            items("How high are the Upper Gate, the Middle Gate and the Lower Gate?"),
            ["How high are the Upper Gate", "How high are the Middle Gate", "How high are the Lower Gate"]
        );
        assert_eq!(
            items("What is the difference between a vāṇira and a sīvara in spring?"),
            ["What is the difference between a vāṇira in spring", "What is the difference between a sīvara in spring"]
        );
        for whole in ["How tall is the mast?", "And the second one?", "and"] {
            assert!(items(whole).is_empty(), "{whole}");
        }
    }

    #[test]
    fn a_question_becomes_the_statement_that_answers_it() {
        let cases = [
            ("How tall is the mast?", "the mast is tall"),
            ("What is the fine for stealing water?", "the fine for stealing water is"),
            ("When did the flood break the channel?", "the flood break the channel"),
            ("Is the gate closed at night?", "the gate closed at night is"),
        ];
        for (question, expected) in cases {
            assert_eq!(statement(question).as_deref(), Some(expected), "{question}");
        }
        assert_eq!(statement("mast height"), None);
    }

    #[test]
    fn a_run_of_words_is_exchanged_whatever_its_case() {
        assert_eq!(
            exchanged("What is CIM?", "cim", "Common Information Model").as_deref(),
            Some("What is Common Information Model?")
        );
        assert_eq!(exchanged("What is CIM?", "cgmes", "x"), None);
    }
}
