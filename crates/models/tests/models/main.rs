//! The models against what was recorded of them. One file per subject, in one program.

mod gte_small;
mod judge;
mod tokenizer_file;
