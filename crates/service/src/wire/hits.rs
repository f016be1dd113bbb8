//! Passages that were found, as other programs see them.

use serde::Serialize;
use utoipa::ToSchema;
use vouch_engine::retrieve::{Candidate, Lane};

/// Id and score of a passage.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Hit)]
pub struct HitWire {
    /// Id of the document.
    pub document_id: String,
    /// Place of the passage in its document, from 0.
    pub chunk_index: u32,
    /// Score in the ranking; comparable within one search only.
    pub score: f32,
}

/// A passage with its text and how it was found.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Passage)]
pub struct PassageWire {
    /// Fields of the hit, at the same level.
    #[serde(flatten)]
    pub hit: HitWire,
    /// Id of the passage, as `DOCUMENT_ID:CHUNK_INDEX`.
    pub source_id: String,
    /// Title of the document.
    pub title: String,
    /// Headings above the passage, outermost first.
    pub section: Vec<String>,
    /// Cosine of passage and query, -1 to 1; null if it was not measured.
    pub cosine: Option<f32>,
    /// The same on the scale of the gates, 0 to 1.
    pub relevance: Option<f32>,
    /// Where each lane ranked it.
    pub found_by: Vec<FoundByWire>,
    /// Lane that put it in whatever its score; null if none did.
    pub forced_by: Option<&'static str>,
    /// The passage.
    pub text: String,
}

/// Where one lane ranked a passage.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = FoundBy)]
pub struct FoundByWire {
    /// Name of the lane.
    pub lane: &'static str,
    /// Place in its list, from 1.
    pub rank: usize,
    /// Which wording of the query found it; 0 is the query itself.
    pub rewrite: usize,
}

impl HitWire {
    /// A candidate's name and place.
    #[must_use]
    pub fn new(candidate: &Candidate) -> Self {
        Self {
            document_id: candidate.passage.document.id.as_str().to_owned(),
            chunk_index: candidate.passage.passage.ordinal,
            score: candidate.fused_score,
        }
    }
}

impl PassageWire {
    /// A candidate with its text.
    #[must_use]
    pub fn new(candidate: &Candidate) -> Self {
        let found = candidate.found_by.iter();
        Self {
            hit: HitWire::new(candidate),
            source_id: candidate.passage.source_id(),
            title: candidate.passage.document.title.clone(),
            section: candidate.passage.passage.section.to_vec(),
            cosine: candidate.similarity.and_then(|similarity| similarity.cosine),
            relevance: candidate.similarity.map(|similarity| similarity.relevance),
            found_by: found
                .map(|one| FoundByWire { lane: one.lane.as_str(), rank: one.rank, rewrite: one.rewrite })
                .collect(),
            forced_by: candidate.forced_by.map(Lane::as_str),
            text: candidate.passage.passage.text.clone(),
        }
    }
}
