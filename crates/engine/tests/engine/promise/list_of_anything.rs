//! A list whose heading says anything.

use vouch_engine::verify::VerifiedText;

fn main() {
    let _ = VerifiedText::listing("The office is on Mars.", &[]);
}
