//! What is no figure because it belongs to a name, and what is said of one thing held against another.

use vouch_engine::verify::checks::{Check, check_claim};

use crate::claim_checks::{objects, passes, tripped};

const CODES: &str = "Patients with COVID-19 recovered within 14 days. SARS-CoV-2 was found in 12 % of the samples, and IL-6 rose in \
    type-2 diabetes. The phase-3 trial took 19 weeks. The self-cleaning filter holds for a mid-1990s pump. A diet rich in omega-3 lowers \
    the risk by 2 points.";

#[test]
fn a_number_that_belongs_to_a_name_is_no_figure() {
    passes(
        CODES,
        &[
            "COVID-19 patients got better within 14 days.",
            "Covid-19 patients recovered in 14 days.",
            "Within 14 days, people with COVID-19 recovered.",
            "In 12 % of the samples SARS-CoV-2 was found.",
            "The coronavirus SARS-CoV-2 was seen in 12 % of samples.",
            "IL-6 went up in type-2 diabetes.",
            "In type 2 diabetes, IL-6 rose.",
            "A phase-3 trial lasted 19 weeks.",
            "A filter that cleans itself holds for a pump of the mid-1990s.",
            "Omega-3 in the diet lowers the risk by 2 points.",
        ],
    );
    objects(
        Check::Numbers,
        CODES,
        &[
            ("Patients with COVID-19 recovered within 19 days.", "19 days", Some("14 days")),
            ("The phase-3 trial took 14 weeks.", "14 weeks", Some("19 weeks")),
        ],
    );
    assert!(!check_claim("Patients with COVID-21 recovered within 14 days.", &[CODES]).findings.is_empty());
    assert!(!check_claim("The phase-2 trial took 19 weeks.", &[CODES]).findings.is_empty());
}

const SUBJECTS: &str = "The ferry was repaired in the dry dock of Veldam. The tug carries coal. Marsh fever spreads through \
    water, and it was thought harmless to farmers until 1931. Swamp ague is another name for marsh fever. Some 640 people worldwide have been \
    treated for it. Harl Motors builds vans. The carmaker will call back 41 vans to mend a loose plug. In the north, grey was reserved for the \
    guard. Blue was worn by traders and the clergy. The chapel was founded by Ada Brandt. The school was open on Mondays. A sloop lies in the harbour. The night manager must \
    approve refunds above 50 pounds. The night porter keeps the keys.";

#[test]
fn what_is_said_of_one_thing_is_not_said_of_another() {
    objects(
        Check::Subjects,
        SUBJECTS,
        &[
            ("The tug was repaired in the dry dock of Veldam.", "The tug", Some("The ferry")),
            ("The school was founded by Ada Brandt.", "The school", Some("The chapel")),
            ("A sloop was repaired in the dry dock of Veldam.", "A sloop", Some("The ferry")),
            ("The night porter must approve refunds above 50 pounds.", "The night porter", Some("The night manager")),
        ],
    );
}

#[test]
fn another_name_a_pronoun_and_a_description_may_be_the_same_thing() {
    let quiet = |claim: &str| {
        let findings = tripped(Check::Subjects, claim, SUBJECTS);
        assert!(findings.is_empty(), "{claim}: {findings:?}");
    };
    quiet("Swamp ague was thought harmless to farmers until 1931.");
    quiet("Some 640 cases of marsh fever have been treated worldwide.");
    quiet("Harl Motors will call back 41 vans to mend a loose plug.");
    quiet("In the north it was worn by traders and the clergy.");
    quiet("Well, there was a loose plug to mend in 41 vans.");
}
