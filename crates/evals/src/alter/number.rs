//! A sentence → the same with another figure of the same shape.
//!
//! Invariant: the new figure is nowhere in the document and does not follow from the old one; a figure that is part of
//! a name, an identifier, a date, a span or a citation is left alone.

use super::{
    dice::Dice,
    figure::{Bound, WORDS, bound, figures, is_paired, normal, value},
    sentence::{Sentence, Token, is_listed},
};

const DRAWS_MAX: usize = 64;
/// More digits are an identifier.
const DIGITS_MAX: usize = 12;

/// Words after which a figure is a label.
const LABELS: &str = "\
    version versions figure figures fig section sections table tables chapter chapters page pages port ports \
    release step steps number no ref refs equation equations eq part appendix code issue volume vol line lines \
    item level phase type class category grade id error status note rule article verse route highway room flight \
    channel group case experiment study chromosome protein factor receptor type grades";

/// Another figure in the place of one that can be changed.
pub(super) fn alter(sentence: &Sentence<'_>, document: &str, dice: &mut Dice) -> Option<String> {
    let spots: Vec<usize> = (0..sentence.tokens.len()).filter(|at| is_quantity(sentence, *at)).collect();
    if spots.is_empty() {
        return None;
    }
    let known = figures(document);
    dice.shuffled(spots).into_iter().find_map(|at| {
        let token = sentence.tokens.get(at)?;
        let bound = bound(sentence, at)?;
        let other = (0..DRAWS_MAX).find_map(|_| {
            let drawn = draw(token, dice)?;
            let is_fit = fits(token, &drawn, bound) && !known.contains(&normal(value(&drawn.to_lowercase())?));
            is_fit.then_some(drawn)
        })?;
        sentence.with(token.range.clone(), &other)
    })
}

fn fits(token: &Token<'_>, drawn: &str, bound: Bound) -> bool {
    let (Some(old), Some(new)) = (value(&token.lower), value(&drawn.to_lowercase())) else { return false };
    // A share of more than all is seldom meant.
    let is_share = token.trail.trim_start().starts_with('%') && old <= 100.0;
    bound.forbids(old, new) && !(is_share && new > 100.0)
}

/// Whether the token is a figure that counts or measures.
fn is_quantity(sentence: &Sentence<'_>, at: usize) -> bool {
    let Some(token) = sentence.tokens.get(at) else { return false };
    let is_countable = token.is_plain && value(&token.lower).is_some_and(|value| value > 1.0) && is_regular(token.core);
    // `4 – 12` and `5 : 16` are one thing.
    let before = at.checked_sub(1).and_then(|at| sentence.tokens.get(at));
    let is_joined = token.trail.contains(['-', '–', '—'])
        || before.is_some_and(|before| before.trail.ends_with([':', '-', '–', '—']) && value(&before.lower).is_some());
    is_countable
        && !is_joined
        && !sentence.is_in_formula(at)
        && !is_year(token)
        && !is_version(sentence, at)
        && !is_part_of_name(sentence, at)
        && !is_paired(sentence, at)
}

/// Digits with commas where thousands end and at most one point, or a word.
fn is_regular(core: &str) -> bool {
    let (whole, decimals) = core.split_once('.').unwrap_or((core, "0"));
    let groups: Vec<&str> = whole.split(',').collect();
    let is_grouped = groups.len() == 1 || groups.iter().skip(1).all(|group| group.len() == 3);
    is_grouped
        && !decimals.contains(['.', ','])
        && core.len() <= DIGITS_MAX
        && (!core.starts_with('0') || core.starts_with("0."))
}

fn is_year(token: &Token<'_>) -> bool {
    token.core.len() == 4
        && token.lead.chars().all(|sign| !matches!(sign, '$' | '€' | '£'))
        && token.core.parse::<u16>().is_ok_and(|year| (1_000..2_100).contains(&year))
}

/// Whether the token reads as `since 1.29,` or `the 1.29 release`.
fn is_version(sentence: &Sentence<'_>, at: usize) -> bool {
    let Some(token) = sentence.tokens.get(at).filter(|token| token.core.contains('.')) else { return false };
    let before = sentence.before(at).map_or("", |before| before.lower.as_str());
    let after = sentence.after(at).map_or("", |after| after.lower.as_str());
    matches!(after, "release" | "releases" | "version" | "versions" | "clusters" | "cluster")
        || (!token.trail.is_empty()
            && matches!(before, "in" | "since" | "from" | "after" | "before" | "until" | "with"))
}

