//! What is true of a turn, for lies to depart from.

/// A sentence that is true, and the pieces of evidence in its turn.
#[derive(Debug, Clone)]
pub struct Truth {
    /// The sentence.
    pub sentence: String,
    /// The number of the piece it stands in.
    pub marker: u32,
    /// All pieces.
    pub pieces: Vec<TruePiece>,
    /// A true sentence of another document, which has no place here.
    pub elsewhere: String,
}

/// One piece of evidence.
#[derive(Debug, Clone)]
pub struct TruePiece {
    /// Its number in the turn.
    pub marker: u32,
    /// Its identifier in the store.
    pub source_id: String,
    /// Its text.
    pub text: String,
}
