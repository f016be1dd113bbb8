//! A piece of evidence that was never found.

use vouch_domain::StoredPassage;
use vouch_engine::{judge::Piece, retrieve::Similarity};

fn main() {}

fn piece(passage: StoredPassage) -> Piece {
    let similarity = Similarity { cosine: None, relevance: 1.0 };
    Piece { marker: 1, passage, similarity, reading: None, part: 0, is_reserve: false, may_answer: true }
}
