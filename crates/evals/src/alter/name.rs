//! A sentence and the names of other documents → the same with another name.
//!
//! Invariant: no word of the new name is in the document, but for a last word that stays (`Orange County`), and the new
//! name stood in the same sort of place.

use std::collections::BTreeSet;

use super::{
    dice::Dice,
    names::{Name, Names, Run, runs, small_words},
    sentence::Sentence,
};

/// Fewer names after the same word are no choice.
const CHOICE_MIN: usize = 2;

/// Another name in the place of one.
pub(super) fn alter(sentence: &Sentence<'_>, document: &str, names: &Names, dice: &mut Dice) -> Option<String> {
    if !sentence.tokens.iter().skip(1).any(|token| token.is_capital()) {
        return None;
    }
    let known: BTreeSet<String> =
        document.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase).filter(|word| !word.is_empty()).collect();
    let found = runs(sentence, &small_words(document));
    let single: Vec<Run<'_>> = found.into_iter().filter(|run| sentence.text.matches(run.text).count() == 1).collect();
    dice.shuffled(single).into_iter().find_map(|run| {
        let other = other(&run, &known, names, dice)?;
        sentence.with(run.range, &other)
    })
}

fn other(run: &Run<'_>, known: &BTreeSet<String>, names: &Names, dice: &mut Dice) -> Option<String> {
    let fit: Vec<&Name> =
        names.of(&run.place).filter(|name| is_new(run, name, known) && is_article_kept(run, name)).collect();
    let akin: Vec<&Name> = fit.iter().copied().filter(|name| is_akin(run, name)).collect();
    let beside: Vec<&Name> = fit.iter().copied().filter(|name| name.before == run.before).collect();
    let choice = if !akin.is_empty() {
        akin
    } else if beside.len() >= CHOICE_MIN {
        beside
    } else {
        fit
    };
    choice.get(dice.below(choice.len() as u64) as usize).map(|name| name.text.clone())
}

/// Whether both names of several words end alike.
fn is_akin(run: &Run<'_>, name: &Name) -> bool {
    matches!((run.text.rsplit_once(' '), name.text.rsplit_once(' ')), (Some((_, a)), Some((_, b))) if a == b)
}

fn is_new(run: &Run<'_>, name: &Name, known: &BTreeSet<String>) -> bool {
    let own = if is_akin(run, name) { name.text.rsplit_once(' ').map_or("", |(own, _)| own) } else { &name.text };
    let mut words = own.split(|c: char| !c.is_alphanumeric()).filter(|word| word.starts_with(char::is_uppercase));
    words.all(|word| !known.contains(&word.to_lowercase()))
}

/// Whether `a` or `an` before the name stays right.
fn is_article_kept(run: &Run<'_>, name: &Name) -> bool {
    let is_vowel = |text: &str| text.starts_with(['A', 'E', 'I', 'O', 'U']);
    !matches!(run.before.as_str(), "a" | "an")
        || (name.before == run.before && is_vowel(run.text) == is_vowel(&name.text))
}
