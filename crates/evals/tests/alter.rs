//! Sentences of invented documents and what they are altered to.
#![expect(clippy::unwrap_used, reason = "a case that yields nothing is a failed test")]

use vouch_evals::alter::{Alteration, Altered, Names, alter};

const SEEDS: std::ops::Range<u64> = 0..40;

/// What a sentence becomes under one kind, once for each seed that gives something.
fn altered(sentence: &str, document: &str, kind: Alteration) -> Vec<String> {
    let mut names = Names::default();
    names.add(["We sailed to Port Amber with the crew.", "They met in Selby and in Dorvale."], "");
    let of_kind = |seed| alter(sentence, document, &names, seed).into_iter().find(|found| found.kind == kind);
    SEEDS.filter_map(of_kind).map(|found: Altered| found.sentence).collect()
}

/// The same where there must be something.
fn some_altered(sentence: &str, document: &str, kind: Alteration) -> Vec<String> {
    let found = altered(sentence, document, kind);
    assert!(!found.is_empty(), "nothing for {sentence}");
    found
}

/// Whether each seed gives one of the expected sentences.
fn check(sentence: &str, kind: Alteration, expected: &[&str]) {
    for found in some_altered(sentence, sentence, kind) {
        assert!(expected.contains(&found.as_str()), "{found}");
    }
}

fn check_none(sentences: &[&str], kind: Alteration) {
    for sentence in sentences {
        assert_eq!(altered(sentence, sentence, kind), Vec::<String>::new(), "{sentence}");
    }
}

/// The figure between two texts.
fn between(text: &str, head: &str, tail: &str) -> f64 {
    text.strip_prefix(head).unwrap().strip_suffix(tail).unwrap().replace(',', "").parse().unwrap()
}

#[test]
fn the_same_seed_gives_the_same_sentences() {
    let sentence = "The mast in Halden was 40 metres tall in 1987.";
    let names = Names::default();
    assert_eq!(alter(sentence, sentence, &names, 7), alter(sentence, sentence, &names, 7));
}

#[test]
fn each_kind_comes_at_most_once_and_in_order() {
    let sentence = "The mast in Halden was 40 metres tall in 1987.";
    let mut names = Names::default();
    names.add(["They met in Selby and in Dorvale."], "");
    let kinds: Vec<Alteration> = alter(sentence, sentence, &names, 1).iter().map(|found| found.kind).collect();
    assert_eq!(kinds, Alteration::ALL);
}

#[test]
fn what_is_no_claim_of_fit_length_is_left_alone() {
    let long = format!("The mast is {} 40 metres tall.", "very ".repeat(40));
    let sentences = [
        "The mast was 40 metres.",
        "Was the old mast about 40 metres tall?",
        "The old mast was 40 metres tall",
        &long,
        "",
    ];
    for sentence in sentences {
        assert_eq!(alter(sentence, sentence, &Names::default(), 1), Vec::new(), "{sentence}");
    }
}

#[test]
fn another_figure_keeps_the_shape_and_is_not_in_the_document() {
    let sentence = "The harbour holds 4,200 boats of every size.";
    let document = "The harbour holds 4,200 boats of every size. Once it held 4300, and 43 piers.";
    for found in some_altered(sentence, document, Alteration::Number) {
        let figure = between(&found, "The harbour holds ", " boats of every size.");
        assert!((1_000.0..10_000.0).contains(&figure) && figure % 100.0 == 0.0, "{found}");
        assert!(figure != 4_200.0 && figure != 4_300.0 && found.contains(','), "{found}");
    }
}

#[test]
fn a_figure_in_words_equals_the_same_in_digits() {
    let sentence = "The crew has four cooks and a boy.";
    let document = format!("{sentence} There are 5, 6.0 and 8 cabins.");
    assert!(some_altered(sentence, &document, Alteration::Number).iter().all(|found| found.contains("seven")));
}

