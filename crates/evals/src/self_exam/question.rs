//! A sentence of a document → a question that it answers, and what the answer must hold.
//!
//! Only plain statements are taken, and a question keeps the sentence's own words: it is easier than what people ask.

use std::collections::BTreeSet;

/// A question by rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MadeQuestion {
    /// The question.
    pub(super) text: String,
    /// What an answer must hold.
    pub(super) gold: String,
    /// Whether yes or no answers it: of another thing, or without its document, near words may answer it as well.
    pub(super) is_yes_or_no: bool,
    /// What the sentence speaks of, as it stands there.
    pub(super) subject: String,
    /// The word after it.
    pub(super) verb: String,
}

/// A question, and what its answer must hold.
type Made = (String, String);

const WORDS: std::ops::RangeInclusive<usize> = 5..=32;
const SUBJECT_WORDS_MAX: usize = 7;
/// Of a statement without a figure, so many words must be in the answer.
const GOLD_WORDS: usize = 6;
/// Signs of code, markup, quotations and asides, around which no question is made.
const SIGNS: &[char] = &['*', '_', '`', '|', '[', ']', '<', '>', '{', '}', '#', '"', '“', '(', ')', ':', ';', '?', '!'];
/// Words after which the subject is not what it seems, or says nothing by itself.
const OPENERS: &str = "it this that these those they he she we you i there here if when while where what which who how why \
                       however therefore also but and or so as at by for from in on to with after before during under then \
                       such other others both none one two not only once until unless because since although though \
                       its their his her another no nothing nobody depending using";
const INSIDE: &str = "who which that if when where to whether because and or but than as";
const ARTICLES: &str = "the a an every each all any some our most";
const SIZES: &str = "tall high wide long deep thick old apart away";
const COPULAS: &str = "is are was were";
const MODALS: &str = "must may can should will";
const LEADS: &str = "within after for before in by until";

/// The question that a sentence answers, where a rule fits.
pub(super) fn question(sentence: &str, document_words: &BTreeSet<String>) -> Option<MadeQuestion> {
    let text = sentence.trim().strip_suffix('.')?;
    if text.contains(SIGNS) || !text.is_ascii() {
        return None;
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    if !WORDS.contains(&words.len()) {
        return None;
    }
    let at = words.iter().take(SUBJECT_WORDS_MAX + 1).position(|word| is_in(COPULAS, word) || is_in(MODALS, word))?;
    let (subject, rest) = (words.get(..at)?, words.get(at + 1..)?);
    let verb = words.get(at)?.to_lowercase();
    let is_sound = |word: &&&str| !is_in(INSIDE, word) && !word.ends_with(',');
    if subject.iter().filter(is_sound).count() != at || is_in(OPENERS, subject.first()?) || rest.len() < 2 {
        return None;
    }
    // What comes after a comma belongs to the statement and not to the question.
    let clause = rest.iter().position(|word| word.ends_with(',')).map_or(rest, |end| rest.get(..=end).unwrap_or(rest));
    let clause: Vec<&str> = clause.iter().map(|word| word.trim_end_matches(',')).collect();
    if clause.iter().any(|word| matches!(*word, "not" | "no" | "never")) {
        return None;
    }
    let asked = subject_in_question(subject, document_words);
    let (text, gold) =
        [how_many, how_much_is_it, when, what, whether].iter().find_map(|rule| rule(&asked, &verb, &clause))?;
    let is_yes_or_no = is_in(MODALS, text.split(' ').next()?);
    Some(MadeQuestion { text, gold, is_yes_or_no, subject: subject.join(" "), verb })
}

/// `claims must be filed within 30 days of the trip` → `Within how many days of the trip must claims be filed?`
fn how_many(subject: &str, verb: &str, rest: &[&str]) -> Option<Made> {
    let at = (1..rest.len()).find(|at| is_lead(rest, *at) && counted(rest, at + 1).is_some())?;
    let (figure, unit) = counted(rest, at + 1)?;
    let (before, after) = (rest.get(..at)?.join(" "), rest.get(at + 3..)?.join(" "));
    let lead = capital(rest.get(at)?);
    Some(made(&[&lead, "how many", unit, &after, verb, subject, &before], format!("{figure} {unit}")))
}

/// `the notice period is 30 days` → `How many days is the notice period?`
fn how_much_is_it(subject: &str, verb: &str, rest: &[&str]) -> Option<Made> {
    let (figure, unit) = counted(rest, 0)?;
    let size = match rest.get(2..)? {
        [] => "",
        [size] if is_in(SIZES, size) => size,
        _ => return None,
    };
    is_in(COPULAS, verb).then(|| made(&["How many", unit, size, verb, subject], format!("{figure} {unit}")))
}

/// `the house was built in 1931` → `When was the house built?`
fn when(subject: &str, verb: &str, rest: &[&str]) -> Option<Made> {
    let (year, before) = rest.split_last()?;
    let (lead, before) = before.split_last()?;
    let is_year = year.len() == 4 && year.bytes().all(|sign| sign.is_ascii_digit());
    let fits = is_year && *lead == "in" && !before.is_empty() && is_in(COPULAS, verb);
    fits.then(|| made(&["When", verb, subject, &before.join(" ")], (*year).to_owned()))
}

/// `a ferry is a vessel that …` → `What is a ferry?`
fn what(subject: &str, verb: &str, rest: &[&str]) -> Option<Made> {
    let is_named =
        rest.first().is_some_and(|word| matches!(*word, "a" | "an" | "the")) && rest.get(1) != Some(&"example");
    (is_named && is_in(COPULAS, verb)).then(|| made(&["What", verb, subject], head(rest)))
}

/// `staff may bring a guest` → `May staff bring a guest?`
fn whether(subject: &str, verb: &str, rest: &[&str]) -> Option<Made> {
    is_in(MODALS, verb).then(|| made(&[&capital(verb), subject, &rest.join(" ")], head(rest)))
}

fn is_lead(words: &[&str], at: usize) -> bool {
    words.get(at).is_some_and(|word| is_in(LEADS, word))
}

/// A figure and what it counts.
fn counted<'w>(words: &[&'w str], at: usize) -> Option<(&'w str, &'w str)> {
    let (figure, unit) = (words.get(at)?, words.get(at + 1)?);
    let is_figure = figure.starts_with(|sign: char| sign.is_ascii_digit())
        && figure.bytes().all(|sign| sign.is_ascii_digit() || matches!(sign, b'.' | b','));
    let is_unit = unit.len() > 3 && unit.ends_with('s') && unit.bytes().all(|sign| sign.is_ascii_lowercase());
    (is_figure && is_unit).then_some((figure, unit))
}

