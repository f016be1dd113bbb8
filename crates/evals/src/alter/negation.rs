//! A sentence → the same denied: `not` after an auxiliary, or taken away where it stands.
//!
//! Invariant: a sentence whose denial its document may still support (`some are` and `some are not`) is left alone, and
//! so is one whose words need the `not` (`not any`, `not only`).

use super::{
    dice::Dice,
    figure::value,
    sentence::{Sentence, Token, is_listed},
    verb::{is_participle, third_person},
};

const AUXILIARIES: &str = "is are was were can will has have had must should may could would";
const NEGATIONS: &str = "\
    not no never none nor neither cannot without nothing nobody hardly rarely seldom barely unless unlike \
    instead rather only few little fails failed lack lacks except";
/// Words in a clause before its auxiliary that make its denial no contradiction.
const OPEN_BEFORE: &str = "\
    example possible if whether when whenever until before after once while as although though since because than how what why \
    where whatever all every each both some many most several various certain any either others anyone everyone \
    someone something everything so sometimes often usually generally typically even else more less other \
    another which who whose";
/// First words after which a sentence speaks of a part only.
const OPEN_FIRST: &str = "some many most several various certain few all every each both any either";
/// Words after an auxiliary beside which `not` reads wrong or denies too little.
const OPEN_AFTER: &str = "\
    also other both either just merely solely simply still already now sometimes occasionally often usually generally \
    typically mostly mainly primarily some many several few one among too so such even perhaps probably possibly \
    therefore thus hence then again all however instead likely he she they we you i it the there about largely \
    partly most more almost nearly sure certainly always currently later first initially well to indeed \
    especially particularly";
/// Words before an auxiliary's form that make it a noun or turn the clause round.
const NO_AUXILIARY_AFTER: &str = "\
    a an the his her their its my our your free good nor neither so as than of and or but to that's";
/// Words that need a `not` before them.
const NEEDING: &str = "\
    any anything anyone anybody anywhere anymore yet nor either until ever but unless or rather instead even all \
    much only just merely simply necessarily alone as so enough longer more";

/// The sentence with its `not` taken away, or with one put in.
pub(super) fn alter(sentence: &Sentence<'_>, dice: &mut Dice) -> Option<String> {
    let denials = (0..sentence.tokens.len()).filter(|at| is_denial(sentence, *at)).count();
    match denials {
        0 => deny(sentence, dice),
        1 => (0..sentence.tokens.len()).find_map(|at| affirm(sentence, at)),
        _ => None,
    }
}

fn is_denial(sentence: &Sentence<'_>, at: usize) -> bool {
    sentence.tokens.get(at).is_some_and(|token| is_listed(NEGATIONS, &token.lower) || token.lower.ends_with("n't"))
}

/// Puts a `not` after one of the auxiliaries.
fn deny(sentence: &Sentence<'_>, dice: &mut Dice) -> Option<String> {
    let spots: Vec<usize> = (1..sentence.tokens.len()).filter(|at| is_auxiliary(sentence, *at)).collect();
    // The first is most often that of the main clause.
    let spots = if dice.below(4) == 0 { dice.shuffled(spots) } else { spots };
    let at = *spots.first()?;
    let token = sentence.tokens.get(at)?;
    let denied = match token.lower.as_str() {
        // What may be may also not be: only that it cannot is a contradiction.
        "can" | "may" => "cannot".to_owned(),
        be @ ("is" | "are" | "was" | "were") if is_bare_there(sentence, at) => format!("{be} no"),
        other => format!("{other} not"),
    };
    sentence.with(token.range.clone(), &denied)
}

/// Whether the verb is that of `there is evidence`, which is denied by `no`.
fn is_bare_there(sentence: &Sentence<'_>, at: usize) -> bool {
    let is_there = sentence.before(at).is_some_and(|before| before.lower == "there");
    let is_bare =
        sentence.after(at).is_some_and(|after| !matches!(&*after.lower, "a" | "an") && value(&after.lower).is_none());
    is_there && is_bare
}