#[test]
fn a_bound_moves_only_where_it_says_something_else() {
    for found in some_altered("The hull needs at least 30 planks of oak.", "", Alteration::Number) {
        assert!(between(&found, "The hull needs at least ", " planks of oak.") > 30.0, "{found}");
    }
    for found in some_altered("The hull takes up to 30 planks of oak.", "", Alteration::Number) {
        assert!(between(&found, "The hull takes up to ", " planks of oak.") < 30.0, "{found}");
    }
    for found in some_altered("The hull takes about 30 planks of oak.", "", Alteration::Number) {
        let figure = between(&found, "The hull takes about ", " planks of oak.");
        assert!(figure >= 45.0 || figure <= 20.0, "{found}");
    }
}

#[test]
fn figures_of_names_labels_spans_and_citations_are_left_alone() {
    check_none(
        &[
            "The crew sailed on the Heron 40 that day.",
            "The mast is drawn in figure 12 of the plan.",
            "The crew has between 5 and 9 hands aboard.",
            "The mast was raised by hand, as told [12].",
            "The mast was raised by hand, as told (12).",
            "The crew runs `boats 12 list` on every morning.",
            "The lamp has been lit since 1.29, as it seems.",
            "The crew won the race by 14 – 12 points.",
            "No more than 12 boats may lie at the pier.",
        ],
        Alteration::Number,
    );
}

#[test]
fn years_months_and_weekdays_become_others() {
    for found in some_altered("The mast was raised in 1987 by the crew.", "", Alteration::Date) {
        let year = between(&found, "The mast was raised in ", " by the crew.");
        assert!((1_957.0..=2_017.0).contains(&year) && year != 1_987.0, "{found}");
    }
    for found in some_altered("The mast was raised on 31 May by hand.", "", Alteration::Date) {
        assert!(
            !["May", "February", "April", "June", "September", "November"].iter().any(|month| found.contains(month))
        );
    }
    let found = some_altered("The boats come in on Monday and unload.", "", Alteration::Date);
    assert!(found.iter().all(|found| found.contains("day and unload") && !found.contains("Monday")));
}

#[test]
fn a_year_moves_only_where_it_says_something_else() {
    for found in some_altered("The mast had been raised before 1987 by hand.", "", Alteration::Date) {
        assert!(between(&found, "The mast had been raised before ", " by hand.") < 1_987.0, "{found}");
    }
    for found in some_altered("The yard worked from 1950 to 1954 without pay.", "", Alteration::Date) {
        let years: Vec<u32> = found.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        assert!(years.is_sorted(), "{found}");
    }
}

#[test]
fn dates_of_names_and_counts_that_look_like_years_are_left_alone() {
    check_none(
        &[
            "The crew read the Sunday Herald every morning.",
            "The yard built a Heron 1987 for the crew.",
            "The pier may hold the 1000 boats of the town.",
            "The mast was raised by hand, as told (1987).",
        ],
        Alteration::Date,
    );
}

#[test]
fn units_become_their_neighbours() {
    check(
        "The boat is due in 5 days from here.",
        Alteration::Unit,
        &["The boat is due in 5 hours from here.", "The boat is due in 5 weeks from here."],
    );
    check(
        "The crew took a 30-day rest at home.",
        Alteration::Unit,
        &["The crew took a 30-hour rest at home.", "The crew took a 30-week rest at home."],
    );
    check("The price rose by 5% in one year.", Alteration::Unit, &["The price rose by $5 in one year."]);
}

#[test]
fn a_unit_under_a_bound_moves_only_where_it_says_something_else() {
    check("The boat needs at least 5 days to land.", Alteration::Unit, &["The boat needs at least 5 weeks to land."]);
    check(
        "The boat lands within 5 days of its start.",
        Alteration::Unit,
        &["The boat lands within 5 hours of its start."],
    );
}

