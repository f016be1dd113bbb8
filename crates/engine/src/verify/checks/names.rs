//! The claim's names, codes and addresses → those the evidence does not hold.
//!
//! Invariant: a name in another of its forms is the same name; a claim in small letters has no names.

use std::ops::Range;

use super::{
    case::{Case, Outcome, SAME_MATTER_FLOOR, do_meet},
    finding::Check,
};
use crate::reading::{
    Sentence,
    name_forms::{self, Form},
    name_spans::{NameSpan, Sort, find_names, is_name_word},
    numerals,
    token::{Joint, Token},
};

/// A sentence with more words of names than this is a list, and no claim that can be checked.
const NAME_WORDS_MAX: usize = 60;
/// How often the evidence is looked through for one word of a name: for the word, its forms, its initials and its neighbours.
const LOOKS_A_WORD: usize = 4;

/// What may stand for a name, and how far from the start of its sentence.
const PRONOUNS: &[&str] = &["he", "she", "it", "they", "his", "her", "its", "their", "this", "these", "we", "our"];
const PRONOUN_TOKENS_MAX: usize = 4;

/// Objects to names that are absent from the evidence, or stand where it has another.
pub(super) fn check(case: &Case<'_>) -> Outcome {
    let mut outcome = Outcome::default();
    let mut words = 0;
    for name in find_names(case.claim) {
        words += name.range.len();
        if words > NAME_WORDS_MAX {
            outcome.exceed(Check::Names, format!("more than {NAME_WORDS_MAX} words of names in one sentence"));
            break;
        }
        if !case.may_look(LOOKS_A_WORD * name.range.len()) {
            break;
        }
        outcome.is_applied |= name.sort != Sort::Opening;
        let absent = match name.sort {
            Sort::Name | Sort::Opening => absent_words(case, &name),
            Sort::Code => (!holds_code(case, &name.range)).then(|| name.range.clone()),
            Sort::Address => (!holds_address(case, &name.range)).then(|| name.range.clone()),
        };
        if let Some(instead) = swapped(case, &name) {
            outcome.contradict(Check::Names, case.words(&name.range), instead);
        } else if let Some(absent) = absent.filter(|_| name.sort != Sort::Opening && !is_pronoun_there(case, &name)) {
            match in_place(case, &absent, name.sort) {
                Some(instead) => outcome.contradict(Check::Names, case.words(&name.range), instead),
                None => outcome.miss(Check::Names, case.words(&name.range)),
            }
        }
    }
    outcome
}

/// From the first to the last word of the name that the evidence holds in no form.
fn absent_words(case: &Case<'_>, name: &NameSpan) -> Option<Range<usize>> {
    let words = case.claim.tokens.get(name.range.clone()).unwrap_or_default();
    let is_absent = |at: &usize| case.claim.tokens.get(*at).is_some_and(|token| !holds(case, token, *at));
    let first = name.range.clone().find(is_absent)?;
    let last = name.range.clone().rev().find(is_absent)?;
    let is_known = name_forms::is_abbreviated(words, case.holders.words()) || is_always_short(case, name, last + 1);
    (!is_known).then_some(first..last + 1)
}

/// Whether the evidence writes the rest of the name, and never with a word before it: "Smith", for John Smith.
fn is_always_short(case: &Case<'_>, name: &NameSpan, rest: usize) -> bool {
    let Some(word) = case.claim.tokens.get(rest).filter(|_| rest < name.range.end) else { return false };
    if !case.holders.has_word(&word.fold) {
        return false;
    }
    let mut is_written = false;
    let is_alone = case.evidence.iter().all(|sentence| {
        let befores = std::iter::once(None).chain(sentence.tokens.iter().map(Some));
        let mut same = befores.zip(&sentence.tokens).filter(|(_, token)| token.fold == word.fold);
        same.all(|(before, token)| {
            is_written |= token.is_capital();
            !(token.joint == Joint::Space && before.is_some_and(is_name_word))
        })
    });
    is_written && is_alone
}

fn holds(case: &Case<'_>, token: &Token<'_>, at: usize) -> bool {
    if case.holders.holds(&token.key) {
        return true;
    }
    let (mut words, form) = (case.holders.words(), Form::new(&token.fold));
    let next = case.claim.tokens.get(at + 1);
    words.any(|(word, is_capital)| form.is(word, is_capital))
        || (token.is_acronym() && name_forms::is_spelled_out(&token.fold, case.evidence))
        || numerals::roman(token.raw).is_some()
        || (next.is_some_and(|next| case.holders.holds(&next.key))
            && name_forms::is_initialled(token, next, case.evidence))
        || is_joined(case, &token.fold)
        || is_written_as_one(case, at)
}

/// Whether the claim opens with the name and its nearest sentence with a pronoun, which may well stand for it.
fn is_pronoun_there(case: &Case<'_>, name: &NameSpan) -> bool {
    let nearest = case.nearest.first().and_then(|best| case.evidence.get(best.sentence));
    let opens = |sentence: &Sentence<'_>| {
        let mut first = sentence.tokens.iter().take(PRONOUN_TOKENS_MAX);
        first.any(|token| PRONOUNS.contains(&token.fold.as_str()))
    };
    name.sort == Sort::Name && name.range.start <= 1 && nearest.is_some_and(opens)
}

/// Whether the evidence writes the word, in one piece or in several.
fn is_joined(case: &Case<'_>, word: &str) -> bool {
    case.holders.can_spell(word) && name_forms::is_joined(word, case.evidence)
}

