//! The fields of the word index.

use tantivy::{
    TantivyError,
    schema::{FAST, Field, INDEXED, IndexRecordOption, Schema, TextFieldIndexing, TextOptions},
};

/// Raised when analysis, schema or the numbers of shelves change, so that older indexes are rebuilt.
pub(super) const RECIPE: u32 = 3;

pub(super) const KEY: &str = "key";
pub(super) const SHELF: &str = "shelf";
pub(super) const TOKENS: &str = "tokens";
const WORDS: &str = "words";
const SOUNDS: &str = "sounds";

#[derive(Debug, Clone, Copy)]
pub(super) struct Fields {
    pub(super) key: Field,
    pub(super) shelf: Field,
    pub(super) tokens: Field,
    pub(super) words: Field,
    pub(super) sounds: Field,
}

impl Fields {
    pub(super) fn new(schema: &Schema) -> Result<Self, TantivyError> {
        Ok(Self {
            key: schema.get_field(KEY)?,
            shelf: schema.get_field(SHELF)?,
            tokens: schema.get_field(TOKENS)?,
            words: schema.get_field(WORDS)?,
            sounds: schema.get_field(SOUNDS)?,
        })
    }
}

pub(super) fn schema() -> Schema {
    let mut builder = Schema::builder();
    builder.add_u64_field(KEY, INDEXED | FAST);
    builder.add_u64_field(SHELF, INDEXED | FAST);
    builder.add_u64_field(TOKENS, FAST);
    let indexing = TextFieldIndexing::default()
        .set_tokenizer(super::analysis::NAME)
        .set_index_option(IndexRecordOption::WithFreqs);
    builder.add_text_field(WORDS, TextOptions::default().set_indexing_options(indexing));
    let whole = TextFieldIndexing::default()
        .set_tokenizer("raw")
        .set_fieldnorms(false)
        .set_index_option(IndexRecordOption::Basic);
    builder.add_text_field(SOUNDS, TextOptions::default().set_indexing_options(whole));
    builder.build()
}
