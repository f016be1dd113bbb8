//! Text that was never checked.

use vouch_engine::verify::VerifiedText;

fn main() {
    let _ = VerifiedText { heading: None, claims: Vec::new(), citations: Vec::new(), model: String::new() };
}
