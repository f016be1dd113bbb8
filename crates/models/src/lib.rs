//! Local inference on this machine, with weights that travel in the binary: text to vectors, and the judge.

pub mod encoder;
pub mod gte_small;
pub mod judge;
mod kernels;
mod tokenizer;
mod tokenizer_file;

pub use gte_small::{EnglishWords, GteSmall, NAME as EMBEDDER_NAME, relevance_map};
pub use judge::{DIGEST as JUDGE_DIGEST, Judge, NAME as JUDGE_NAME};
pub use kernels::{Line, Path};
pub use tokenizer_file::TokenizerFile;
