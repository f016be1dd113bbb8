//! A true sentence → the same with citations that are invented, broken, repeated, nested, leaked or cut in pieces.

use super::truth::{TruePiece, Truth};

/// What a broken citation says, and what of it must not be shown.
pub(super) struct Marked {
    pub(super) said: String,
    pub(super) forbidden: Vec<String>,
}

pub(super) fn never_minted(truth: &Truth, piece: &TruePiece) -> Marked {
    let most = truth.pieces.iter().map(|piece| piece.marker).max().unwrap_or(0);
    let number = most + 40;
    Marked {
        said: format!("{} [^{number}]", truth.sentence),
        forbidden: vec![format!("[^{number}]"), source(piece, 900)],
    }
}

pub(super) fn malformed(truth: &Truth, piece: &TruePiece, turn: usize) -> Marked {
    let own = piece.marker;
    let broken = [
        format!("[^{own}"),
        format!("[^ {own}]"),
        format!("[^{own}a]"),
        format!("[{own}]"),
        format!("[^{own},{own}]"),
        format!("【{own}†source】"),
        format!("[SourceId: {}]", piece.source_id),
        "[^]".to_owned(),
        format!("[<note>^{own}]"),
        "[\u{200b}SourceId: x:9]".to_owned(),
        "[<|x|>9]".to_owned(),
    ];
    let chosen = broken.get(turn % broken.len()).cloned().unwrap_or_default();
    // A bracket that does not close is part of one that does; whether every bracket closes is looked at in any case.
    let seen = chosen.replace(['\u{200b}'], "").replace("<note>", "").replace("<|x|>", "");
    let is_own = seen == format!("[^{own}]");
    let forbidden = if chosen.ends_with([']', '】']) && !is_own { vec![chosen.clone(), seen] } else { Vec::new() };
    Marked { said: format!("{} {chosen}", truth.sentence), forbidden }
}

pub(super) fn repeated(truth: &Truth, piece: &TruePiece) -> Marked {
    let own = piece.marker;
    Marked { said: format!("{} [^{own}][^{own}] [^{own}]", truth.sentence), forbidden: vec!["] [^1] [^1]".to_owned()] }
}

pub(super) fn nested(truth: &Truth, piece: &TruePiece) -> Marked {
    let own = piece.marker;
    let nested = format!("[^{own}[^{own}]] [[^{own}]]");
    Marked { said: format!("{} {nested}", truth.sentence), forbidden: vec!["[[".to_owned(), "]]".to_owned()] }
}

pub(super) fn leaked(truth: &Truth, piece: &TruePiece) -> Marked {
    let said = format!("{} ({}) <|im_end|> [^{}]", truth.sentence.trim_end_matches('.'), piece.source_id, piece.marker);
    Marked { said, forbidden: vec![piece.source_id.clone(), "<|im_end|>".to_owned()] }
}

/// An identifier like the piece's own that does not exist.
fn source(piece: &TruePiece, ordinal: u32) -> String {
    let document = piece.source_id.rsplit_once(':').map_or(piece.source_id.as_str(), |(document, _)| document);
    format!("{document}:{ordinal}")
}