fn is_part_of_name(sentence: &Sentence<'_>, at: usize) -> bool {
    let is_name = |token: &Token<'_>| token.is_capital() || value(&token.lower).is_some() || !token.is_plain;
    let is_named_before = sentence.before(at).is_some_and(|token| {
        let is_opening = at == 1 && token.is_plain && is_listed(OPENINGS, &token.lower);
        is_name(token) && !is_opening
    });
    // `No. 12` is a label too.
    let before = at.checked_sub(1).and_then(|at| sentence.tokens.get(at));
    let is_labelled = before.is_some_and(|token| is_listed(LABELS, &token.lower));
    let is_named_after = sentence.after(at).is_some_and(|token| is_name(token) || token.lower == "confidence");
    is_named_before || is_labelled || is_named_after || is_list_mark(sentence, at)
}

/// Whether the figure counts the parts of a list, as in `1. First`, `; 5.` and `and 2) last`.
fn is_list_mark(sentence: &Sentence<'_>, at: usize) -> bool {
    let Some(token) = sentence.tokens.get(at) else { return false };
    let is_opened = sentence.text.get(..token.range.start).is_some_and(|head| head.contains('('));
    (token.trail.starts_with(')') && !is_opened)
        || (token.trail.starts_with(['.', ':']) && sentence.before(at).is_none())
}

/// First words of a sentence that are no name although they have a capital.
const OPENINGS: &str = "\
    the in at of on for with from by about over only some these those all after within approximately around \
    nearly almost under there its their his her our another every to first when if";

/// A figure of the same shape: as many digits, as many of them zeros at the end, the same commas and point.
fn draw(token: &Token<'_>, dice: &mut Dice) -> Option<String> {
    if let Some(at) = WORDS.iter().position(|(word, _)| *word == token.lower) {
        // Ones and tens are apart, so that a word's size stays like.
        let is_ten = at >= TENS_FROM;
        let count = if is_ten { WORDS.len() - TENS_FROM } else { TENS_FROM };
        let first = if is_ten { TENS_FROM } else { 0 };
        let drawn = first + (at - first + 1 + dice.below(WORD_STEP_MAX) as usize) % count;
        let word = WORDS.get(drawn)?.0;
        return Some(if token.is_capital() { with_capital(word) } else { word.to_owned() });
    }
    let digits: String = token.core.chars().filter(char::is_ascii_digit).collect();
    let significant = digits.trim_end_matches('0');
    let zeros = digits.len() - significant.len();
    let leading = significant.len() - significant.trim_start_matches('0').len();
    let old: u64 = significant.parse().ok()?;
    let least = 10u64.checked_pow(u32::try_from(significant.len() - leading).ok()?.checked_sub(1)?)?;
    let new = if dice.below(2) == 0 { least + dice.below(least * 9) } else { near(old, dice) };
    let is_alike = (least..least * 10).contains(&new) && !new.is_multiple_of(10) && (new > 1 || zeros > 0);
    if !is_alike {
        return Some(token.core.to_owned());
    }
    let mut shaped =
        format!("{}{new}{}", "0".repeat(leading), "0".repeat(zeros)).chars().collect::<Vec<_>>().into_iter();
    Some(token.core.chars().filter_map(|sign| if sign.is_ascii_digit() { shaped.next() } else { Some(sign) }).collect())
}

/// So many words on, round the end.
const WORD_STEP_MAX: u64 = 4;
/// Where the tens start among the words.
const TENS_FROM: usize = 11;

fn near(old: u64, dice: &mut Dice) -> u64 {
    let step = 1 + dice.below(old / 4 + 2);
    if dice.below(2) == 0 { old + step } else { old.saturating_sub(step) }
}

fn with_capital(word: &str) -> String {
    let mut signs = word.chars();
    signs.next().map(|first| first.to_uppercase().chain(signs).collect()).unwrap_or_default()
}
