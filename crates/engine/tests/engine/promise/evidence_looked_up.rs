//! Evidence nobody has judged.

use vouch_engine::judge::Evidence;

fn main() {
    let _ = Evidence::looked_up(Vec::new());
}
