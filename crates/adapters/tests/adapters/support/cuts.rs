//! A stream of bytes → the same bytes in other pieces: the cuts a network might make.

/// The two halves at every place there is.
pub fn everywhere(bytes: &[u8]) -> Vec<Vec<&[u8]>> {
    (0..=bytes.len()).map(|at| bytes.split_at(at)).map(|(before, after)| vec![before, after]).collect()
}

/// One byte a piece.
pub fn byte_by_byte(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.chunks(1).collect()
}

/// Pieces of one to forty bytes, the same for the same seed.
pub fn at_random(mut bytes: &[u8], seed: u64) -> Vec<&[u8]> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut pieces = Vec::new();
    while !bytes.is_empty() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let length = usize::try_from(state % 40).unwrap_or(0) + 1;
        let (piece, rest) = bytes.split_at(length.min(bytes.len()));
        pieces.push(piece);
        bytes = rest;
    }
    pieces
}
