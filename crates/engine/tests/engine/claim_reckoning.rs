//! Figures that a writer has reckoned from others: a sum or a span passes, a coincidence does not.

use vouch_engine::verify::checks::Check;

use crate::claim_checks::{passes, tripped};

#[test]
fn the_sum_of_two_like_figures_and_the_span_of_two_years_pass() {
    passes(
        "The yard keeps 14 vans and 6 lorries. It was run by the Holts from 1950 to 1962. One foreman and two fitters work \
         there. The fence is 30 metres on one side and 15 metres on the other.",
        &[
            "The yard keeps 20 vehicles, vans and lorries together.",
            "The Holts ran the yard for 12 years.",
            "Three people work there, a foreman and two fitters.",
            "The fence is 45 metres on two sides together.",
        ],
    );
}

#[test]
fn figures_of_different_things_are_not_added_up() {
    for (evidence, claim) in [
        ("Annual leave is 25 days a year.", "The year has 26 days of annual leave."),
        ("A form is kept for 6 years by an office.", "The office keeps the form for 7 years."),
        ("Pump 3 moves 40 litres in 2 minutes.", "42 litres are moved by the pump."),
        ("The second lamp burns for 10 hours.", "The lamp burns for 12 hours."),
        ("The road is 30 kilometres and climbs 12 metres.", "The road has 42 kilometres."),
        ("Room 3 holds 40 people.", "43 people fit in the room."),
        ("The yard keeps 14 vans in 6 towns.", "The yard keeps 20 vans."),
        ("The mill stood from 1950 to 1962.", "The mill stood for 12 months."),
    ] {
        assert!(!tripped(Check::Numbers, claim, evidence).is_empty(), "{claim}");
    }
}
