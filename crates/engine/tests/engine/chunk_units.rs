//! What is never cut: short lists and tables with the words that introduce them, items, rows, and code below its paragraph.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use vouch_domain::{Document, Section};
use vouch_engine::{
    ingest::{chunk, tokens},
    policy::IngestPolicy,
};
use vouch_testkit::corpus::card;

/// Fifteen tokens, and so many of them.
const SENTENCE: &str = "It has rained for days on the hill and the mast of Ness still stands.";

fn sentences(count: usize) -> String {
    vec![SENTENCE; count].join(" ")
}

/// The passages of a text that are about forty tokens long.
fn passages(text: &str) -> Vec<String> {
    let sections = vec![Section { path: [].into(), start: 0, end: text.len() }];
    let document = Document {
        card: card("units", &[]),
        text: text.to_owned(),
        sections,
        times: Vec::new(),
        pages: Vec::new(),
        states_access: true,
        warnings: Vec::new(),
    };
    let policy = IngestPolicy { addresses: Vec::new(), passage_tokens: 40, batch_passages: 64, passages_max: 20_000 };
    chunk(&document, &policy).expect("it is in proportion").into_iter().map(|passage| passage.text).collect()
}

/// Whether these words stand together in one passage of the text.
fn are_together(text: &str, words: &str) -> bool {
    passages(text).iter().any(|passage| passage.contains(words))
}

#[test]
fn a_short_list_stays_with_the_words_that_introduce_it() {
    let list = "- a rope of hemp and a lamp\n- a map of the hill\n\n- a tent for two";
    for lead in ["Bring with you:\n\n", "Bring with **you:**\n", "Bring these things with you\n"] {
        for before in 0..6 {
            let text = format!("{}\n\n{lead}{list}\n\n{}", sentences(before), sentences(3));
            assert!(are_together(&text, &format!("{lead}{list}")), "{before} before: {:#?}", passages(&text));
        }
    }
}

#[test]
fn a_list_without_an_introduction_is_still_whole() {
    let list = "- a rope of hemp and a lamp\n- a map of the hill\n- a tent for two\n- a pot, a pan and a spoon";
    let text = format!("{}\n\n{list}\n\n{}", sentences(3), sentences(3));
    assert!(are_together(&text, list), "{:#?}", passages(&text));
}

#[test]
fn the_last_sentence_of_a_long_paragraph_introduces_a_list() {
    let list = "Bring with you:\n\n- a rope of hemp and a lamp\n- a map of the hill";
    let text = format!("{} {list}", sentences(4));
    assert!(are_together(&text, list), "{:#?}", passages(&text));
}

#[test]
fn a_long_list_is_cut_between_items_alone() {
    let item = format!("{SENTENCE} It is\n  wet. We\n\n  wait.");
    let text = format!("The days of the week, one by one:\n\n{}", format!("- {item}\n").repeat(7));
    let found = passages(&text);
    assert!(found.len() > 3, "{found:#?}");
    for (place, passage) in found.iter().enumerate() {
        let starts = if place == 0 { "The days" } else { "- It has" };
        assert!(passage.starts_with(starts) && passage.ends_with("wait."), "{passage:?}");
    }
    assert!(found.first().is_some_and(|first| first.contains(&item)), "the first item stays with its introduction");
}

#[test]
fn a_short_table_is_whole_and_a_long_one_is_cut_between_rows() {
    let table = "| part | size |\n|---|---|\n| mast | 27 m |\n| lamp | 2 m |";
    let text = format!("{}\n\nThe sizes are:\n\n{table}\n\n{}", sentences(2), sentences(3));
    assert!(are_together(&text, &format!("The sizes are:\n\n{table}")), "{:#?}", passages(&text));
    let long = format!("The sizes are:\n\n{table}\n{}", "| rope of hemp | 27 metres. Or so. |\n".repeat(20));
    let found = passages(&long);
    assert!(found.len() > 3 && found.iter().all(|passage| passage.ends_with('|')), "{found:#?}");
    let first = "The sizes are:\n\n| part | size |\n|---|---|\n| mast";
    assert!(found.first().is_some_and(|passage| passage.starts_with(first)), "{found:#?}");
}

#[test]
fn code_stays_with_the_paragraph_before_it_if_both_fit() {
    let code = "```sh\nvouch ingest docs\n\nvouch ask\n```";
    for before in 0..6 {
        let text = format!("{}\n\nThen run the two commands.\n\n{code}\n\n{SENTENCE}", sentences(before));
        let both = format!("Then run the two commands.\n\n{code}");
        assert!(are_together(&text, &both), "{before} before: {:#?}", passages(&text));
    }
    let long = format!("```sh\n{}```", "vouch ask it\n".repeat(24));
    let text = format!("{}\n\n{long}", sentences(2));
    assert!(
        tokens(&long) < 80.0 && are_together(&text, &long),
        "code that fits alone is whole: {:#?}",
        passages(&text)
    );
}

#[test]
fn a_quote_is_cut_at_its_lines() {
    let line = "> It has rained. The mast\n> of Ness still stands on the hill.\n";
    let text = line.repeat(20);
    let found = passages(&text);
    assert!(
        found.len() > 3 && found.iter().all(|passage| passage.starts_with("> It has rained. The mast")),
        "{found:#?}"
    );
}
