//! The work of every text function is linear, or linear times log, whatever text it is given.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

mod subjects;

use vouch_testkit::growth::assert_linear;

use crate::support::ports;

#[test]
fn the_language_rules_are_linear() {
    assert_linear(subjects::LANGUAGE);
}

#[test]
fn understanding_a_question_is_linear() {
    assert_linear(subjects::QUESTIONS);
}

#[test]
fn reading_and_verifying_an_answer_is_linear() {
    assert_linear(subjects::ANSWERS);
}

#[test]
fn checking_a_claim_is_linear() {
    assert_linear(subjects::CLAIMS);
}
