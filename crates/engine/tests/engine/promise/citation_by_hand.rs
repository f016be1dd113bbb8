//! A citation under another number.

use vouch_engine::verify::Citation;

fn main() {}

fn renumber(citation: &Citation) -> Citation {
    Citation { marker: 2, ..citation.clone() }
}
