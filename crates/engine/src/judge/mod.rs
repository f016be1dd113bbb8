//! Candidates → `Evidence`: what is good enough to answer from, and whether it is enough.
//!
//! Invariant: a passage below the floor never reaches `compose`, whatever its lane.

mod duplicates;
mod gates;
mod limits;
mod rerank;

use std::sync::Arc;

use vouch_domain::{
    DroppedPassage, GateReading, JudgeReport, StoredPassage,
    language::terms,
    ports::{PassageJudge, Reading},
};

use crate::{
    policy::JudgePolicy,
    retrieve::{Candidate, Candidates, Similarity},
    understand::Understanding,
};

pub use gates::GateVerdict;
pub use rerank::{blend, passage};

/// One passage to answer from, under the number minted for it in this turn.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// Its number.
    pub marker: u32,
    /// The passage.
    pub passage: StoredPassage,
    /// How near it is in meaning.
    pub similarity: Similarity,
    /// What the judge made of it, where one has read it.
    pub reading: Option<Reading>,
}

/// What may be answered from.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    pieces: Vec<Piece>,
    readings: Vec<GateReading>,
    dropped: Vec<DroppedPassage>,
    refused_by: Option<GateReading>,
    warnings: Vec<String>,
    judge: Option<JudgeReport>,
}

impl Evidence {
    /// Passages that were looked up by name: they need no search, no gate and no reading.
    #[must_use]
    pub fn looked_up(passages: Vec<StoredPassage>) -> Self {
        let exact = Similarity { cosine: 1.0, relevance: 1.0 };
        let pieces =
            (1u32..).zip(passages).map(|(marker, passage)| Piece { marker, passage, similarity: exact, reading: None });
        Self {
            pieces: pieces.collect(),
            readings: Vec::new(),
            dropped: Vec::new(),
            refused_by: None,
            warnings: Vec::new(),
            judge: None,
        }
    }

    /// The pieces, best first.
    #[must_use]
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Every gate's reading, in order.
    #[must_use]
    pub fn readings(&self) -> &[GateReading] {
        &self.readings
    }

    /// What was found and left out.
    #[must_use]
    pub fn dropped(&self) -> &[DroppedPassage] {
        &self.dropped
    }

    /// The first gate that stops the question, if one does.
    #[must_use]
    pub fn refused_by(&self) -> Option<&GateReading> {
        self.refused_by.as_ref()
    }

    /// What the judge did, where one is configured.
    #[must_use]
    pub fn judge(&self) -> Option<&JudgeReport> {
        self.judge.as_ref()
    }

    /// What the reader should know although the question goes on.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

/// Keeps what is good enough, has the judge read the best of it, and reads every gate.
pub async fn judge(
    understanding: &Understanding,
    candidates: &Candidates,
    passages_max: Option<usize>,
    reader: Option<&Arc<dyn PassageJudge>>,
    policy: &JudgePolicy,
) -> Evidence {
    let mut dropped = Vec::new();
    let above_floor = above_floor(candidates.items(), policy, &mut dropped);
    let wanted = passages_max.map_or(policy.passages_max, |asked| asked.clamp(1, policy.passages_max));
    let (ranked, report) = match reader {
        None => (rerank::unread(above_floor), None),
        Some(reader) => {
            let (ranked, report) = rerank::rerank(understanding.text(), above_floor, reader, policy).await;
            (ranked, Some(report))
        }
    };
    let kept = limits::within_limits(ranked, wanted, policy, &mut dropped);
    let pieces: Vec<Piece> = (1u32..)
        .zip(kept)
        .map(|(marker, ranked)| Piece {
            marker,
            passage: ranked.candidate.passage.clone(),
            similarity: ranked.similarity,
            reading: ranked.reading,
        })
        .collect();
    let mut evidence =
        Evidence { pieces, readings: Vec::new(), dropped, refused_by: None, warnings: Vec::new(), judge: report };
    read_gates(understanding, policy, &mut evidence);
    evidence
}

fn above_floor<'a>(
    items: &'a [Candidate],
    policy: &JudgePolicy,
    dropped: &mut Vec<DroppedPassage>,
) -> Vec<(&'a Candidate, Similarity)> {
    let mut kept = Vec::new();
    for candidate in items {
        match candidate.similarity {
            Some(similarity) if similarity.relevance >= policy.relevance_floor => kept.push((candidate, similarity)),
            Some(_) | None => dropped.push(drop_note(candidate, "below the floor")),
        }
    }
    kept
}

fn drop_note(candidate: &Candidate, reason: &'static str) -> DroppedPassage {
    DroppedPassage { source_id: candidate.passage.source_id(), reason }
}

fn read_gates(understanding: &Understanding, policy: &JudgePolicy, evidence: &mut Evidence) {
    let found = terms_of(&evidence.pieces);
    for gate in &policy.gates {
        let verdict = gates::read(gate, &evidence.pieces, understanding.key_words(), &found);
        let reading = match verdict {
            GateVerdict::Pass(reading) => reading,
            GateVerdict::Warn(reading) => {
                evidence.warnings.push(reading.sentence.clone());
                reading
            }
            GateVerdict::Refuse(reading) => {
                evidence.refused_by.get_or_insert_with(|| reading.clone());
                reading
            }
        };
        evidence.readings.push(reading);
    }
}

/// Every term of the pieces and of the headings above them, sorted.
fn terms_of(pieces: &[Piece]) -> Vec<String> {
    let mut found = Vec::new();
    for piece in pieces {
        found.extend(terms(&piece.passage.document.title));
        found.extend(piece.passage.passage.section.iter().flat_map(|heading| terms(heading)));
        found.extend(terms(&piece.passage.passage.text));
    }
    found.sort_unstable();
    found.dedup();
    found
}
