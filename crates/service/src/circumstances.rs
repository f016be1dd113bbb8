//! What an answer depends on beside its question and the documents; kept with every entry of the trail.

/// What answers depend on besides the corpus, so that a replay can say what changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Circumstances {
    /// The program's version.
    pub version: String,
    /// A digest of the settings that are in force.
    pub settings: String,
    /// The embedder.
    pub embedder: String,
    /// The judge.
    pub judge: Option<String>,
}
