//! An answer from general knowledge without a disclaimer.

use vouch_engine::decide::GeneralAnswer;

fn main() {
    let _ = GeneralAnswer::new(" ", vec!["The office is on Mars.".to_owned()], "none");
}
