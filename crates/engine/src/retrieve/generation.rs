//! The generation that catalogue and indexes are read at, so that a reply can name the one it was answered at.
//!
//! Whoever reads asks before the first and after the last of several reads. Where both name the same generation everything in
//! between was of that one, since each part only ever goes on to a later one.

use futures::future::join;
use vouch_domain::ports::Generation;

use super::{RetrievePorts, with_timeout};
use crate::policy::RetrievePolicy;

/// How often the indexes are brought up before a question where the catalogue goes on meanwhile.
const ROUNDS_MAX: usize = 3;

/// Which generation some reads were of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadGeneration {
    /// Nothing was read.
    Nothing,
    /// All of them were of this one.
    Single(Generation),
    /// They were of several, or it is not known.
    Mixed,
}

impl ReadGeneration {
    /// The generation of everything that was read between this and a later moment.
    #[must_use]
    pub fn until(self, later: Self) -> Self {
        if self == later { self } else { Self::Mixed }
    }
}

impl RetrievePorts {
    /// The generation that catalogue and both indexes are at. An index that cannot tell its own may be searched all the same, then or
    /// a moment later, so nothing is named while one cannot.
    pub(crate) async fn generation(&self, policy: &RetrievePolicy) -> ReadGeneration {
        let words = with_timeout(policy, "lexical", self.lexical.generation());
        let vectors = with_timeout(policy, "dense", self.dense.generation());
        let (words, vectors) = join(words, vectors).await;
        // The catalogue is asked last: an index never runs ahead of it.
        match with_timeout(policy, "catalogue", self.catalogue.generation()).await {
            Ok(own) if [&words, &vectors].into_iter().all(|index| index.as_ref().is_ok_and(|index| *index == own)) => {
                ReadGeneration::Single(own)
            }
            Ok(_) | Err(_) => ReadGeneration::Mixed,
        }
    }

    /// The same after both indexes were brought up to the catalogue, where they were not.
    pub(crate) async fn settled_generation(&self, policy: &RetrievePolicy) -> ReadGeneration {
        let mut reached = self.generation(policy).await;
        for _ in 0..ROUNDS_MAX {
            if reached != ReadGeneration::Mixed {
                break;
            }
            let words = with_timeout(policy, "lexical", self.lexical.refresh());
            let vectors = with_timeout(policy, "dense", self.dense.catch_up());
            let (words, vectors) = join(words, vectors).await;
            if let Some(error) = words.err().or(vectors.err()) {
                // It is searched as it is, and the reply names no generation.
                tracing::debug!(%error, "an index could not be brought up to the catalogue before a question");
                break;
            }
            reached = self.generation(policy).await;
        }
        reached
    }
}
