//! What is shown around a sentence that answers.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use vouch_domain::language::unit::{Extent, least_unit, unit};

/// What is shown above, before and after the sentence that begins with these words, and itself.
fn check(text: &str, answer: &str, expected: [&str; 4]) {
    let start = text.find(answer).expect("the text holds the answer");
    let unit = unit(text, start, Extent { asks_for_steps: false, may_grow: false }).expect("a sentence begins there");
    let part =
        |range: Option<&std::ops::Range<usize>>| range.and_then(|range| text.get(range.clone())).unwrap_or_default();
    assert!(unit.before.len() <= 1 && unit.after.len() <= 1, "{unit:?}");
    let found =
        [part(unit.above.as_ref()), part(unit.before.first()), part(Some(&unit.answer)), part(unit.after.first())];
    assert_eq!(found, expected, "{text:?}");
}

#[test]
fn a_short_paragraph_is_shown_whole() {
    check(
        "One is here. Two is there. Three is gone.\n\nFour.",
        "Two",
        ["", "One is here.", "Two is there.", "Three is gone."],
    );
}

#[test]
fn a_list_comes_with_its_lead_in_and_all_items() {
    let text = "Pack well.\n\nYou need:\n\n- a rope\n- a lamp\n- a map\n\nThen go.";
    check(text, "a lamp", ["", "You need:\n\n- a rope", "a lamp", "a map"]);
    check(text, "You need:", ["", "", "You need:", "a rope\n- a lamp\n- a map"]);
}

#[test]
fn of_a_long_list_the_item_is_shown_with_the_lead_in() {
    let items: String = (1..60).map(|at| format!("- thing number {at}\n")).collect();
    let text = format!("You need:\n\n{items}");
    check(&text, "thing number 30", ["You need:", "", "thing number 30", ""]);
}

#[test]
fn a_row_comes_with_its_header() {
    let rows: String = (1..60).map(|at| format!("| part {at} | {at} m |\n")).collect();
    let text = format!("| part | size |\n|---|---|\n{rows}");
    check(&text, "| part 30 |", ["| part | size |", "", "| part 30 | 30 m |", ""]);
}

#[test]
fn code_comes_with_the_sentence_that_introduces_it() {
    let text = "Stop it first. Run this:\n\n```sh\nstop now\n```\n\nDone.";
    check(text, "Run this:", ["", "Stop it first.", "Run this:", "```sh\nstop now\n```"]);
    check(text, "```sh", ["", "Stop it first. Run this:", "```sh\nstop now\n```", ""]);
}

#[test]
fn a_sentence_that_leans_comes_with_the_one_before() {
    check("The mast is old.\n\nIt is 40 m tall.", "It is", ["", "The mast is old.", "It is 40 m tall.", ""]);
}

#[test]
fn of_a_long_paragraph_the_neighbours_are_shown() {
    let text: String = (1..40).map(|at| format!("Sentence number {at} is here. ")).collect();
    check(
        &text,
        "Sentence number 20",
        ["", "Sentence number 19 is here.", "Sentence number 20 is here.", "Sentence number 21 is here."],
    );
}

#[test]
fn a_unit_grows_by_whole_lists_with_their_lead_in() {
    let grown = |text: &str, answer: &str| {
        let start = text.find(answer).expect("the text holds the answer");
        let unit =
            unit(text, start, Extent { asks_for_steps: false, may_grow: true }).expect("a sentence begins there");
        let shown = unit.parts().filter_map(|(range, _)| text.get(range.clone()));
        shown.collect::<Vec<_>>().join(" | ")
    };
    let filler = "word ".repeat(95);
    let text = format!("{filler}is here. You need:\n\n- a rope\n- a lamp\n\nThen go home with all of it.");
    assert_eq!(grown(&text, "Then go"), "Then go home with all of it.");
    let text = "Pack well.\n\nYou need:\n\n- a rope\n- a lamp\n\nThen go.";
    assert_eq!(grown(text, "Then go"), "Pack well.\n\nYou need:\n\n- a rope\n- a lamp | Then go.");
}

#[test]
fn what_is_no_text_is_left_out_of_the_context() {
    let text = "One is here.\n\n<!-- wrong -->\n\nTwo is there.\n\nThree is gone.";
    let unit = unit(text, 0, Extent { asks_for_steps: false, may_grow: true }).expect("a sentence begins there");
    let after: Vec<&str> = unit.after.iter().filter_map(|range| text.get(range.clone())).collect();
    assert_eq!(after, ["Two is there.\n\nThree is gone."]);
}

/// The parts of the least unit round the sentence that begins with these words.
fn least(text: &str, answer: &str) -> String {
    let start = text.find(answer).expect("the text holds the answer");
    let unit = least_unit(text, start).expect("a sentence begins there");
    unit.parts().filter_map(|(range, _)| text.get(range.clone())).collect::<Vec<_>>().join(" ~ ")
}

#[test]
fn the_least_unit_of_a_sentence_is_the_sentence() {
    assert_eq!(least("One is here. Two is there. Three is gone.", "Two"), "Two is there.");
}

#[test]
fn the_least_unit_holds_what_a_sentence_cannot_be_read_without() {
    assert_eq!(least("The mast is old. It is 40 m tall. It leans.", "It is"), "The mast is old. ~ It is 40 m tall.");
    let table = "| part | size |\n|---|---|\n| mast | 40 m |\n| boom | 9 m |";
    assert_eq!(least(table, "| boom"), "| part | size | ~ | boom | 9 m |");
    let list = "You need:\n\n- a rope\n- a lamp\n- a map\n\nThen go.";
    assert_eq!(least(list, "a lamp"), "You need: ~ a lamp");
    assert_eq!(least(list, "You need:"), "You need: ~ a rope\n- a lamp\n- a map");
}
