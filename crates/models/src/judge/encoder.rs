//! Windows → the judge's raw scores.

use std::time::Instant;

use tokenizers::Tokenizer;
use vouch_domain::{Fault, PortError};

use super::{
    heads::{Heads, Scores},
    port::PORT,
    window::{Extent, Window, windows},
};
use crate::{
    encoder::{Encoder as Bert, File, RunOutcome, Team, Tokens},
    kernels::Path,
    tokenizer::tokenizer,
};

pub(super) struct Encoder {
    team: Team,
    heads: Heads,
    tokenizer: &'static Tokenizer,
}

impl Encoder {
    pub(super) fn load(weights: &'static [u8], threads: usize) -> Option<Self> {
        let (models, tokenizer) = std::thread::scope(|scope| {
            let reading = scope.spawn(tokenizer);
            (read(weights, Path::best()), reading.join())
        });
        let (bert, heads) = models?;
        let tokenizer = tokenizer.ok().flatten()?;
        Some(Self { team: Team::new(bert, threads), heads, tokenizer })
    }

    pub(super) fn windows(&self, texts: (&str, &str), extent: Extent) -> Result<Vec<Window>, PortError> {
        windows(self.tokenizer, texts, extent)
    }

    /// The scores of windows, in order; none for those not begun by the deadline.
    pub(super) fn score(&self, windows: &[&Window], deadline: Instant) -> Result<Vec<Option<Scores>>, PortError> {
        let tokens: Vec<Tokens> =
            windows.iter().map(|window| Tokens { ids: &window.ids, second_at: window.second_at }).collect();
        let scored = self.team.run(&tokens, Some(deadline), |rows| self.heads.score(rows));
        let settled = |read| match read {
            RunOutcome::Done(scores) => Ok(Some(scores)),
            RunOutcome::Late => Ok(None),
            RunOutcome::Failed => Err(PortError::new(PORT, Fault::Internal, "a passage could not be judged")),
        };
        scored.into_iter().map(settled).collect()
    }
}

fn read(weights: &'static [u8], path: Path) -> Option<(Bert, Heads)> {
    let file = File::read(weights)?;
    let bert = Bert::new(&file, path)?;
    let heads = Heads::read(&file, bert.shape().hidden, path)?;
    Some((bert, heads))
}
