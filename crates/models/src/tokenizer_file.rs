//! A model's own `tokenizer.json` → how many tokens it reads in a text.

use std::path::Path;

use tokenizers::Tokenizer;
use vouch_domain::{Fault, PortError, ports::TokenCounter};

/// A tokenizer file larger than this is none.
const FILE_BYTES_MAX: u64 = 64 << 20;

/// Counts as the model counts.
pub struct TokenizerFile {
    tokenizer: Tokenizer,
}

impl TokenizerFile {
    /// Reads the file.
    ///
    /// # Errors
    /// Fails if it is not there, too large or no tokenizer.
    pub fn load(path: &Path) -> Result<Self, PortError> {
        let wrong = |why: String| PortError::new("tokenizer", Fault::Invalid, format!("{}: {why}", path.display()));
        let size = std::fs::metadata(path).map_err(|error| wrong(error.to_string()))?.len();
        if size > FILE_BYTES_MAX {
            return Err(wrong(format!("{size} bytes, the limit is {FILE_BYTES_MAX}")));
        }
        let mut tokenizer = Tokenizer::from_file(path).map_err(|error| wrong(error.to_string()))?;
        // Both would make a long text look shorter than it is.
        let _ = tokenizer.with_truncation(None).map_err(|error| wrong(error.to_string()))?;
        tokenizer.with_padding(None);
        Ok(Self { tokenizer })
    }
}

impl TokenCounter for TokenizerFile {
    fn count(&self, text: &str) -> usize {
        // What cannot be read as tokens is counted by its bytes, which no tokenizer exceeds.
        self.tokenizer.encode_fast(text, true).map_or(text.len(), |encoding| encoding.len())
    }
}
