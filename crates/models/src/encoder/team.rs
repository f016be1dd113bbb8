//! An encoder with the threads it runs on: texts → what is read from their rows, in order.

use std::time::Instant;

use super::{
    Encoder, Tokens,
    workers::{Haste, Workers},
};
use crate::kernels::Line;

/// How many tokens make a piece of work worth while: fewer leave the weights half used.
const GROUP_TOKENS: usize = 128;

/// What became of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunOutcome<R> {
    /// It was run, and this was read from its rows.
    Done(R),
    /// It was not begun in time.
    Late,
    /// The model cannot read it.
    Failed,
}

/// An encoder and its threads.
pub struct Team {
    encoder: Encoder,
    pub(crate) workers: Workers,
}

impl Team {
    /// So many threads work with the encoder.
    #[must_use]
    pub fn new(encoder: Encoder, threads: usize) -> Self {
        Self { encoder, workers: Workers::new(threads.max(1)) }
    }

    /// Runs texts, short ones together; what is not begun by the deadline stays undone.
    pub fn run<R: Send>(
        &self,
        texts: &[Tokens],
        deadline: Option<Instant>,
        read: impl Fn(&[Line]) -> Option<R> + Sync,
    ) -> Vec<RunOutcome<R>> {
        let groups = groups(texts.iter().map(|text| text.ids.len()));
        let haste = if deadline.is_some() { Haste::Asked } else { Haste::without_deadline(groups.len()) };
        let done = self.workers.each(&groups, haste, |group, scratch| {
            let texts = texts.get(group.clone()).unwrap_or_default();
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return texts.iter().map(|_| RunOutcome::Late).collect();
            }
            let Some(rows) = self.encoder.run(texts, scratch) else {
                return texts.iter().map(|_| RunOutcome::Failed).collect();
            };
            rows.into_iter()
                .map(|rows| read(rows).map_or(RunOutcome::Failed, RunOutcome::Done))
                .collect::<Vec<RunOutcome<R>>>()
        });
        done.into_iter().flatten().collect()
    }
}

/// Texts by their lengths, in order → which go together.
fn groups(lengths: impl Iterator<Item = usize>) -> Vec<std::ops::Range<usize>> {
    let mut groups: Vec<std::ops::Range<usize>> = Vec::new();
    let mut tokens = 0;
    for (at, length) in lengths.enumerate() {
        tokens += length;
        match groups.last_mut() {
            Some(group) if tokens <= GROUP_TOKENS => group.end = at + 1,
            _ => {
                groups.push(at..at + 1);
                tokens = length;
            }
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::groups;

    #[test]
    fn short_texts_go_together_and_long_ones_alone() {
        let of = |lengths: &[usize]| groups(lengths.iter().copied());
        assert!(of(&[]).is_empty());
        assert_eq!(of(&[10, 20, 30]), vec![0..3]);
        assert_eq!(of(&[128, 1, 127, 1]), vec![0..1, 1..3, 3..4]);
        assert_eq!(of(&[400, 500, 5, 5]), vec![0..1, 1..2, 2..4]);
    }
}
