//! The tokenizer that the embedder and the judge share; read once.

use std::sync::LazyLock;

use tokenizers::Tokenizer;

static FILE: &[u8] = include_bytes!("../../../models/gte-small/tokenizer.json");

static READ: LazyLock<Option<Tokenizer>> = LazyLock::new(|| {
    let mut tokenizer = Tokenizer::from_bytes(FILE).ok()?;
    tokenizer.with_padding(None);
    tokenizer.with_truncation(None).ok()?;
    Some(tokenizer)
});

/// The tokenizer, which neither pads nor cuts; none if its file is damaged.
pub(crate) fn tokenizer() -> Option<&'static Tokenizer> {
    READ.as_ref()
}
