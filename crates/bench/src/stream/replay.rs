//! A model that speaks at the pace of a recorded answer.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use async_trait::async_trait;
use serde::Deserialize;
use vouch_domain::{
    ModelError,
    ports::{CompletionRequest, CompletionStream, LanguageModel},
};

#[derive(Deserialize)]
struct Pace {
    gaps_ms: Vec<f64>,
}

/// Two sentences, word by word.
#[derive(Clone)]
pub(super) struct Replay {
    words: Vec<String>,
    /// How many of them are the first sentence.
    first: usize,
    gaps: Vec<Duration>,
    said: Arc<Mutex<Option<Instant>>>,
}

impl Replay {
    pub(super) fn new(first: &str, second: &str) -> Self {
        let pace: Pace = serde_json::from_str(include_str!("pace.json")).unwrap_or(Pace { gaps_ms: Vec::new() });
        let words = |text: &str| text.split_inclusive(' ').map(str::to_owned).collect::<Vec<_>>();
        let (mut all, second) = (words(first), words(second));
        let first = all.len();
        all.extend(second);
        let gaps = pace.gaps_ms.into_iter().map(|gap| Duration::from_secs_f64(gap / 1e3)).collect();
        Self { words: all, first, gaps, said: Arc::default() }
    }

    /// When the last word of the first sentence was said.
    pub(super) fn first_sentence_said(&self) -> Option<Instant> {
        *self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl LanguageModel for Replay {
    fn provider(&self) -> &'static str {
        "replay"
    }

    async fn models(&self) -> Result<Vec<String>, ModelError> {
        Ok(Vec::new())
    }

    async fn stream_completion(&self, _: CompletionRequest) -> Result<Box<dyn CompletionStream>, ModelError> {
        Ok(Box::new(Speaking { replay: self.clone(), at: 0 }))
    }
}

struct Speaking {
    replay: Replay,
    at: usize,
}

#[async_trait]
impl CompletionStream for Speaking {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, ModelError> {
        let Some(word) = self.replay.words.get(self.at) else { return Ok(None) };
        let gap = self.replay.gaps.get(self.at % self.replay.gaps.len().max(1)).copied().unwrap_or_default();
        tokio::time::sleep(gap).await;
        self.at += 1;
        if self.at == self.replay.first {
            *self.replay.said.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        }
        Ok(Some(word.clone().into_bytes()))
    }
}
