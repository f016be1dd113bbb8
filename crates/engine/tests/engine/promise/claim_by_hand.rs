//! A claim nobody has checked.

use vouch_engine::verify::Claim;

fn main() {
    let _ = Claim {
        text: "The office is on Mars.".to_owned(),
        markers: vec![1],
        score: 1.0,
        checks: vec!["verbatim"],
        lead: " ".to_owned(),
        role: vouch_domain::ports::SentenceRole::Answer,
        is_row: false,
    };
}
