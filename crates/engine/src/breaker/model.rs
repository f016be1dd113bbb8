//! A model server behind a breaker: failing to answer, and falling silent in the middle, count alike.

use std::sync::Arc;

use async_trait::async_trait;
use vouch_domain::{
    ModelError,
    ports::{Dictation, LanguageModel, Speech},
};

use super::{Breaker, Leave};

/// A model server that is not asked while its breaker is open.
pub struct GuardedModel {
    server: Arc<dyn LanguageModel>,
    breaker: Arc<Breaker>,
}

impl GuardedModel {
    /// A server behind a breaker.
    #[must_use]
    pub fn over(server: Arc<dyn LanguageModel>, breaker: Arc<Breaker>) -> Self {
        Self { server, breaker }
    }
}

#[async_trait]
impl LanguageModel for GuardedModel {
    fn provider(&self) -> &'static str {
        self.server.provider()
    }

    fn advice(&self, model: &str, there: &[String]) -> String {
        self.server.advice(model, there)
    }

    async fn models(&self) -> Result<Vec<String>, ModelError> {
        self.server.models().await
    }

    async fn speak(&self, dictation: Dictation) -> Result<Box<dyn Speech>, ModelError> {
        let leave =
            self.breaker.leave().ok_or_else(|| ModelError::CircuitOpen { sentence: self.breaker.sentence() })?;
        match self.server.speak(dictation).await {
            Ok(speech) => Ok(Box::new(GuardedSpeech { speech, leave: Some(leave), has_spoken: false })),
            Err(error) => {
                settle(leave, &error);
                Err(error)
            }
        }
    }
}

struct GuardedSpeech {
    speech: Box<dyn Speech>,
    leave: Option<Leave>,
    has_spoken: bool,
}

impl Drop for GuardedSpeech {
    fn drop(&mut self) {
        // A caller that stops listening says nothing against the server.
        if let (Some(leave), true) = (self.leave.take(), self.has_spoken) {
            leave.succeeded();
        }
    }
}

#[async_trait]
impl Speech for GuardedSpeech {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, ModelError> {
        let next = self.speech.next().await;
        match &next {
            Ok(Some(_)) => self.has_spoken = true,
            Ok(None) => self.leave.take().into_iter().for_each(Leave::succeeded),
            Err(error) => self.leave.take().into_iter().for_each(|leave| settle(leave, error)),
        }
        next
    }

    fn is_cut(&self) -> bool {
        self.speech.is_cut()
    }
}

fn settle(leave: Leave, error: &ModelError) {
    if is_of_the_server(error) {
        leave.failed();
    } else {
        leave.succeeded();
    }
}

fn is_of_the_server(error: &ModelError) -> bool {
    match error {
        ModelError::Connection { .. } | ModelError::Timeout { .. } => true,
        ModelError::CircuitOpen { .. }
        | ModelError::NotAllowed { .. }
        | ModelError::Unavailable { .. }
        | ModelError::Context { .. }
        | ModelError::TokenBudgetExceeded { .. } => false,
    }
}
