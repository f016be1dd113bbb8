//! A draft nobody has written.

use vouch_engine::compose::Draft;

fn main() {
    let _ = Draft { sentences: Vec::new(), model: String::new() };
}
