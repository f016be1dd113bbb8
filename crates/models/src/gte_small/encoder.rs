//! Texts → one vector each: tokens, the encoder, the mean over the tokens.

use tokenizers::Tokenizer;
use vouch_domain::{Embedding, Fault, PortError};

use crate::{
    encoder::{Encoder as Bert, Haste, RunOutcome, Team, Tokens},
    kernels::{LANES, Line, Path},
    tokenizer::tokenizer,
};

pub(super) const PORT: &str = "embedder";

const TOKENS_MAX: usize = 512;

pub(super) struct Encoder {
    team: Team,
    /// Lines a token.
    width: usize,
    tokenizer: &'static Tokenizer,
}

impl Encoder {
    pub(super) fn load(weights: &'static [u8], threads: usize) -> Result<Self, PortError> {
        let damaged = |what: &str| PortError::new(PORT, Fault::Corrupt, format!("the {what} is damaged"));
        // The two files are read side by side: each takes a good part of the start-up time.
        let (bert, tokenizer) = std::thread::scope(|scope| {
            let reading = scope.spawn(tokenizer);
            (Bert::read(weights, Path::best()), reading.join())
        });
        let bert = bert.ok_or_else(|| damaged("embedder's weights"))?;
        let tokenizer = tokenizer.ok().flatten().ok_or_else(|| damaged("embedder's tokenizer"))?;
        let width = bert.shape().hidden / LANES;
        Ok(Self { team: Team::new(bert, threads), width, tokenizer })
    }

    /// One vector per text, in order.
    pub(super) fn encode_all(&self, texts: &[String]) -> Result<Vec<Embedding>, PortError> {
        let failed = |what: &str| PortError::new(PORT, Fault::Internal, format!("a text could not be {what}"));
        let ids = self.team.workers.each(texts, Haste::without_deadline(texts.len()), |text, _| {
            let encoding = self.tokenizer.encode_fast(text.as_str(), true).map_err(|_| failed("tokenised"))?;
            Ok(cut(encoding.get_ids()))
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

/// The tokens the model reads: of a longer text the first of them and the one that ends every text.
fn cut(ids: &[u32]) -> Vec<u32> {
    if ids.len() <= TOKENS_MAX {
        return ids.to_vec();
    }
    ids.iter().take(TOKENS_MAX - 1).chain(ids.last()).copied().collect()
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

#[cfg(test)]
mod tests {
    use super::{TOKENS_MAX, cut};

    #[test]
    fn a_long_text_keeps_its_first_tokens_and_its_end() {
        let ids = |count: usize| (0..count).filter_map(|id| u32::try_from(id).ok()).collect::<Vec<u32>>();
        for count in [0, 1, TOKENS_MAX - 1, TOKENS_MAX] {
            assert_eq!(cut(&ids(count)), ids(count), "{count}");
        }
        let mut expected = ids(TOKENS_MAX - 1);
        expected.push(600);
        assert_eq!(cut(&ids(601)), expected);
    }
}
