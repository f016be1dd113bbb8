//! Token ids of several texts → a row of floats for every token, by a BERT with int8 weights.
//!
//! Texts lie packed behind one another without padding, and every row is scaled by itself: what a text comes to does not
//! depend on its neighbours, on threads or on the processor's path, to the last bit.

mod aligned;
pub(crate) mod approximate;
mod askers;
mod file;
mod heads;
mod layer;
mod product;
mod quantise;
mod scratch;
mod step_aside;
mod team;
#[cfg(test)]
mod tests;
mod weights;
mod wire;
mod workers;

pub(crate) use file::File;
pub use scratch::Scratch;
pub use team::{RunOutcome, Team};
pub use weights::Shape;
pub(crate) use workers::Haste;

use quantise::Normalise;
use weights::Weights;

use crate::kernels::{LANES, Line, Path};

/// One text's tokens.
#[derive(Debug, Clone, Copy)]
pub struct Tokens<'a> {
    /// Their numbers in the vocabulary.
    pub ids: &'a [u32],
    /// Where the second of two texts begins; at the end where there is but one.
    pub second_at: usize,
}

/// A model ready to run on one path.
pub struct Encoder {
    path: Path,
    weights: Weights,
}

impl Encoder {
    /// From a file's tensors; none if they are not those of such a model.
    pub(crate) fn new(file: &File<'static>, path: Path) -> Option<Self> {
        Some(Self { path, weights: Weights::read(file)? })
    }

    /// From the bytes of an `.onnx` file, to run on a path; none if it is no such model.
    #[must_use]
    pub fn read(bytes: &'static [u8], path: Path) -> Option<Self> {
        Self::new(&File::read(bytes)?, path)
    }

    /// Its sizes.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.weights.shape
    }

    /// Runs texts together; the rows of each, in order, as floats. None where a text is longer than the model reads or
    /// has a token it does not know.
    pub fn run<'a>(&self, texts: &[Tokens], scratch: &'a mut Scratch) -> Option<Vec<&'a [Line]>> {
        let shape = self.shape();
        let lengths: Vec<usize> = texts.iter().map(|text| text.ids.len()).collect();
        let longest = lengths.iter().copied().max().unwrap_or(0);
        if longest > shape.positions {
            return None;
        }
        let all = lengths.iter().sum();
        scratch.fit(shape, all, longest);
        self.embed(texts, scratch)?;
        for layer in &self.weights.layers {
            layer::run(self.path, layer, &lengths, scratch);
        }
        Some(self.rows(&lengths, scratch))
    }

    /// Words, positions and types → the first states.
    fn embed(&self, texts: &[Tokens], scratch: &mut Scratch) -> Option<()> {
        let weights = &self.weights;
        let width = weights.norm.gains.len();
        let mut rows = scratch.states.chunks_exact_mut(width);
        for text in texts {
            for (at, id) in text.ids.iter().enumerate() {
                let id = usize::try_from(*id).ok()?;
                let word = weights.words.bytes.get(id * weights.words.width..(id + 1) * weights.words.width)?;
                let scale = *weights.words.scales.get(id)?;
                let position = weights.positions.get(at * width..(at + 1) * width)?;
                let kind = usize::from(at >= text.second_at) * width;
                let kind = weights.types.get(kind..kind + width);
                for (to, line) in rows.next()?.iter_mut().enumerate() {
                    let position = position.get(to)?;
                    let kind = kind.and_then(|kind| kind.get(to)).unwrap_or(&Line::ZERO);
                    let word = word.as_chunks::<LANES>().0.get(to)?;
                    for (((value, word), position), kind) in line.0.iter_mut().zip(word).zip(position.0).zip(kind.0) {
                        *value = f32::from(word.cast_signed()) * scale + position + kind;
                    }
                }
            }
        }
        let out = scratch.state_bytes.places(0, self.weights.shape.hidden);
        let (gains, shifts) = (&weights.norm.gains, &weights.norm.shifts);
        self.path.run(Normalise { rows: &mut scratch.states, gains, shifts, out });
        Some(())
    }

    fn rows<'a>(&self, lengths: &[usize], scratch: &'a Scratch) -> Vec<&'a [Line]> {
        let width = self.weights.norm.gains.len();
        let mut from = 0;
        let own = |length: &usize| {
            let rows = scratch.states.get(from..from + length * width).unwrap_or_default();
            from += length * width;
            rows
        };
        lengths.iter().map(own).collect()
    }
}
