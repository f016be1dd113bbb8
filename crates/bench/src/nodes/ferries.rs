//! Documents with one figure each, the questions that ask for it, and the figures that a text states.
//!
//! Invariant: no two versions of any document have the same figure, so that a figure names its document and its version.

/// Parts of names that no language has, so that a name stands in one document alone.
const FIRST: [&str; 16] =
    ["Kal", "Mor", "Tav", "Bel", "Ruv", "Sen", "Dol", "Fen", "Gar", "Hul", "Jor", "Lin", "Nev", "Pav", "Quor", "Zam"];
const MIDDLE: [&str; 20] = [
    "mi", "to", "va", "du", "re", "so", "li", "na", "pe", "gu", "ka", "zo", "by", "fe", "hi", "ju", "wo", "xa", "cy",
    "ro",
];
const LAST: [&str; 16] =
    ["ra", "nor", "ska", "lund", "vik", "tem", "dal", "bex", "pol", "wen", "gast", "mur", "fin", "holm", "jas", "crow"];
const COLOURS: [&str; 7] = ["green", "white", "dark blue", "red", "grey", "yellow", "black"];
const PLACES: [&str; 5] = ["the old quay", "the fish market", "the lighthouse", "the salt stores", "the customs house"];
const TRADES: [&str; 5] = [
    "Her crew are mostly retired fishermen who know every rock of the sound.",
    "Bicycles travel free of charge, dogs on a lead are welcome on the upper deck.",
    "In fog she stays in harbour until the pilot gives leave.",
    "Coffee and soup are sold below deck by the steward.",
    "The engine was overhauled by the yard at the river mouth.",
];
/// The ways in which a question is worded.
pub(super) const WORDINGS: usize = 4;

/// Document `number`'s name.
pub(super) fn name(number: usize) -> String {
    let part = |parts: &[&'static str], at: usize| parts.get(at % parts.len().max(1)).copied().unwrap_or_default();
    let first = part(&FIRST, number);
    let middle = part(&MIDDLE, number / FIRST.len() + number * 7);
    let last = part(&LAST, number / (FIRST.len() * MIDDLE.len()) + number * 5);
    format!("{first}{middle}{last}")
}

/// Document `number`'s id.
pub(super) fn id(number: usize) -> String {
    format!("ferry-{number}")
}

/// The text of the version with this figure.
pub(super) fn text(number: usize, figure: u64) -> String {
    let of = |parts: &[&'static str]| parts.get(number % parts.len().max(1)).copied().unwrap_or_default();
    let name = name(number);
    format!(
        "# {name}\n\nThe ferry {name} carries {figure} passengers. She is {} and leaves from {}. {}\n",
        of(&COLOURS),
        of(&PLACES),
        of(&TRADES)
    )
}

/// A question for the figure of document `number`.
pub(super) fn question(number: usize, wording: usize) -> String {
    let name = name(number);
    match wording % WORDINGS {
        0 => format!("How many passengers does the ferry {name} carry?"),
        1 => format!("How many passengers can the {name} take on board?"),
        2 => format!("What number of passengers does the ferry {name} carry?"),
        _ => format!("How many people does the ferry {name} carry as passengers?"),
    }
}

/// Every figure that a text states, with the name it states it of.
pub(super) fn figures(text: &str) -> Vec<(String, u64)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("The ferry ") {
        rest = after;
        let Some((name, told)) = after.split_once(" carries ") else { continue };
        let digits: String = told.chars().take_while(char::is_ascii_digit).collect();
        if !name.contains(' ')
            && told.get(digits.len()..).is_some_and(|left| left.starts_with(" passengers"))
            && let Ok(figure) = digits.parse()
        {
            found.push((name.to_owned(), figure));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_document_has_a_name_of_its_own() {
        let names: BTreeSet<String> = (0..5_000).map(name).collect();
        assert_eq!(names.len(), 5_000);
    }

    #[test]
    fn the_figure_of_a_version_is_read_out_of_an_answer() {
        let answer = format!("{} [^1]\n\nThe ferry Elsewhere carries many passengers.", text(3, 4_711));
        assert_eq!(figures(&answer), [(name(3), 4_711)]);
        assert_eq!(figures(text(3, 12).split_once(" passengers").unwrap().0), []);
    }
}
