//! Windows → the judge's raw scores.

use tokenizers::Tokenizer;
use vouch_domain::{Fault, PortError};

use super::{
    PORT,
    heads::{Heads, Scores},
    window::{Window, windows},
};
use crate::{
    encoder::{Encoder as Bert, File, Scratch, Tokens},
    kernels::Path,
    workers::Workers,
};

pub(super) struct Encoder {
    bert: Bert,
    heads: Heads,
    tokenizer: Tokenizer,
    pub(super) workers: Workers,
}

impl Encoder {
    pub(super) fn load(weights: &'static [u8], tokenizer: &'static [u8], threads: usize) -> Option<Self> {
        let (models, tokenizer) = std::thread::scope(|scope| {
            let reading = scope.spawn(|| Tokenizer::from_bytes(tokenizer));
            (read(weights, Path::best()), reading.join())
        });
        let (bert, heads) = models?;
        let mut tokenizer = tokenizer.ok().and_then(Result::ok)?;
        tokenizer.with_padding(None);
        tokenizer.with_truncation(None).ok()?;
        Some(Self { bert, heads, tokenizer, workers: Workers::of(threads) })
    }

    pub(super) fn windows(&self, first: &str, second: &str) -> Result<Vec<Window>, PortError> {
        windows(&self.tokenizer, first, second)
    }

    pub(super) fn score(&self, windows: &[&Window], scratch: &mut Scratch) -> Result<Vec<Scores>, PortError> {
        let failed = || PortError::of(PORT, Fault::Internal, "a passage could not be judged");
        let tokens: Vec<Tokens> =
            windows.iter().map(|window| Tokens { ids: &window.ids, second_at: window.second_at }).collect();
        let rows = self.bert.run(&tokens, scratch).ok_or_else(failed)?;
        rows.into_iter().map(|rows| self.heads.score(rows).ok_or_else(failed)).collect()
    }
}

fn read(weights: &[u8], path: Path) -> Option<(Bert, Heads)> {
    let mut file = File::read(weights)?;
    let bert = Bert::new(&mut file, path)?;
    let heads = Heads::read(&file, bert.shape().hidden, path)?;
    Some((bert, heads))
}
