//! Rows of a catalogue that is not there.

use vouch_engine::verify::Rows;

fn main() {
    let _ = Rows::with_heading("The office is on Mars.".to_owned(), Vec::new());
}
