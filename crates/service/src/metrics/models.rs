//! The models of a ladder, each with its job's figures around it: what a model says passes through untouched.

use std::{sync::Arc, time::Instant};

use async_trait::async_trait;
use metrics::{counter, histogram};
use vouch_domain::{
    ModelError,
    ports::{Dictation, LanguageModel, Speech},
};
use vouch_engine::ladder::{Ladder, Rung};

use super::Figures;

/// What is counted where the wait for a model is broken off.
const LATE: &str = "llm_timeout";

/// A model that is counted.
struct Counted {
    job: &'static str,
    model: Arc<dyn LanguageModel>,
    figures: Arc<Figures>,
}

/// What it says; counted once, however it ends. Who stops listening has heard enough.
struct CountedSpeech {
    speech: Box<dyn Speech>,
    call: Call,
}

struct Call {
    job: &'static str,
    figures: Arc<Figures>,
    started: Instant,
    outcome: &'static str,
}

impl Drop for Call {
    fn drop(&mut self) {
        self.figures.count(|| {
            counter!("vouch_model_calls_total", "job" => self.job, "outcome" => self.outcome).increment(1);
            histogram!("vouch_model_call_duration_seconds", "job" => self.job)
                .record(self.started.elapsed().as_secs_f64());
        });
    }
}

impl Figures {
    /// The same ladder, with every request to its models counted.
    #[must_use]
    pub fn around(self: &Arc<Self>, ladder: &Ladder) -> Ladder {
        let counted = |job: &'static str, rung: &Option<Rung>| {
            let rung = rung.as_ref()?;
            let server = Counted { job, model: Arc::clone(&rung.server), figures: Arc::clone(self) };
            Some(Rung { server: Arc::new(server), ..rung.clone() })
        };
        Ladder {
            routing: counted("routing", &ladder.routing),
            planning: counted("planning", &ladder.planning),
            outline: counted("outline", &ladder.outline),
            answer: counted("answer", &ladder.answer),
            judge: counted("judge", &ladder.judge),
            out_of_corpus: counted("out_of_corpus", &ladder.out_of_corpus),
            allowed: ladder.allowed.clone(),
        }
    }
}

#[async_trait]
impl LanguageModel for Counted {
    fn provider(&self) -> &'static str {
        self.model.provider()
    }

    fn advice(&self, model: &str, there: &[String]) -> String {
        self.model.advice(model, there)
    }

    async fn models(&self) -> Result<Vec<String>, ModelError> {
        self.model.models().await
    }

    async fn speak(&self, dictation: Dictation) -> Result<Box<dyn Speech>, ModelError> {
        let figures = Arc::clone(&self.figures);
        let mut call = Call { job: self.job, figures, started: Instant::now(), outcome: LATE };
        match self.model.speak(dictation).await {
            Ok(speech) => {
                call.outcome = "succeeded";
                Ok(Box::new(CountedSpeech { speech, call }))
            }
            Err(error) => {
                call.outcome = error.code();
                Err(error)
            }
        }
    }
}

#[async_trait]
impl Speech for CountedSpeech {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, ModelError> {
        self.call.outcome = LATE;
        let next = self.speech.next().await;
        self.call.outcome = next.as_ref().err().map_or("succeeded", ModelError::code);
        next
    }

    fn is_cut(&self) -> bool {
        self.speech.is_cut()
    }
}
