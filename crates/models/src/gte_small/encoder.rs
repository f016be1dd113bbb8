//! Texts → one vector each: tokens, the encoder, the mean over the tokens.

use tokenizers::{Tokenizer, TruncationParams};
use vouch_domain::{Embedding, Fault, PortError};

use crate::{
    encoder::{Encoder as Bert, RunOutcome, Team, Tokens},
    kernels::{LANES, Line, Path},
};

pub(super) const PORT: &str = "embedder";

const TOKENS_MAX: usize = 512;

pub(super) struct Encoder {
    team: Team,
    /// Lines a token.
    width: usize,
    tokenizer: Tokenizer,
}

impl Encoder {
    pub(super) fn load(weights: &'static [u8], tokenizer: &'static [u8], threads: usize) -> Result<Self, PortError> {
        let damaged = |what: &str| PortError::new(PORT, Fault::Corrupt, format!("the {what} is damaged"));
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
        let width = bert.shape().hidden / LANES;
        Ok(Self { team: Team::new(bert, threads), width, tokenizer })
    }

    /// One vector per text, in order.
    pub(super) fn encode_all(&self, texts: &[String]) -> Result<Vec<Embedding>, PortError> {
        let failed = |what: &str| PortError::new(PORT, Fault::Internal, format!("a text could not be {what}"));
        let ids = self.team.workers.each(texts, |text, _| {
            let encoding = self.tokenizer.encode_fast(text.as_str(), true).map_err(|_| failed("tokenised"))?;
            Ok(encoding.get_ids().to_vec())
        });
        let ids = ids.into_iter().collect::<Result<Vec<Vec<u32>>, PortError>>()?;
        let tokens: Vec<Tokens> = ids.iter().map(|ids| Tokens { ids, second_at: ids.len() }).collect();
        let vectors = self.team.run(&tokens, None, |rows| Embedding::normalised(sum(rows, self.width)));
        let vector = |read| match read {
            RunOutcome::Done(vector) => Ok(vector),
            RunOutcome::Late | RunOutcome::Failed => Err(failed("embedded")),
        };
        vectors.into_iter().map(vector).collect()
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
