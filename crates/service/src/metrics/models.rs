//! The models of the registry, each counted under its job: what a model says passes through untouched.

use std::{sync::Arc, time::Instant};

use async_trait::async_trait;
use metrics::{counter, histogram};
use vouch_domain::{
    ModelError, ToolCall,
    ports::{CompletionRequest, CompletionStream, LanguageModel},
};
use vouch_engine::model_registry::{JobModel, ModelRegistry};

use super::Metrics;

/// What is counted where the wait for a model is broken off.
const LATE: &str = "llm_timeout";

/// A model that is counted.
struct CountedModel {
    job: &'static str,
    model: Arc<dyn LanguageModel>,
    metrics: Arc<Metrics>,
}

/// What it says; counted once, however it ends. Who stops listening has heard enough.
struct CountedStream {
    completion: Box<dyn CompletionStream>,
    call: Call,
}

struct Call {
    job: &'static str,
    metrics: Arc<Metrics>,
    started: Instant,
    outcome: &'static str,
}

impl Drop for Call {
    fn drop(&mut self) {
        self.metrics.count(|| {
            counter!("vouch_model_calls_total", "job" => self.job, "outcome" => self.outcome).increment(1);
            histogram!("vouch_model_call_duration_seconds", "job" => self.job)
                .record(self.started.elapsed().as_secs_f64());
        });
    }
}

impl Metrics {
    /// The same registry, with every request to its models counted.
    #[must_use]
    pub fn instrument(self: &Arc<Self>, model_registry: &ModelRegistry) -> ModelRegistry {
        let counted = |job: &'static str, job_model: &Option<JobModel>| {
            let job_model = job_model.as_ref()?;
            let server = CountedModel { job, model: Arc::clone(&job_model.server), metrics: Arc::clone(self) };
            Some(JobModel { server: Arc::new(server), ..job_model.clone() })
        };
        ModelRegistry {
            routing: counted("routing", &model_registry.routing),
            planning: counted("planning", &model_registry.planning),
            outline: counted("outline", &model_registry.outline),
            answer: counted("answer", &model_registry.answer),
            stand_in: counted("stand_in", &model_registry.stand_in),
            on_request: counted("answer", &model_registry.on_request),
            judge: counted("judge", &model_registry.judge),
            out_of_corpus: counted("out_of_corpus", &model_registry.out_of_corpus),
            allowed: model_registry.allowed.clone(),
        }
    }
}

#[async_trait]
impl LanguageModel for CountedModel {
    fn provider(&self) -> &'static str {
        self.model.provider()
    }

    fn advice(&self, model: &str, there: &[String]) -> String {
        self.model.advice(model, there)
    }

    fn unasked(&self) -> Option<ModelError> {
        self.model.unasked()
    }

    async fn models(&self) -> Result<Vec<String>, ModelError> {
        self.model.models().await
    }

    async fn stream_completion(
        &self,
        completion_request: CompletionRequest,
    ) -> Result<Box<dyn CompletionStream>, ModelError> {
        let metrics = Arc::clone(&self.metrics);
        let mut call = Call { job: self.job, metrics, started: Instant::now(), outcome: LATE };
        match self.model.stream_completion(completion_request).await {
            Ok(completion) => {
                call.outcome = "succeeded";
                Ok(Box::new(CountedStream { completion, call }))
            }
            Err(error) => {
                call.outcome = error.code();
                Err(error)
            }
        }
    }
}

#[async_trait]
impl CompletionStream for CountedStream {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, ModelError> {
        self.call.outcome = LATE;
        let next = self.completion.next().await;
        self.call.outcome = next.as_ref().err().map_or("succeeded", ModelError::code);
        next
    }

    fn is_cut(&self) -> bool {
        self.completion.is_cut()
    }

    fn tool_calls(&self) -> &[ToolCall] {
        self.completion.tool_calls()
    }
}
