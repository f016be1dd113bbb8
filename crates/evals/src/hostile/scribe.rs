//! The scribe itself: a model that says what it is told to say, in pieces, without end, or not at all.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use vouch_domain::{
    ModelError,
    ports::{CompletionRequest, CompletionStream, LanguageModel},
};

/// How a scribe misbehaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Manner {
    /// Says these bytes, cut as they are here.
    Says(Vec<Vec<u8>>),
    /// Says this so many times, whatever it was allowed.
    Floods(Vec<u8>, usize),
    /// Says this without end.
    Endless(Vec<u8>),
    /// Says nothing and does not end.
    Silent,
}

/// A model whose next answer is set beforehand.
#[derive(Debug, Clone)]
pub struct HostileScribe {
    model: String,
    manner: Arc<Mutex<Manner>>,
}

impl HostileScribe {
    /// A scribe that says nothing yet.
    #[must_use]
    pub fn named(model: &str) -> Self {
        Self { model: model.to_owned(), manner: Arc::new(Mutex::new(Manner::Silent)) }
    }

    /// Sets how it answers from now on.
    pub fn behave(&self, manner: Manner) {
        *self.manner.lock().unwrap_or_else(PoisonError::into_inner) = manner;
    }
}

#[async_trait]
impl LanguageModel for HostileScribe {
    fn provider(&self) -> &'static str {
        "hostile"
    }

    async fn models(&self) -> Result<Vec<String>, ModelError> {
        Ok(vec![self.model.clone()])
    }

    async fn stream_completion(&self, _: CompletionRequest) -> Result<Box<dyn CompletionStream>, ModelError> {
        let manner = self.manner.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Ok(Box::new(Speaking { manner, said: 0 }))
    }
}

/// Keeps none of the limits it was given: those who listen must.
struct Speaking {
    manner: Manner,
    said: usize,
}

#[async_trait]
impl CompletionStream for Speaking {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, ModelError> {
        self.said += 1;
        match &self.manner {
            Manner::Says(pieces) => Ok(pieces.get(self.said - 1).cloned()),
            Manner::Floods(bytes, times) => Ok((self.said <= *times).then(|| bytes.clone())),
            Manner::Endless(bytes) => {
                // Without a pause nobody else would ever get a word in.
                tokio_yield().await;
                Ok(Some(bytes.clone()))
            }
            Manner::Silent => std::future::pending().await,
        }
    }
}

/// Lets others run once.
async fn tokio_yield() {
    let mut is_done = false;
    std::future::poll_fn(|context| {
        if std::mem::replace(&mut is_done, true) {
            return std::task::Poll::Ready(());
        }
        context.waker().wake_by_ref();
        std::task::Poll::Pending
    })
    .await;
}
