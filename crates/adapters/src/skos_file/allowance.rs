//! The length of a file → how much may be made of it.
//!
//! Invariant: what is kept of a file grows with its length alone, so that a small file cannot become a large one by
//! naming the same words again and again.

use super::fault::SkosError;

/// What even the smallest file may grow to, in bytes.
const FLOOR: u64 = 64 << 20;
/// How many bytes may be made of each byte of the file.
const GROWTH: u64 = 32;
/// What a word or a link takes besides its text, in bytes.
const THING_BYTES: usize = 64;

/// Bytes that may still be made of a file.
#[derive(Debug)]
pub(super) struct Allowance(u64);

impl Allowance {
    /// The allowance of a file of this many bytes.
    pub(super) fn new(bytes: usize) -> Self {
        Self(FLOOR.saturating_add(GROWTH.saturating_mul(bytes as u64)))
    }

    /// Takes the bytes of one thing that is kept from it, and the room that even an empty one takes.
    pub(super) fn keep(&mut self, bytes: usize) -> Result<(), SkosError> {
        self.spend((bytes + THING_BYTES) as u64)
    }

    /// Takes this many bytes from it.
    pub(super) fn spend(&mut self, bytes: u64) -> Result<(), SkosError> {
        let left = self.0.checked_sub(bytes);
        self.0 = left.ok_or_else(|| SkosError::whole("what it repeats and nests would grow beyond the size limit"))?;
        Ok(())
    }
}
