//! Passages that were found, as other programs see them.

use serde::Serialize;
use utoipa::ToSchema;
use vouch_engine::retrieve::{Candidate, Lane};

/// A passage by its name and place.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Hit)]
#[expect(missing_docs, reason = "the names are the contract's own")]
pub struct HitWire {
    pub document_id: String,
    pub chunk_index: u32,
    pub score: f32,
}

/// A passage with its text and how it was found.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Passage)]
#[expect(missing_docs, reason = "the names are the contract's own")]
pub struct PassageWire {
    #[serde(flatten)]
    pub hit: HitWire,
    pub source_id: String,
    pub title: String,
    pub section: Vec<String>,
    pub cosine: Option<f32>,
    pub relevance: Option<f32>,
    pub found_by: Vec<FoundByWire>,
    pub forced_by: Option<&'static str>,
    pub text: String,
}

/// Where a passage stood in one lane's list.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = FoundBy)]
#[expect(missing_docs, reason = "the names are the contract's own")]
pub struct FoundByWire {
    pub lane: &'static str,
    pub rank: usize,
    pub rewrite: usize,
}

impl HitWire {
    /// A candidate's name and place.
    #[must_use]
    pub fn of(candidate: &Candidate) -> Self {
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
    pub fn of(candidate: &Candidate) -> Self {
        let found = candidate.found_by.iter();
        Self {
            hit: HitWire::of(candidate),
            source_id: candidate.passage.source_id(),
            title: candidate.passage.document.title.clone(),
            section: candidate.passage.passage.section.to_vec(),
            cosine: candidate.similarity.and_then(|similarity| similarity.cosine),
            relevance: candidate.similarity.map(|similarity| similarity.relevance),
            found_by: found
                .map(|one| FoundByWire { lane: one.lane.word(), rank: one.rank, rewrite: one.rewrite })
                .collect(),
            forced_by: candidate.forced_by.map(Lane::word),
            text: candidate.passage.passage.text.clone(),
        }
    }
}
