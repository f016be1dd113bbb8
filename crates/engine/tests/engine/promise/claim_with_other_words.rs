//! A checked claim that says something else afterwards.

use vouch_engine::verify::Claim;

fn main() {}

fn reword(claim: &Claim) -> Claim {
    let mut other = claim.clone();
    other.text = "The office is on Mars.".to_owned();
    other
}
