//! A model that plays scripts: what it says, when it waits and how it fails are known beforehand.
//!
//! Invariant: it keeps the deadlines and limits it is given as a server's adapter must, by the runtime's clock.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use tokio::time::Instant;
use vouch_domain::{
    ModelError, ToolCall,
    ports::{CompletionRequest, CompletionStream, LanguageModel},
};

/// What a model does in the course of one answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Says these bytes, whole characters or not.
    Say(Vec<u8>),
    /// Takes its time.
    Wait(Duration),
    /// Fails, and says no more.
    Fail(ModelError),
    /// Says nothing more and does not end.
    Hang,
    /// Ends in the middle, at the limit of its answer.
    Cut,
    /// Asks for a call of a tool.
    Call(ToolCall),
}

/// One answer, step by step; it ends after the last.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Script(Vec<Step>);

impl Script {
    /// Says these bytes, piece by piece.
    #[must_use]
    pub fn saying<P: AsRef<[u8]>>(pieces: impl IntoIterator<Item = P>) -> Self {
        Self(pieces.into_iter().map(|piece| Step::Say(piece.as_ref().to_vec())).collect())
    }

    /// Says nothing, ever.
    #[must_use]
    pub fn silent() -> Self {
        Self(vec![Step::Hang])
    }

    /// Does this next.
    #[must_use]
    pub fn then(mut self, step: Step) -> Self {
        self.0.push(step);
        self
    }

    /// Asks for calls of tools and says nothing.
    #[must_use]
    pub fn calling(calls: impl IntoIterator<Item = ToolCall>) -> Self {
        Self(calls.into_iter().map(Step::Call).collect())
    }

    /// Waits before every piece.
    #[must_use]
    pub fn slowly(self, pause: Duration) -> Self {
        let paused = |step: Step| match step {
            Step::Say(_) => vec![Step::Wait(pause), step],
            Step::Wait(_) | Step::Fail(_) | Step::Hang | Step::Cut | Step::Call(_) => vec![step],
        };
        Self(self.0.into_iter().flat_map(paused).collect())
    }

    /// Fails with this once it has said so many pieces.
    #[must_use]
    pub fn failing_after(self, pieces: usize, error: ModelError) -> Self {
        let mut said = 0;
        let is_before = |step: &Step| {
            said += usize::from(matches!(step, Step::Say(_)));
            said <= pieces
        };
        let mut steps: Vec<Step> = self.0.into_iter().take_while(is_before).collect();
        steps.push(Step::Fail(error));
        Self(steps)
    }
}

/// Plays one script a dictation, the last one over and over, and keeps what it was told.
#[derive(Debug, Clone)]
pub struct ScriptedModel {
    models: Vec<String>,
    scripts: Vec<Script>,
    completion_requests: Arc<Mutex<Vec<CompletionRequest>>>,
}

impl ScriptedModel {
    /// A server with this one model.
    #[must_use]
    pub fn named(model: &str, scripts: impl IntoIterator<Item = Script>) -> Self {
        Self {
            models: vec![model.to_owned()],
            scripts: scripts.into_iter().collect(),
            completion_requests: Arc::default(),
        }
    }

    /// Everything it was asked so far, also by way of its clones.
    #[must_use]
    pub fn completion_requests(&self) -> Vec<CompletionRequest> {
        self.completion_requests.lock().expect("a lock").clone()
    }
}

#[async_trait]
impl LanguageModel for ScriptedModel {
    fn provider(&self) -> &'static str {
        "scripted"
    }

    async fn models(&self) -> Result<Vec<String>, ModelError> {
        Ok(self.models.clone())
    }

    async fn stream_completion(
        &self,
        completion_request: CompletionRequest,
    ) -> Result<Box<dyn CompletionStream>, ModelError> {
        if !self.models.contains(&completion_request.model) {
            let sentence = format!("there is {}", self.models.join(", "));
            return Err(ModelError::Unavailable { model: completion_request.model, sentence });
        }
        let mut completion_requests = self.completion_requests.lock().expect("a lock");
        let script = self.scripts.get(completion_requests.len()).or(self.scripts.last()).cloned().unwrap_or_default();
        completion_requests.push(completion_request.clone());
        Ok(Box::new(Playing {
            steps: script.0.into(),
            started: Instant::now(),
            bytes_left: completion_request.response_bytes_max,
            is_begun: false,
            is_cut: false,
            is_over: false,
            calls: Vec::new(),
            completion_request,
        }))
    }
}

/// A script being played.
struct Playing {
    steps: VecDeque<Step>,
    completion_request: CompletionRequest,
    started: Instant,
    bytes_left: usize,
    is_begun: bool,
    is_cut: bool,
    is_over: bool,
    calls: Vec<ToolCall>,
}

impl Playing {
    async fn play(&mut self) -> Result<Option<Vec<u8>>, ModelError> {
        while let Some(step) = self.steps.pop_front() {
            match step {
                Step::Say(bytes) if bytes.is_empty() => {}
                Step::Say(bytes) => return self.say(bytes).map(Some),
                Step::Wait(time) => self.wait(Some(time)).await?,
                Step::Fail(error) => return Err(error),
                Step::Hang => self.wait(None).await?,
                Step::Cut => self.is_cut = true,
                Step::Call(call) => self.calls.push(call),
            }
        }
        self.is_over = true;
        Ok(None)
    }

    fn say(&mut self, bytes: Vec<u8>) -> Result<Vec<u8>, ModelError> {
        let left = self.bytes_left.checked_sub(bytes.len());
        self.bytes_left =
            left.ok_or_else(|| ModelError::Connection { sentence: "the script says too much".to_owned() })?;
        self.is_begun = true;
        Ok(bytes)
    }

    /// Waits, forever where no time is given, but no longer than the dictation allows.
    async fn wait(&self, time: Option<Duration>) -> Result<(), ModelError> {
        let CompletionRequest { first_token_timeout, gap_timeout, timeout, .. } = self.completion_request;
        let allowed = if self.is_begun { timeout } else { timeout.min(first_token_timeout) };
        let left = allowed.saturating_sub(self.started.elapsed());
        let left = if self.is_begun { left.min(gap_timeout) } else { left };
        match time {
            Some(time) if time < left => tokio::time::sleep(time).await,
            Some(_) | None => {
                tokio::time::sleep(left).await;
                let sentence = format!("the script takes longer than {} ms", allowed.as_millis());
                return Err(ModelError::Timeout { sentence });
            }
        }
        Ok(())
    }
}

#[async_trait]
impl CompletionStream for Playing {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, ModelError> {
        let played = self.play().await;
        if played.is_err() {
            self.steps.clear();
            self.calls.clear();
        }
        played
    }

    fn is_cut(&self) -> bool {
        self.is_cut
    }

    fn tool_calls(&self) -> &[ToolCall] {
        if self.is_over && !self.is_cut { &self.calls } else { &[] }
    }
}
