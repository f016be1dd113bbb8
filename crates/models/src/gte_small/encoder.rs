//! Texts → one vector each: tokens, the encoder, the mean over the tokens.

use tokenizers::{Tokenizer, TruncationParams};
use vouch_domain::{Embedding, Fault, PortError};

use super::PORT;
use crate::{
    encoder::{Encoder as Bert, Scratch, Tokens},
    kernels::{LANES, Line, Path},
    workers::{Workers, groups},
};

const TOKENS_MAX: usize = 512;

pub(super) struct Encoder {
    bert: Bert,
    tokenizer: Tokenizer,
    workers: Workers,
}

impl Encoder {
    pub(super) fn load(weights: &'static [u8], tokenizer: &'static [u8], threads: usize) -> Result<Self, PortError> {
        let damaged = |what: &str| PortError::of(PORT, Fault::Corrupt, format!("the {what} is damaged"));
        // The two files are read side by side: each takes a good part of the start-up time.
        let (bert, tokenizer) = std::thread::scope(|scope| {
            let reading = scope.spawn(|| Tokenizer::from_bytes(tokenizer));
            (Bert::read(weights, Path::best()), reading.join())
        });
        let bert = bert.ok_or_else(|| damaged("embedder's weights"))?;
        let mut tokenizer = tokenizer.ok().and_then(Result::ok).ok_or_else(|| damaged("embedder's tokenizer"))?;
        tokenizer.with_padding(None);
        let truncation = TruncationParams { max_length: TOKENS_MAX, ..TruncationParams::default() };
        tokenizer.with_truncation(Some(truncation)).map_err(|_| damaged("embedder's tokenizer"))?;
        Ok(Self { bert, tokenizer, workers: Workers::of(threads) })
    }

    /// One vector a text, in order.
    pub(super) fn encode_all(&self, texts: &[String]) -> Result<Vec<Embedding>, PortError> {
        let tokens = self.workers.each(texts, |text, _| self.tokens(text));
        let tokens = tokens.into_iter().collect::<Result<Vec<Vec<u32>>, PortError>>()?;
        let groups = groups(tokens.iter().map(Vec::len));
        let vectors = self
            .workers
            .each(&groups, |group, scratch| self.encode(tokens.get(group.clone()).unwrap_or_default(), scratch));
        Ok(vectors.into_iter().collect::<Result<Vec<Vec<Embedding>>, PortError>>()?.into_iter().flatten().collect())
    }

    fn tokens(&self, text: &str) -> Result<Vec<u32>, PortError> {
        let failed = |_| PortError::of(PORT, Fault::Internal, "a text could not be tokenised");
        Ok(self.tokenizer.encode_fast(text, true).map_err(failed)?.get_ids().to_vec())
    }

    fn encode(&self, texts: &[Vec<u32>], scratch: &mut Scratch) -> Result<Vec<Embedding>, PortError> {
        let failed = || PortError::of(PORT, Fault::Internal, "a text could not be embedded");
        let tokens: Vec<Tokens> = texts.iter().map(|ids| Tokens { ids, second_at: ids.len() }).collect();
        let width = self.bert.shape().hidden / LANES;
        let rows = self.bert.run(&tokens, scratch).ok_or_else(failed)?;
        rows.into_iter().map(|rows| Embedding::normalised(sum(rows, width)).ok_or_else(failed)).collect()
    }
}

/// All rows added up; scaled to length one that is their mean.
fn sum(rows: &[Line], width: usize) -> Vec<f32> {
    let mut sum = vec![Line::ZERO; width];
    for row in rows.chunks_exact(width) {
        for (sum, line) in sum.iter_mut().zip(row) {
            sum.0.iter_mut().zip(line.0).for_each(|(sum, value)| *sum += value);
        }
    }
    sum.iter().flat_map(|line| line.0).collect()
}
