//! Every check of a claim against its evidence, each with claims that trip it and near misses that do not.

use vouch_engine::verify::checks::{Check, CheckReport, Finding, Objection, check_claim};

pub(crate) fn tripped(check: Check, claim: &str, evidence: &str) -> Vec<Finding> {
    check_claim(claim, &[evidence]).findings.into_iter().filter(|finding| finding.check == check).collect()
}

/// Each claim meets exactly this objection of the check; `None` where the evidence has nothing in its place.
pub(crate) fn objects(check: Check, evidence: &str, cases: &[(&str, &str, Option<&str>)]) {
    for (claim, words, instead) in cases {
        let findings = tripped(check, claim, evidence);
        let objection = if instead.is_some() { Objection::Contradicted } else { Objection::Missing };
        let instead = instead.map(str::to_owned);
        let expected = Finding { check, objection, words: (*words).to_owned(), instead };
        assert_eq!(findings, vec![expected], "{claim}");
    }
}

/// No claim meets any objection at all.
pub(crate) fn passes(evidence: &str, claims: &[&str]) {
    for claim in claims {
        let sentences: Vec<String> = check_claim(claim, &[evidence]).findings.iter().map(Finding::sentence).collect();
        assert!(sentences.is_empty(), "{claim}: {sentences:?}");
    }
}

const NUMBERS: &str = "The mast of the station is 27 metres high. Its crew of five works in shifts and logged 1,200 \
    readings last season. About 43 percent of the lamps were replaced. The third lamp failed after 2.50 volts were \
    applied. The station cost 1.2 million crowns, and twenty-five volunteers painted two thirds of it. The pump moves \
    between 10 and 15 buckets.";

#[test]
fn a_figure_the_evidence_does_not_have_is_objected_to() {
    objects(
        Check::Numbers,
        NUMBERS,
        &[
            ("The mast of the station is 29 metres high.", "29 metres", Some("27 metres")),
            ("Its crew of seven works in shifts and logged 1,200 readings last season.", "seven", Some("five")),
            ("Its crew of five works in shifts and logged 1,300 readings last season.", "1,300", Some("1,200")),
            ("About 34 percent of the lamps were replaced.", "34 percent", Some("43 percent")),
            ("The fourth lamp failed after 2.50 volts were applied.", "fourth", Some("third")),
            ("The third lamp failed after 25 volts were applied.", "25 volts", Some("2.50 volts")),
            ("The station cost 1.3 million crowns.", "1.3 million", Some("1.2 million")),
            ("Twenty-six volunteers painted two thirds of it.", "Twenty-six", Some("twenty-five")),
            ("The pump moves between 10 and 16 buckets.", "16", Some("15")),
            ("The rope is 88 metres long.", "88 metres", None),
            ("Over 30 metres is the height of the mast.", "30 metres", None),
        ],
    );
}

#[test]
fn a_figure_in_another_spelling_is_the_same_figure() {
    passes(
        NUMBERS,
        &[
            "The mast is twenty-seven metres high.",
            "A crew of 5 works there.",
            "They logged 1200 readings.",
            "They logged one thousand two hundred readings.",
            "They logged 1.2k readings.",
            "43 % of the lamps were replaced.",
            "Forty-three per cent of the lamps were replaced.",
            "The 3rd lamp failed after 2.5 volts were applied.",
            "The station cost 1,200,000 crowns.",
            "25 volunteers painted two-thirds of it.",
            "About 40 percent of the lamps were replaced.",
            "The mast is more than 25 metres high.",
            "The mast is under 30 metres high.",
            "One of the lamps failed, and one can see why.",
            "The pump moves 10-15 buckets.",
        ],
    );
}

const UNITS: &str = "The permit lasts 5 weeks and costs $40. Divers stay down for 90 minutes at 12 °C. The cable is \
    3 km long, weighs 80 kg, and carries 16 GB a day. Boats may go 20 km/h in the harbour. The fee rose by 7 %. The \
    field covers 12 hectares. The gate opens at 6 am.";

#[test]
fn a_figure_with_another_unit_is_objected_to() {
    objects(
        Check::Units,
        UNITS,
        &[
            ("The permit lasts 5 days.", "5 days", Some("5 weeks")),
            ("The permit lasts 5 months and costs $40.", "5 months", Some("5 weeks")),
            ("The permit costs €40.", "€40", Some("$40")),
            ("The permit costs 40 euros.", "40 euros", Some("$40")),
            ("Divers stay down for 90 hours.", "90 hours", Some("90 minutes")),
            ("Divers stay down for 90 minutes at 12 °F.", "12 °F", Some("12 °C")),
            ("The cable is 3 miles long.", "3 miles", Some("3 km")),
            ("The cable weighs 80 tonnes.", "80 tonnes", Some("80 kg")),
            ("The cable carries 16 TB a day.", "16 TB", Some("16 GB")),
            ("The fee rose by 7 dollars.", "7 dollars", Some("7 %")),
            ("The gate opens at 6 pm.", "6 pm", Some("6 am")),
        ],
    );
}

