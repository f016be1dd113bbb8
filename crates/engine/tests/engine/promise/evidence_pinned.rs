//! Evidence no editor has chosen.

use vouch_engine::{judge::Evidence, retrieve::Similarity};

fn main() {
    let _ = Evidence::pinned(Vec::new(), Similarity { cosine: None, relevance: 1.0 });
}
