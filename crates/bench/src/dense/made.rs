//! Documents and questions made by seed, with vectors that lie as those of an embedder do: all of them about one direction, in
//! clusters, and wider in some directions than in others. Vectors drawn evenly have no neighbours worth the name, and every
//! index that approximates looks worse on them than it is.
//!
//! Invariant: the same numbers make the same documents and questions on every machine.

use std::collections::BTreeSet;

use anyhow::Context;
use vouch_domain::{
    CharSpan, ContentHash, Document, DocumentCard, DocumentId, EmbeddedPassage, Embedding, Passage, Reader, Section,
    ports::KeptDocument,
};

pub(super) const DIMENSIONS: usize = 384;
/// The tag of one passage in a hundred, and that of the others.
pub(super) const FEW: &str = "few";
const MANY: &str = "many";
const CLUSTERS: usize = 2_000;
pub(super) const PASSAGES_A_DOCUMENT: usize = 50;
/// One document in so many has the first tag.
const FEW_IN: usize = 100;
/// How much of every vector is the direction that all have in common, so that two of them have a cosine of about 0.75.
const COMMON: f32 = 0.75;
/// How far a vector lies from the middle of its cluster, which is of length one.
const SPREAD: f32 = 0.9;

/// Makes vectors.
pub(super) struct Vectors {
    common: Vec<f32>,
    spectrum: Vec<f32>,
    clusters: Vec<Vec<f32>>,
}

impl Vectors {
    pub(super) fn new() -> Self {
        let mut seed = Seed::of(0);
        let even: Vec<f32> = (1..=DIMENSIONS).map(|_| 1.0).collect();
        #[expect(clippy::cast_precision_loss, reason = "a few hundred")]
        let spectrum = unit((1..=DIMENSIONS).map(|n| 1.0 / (n as f32).sqrt()).collect());
        let common = unit(seed.drawn(&even));
        let clusters = (0..CLUSTERS).map(|_| unit(seed.drawn(&spectrum))).collect();
        Self { common, spectrum, clusters }
    }

    /// A vector of one of the clusters.
    pub(super) fn vector(&self, seed: &mut Seed) -> Vec<f32> {
        let cluster = self.clusters.get(seed.below(CLUSTERS)).map_or(&[][..], Vec::as_slice);
        let drawn = seed.drawn(&self.spectrum);
        let own = unit(cluster.iter().zip(drawn).map(|(middle, drawn)| middle + SPREAD * drawn).collect());
        let (common, rest) = (COMMON.sqrt(), (1.0 - COMMON).sqrt());
        unit(self.common.iter().zip(own).map(|(shared, own)| common * shared + rest * own).collect())
    }

    /// The vectors of a document's passages, and whether few may read it.
    pub(super) fn of_document(&self, number: usize) -> (Vec<Vec<f32>>, bool) {
        let mut seed = Seed::of(number as u64 + 1);
        let vectors = (0..PASSAGES_A_DOCUMENT).map(|_| self.vector(&mut seed)).collect();
        (vectors, number.is_multiple_of(FEW_IN))
    }

    /// What is asked, of the same clusters and of no document.
    pub(super) fn questions(&self, count: usize) -> Vec<Vec<f32>> {
        let mut seed = Seed::of(u64::MAX >> 1);
        (0..count).map(|_| self.vector(&mut seed)).collect()
    }

    pub(super) fn document(&self, number: usize) -> anyhow::Result<KeptDocument> {
        let (vectors, is_of_few) = self.of_document(number);
        let mut passages = Vec::with_capacity(vectors.len());
        let mut text = String::new();
        for (ordinal, vector) in (0u32..).zip(vectors) {
            let line = format!("d{number} p{ordinal}.");
            let start = text.chars().count();
            text.push_str(&line);
            let span = CharSpan { start, end: text.chars().count() };
            text.push('\n');
            let passage = Passage {
                ordinal,
                section: [].into(),
                span,
                text: line,
                address: None,
                times: Vec::new(),
                pages: Vec::new(),
            };
            let embedding = Embedding::of_unit_length(vector).context("a made vector is not of length one")?;
            passages.push(EmbeddedPassage { passage, embedding });
        }
        let sections = vec![Section { path: [].into(), start: 0, end: text.len() }];
        let card = card(number, if is_of_few { FEW } else { MANY })?;
        Ok(KeptDocument {
            ended_edits: Vec::new(),
            document: Document {
                card,
                text,
                sections,
                times: Vec::new(),
                pages: Vec::new(),
                states_access: true,
                warnings: Vec::new(),
            },
            hash: ContentHash([0; 32]),
            passages,
            taken_in_ms: 0,
        })
    }
}

fn card(number: usize, tag: &str) -> anyhow::Result<DocumentCard> {
    Ok(DocumentCard {
        id: DocumentId::parse(&format!("made-{number}")).context("a made document has no usable name")?,
        tenant: Reader::DEFAULT_TENANT.to_owned(),
        source: format!("made:{number}"),
        title: format!("Made document {number}"),
        kind: "document".to_owned(),
        collection: "made".to_owned(),
        status: None,
        date: None,
        version: None,
        tags: BTreeSet::from([tag.to_owned()]),
        topics: BTreeSet::new(),
        owner: None,
        address: None,
        url: None,
        superseded_by: None,
    })
}

fn unit(mut values: Vec<f32>) -> Vec<f32> {
    let length = values.iter().map(|value| value * value).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
    values.iter_mut().for_each(|value| *value /= length);
    values
}

/// A small generator whose numbers are the same on every machine (xorshift64*).
pub(super) struct Seed(u64);

impl Seed {
    fn of(number: u64) -> Self {
        Self(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % (bound.max(1) as u64)).unwrap_or(0)
    }

    /// A vector of about length one whose components are as wide as the spectrum says: sums of four draws, which are
    /// nearly normal.
    fn drawn(&mut self, spectrum: &[f32]) -> Vec<f32> {
        let mut normal = || {
            let bits = self.next();
            let parts = [bits, bits >> 16, bits >> 32, bits >> 48];
            let sum: f32 = parts.into_iter().map(|part| f32::from(u16::try_from(part & 0xffff).unwrap_or(0))).sum();
            // Four draws of 0 to 65535 have this deviation.
            (sum - 131_070.0) / 37_837.0
        };
        spectrum.iter().map(|width| width * normal()).collect()
    }
}

/// The ten nearest to each question among what a reader sees, found by looking at every vector.
pub(super) fn exact(
    vectors: &Vectors,
    documents: usize,
    questions: &[Vec<f32>],
    sees: impl Fn(bool) -> bool,
    keep: usize,
) -> Vec<Vec<f32>> {
    let mut best: Vec<Vec<f32>> = vec![Vec::new(); questions.len()];
    for number in 0..documents {
        let (own, is_of_few) = vectors.of_document(number);
        if !sees(is_of_few) {
            continue;
        }
        for (question, best) in questions.iter().zip(&mut best) {
            best.extend(own.iter().map(|vector| vector.iter().zip(question).map(|(a, b)| a * b).sum::<f32>()));
            best.sort_by(|a, b| b.total_cmp(a));
            best.truncate(keep);
        }
    }
    best
}