#[test]
fn another_spelling_of_a_unit_and_an_exact_conversion_are_no_other_unit() {
    passes(
        UNITS,
        &[
            "The permit lasts five weeks and costs 40 dollars.",
            "The permit lasts 35 days.",
            "The permit costs USD 40.",
            "Divers stay down for 1.5 hours.",
            "Divers stay down for 90 min at 12 degrees Celsius.",
            "The cable is 3 kilometres long.",
            "The cable is 3000 m long and weighs 80 kilograms.",
            "The cable carries 16 gigabytes a day.",
            "Boats may go 20 kilometres per hour in the harbour.",
            "The fee rose by seven percent.",
            "The field covers 120,000 square metres.",
            "The gate opens at 6 a.m.",
        ],
    );
}

const DATES: &str = "The lighthouse was lit on 3 May 2024. Work had begun in March 2019 and stopped during the 1990s \
    once before. The keeper left on Tuesday. The lens was ordered on 2023-11-30, and the tower dates from 1887. \
    Visitors may march up the stairs from June to August.";

#[test]
fn a_date_that_fits_none_of_the_evidence_is_objected_to() {
    objects(
        Check::Dates,
        DATES,
        &[
            ("The lighthouse was lit on 3 May 2023.", "3 May 2023", Some("3 May 2024")),
            ("The lighthouse was lit on 4 May 2024.", "4 May 2024", Some("3 May 2024")),
            ("The lighthouse was lit on 3 June 2024.", "3 June 2024", Some("3 May 2024")),
            ("The lighthouse was lit on May 13th, 2024.", "May 13th, 2024", Some("3 May 2024")),
            ("Work had begun in April 2019.", "April 2019", Some("March 2019")),
            ("Work had begun in March 2018.", "March 2018", Some("March 2019")),
            ("The keeper left on Friday.", "Friday", Some("Tuesday")),
            ("The lens was ordered on 2023-10-30.", "2023-10-30", Some("2023-11-30")),
            ("The tower dates from 1878.", "1878", Some("1887")),
            ("Work stopped during the 1980s once before.", "1980s", Some("1990s")),
            ("Painters came in 1955.", "1955", None),
        ],
    );
}

#[test]
fn a_date_in_another_notation_or_less_precise_is_no_other_date() {
    passes(
        DATES,
        &[
            "The lighthouse was lit on May 3rd, 2024.",
            "The lighthouse was lit on 2024-05-03.",
            "The lighthouse was lit on 03/05/2024.",
            "The lighthouse was lit on the 3rd of May 2024.",
            "The lighthouse was lit in 2024.",
            "The lighthouse was lit in May.",
            "The lighthouse was lit in May 2024.",
            "Work began before 2020.",
            "The lens was ordered on 30 November 2023.",
            "The tower dates from the 19th century.",
            "Visitors may march up the stairs.",
            "It may open later.",
        ],
    );
}

const NAMES: &str = "The survey was led by Ingrid Halvorsen for the Northern Weather Office (NWO). She travelled from \
    Oslo to Tromsø with the engineer J. Petrov. Their X-200 probe speaks AES-256 and runs version v2.1. Write to \
    desk@nwo.example or see https://www.nwo.example/help for more. The Norwegian crew used the Jean-Luc buoy.";

#[test]
fn a_name_the_evidence_does_not_have_is_objected_to() {
    objects(
        Check::Names,
        NAMES,
        &[
            (
                "The survey was led by Astrid Berg for the Northern Weather Office.",
                "Astrid Berg",
                Some("Ingrid Halvorsen"),
            ),
            (
                "The survey was led by Ingrid Halvorsen for the Southern Weather Office.",
                "Southern Weather Office",
                Some("Northern Weather Office"),
            ),
            ("She travelled from Bergen to Tromsø with the engineer J. Petrov.", "Bergen", Some("Oslo")),
            ("She travelled from Oslo to Tromsø with the engineer J. Ivanov.", "Ivanov", Some("Petrov")),
            ("Their X-300 probe speaks AES-256 and runs version v2.1.", "X-300", Some("X-200")),
            ("Their X-200 probe speaks AES-128 and runs version v2.1.", "AES-128", Some("AES-256")),
            ("Their X-200 probe speaks AES-256 and runs version v2.2.", "v2.2", Some("v2.1")),
            ("Write to help@nwo.example for more.", "help@nwo.example", Some("desk@nwo.example")),
            (
                "One can see https://www.nwo.example/shop for more.",
                "https://www.nwo.example/shop",
                Some("https://www.nwo.example/help"),
            ),
            ("The probe was bought from Siemens.", "Siemens", None),
            ("The results went to the WMO.", "WMO", None),
        ],
    );
}