fn made(parts: &[&str], gold: String) -> Made {
    let words: Vec<&str> = parts.iter().copied().filter(|part| !part.is_empty()).collect();
    (format!("{}?", words.join(" ")), gold)
}

fn head(words: &[&str]) -> String {
    words.iter().take(GOLD_WORDS).copied().collect::<Vec<_>>().join(" ")
}

/// The subject as it is written inside of a sentence: a name keeps its capital.
fn subject_in_question(words: &[&str], document_words: &BTreeSet<String>) -> String {
    let Some((first, others)) = words.split_first() else { return String::new() };
    let lower = first.to_lowercase();
    let is_common = is_in(ARTICLES, first) || document_words.contains(&lower);
    let first = if is_common { lower } else { (*first).to_owned() };
    std::iter::once(first.as_str()).chain(others.iter().copied()).collect::<Vec<_>>().join(" ")
}

fn capital(word: &str) -> String {
    let mut signs = word.chars();
    signs.next().map(|first| first.to_uppercase().chain(signs).collect()).unwrap_or_default()
}

fn is_in(list: &str, word: &str) -> bool {
    let lower = word.to_lowercase();
    list.split_whitespace().any(|own| own == lower)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::question;

    fn asked(sentence: &str) -> Option<(String, String)> {
        question(sentence, &BTreeSet::from(["claims".to_owned()])).map(|made| (made.text, made.gold))
    }

    #[test]
    fn a_plain_statement_becomes_a_question() {
        let told = [
            (
                "Claims must be filed within 30 days of the trip.",
                "Within how many days of the trip must claims be filed?",
                "30 days",
            ),
            ("The notice period is 30 days, counted from Monday.", "How many days is the notice period?", "30 days"),
            ("The northern boathouse was built in 1931.", "When was the northern boathouse built?", "1931"),
            ("The wind pole is 6.0 metres tall.", "How many metres tall is the wind pole?", "6.0 metres"),
            ("Tarn is a small ferry line.", "What is Tarn?", "a small ferry line"),
            (
                "Every member may bring one guest a year.",
                "May every member bring one guest a year?",
                "bring one guest a year",
            ),
        ];
        for (sentence, text, gold) in told {
            assert_eq!(asked(sentence), Some((text.to_owned(), gold.to_owned())));
        }
    }

    #[test]
    fn nothing_is_made_of_what_says_nothing_by_itself() {
        let told = [
            "It must be filed within 30 days.",
            "If the tide is low, the ferry is late again.",
            "Guests who stay over must pay a fee.",
            "Members may not bring a guest on Sundays.",
            "No officer may approve his or her own work.",
            "The reading was 8.3 degrees colder than before.",
            "The `limit` is 30 days for members.",
            "Is the ferry late?",
            "The ferry left early on Monday.",
            "",
        ];
        for sentence in told {
            assert_eq!(asked(sentence), None, "{sentence}");
        }
    }
}