fn is_auxiliary(sentence: &Sentence<'_>, at: usize) -> bool {
    let Some(token) = sentence.tokens.get(at) else { return false };
    let Some(after) = sentence.after(at) else { return false };
    let is_form = token.is_plain && is_listed(AUXILIARIES, token.core);
    let before = at.checked_sub(1).and_then(|at| sentence.tokens.get(at));
    let is_noun_or_turned = before.is_none_or(|before| {
        is_listed(NO_AUXILIARY_AFTER, &before.lower) || !before.trail.is_empty() || !token.lead.is_empty()
    });
    let is_open = sentence.clause_before(at).any(|word| is_listed(OPEN_BEFORE, word))
        || is_listed(OPEN_AFTER, &after.lower)
        || !after.is_plain;
    let is_quantified = sentence.tokens.first().is_some_and(|token| is_listed(OPEN_FIRST, &token.lower));
    // Nothing `cannot be able`.
    let is_able = sentence.tokens.get(at + 2).is_some_and(|token| token.lower == "able");
    let is_have = matches!(token.core, "has" | "have" | "had");
    is_form && !is_noun_or_turned && !is_open && !is_quantified && !is_able && (!is_have || is_participle(&after.lower))
}

/// Takes away the `not` at a token.
fn affirm(sentence: &Sentence<'_>, at: usize) -> Option<String> {
    let token = sentence.tokens.get(at).filter(|token| token.is_plain && token.trail.is_empty())?;
    let mut after = sentence.tokens.iter().skip(at + 1);
    if after.any(|token| is_listed(NEEDING, &token.lower)) || is_conditional(sentence, at) {
        return None;
    }
    match token.lower.as_str() {
        "cannot" | "can't" => sentence.with(token.range.clone(), "can"),
        "don't" => without_do(sentence, at, at, ""),
        "doesn't" => without_do(sentence, at, at, "does"),
        "not" | "never" => {
            let before = sentence.before(at)?;
            match before.lower.as_str() {
                "do" => without_do(sentence, at - 1, at, ""),
                "does" => without_do(sentence, at - 1, at, "does"),
                "did" => drop_after(sentence, before, token),
                "may" => None,
                word if is_listed(AUXILIARIES, word) && before.core == word => drop_after(sentence, before, token),
                _ => None,
            }
        }
        other => {
            let whole = other.strip_suffix("n't")?;
            (is_listed(AUXILIARIES, whole) || whole == "did").then(|| sentence.with(token.range.clone(), whole))?
        }
    }
}

fn is_conditional(sentence: &Sentence<'_>, at: usize) -> bool {
    let words =
        "if whether or why when whenever until once because possible though although some many most several who often";
    sentence.clause_before(at).any(|word| is_listed(words, word))
}

fn drop_after(sentence: &Sentence<'_>, before: &Token<'_>, not: &Token<'_>) -> Option<String> {
    sentence.with(before.range.end..not.range.end, "")
}

/// Takes away `do not` or `does not` and makes the verb after it agree.
fn without_do(sentence: &Sentence<'_>, from: usize, to: usize, auxiliary: &str) -> Option<String> {
    let start = sentence.tokens.get(from)?;
    let mut at = to + 1;
    while sentence.tokens.get(at).is_some_and(|token| token.lower.ends_with("ly") && token.lower != "apply") {
        at += 1;
    }
    let verb = sentence.tokens.get(at).filter(|verb| verb.is_plain && verb.core.chars().all(char::is_lowercase))?;
    let between = sentence.text.get(sentence.tokens.get(to + 1)?.range.start..verb.range.start)?;
    let form = if auxiliary.is_empty() { verb.core.to_owned() } else { third_person(verb.core) };
    let said = format!("{between}{form}");
    let said = if start.is_capital() { with_capital(&said) } else { said };
    sentence.with(start.range.start..verb.range.end, &said)
}

fn with_capital(words: &str) -> String {
    let mut signs = words.chars();
    signs.next().map(|first| first.to_uppercase().chain(signs).collect()).unwrap_or_default()
}