#[test]
fn a_name_in_another_of_its_forms_is_the_same_name() {
    passes(
        NAMES,
        &[
            "Halvorsen led the survey.",
            "The survey was led by I. Halvorsen.",
            "The NWO's survey was led by Ingrid Halvorsen.",
            "The engineer was John Petrov.",
            "They went to Tromso.",
            "The crew came from Norway.",
            "The X200 probe speaks AES 256.",
            "It runs version 2.1.",
            "See www.nwo.example/help for more.",
            "Write to DESK@nwo.example.",
            "The buoy was called Jean Luc.",
            "the survey was led by astrid berg",
            "Usually the survey is led by Ingrid Halvorsen.",
        ],
    );
}

const QUOTATIONS: &str = "The notice reads: “Keep the hatch shut at all times.” The keeper said that the light is the \
    only friend a sailor has, and he added: \"Nobody climbs the tower alone. Ask for the key.\"";

#[test]
fn words_in_quotation_marks_that_are_not_the_evidences_are_objected_to() {
    let cases = [
        "The notice reads \"Keep the hatch open at all times.\"",
        "The notice reads “Keep the hatch shut at night.”",
        "The notice reads «Always keep the hatch shut».",
        "The notice reads „Keep every hatch shut at all times.“",
        "He said that \"the light is the best friend a sailor has\".",
        "He said that \"a sailor has no other friend\".",
        "He added \"nobody climbs the tower at night\".",
        "He added \"ask me for the key\".",
        "He said \"the sea gives and the sea takes\".",
        "He spoke of \"the only light a sailor has\".",
    ];
    for claim in cases {
        assert_eq!(tripped(Check::Quotations, claim, QUOTATIONS).len(), 1, "{claim}");
    }
}

#[test]
fn quoted_words_of_the_evidence_may_differ_in_case_blanks_and_marks() {
    let cases = [
        "The notice reads \"keep the hatch shut at all times\".",
        "The notice reads «Keep the hatch shut at all times».",
        "The notice reads „Keep the hatch shut“.",
        "The notice says “keep  the hatch shut”.",
        "He said \"the light is the only friend a sailor has\".",
        "He said that the light is \"the only friend … a sailor has\".",
        "He added \"Nobody climbs the tower alone. Ask for the key\".",
        "He calls it a \"true friend\".",
        "The hatch is 5\" wide and the key 3\" long, he added.",
        "He said that \"[the light] is the only friend a sailor has\".",
        "He said that the sea gives and takes.",
    ];
    for claim in cases {
        assert!(tripped(Check::Quotations, claim, QUOTATIONS).is_empty(), "{claim}");
    }
}

const POLARITY: &str = "Visitors must not touch the lamp while it is lit. The pump increases the pressure in the lower \
    tank before each dive. Dogs are allowed on the upper deck. The log is never closed during a storm. Not only the \
    captain may open the valve. The old engine does not start until the oil is warm. Divers without a licence stay \
    on board. The insurance includes every guest on the boat.";

#[test]
fn a_near_copy_that_is_turned_into_its_opposite_is_objected_to() {
    objects(
        Check::Polarity,
        POLARITY,
        &[
            ("Visitors must touch the lamp while it is lit.", "", Some("not")),
            ("The pump decreases the pressure in the lower tank before each dive.", "decreases", Some("increases")),
            ("The pump increases the pressure in the upper tank before each dive.", "upper", Some("lower")),
            ("The pump increases the pressure in the lower tank after each dive.", "after", Some("before")),
            ("The pump does not increase the pressure in the lower tank before each dive.", "not", Some("")),
            ("Dogs are not allowed on the upper deck.", "not", Some("")),
            ("Dogs aren't allowed on the upper deck.", "n't", Some("")),
            ("Dogs are forbidden on the upper deck.", "forbidden", Some("allowed")),
            ("Dogs are no longer allowed on the upper deck.", "no longer", Some("")),
            ("The log is closed during a storm.", "", Some("never")),
            ("The insurance excludes every guest on the boat.", "excludes", Some("includes")),
            ("The insurance never includes any guest on the boat.", "never", Some("")),
        ],
    );
}

