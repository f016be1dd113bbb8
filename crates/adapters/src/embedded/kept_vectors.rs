//! The vectors of a profile's examples, in one file of the data folder, behind the `KeptVectors` port.
//!
//! Invariant: a file that is cut, altered or of another make counts as none, and may be deleted at any time. Of several
//! processes that write it at the same time one wins; what is half written is told by its checksum.

use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
};

use async_trait::async_trait;
use vouch_domain::{Embedding, PortError, ports::KeptVectors};

use super::{
    blocking::blocking,
    files::{io_fault, replace_file},
};

const PORT: &str = "kept vectors";
const FILE: &str = "examples.vectors";
/// Longer files are not read.
const BYTES_MAX: u64 = 256 * 1024 * 1024;
/// The checksum in front, then how wide a vector is.
const SUM_BYTES: usize = 32;
const WIDTH_BYTES: usize = 4;

/// The kept vectors of one data folder.
#[derive(Debug, Clone)]
pub struct EmbeddedVectors {
    path: PathBuf,
}

impl EmbeddedVectors {
    /// Those of a folder, which need not be there yet.
    #[must_use]
    pub fn new(folder: &Path) -> Self {
        Self { path: folder.join(FILE) }
    }

    fn fault(&self, error: std::io::Error) -> PortError {
        PortError::new(PORT, io_fault(&error), format!("cannot use {}: {error}", self.path.display()))
            .with_source(error)
    }
}

#[async_trait]
impl KeptVectors for EmbeddedVectors {
    async fn load(&self, digest: &str) -> Result<Option<Vec<Embedding>>, PortError> {
        let (own, digest) = (self.clone(), digest.to_owned());
        blocking(PORT, move || {
            let length = match std::fs::metadata(&own.path) {
                Ok(metadata) => metadata.len(),
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(own.fault(error)),
            };
            if length > BYTES_MAX {
                return Ok(None);
            }
            let bytes = std::fs::read(&own.path).map_err(|error| own.fault(error))?;
            Ok(read(&bytes, &digest))
        })
        .await
    }

    async fn save(&self, digest: &str, vectors: &[Embedding]) -> Result<(), PortError> {
        let (own, bytes) = (self.clone(), written(digest, vectors));
        blocking(PORT, move || {
            own.path.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(|error| own.fault(error))?;
            replace_file(&own.path, &bytes).map_err(|error| own.fault(error))
        })
        .await
    }
}

/// The checksum covers the digest too, so that vectors of other texts are told apart by it alone.
fn checksum(digest: &str, body: &[u8]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(digest.as_bytes()).update(body);
    hasher.finalize()
}

fn written(digest: &str, vectors: &[Embedding]) -> Vec<u8> {
    let width = vectors.first().map_or(0, |vector| vector.values().len());
    let mut body = u32::try_from(width).unwrap_or_default().to_le_bytes().to_vec();
    for value in vectors.iter().flat_map(Embedding::values) {
        body.extend(value.to_le_bytes());
    }
    let mut bytes = checksum(digest, &body).as_bytes().to_vec();
    bytes.extend(body);
    bytes
}

fn read(bytes: &[u8], digest: &str) -> Option<Vec<Embedding>> {
    let (sum, body) = bytes.split_at_checked(SUM_BYTES)?;
    if checksum(digest, body).as_bytes() != sum {
        return None;
    }
    let (width, values) = body.split_first_chunk::<WIDTH_BYTES>()?;
    let width = usize::try_from(u32::from_le_bytes(*width)).ok().filter(|width| *width > 0)?;
    let values: Vec<f32> = values.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    values.chunks(width).map(|vector| Embedding::of_unit_length(vector.to_vec())).collect()
}