/// Whether this word and a neighbour are one word in the evidence.
fn is_written_as_one(case: &Case<'_>, at: usize) -> bool {
    let fold = |at: usize| case.claim.tokens.get(at).map(|token| token.fold.as_str());
    let joined = |one: Option<&str>, other: Option<&str>| Some(format!("{}{}", one?, other?));
    let mut forms =
        [joined(fold(at), fold(at + 1)), joined(at.checked_sub(1).and_then(fold), fold(at))].into_iter().flatten();
    forms.any(|form| case.holders.has_word(&form))
}

fn holds_code(case: &Case<'_>, range: &Range<usize>) -> bool {
    forms_of_code(case, range).iter().any(|form| is_joined(case, form))
}

/// The code in one piece, with and without the letter of a version.
fn forms_of_code(case: &Case<'_>, range: &Range<usize>) -> Vec<String> {
    let tokens = case.claim.tokens.get(range.clone()).unwrap_or_default();
    let code: String = tokens.iter().map(|token| token.fold.as_str()).collect();
    let bare = code.strip_prefix('v').filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    [bare.map(str::to_owned), Some(format!("v{code}")), Some(code.clone())].into_iter().flatten().collect()
}

fn holds_address(case: &Case<'_>, range: &Range<usize>) -> bool {
    let Some(address) = case.claim.tokens.get(range.start).map(|token| plain_address(&token.fold)) else { return true };
    let mut sentences = case.evidence.iter();
    sentences.any(|sentence| {
        let mut known = sentence.tokens.iter().filter(|token| token.is_address).map(|token| plain_address(&token.fold));
        known.any(|known| known == address)
    })
}

fn plain_address(address: &str) -> &str {
    let address = address.strip_prefix("mailto:").unwrap_or(address);
    let address = address.split_once("://").map_or(address, |(_, rest)| rest);
    address.strip_prefix("www.").unwrap_or(address).trim_end_matches('/')
}

/// The name a near copy has where this one stands.
fn swapped(case: &Case<'_>, name: &NameSpan) -> Option<String> {
    let (place, sentence) = case.swap(&name.range)?;
    // The same name elsewhere in the sentence is this one moved, unless it stands for another of the claim's.
    let mine = place.claim.clone().filter(|at| name.range.contains(at)).filter_map(|at| case.claim.tokens.get(at));
    let mine: Vec<(&Token<'_>, Form<'_>)> = mine.map(|word| (word, Form::new(&word.fold))).collect();
    let is_mine = |at: usize| {
        let token = sentence.tokens.get(at);
        token.is_some_and(|token| {
            mine.iter().any(|(word, form)| word.key == token.key || form.is(&token.fold, token.is_capital()))
        })
    };
    let is_moved = (0..sentence.tokens.len()).any(|at| case.is_free(at) && is_mine(at));
    let is_respelled = name.sort == Sort::Code
        && forms_of_code(case, &name.range)
            .iter()
            .any(|form| name_forms::is_joined(form, std::slice::from_ref(sentence)));
    if is_moved || is_respelled || (name.sort == Sort::Opening && absent_words(case, name).is_none()) {
        return None;
    }
    let other = case.names_there().iter().find(|other| do_meet(&other.range, &place.evidence))?;
    let is_one_for_one = place.evidence.len() <= other.range.len() + 1 && place.claim.len() <= name.range.len() + 1;
    let is_alike = match (name.sort, other.sort) {
        (Sort::Opening, Sort::Opening) => {
            goes_on(case.claim, &name.range) == goes_on(sentence, &other.range)
                && is_name_elsewhere(case.evidence, sentence, &other.range)
        }
        (Sort::Opening, _) => false,
        (_, Sort::Opening) => is_name_elsewhere(case.evidence, sentence, &other.range),
        (mine, theirs) => mine == theirs,
    };
    (is_one_for_one && is_alike && !is_abbreviation(case, name)).then(|| sentence.words(&other.range))
}

fn is_abbreviation(case: &Case<'_>, name: &NameSpan) -> bool {
    let words = case.claim.tokens.get(name.range.clone()).unwrap_or_default();
    let is_spelled_out =
        words.iter().any(|word| word.is_acronym() && name_forms::is_spelled_out(&word.fold, case.evidence));
    is_spelled_out || name_forms::is_abbreviated(words, case.holders.words())
}

/// Whether a word that opens a sentence is a name: it goes on with one, or has a capital inside a sentence.
fn is_name_elsewhere(evidence: &[Sentence<'_>], sentence: &Sentence<'_>, range: &Range<usize>) -> bool {
    let Some(word) = sentence.tokens.get(range.start) else { return false };
    let mut same = evidence.iter().flat_map(|sentence| &sentence.tokens).filter(|token| token.fold == word.fold);
    let mut is_inside = false;
    let is_always_capital = same.all(|token| {
        is_inside |= !matches!(token.joint, Joint::Start | Joint::Mark);
        token.is_capital()
    });
    goes_on(sentence, range) || (is_inside && is_always_capital)
}

/// Whether another word of a name follows.
fn goes_on(sentence: &Sentence<'_>, range: &Range<usize>) -> bool {
    sentence.tokens.get(range.end).is_some_and(|next| next.joint == Joint::Space && is_name_word(next))
}

/// The name the nearest sentence has in this place.
fn in_place(case: &Case<'_>, range: &Range<usize>, sort: Sort) -> Option<String> {
    let (place, sentence) = case.place(range, SAME_MATTER_FLOOR)?;
    let other = case.names_there().iter().find(|other| other.sort == sort && do_meet(&other.range, &place.evidence))?;
    Some(sentence.words(&other.range))
}
