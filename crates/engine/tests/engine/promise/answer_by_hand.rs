//! An answer put together from checked text outside `decide`.

use vouch_engine::{
    decide::{Confidence, Decision, VerifiedAnswer},
    verify::VerifiedText,
};

fn main() {}

fn answer(text: VerifiedText, confidence: Confidence) -> Decision {
    Decision::Answer(VerifiedAnswer { text, confidence, notices: Vec::new() })
}
