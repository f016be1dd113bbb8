//! Documents compared with one another → findings: which are versions of one document or nearly the same, and which of their
//! sentences may contradict each other.
//!
//! Invariant: what is found follows from the documents, from what is kept of the others and from what the judge reads
//! alone. A document that does not hold, by its own word, takes no part, so that none contradicts its successor.

mod claim;
mod difference;
mod name;
mod outline;
mod rarity;
mod review;
mod signature;
mod subject;
mod suspicion;
mod two_versions;
mod value;
mod verdict;

use std::sync::Arc;

use vouch_domain::{
    CharSpan, ClaimSketch, DocumentCard, DocumentSketch, Finding, FindingKind, FindingSide,
    finding::{Similar, UncomparedDocument},
};

use crate::{reading::budget::Budget, resolve::is_in_force};

pub use review::{Review, ReviewReport};
pub use subject::SUBJECT_FIGURES;
pub use suspicion::{Suspicion, every_suspicion, suspicions};
pub use two_versions::{two_versions, versions_to_read};

/// From so much of their words in common on two documents are nearly the same, of 100.
const DUPLICATE_MIN: u8 = 80;

/// What a document is compared by; nothing for one that does not hold.
#[must_use]
pub fn sketch(document: &UncomparedDocument, budget: &Budget) -> DocumentSketch {
    if !is_in_force(&document.card) {
        return DocumentSketch::default();
    }
    let title = &document.card.title;
    let signature = signature::signature(&document.text);
    let mut bands = signature::bands(&signature);
    bands.extend(name::Name::of(title).digest());
    bands.extend(outline::shape(title, &document.text, budget));
    DocumentSketch { bands, signature, claims: claim::claims(document, budget) }
}

/// The documents that are nearly the same as one.
#[must_use]
pub fn duplicates(
    document: &Arc<DocumentCard>,
    sketch: &DocumentSketch,
    similar: &Similar,
    now_ms: u64,
) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    for other in &similar.documents {
        let likeness = signature::likeness(&sketch.signature, &other.signature);
        if likeness >= DUPLICATE_MIN && is_in_force(&other.document) {
            let whole = |document: &Arc<DocumentCard>, signature: &[u32]| Side {
                document: Arc::clone(document),
                span: CharSpan { start: 0, end: 0 },
                sentence: String::new(),
                identity: signature.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
            };
            let sides = [whole(document, &sketch.signature), whole(&other.document, &other.signature)];
            found.push(finding(FindingKind::Duplicate, sides, likeness, now_ms));
        }
    }
    found
}

/// One side of a finding, and what its name is made of besides the document.
struct Side {
    document: Arc<DocumentCard>,
    span: CharSpan,
    sentence: String,
    identity: String,
}

impl Side {
    fn of(document: &Arc<DocumentCard>, claim: &ClaimSketch) -> Self {
        let (span, sentence) = (claim.span, claim.sentence.clone());
        Self { document: Arc::clone(document), span, identity: sentence.clone(), sentence }
    }
}

fn finding(kind: FindingKind, mut sides: [Side; 2], likeness: u8, now_ms: u64) -> Finding {
    sides.sort_by(|one, other| (&one.document.id, one.span).cmp(&(&other.document.id, other.span)));
    let mut identity = kind.as_str().to_owned();
    for side in &sides {
        identity.push('\0');
        identity.push_str(side.document.id.as_str());
        identity.push('\0');
        identity.push_str(&side.identity);
    }
    let id = format!("{:016x}", signature::digest(&identity));
    let sides = sides.map(|side| FindingSide { document: side.document, span: side.span, sentence: side.sentence });
    Finding { id, kind, sides, likeness, found_ms: now_ms, dismissed: None }
}
