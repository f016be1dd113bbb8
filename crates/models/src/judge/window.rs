//! Two texts → windows of token ids that fit the judge, with the way back to the characters of the second.
//!
//! Invariant: every window holds the whole first text (up to its limit) and ends within `WINDOW_TOKENS`; a text of any
//! length gives at least one and at most `WINDOWS_MAX` windows.

use tokenizers::Tokenizer;
use vouch_domain::{Fault, PortError};

use super::port::PORT;

/// As long as the pairs the judge has learnt from.
const WINDOW_TOKENS: usize = 400;
/// As much as it takes to see what a passage is about.
const BEGINNING_TOKENS: usize = 128;
const FIRST_TOKENS_MAX: usize = 120;
const OVERLAP_TOKENS: usize = 64;
const WINDOWS_MAX: usize = 8;
/// What is longer is cut here before it is looked at: more than all windows hold.
const TEXT_CHARS_MAX: usize = 24_000;
const CLS: u32 = 101;
const SEP: u32 = 102;

/// How much of the second text is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// As many windows as it takes.
    Whole,
    /// One short window.
    Beginning,
}

/// One reading's input.
#[derive(Debug, Clone)]
pub(super) struct Window {
    /// Token ids of both texts with the marks between them.
    pub(super) ids: Vec<u32>,
    /// Where the second text's tokens begin in `ids`.
    pub(super) second_at: usize,
    /// First and one past last character of each of the second text's tokens.
    pub(super) characters: Vec<(usize, usize)>,
}

pub(super) fn windows(
    tokenizer: &Tokenizer,
    (first, second): (&str, &str),
    extent: Extent,
) -> Result<Vec<Window>, PortError> {
    let failed = || PortError::new(PORT, Fault::Internal, "a text could not be tokenised");
    let cut = |text: &str| -> String { text.chars().take(TEXT_CHARS_MAX).collect() };
    let first = tokenizer.encode_fast(cut(first), false).map_err(|_| failed())?;
    let second = tokenizer.encode_char_offsets(cut(second), false).map_err(|_| failed())?;
    let (tokens, windows_max, first_max) = match extent {
        Extent::Whole => (WINDOW_TOKENS, WINDOWS_MAX, FIRST_TOKENS_MAX),
        Extent::Beginning => (BEGINNING_TOKENS, 1, BEGINNING_TOKENS / 2),
    };
    let asked: Vec<u32> = first.get_ids().iter().copied().take(first_max).collect();
    let room = tokens.saturating_sub(asked.len() + 3);
    let (ids, offsets) = (second.get_ids(), second.get_offsets());
    let mut found = Vec::new();
    let mut begin = 0;
    loop {
        let end = (begin + room).min(ids.len());
        found.push(window(&asked, ids.get(begin..end).unwrap_or(&[]), offsets.get(begin..end).unwrap_or(&[])));
        if end >= ids.len() || found.len() >= windows_max {
            return Ok(found);
        }
        begin = end - OVERLAP_TOKENS;
    }
}

fn window(first: &[u32], second: &[u32], characters: &[(usize, usize)]) -> Window {
    let second_at = first.len() + 2;
    let ids = [&[CLS], first, &[SEP], second, &[SEP]].concat();
    Window { ids, second_at, characters: characters.to_vec() }
}