#[test]
fn two_turns_cancel_and_what_is_no_near_copy_is_left_alone() {
    passes(
        POLARITY,
        &[
            "Visitors mustn't touch the lamp while it is lit.",
            "Visitors may never touch the lamp while it is lit.",
            "Dogs are not forbidden on the upper deck.",
            "There is no doubt that dogs are allowed on the upper deck.",
            "The log is not closed during a storm.",
            "Not only the captain opens the valve.",
            "The old engine starts once the oil is warm.",
            "I am not sure, but dogs are allowed on the upper deck.",
            "The pump raises the pressure in the lower tank before each dive.",
            "A guest does not pay for the insurance.",
            "Nobody leaves the boat at night.",
            "The lamp is hot.",
        ],
    );
}

#[test]
fn a_claim_that_is_a_whole_sentence_is_a_copy_without_objections() {
    for evidence in [NUMBERS, UNITS, DATES, NAMES, QUOTATIONS, POLARITY] {
        let checked = check_claim(evidence, &["Another text.", evidence]);
        assert!(checked.is_copy && checked.findings.is_empty(), "{checked:?}");
    }
    let shouted = check_claim("DOGS ARE  ALLOWED\non the upper deck", &[POLARITY]);
    assert!(shouted.is_copy && shouted.overlap >= 1.0, "{shouted:?}");
}

#[test]
fn half_a_sentence_is_no_copy() {
    for claim in ["touch the lamp while it is lit.", "The log is never closed", "", " \n", "…"] {
        assert!(!check_claim(claim, &[POLARITY]).is_copy, "{claim}");
    }
}

#[test]
fn sentences_of_two_texts_are_no_copy() {
    let checked = check_claim("The lamp is lit. The log is open.", &["The lamp is lit.", "The log is open."]);
    assert!(!checked.is_copy && checked.findings.is_empty(), "{checked:?}");
}

#[test]
fn only_checks_with_something_to_check_are_applied() {
    let checked = check_claim("The survey took 5 days in May 2024 and was led by Ingrid.", &["A cat sat."]);
    assert_eq!(checked.applied, vec![Check::Numbers, Check::Units, Check::Dates, Check::Names]);
    assert!(check_claim("the lamp is hot", &["A cat sat."]).applied.is_empty());
}

#[test]
fn a_finding_reads_as_a_sentence() {
    let sentence = |claim: &str, evidence: &str| {
        check_claim(claim, &[evidence]).findings.first().map(Finding::sentence).unwrap_or_default()
    };
    assert_eq!(
        sentence("A crew of 5 men.", "A crew of 3 men."),
        "numbers: the claim says \"5\", the passage says \"3\""
    );
    assert_eq!(sentence("He lives in Oslo.", "He has a boat."), "names: \"Oslo\" is not in the passage");
    assert_eq!(
        sentence("The old lamp is not lit at night.", "The old lamp is lit at night."),
        "polarity: the claim says \"not\", the passage does not"
    );
}

#[test]
fn hostile_texts_neither_stop_the_checks_nor_take_long() {
    let long_word = "é".repeat(10_000);
    let digits = "9".repeat(10_000);
    let quotes = "\"".repeat(1_000);
    let noise = "a b 1 2 \"c\" $ % not X-1 ".repeat(100);
    let many = "The lamp of Oslo is not 5 km high in May 2024. ".repeat(300);
    let texts = [
        "",
        " ",
        "\u{0}\u{1}\u{7f}",
        "🚢🚢 5🚢 km",
        "灯台は2024年5月3日に点灯した。",
        "أُضيئت المنارة في ٣ مايو ٢٠٢٤",
        "प्रकाशस्तंभ ३ मई २०२४ को जलाया गया",
        "½ ⅔ 2½ 1/0 0/0 -5 −5 1,2,3 1.2.3.4 99999999999999999999999",
        "“„«»”",
        "n't 's ' - -- /// ::: @ @. a@b.c http:// www.",
        "1 000 000 000 000 000 000",
        "hundred hundred and and half a",
        long_word.as_str(),
        digits.as_str(),
        quotes.as_str(),
        noise.as_str(),
        many.as_str(),
    ];
    for claim in texts {
        for evidence in texts {
            let CheckReport { overlap, .. } = check_claim(claim, &[evidence, ""]);
            assert!((0.0..=1.0).contains(&overlap));
        }
        assert!(!check_claim(claim, &[]).is_copy);
    }
}
