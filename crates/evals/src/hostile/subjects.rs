//! Sentences → the same with another subject: what was said of one thing is said of another.

use super::sentences::bare;

const VERBS: &[&str] = &["is", "are", "was", "were", "has", "have", "had", "can", "may", "must", "will", "should"];
const SUBJECT_WORDS_MAX: usize = 6;

/// The words before the first plain verb, if they are few and no clause.
fn subject(sentence: &str) -> Option<(&str, &str)> {
    let mut at = 0;
    for (place, word) in sentence.split(' ').enumerate() {
        if place > SUBJECT_WORDS_MAX || word.ends_with([',', ';', ':']) {
            return None;
        }
        if place > 0 && VERBS.contains(&bare(word).as_str()) {
            return Some((sentence.get(..at)?.trim_end(), sentence.get(at..)?));
        }
        at += word.len() + 1;
    }
    None
}

/// The sentence with the subject of another one, where that says something new.
pub(super) fn swapped(sentence: &str, others: &[&str], passage: &str) -> Option<String> {
    let (own, said) = subject(sentence)?;
    let words = |text: &str| -> Vec<String> { text.split(' ').map(bare).filter(|word| word.len() > 3).collect() };
    let own_words = words(own);
    // "The mountain" may well be what the other sentence names.
    if own_words.len() < 2 && !own.contains(|c: char| c.is_ascii_digit()) {
        return names_swapped(sentence, passage);
    }
    let swapped = others.iter().find_map(|other| {
        let (subject, _) = subject(other)?;
        let new = words(subject);
        let is_other = new.len() >= 2 && new.iter().all(|word| !own_words.contains(word));
        let lie = format!("{subject} {said}");
        (is_other && agrees(own, subject) && !passage.contains(&lie)).then_some(lie)
    });
    swapped.or_else(|| names_swapped(sentence, passage))
}

/// The first two names of a sentence, each in the other's place, where a verb stands between them.
fn names_swapped(sentence: &str, passage: &str) -> Option<String> {
    let words: Vec<&str> = sentence.trim_end_matches('.').split(' ').collect();
    let is_name = |at: usize| {
        let word = words.get(at).copied().unwrap_or_default();
        word.starts_with(char::is_uppercase) && word.chars().all(char::is_alphabetic) && word.len() > 2
    };
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for at in 0..words.len() {
        match runs.last_mut() {
            Some((_, end)) if is_name(at) && *end == at => *end = at + 1,
            Some(_) | None if is_name(at) => runs.push((at, at + 1)),
            Some(_) | None => {}
        }
    }
    let (first, second) = (*runs.first()?, *runs.get(1)?);
    let between = words.get(first.1..second.0)?;
    let acts = between.iter().any(|word| word.len() > 4 && (word.ends_with("ed") || word.ends_with('s')));
    let starts_with_article = first.0 == 0 && ["The", "In", "On", "For", "When", "This"].contains(words.first()?);
    if !acts || starts_with_article || between.len() > 6 {
        return None;
    }
    let parts = [
        words.get(..first.0)?,
        words.get(second.0..second.1)?,
        between,
        words.get(first.0..first.1)?,
        words.get(second.1..)?,
    ];
    let lie = format!("{}.", parts.concat().join(" "));
    (!passage.contains(&lie) && lie != sentence).then_some(lie)
}

/// Whether both are one, or both several, so that the grammar does not give the lie away.
fn agrees(one: &str, other: &str) -> bool {
    let is_several = |text: &str| bare(text.split(' ').next_back().unwrap_or_default()).ends_with('s');
    is_several(one) == is_several(other)
}
