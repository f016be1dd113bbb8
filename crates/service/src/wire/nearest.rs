//! What comes nearest to a question that is refused, as it is sent.

use serde::Serialize;
use utoipa::ToSchema;
use vouch_engine::verify::{Claim, VerifiedText};

use super::citation::{CitationWire, citation};

/// A stretch of a document that comes near a question which the documents do not answer.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Nearest)]
pub struct NearestWire {
    /// Its words, as they stand in the document.
    pub text: String,
    /// Where they stand.
    pub citation: CitationWire,
}

impl NearestWire {
    /// One per source, in the order of the text.
    pub(super) fn from_text(text: &VerifiedText) -> Vec<Self> {
        let words = |marker: u32| {
            let own = text.claims().iter().filter(|claim| claim.markers().contains(&marker));
            own.fold(String::new(), |mut words, claim: &Claim| {
                words.push_str(if words.is_empty() { claim.opening() } else { claim.lead() });
                words.push_str(claim.text());
                words
            })
        };
        text.citations().iter().map(|cited| Self { text: words(cited.marker()), citation: citation(cited) }).collect()
    }
}