#[test]
fn a_unit_that_the_document_has_too_is_not_chosen() {
    let sentence = "The boat is due in 5 days from here.";
    let found = some_altered(sentence, "It is due in 5 days, or 5 weeks.", Alteration::Unit);
    assert!(found.iter().all(|found| found.contains("5 hours")));
}

#[test]
fn units_that_would_measure_nothing_are_left_alone() {
    check_none(
        &[
            "The lamp burns for 24 hours a day.",
            "Of all boats 5% of them sink here.",
            "They won two second prizes in town.",
        ],
        Alteration::Unit,
    );
}

#[test]
fn a_name_becomes_one_of_another_document() {
    check(
        "The old mast stands in Halden since then.",
        Alteration::Name,
        &["The old mast stands in Selby since then.", "The old mast stands in Dorvale since then."],
    );
}

#[test]
fn a_name_of_the_same_document_is_not_chosen() {
    let found = some_altered("The old mast stands in Halden since then.", "Halden and Selby.", Alteration::Name);
    assert!(found.iter().all(|found| found.contains("Dorvale")));
}

#[test]
fn a_word_that_is_also_written_small_is_no_name() {
    let sentence = "The old mast stands in Harbour since then.";
    assert_eq!(altered(sentence, "The harbour is old.", Alteration::Name), Vec::<String>::new());
}

#[test]
fn negations_come_after_an_auxiliary() {
    let cases = [
        ("The old mast was raised by hand.", "The old mast was not raised by hand."),
        ("The crew can raise the mast today.", "The crew cannot raise the mast today."),
        ("The crew may raise the mast today.", "The crew cannot raise the mast today."),
        ("The crew has raised the mast today.", "The crew has not raised the mast today."),
        ("There is evidence of an older mast.", "There is no evidence of an older mast."),
    ];
    for (sentence, expected) in cases {
        check(sentence, Alteration::Negation, &[expected]);
    }
}

#[test]
fn negations_go_and_the_verb_agrees() {
    let cases = [
        ("The old mast was not raised by hand.", "The old mast was raised by hand."),
        ("The crew cannot raise the mast today.", "The crew can raise the mast today."),
        ("The boat does not carry a mast.", "The boat carries a mast."),
        ("The boat doesn't really have a mast.", "The boat really has a mast."),
        ("Do not raise the mast by hand.", "Raise the mast by hand."),
        ("The boats do not carry a mast.", "The boats carry a mast."),
        ("The mast isn't raised by the crew.", "The mast is raised by the crew."),
    ];
    for (sentence, expected) in cases {
        check(sentence, Alteration::Negation, &[expected]);
    }
}

#[test]
fn sentences_whose_denial_may_hold_too_are_left_alone() {
    check_none(
        &[
            "Some boats are built of oak here.",
            "Some old, long boats are built of oak.",
            "If the mast is up the boat sails.",
            "The crew may be able to raise it.",
            "The mast may not be up by noon.",
            "The mast is not only tall but old.",
            "The boat does not carry any mast today.",
            "The crew has a mast of oak.",
            "The mast is also built of oak.",
        ],
        Alteration::Negation,
    );
}

#[test]
fn hostile_text_is_survived() {
    let hostile = [
        "é".repeat(5_000),
        "[[[[ {{{{ ```` <<<< .".to_owned(),
        "0 00 000 0.0 0,0 99999999999999999999 1.2.3.4 ,,, %.".to_owned(),
        "’s ’s ’s ’s ’s ’s ’s.".to_owned(),
        "$ $ $ 5% % ° 10% 20%%% not not isn't n't do not.".to_owned(),
        "A\u{0}B C\u{200b}D Éa Ünder Ωmega 5\u{a0}km 7\u{2009}days.".to_owned(),
    ];
    for text in &hostile {
        let mut names = Names::default();
        names.add([text.as_str()], text);
        for found in SEEDS.flat_map(|seed| alter(text, text, &names, seed)) {
            assert_ne!(&found.sentence, text);
        }
    }
}
