//! An answer whose text is exchanged for another.

use vouch_engine::{decide::VerifiedAnswer, verify::VerifiedText};

fn main() {}

fn swap(answer: &mut VerifiedAnswer, other: VerifiedText) {
    answer.text = other;
}
