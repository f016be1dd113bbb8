//! A model server behind a breaker: failing to answer, and falling silent in the middle, count alike.

use std::sync::Arc;

use async_trait::async_trait;
use vouch_domain::{
    ModelError, ToolCall,
    ports::{CompletionRequest, CompletionStream, LanguageModel},
};

use super::{Breaker, Permit};

/// A model server that is not asked while its breaker is open.
pub struct GuardedModel {
    server: Arc<dyn LanguageModel>,
    breaker: Arc<Breaker>,
}

impl GuardedModel {
    /// A server behind a breaker.
    #[must_use]
    pub fn new(server: Arc<dyn LanguageModel>, breaker: Arc<Breaker>) -> Self {
        Self { server, breaker }
    }

    fn circuit_open(&self) -> ModelError {
        ModelError::CircuitOpen { sentence: self.breaker.sentence() }
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

    fn unasked(&self) -> Option<ModelError> {
        self.breaker.check_closed().err().map(|_| self.circuit_open())
    }

    async fn models(&self) -> Result<Vec<String>, ModelError> {
        self.server.models().await
    }

    async fn stream_completion(
        &self,
        completion_request: CompletionRequest,
    ) -> Result<Box<dyn CompletionStream>, ModelError> {
        let permit = self.breaker.try_acquire().ok_or_else(|| self.circuit_open())?;
        match self.server.stream_completion(completion_request).await {
            Ok(completion) => Ok(Box::new(GuardedStream { completion, permit: Some(permit), has_spoken: false })),
            Err(error) => {
                settle(permit, &error);
                Err(error)
            }
        }
    }
}

struct GuardedStream {
    completion: Box<dyn CompletionStream>,
    permit: Option<Permit>,
    has_spoken: bool,
}

impl Drop for GuardedStream {
    fn drop(&mut self) {
        // A caller that stops listening says nothing against the server.
        if let (Some(permit), true) = (self.permit.take(), self.has_spoken) {
            permit.succeeded();
        }
    }
}

#[async_trait]
impl CompletionStream for GuardedStream {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, ModelError> {
        let next = self.completion.next().await;
        match &next {
            Ok(Some(_)) => self.has_spoken = true,
            Ok(None) => self.permit.take().into_iter().for_each(Permit::succeeded),
            Err(error) => self.permit.take().into_iter().for_each(|permit| settle(permit, error)),
        }
        next
    }

    fn is_cut(&self) -> bool {
        self.completion.is_cut()
    }

    fn tool_calls(&self) -> &[ToolCall] {
        self.completion.tool_calls()
    }
}

fn settle(permit: Permit, error: &ModelError) {
    if is_of_the_server(error) {
        permit.failed();
    } else {
        permit.succeeded();
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
