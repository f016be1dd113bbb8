//! A job → the model that does it: routing, planning, outline, answer, judge, out of corpus.
//!
//! Invariant: every job has its own model and limits, and does without where none is named. What a model says is bytes;
//! nothing here believes them.

mod claim_opinion;
mod estimate;
mod opinion;
pub mod prompt;
mod speed;
mod tool_choice;

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use vouch_domain::{
    ModelError,
    ports::{CompletionRequest, CompletionStream, LanguageModel, Message, OfferedTool, TokenCounter},
};

pub use claim_opinion::{ClaimOpinion, claim_opinion};
pub use estimate::EstimatedTokens;
pub use opinion::second_opinion;
pub use speed::{ModelSpeed, measure_speed};
pub use tool_choice::chosen_call;

/// The most bytes a token takes in an answer; what says more is cut off.
const BYTES_PER_TOKEN_MAX: usize = 16;

/// The models of every job.
#[derive(Clone, Default)]
pub struct ModelRegistry {
    /// Classifies the question.
    pub routing: Option<JobModel>,
    /// Finds other ways to ask.
    pub planning: Option<JobModel>,
    /// Finds a thesis in the notes before anything is written.
    pub outline: Option<JobModel>,
    /// Writes the answer; the evidence's own sentences are quoted where there is none.
    pub answer: Option<JobModel>,
    /// Writes where the model that should have fails.
    pub stand_in: Option<JobModel>,
    /// The server that writes where nobody writes by default and a model is asked for by name.
    pub on_request: Option<JobModel>,
    /// Says how well an answer is supported, and of single sentences where it is to, beside the built-in judge.
    pub judge: Option<JobModel>,
    /// Answers from general knowledge where a profile allows it.
    pub out_of_corpus: Option<JobModel>,
    /// What may be asked for by name.
    pub allowed: BTreeMap<String, ModelLimits>,
}

/// A model that may be asked for by name.
#[derive(Clone)]
pub struct ModelLimits {
    /// How many tokens prompt and answer may have together.
    pub context_window: usize,
    /// How many tokens it may write.
    pub response_tokens_max: usize,
    /// How its tokens are counted.
    pub counter: Arc<dyn TokenCounter>,
}

/// One job's model and its limits.
#[derive(Clone)]
pub struct JobModel {
    /// Where it runs.
    pub server: Arc<dyn LanguageModel>,
    /// What the server calls it.
    pub model: String,
    /// Its limits.
    pub allowed: ModelLimits,
    /// 0 for the same words every time.
    pub temperature: f32,
    /// How long it may take until the first token.
    pub first_token_timeout: Duration,
    /// How long it may pause between two words.
    pub gap_timeout: Duration,
    /// How long it may take altogether.
    pub timeout: Duration,
}

impl ModelRegistry {
    /// Who writes the answer: the model asked for where it may be, else the profile's own.
    ///
    /// # Errors
    /// Fails if the model is not allowed or its server does not have it.
    pub async fn writer(&self, asked: Option<&str>) -> Result<Option<JobModel>, ModelError> {
        let Some(asked) = asked else { return Ok(self.answer.clone()) };
        if asked == EXTRACTIVE {
            return Ok(None);
        }
        let not_allowed = || ModelError::NotAllowed { model: asked.to_owned(), allowed: self.on_request_too() };
        let answer = self.answer.as_ref().or(self.on_request.as_ref()).ok_or_else(not_allowed)?;
        let allowed = self.allowed.get(asked).ok_or_else(not_allowed)?;
        let job_model = JobModel { model: asked.to_owned(), allowed: allowed.clone(), ..answer.clone() };
        job_model.check_available().await?;
        Ok(Some(job_model))
    }

    /// Every writer that may be asked for by name, wherever there may be a server that has it.
    fn on_request_too(&self) -> Vec<String> {
        let server = self.answer.as_ref().or(self.on_request.as_ref());
        let models = server.into_iter().flat_map(|_| self.allowed.keys().cloned());
        std::iter::once(EXTRACTIVE.to_owned()).chain(models).collect()
    }

    /// Every writer that clients are offered; models only where one writes by default, so that its server is meant to be there.
    #[must_use]
    pub fn writers(&self) -> Vec<String> {
        let models = self.answer.iter().flat_map(|_| self.allowed.keys().cloned());
        std::iter::once(EXTRACTIVE.to_owned()).chain(models).collect()
    }

    /// Every job that has a model, by name.
    pub fn jobs(&self) -> impl Iterator<Item = (&'static str, &JobModel)> {
        let jobs = [
            ("routing", &self.routing),
            ("planning", &self.planning),
            ("outline", &self.outline),
            ("answer", &self.answer),
            ("stand_in", &self.stand_in),
            ("judge", &self.judge),
            ("out_of_corpus", &self.out_of_corpus),
        ];
        jobs.into_iter().filter_map(|(job, job_model)| Some((job, job_model.as_ref()?)))
    }
}

/// Whether two names may mean one model: whoever publishes it is left out, and a name without a size may be any of its sizes. A name of
/// its own that a server gives a model is not noticed.
#[must_use]
pub fn is_same_model(one: &str, other: &str) -> bool {
    let (one, other) = (one.to_ascii_lowercase(), other.to_ascii_lowercase());
    let (one, other) = (model_name(&one), model_name(&other));
    one.0 == other.0 && (one.1 == other.1 || one.1.is_none() || other.1.is_none())
}

/// A model's name and its size or version, none where it is the latest.
fn model_name(name: &str) -> (&str, Option<&str>) {
    let name = name.rsplit('/').next().unwrap_or(name);
    match name.split_once(':') {
        Some((name, tag)) => (name, Some(tag).filter(|tag| *tag != "latest")),
        None => (name, None),
    }
}

/// How long a server may take to say which models it has.
const AVAILABILITY_TIMEOUT: Duration = Duration::from_secs(5);

/// The writer that needs no model, by name.
pub const EXTRACTIVE: &str = "extractive";

impl JobModel {
    /// Whether the server has the model, under its own name or as its latest.
    ///
    /// # Errors
    /// Fails if it does not, or cannot say.
    pub async fn check_available(&self) -> Result<(), ModelError> {
        let late = |_| ModelError::Timeout { sentence: "the server did not list its models in time".to_owned() };
        let there = tokio::time::timeout(AVAILABILITY_TIMEOUT, self.server.models()).await.map_err(late)??;
        let latest = format!("{}:latest", self.model);
        if there.iter().any(|name| *name == self.model || *name == latest) {
            return Ok(());
        }
        let sentence = self.server.advice(&self.model, &there);
        Err(ModelError::Unavailable { model: self.model.clone(), sentence })
    }

    /// How many tokens a text has for this model, at most.
    #[must_use]
    pub fn count(&self, text: &str) -> usize {
        self.allowed.counter.count(text)
    }

    /// How many bytes it may say, whatever it calls a token.
    #[must_use]
    pub fn response_bytes_max(&self) -> usize {
        self.allowed.response_tokens_max.saturating_mul(BYTES_PER_TOKEN_MAX)
    }

    /// Begins to speak.
    ///
    /// # Errors
    /// As the model's server.
    pub async fn stream_completion(&self, messages: Vec<Message>) -> Result<Box<dyn CompletionStream>, ModelError> {
        self.begin(messages, None, Vec::new()).await
    }

    async fn begin(
        &self,
        messages: Vec<Message>,
        schema: Option<&'static str>,
        tools: Vec<OfferedTool>,
    ) -> Result<Box<dyn CompletionStream>, ModelError> {
        let completion_request = CompletionRequest {
            model: self.model.clone(),
            messages,
            temperature: self.temperature,
            context_window: self.allowed.context_window,
            response_tokens_max: self.allowed.response_tokens_max,
            response_bytes_max: self.response_bytes_max(),
            first_token_timeout: self.first_token_timeout,
            gap_timeout: self.gap_timeout,
            timeout: self.timeout,
            schema,
            tools,
        };
        self.with_timeout(self.server.stream_completion(completion_request)).await
    }

    /// A short answer, as far as it came.
    ///
    /// # Errors
    /// As the model's server.
    pub async fn complete(&self, messages: Vec<Message>) -> Result<String, ModelError> {
        self.hear(messages, None).await.map(|(said, _)| said)
    }

    /// A short answer that is to keep to a JSON schema, as far as it came.
    ///
    /// # Errors
    /// As the model's server.
    pub async fn complete_as(&self, messages: Vec<Message>, schema: &'static str) -> Result<String, ModelError> {
        self.hear(messages, Some(schema)).await.map(|(said, _)| said)
    }

    /// A short answer; none if it was cut off at its limit.
    ///
    /// # Errors
    /// As the model's server.
    pub async fn complete_uncut(&self, messages: Vec<Message>) -> Result<Option<String>, ModelError> {
        self.hear(messages, None).await.map(|(said, is_cut)| (!is_cut).then_some(said))
    }

    /// What it says, and whether it was cut off.
    async fn hear(&self, messages: Vec<Message>, schema: Option<&'static str>) -> Result<(String, bool), ModelError> {
        let bytes_max = self.response_bytes_max();
        self.with_timeout(async {
            let mut completion = self.begin(messages, schema, Vec::new()).await?;
            let mut said = Vec::new();
            while let Some(bytes) = completion.next().await? {
                said.extend(bytes);
                if said.len() > bytes_max {
                    return Err(ModelError::Connection { sentence: "it wrote too much".to_owned() });
                }
            }
            Ok((without_thoughts(&String::from_utf8_lossy(&said)), completion.is_cut()))
        })
        .await
    }

    /// A server is not trusted to keep its own deadlines.
    async fn with_timeout<T>(&self, asked: impl Future<Output = Result<T, ModelError>>) -> Result<T, ModelError> {
        let late = |_| ModelError::Timeout { sentence: format!("no answer within {} ms", self.timeout.as_millis()) };
        tokio::time::timeout(self.timeout, asked).await.map_err(late)?
    }
}

/// Tags between which a model speaks to itself.
pub const THOUGHTS: &[&str] = &["think", "thinking", "reasoning", "thought"];

/// The text without the model's thoughts; an unclosed thought runs to the end.
fn without_thoughts(said: &str) -> String {
    let mut text = said.to_owned();
    for tag in THOUGHTS {
        let (open, close) = (format!("<{tag}>"), format!("</{tag}>"));
        while let Some(start) = text.to_ascii_lowercase().find(&open) {
            let end = text.to_ascii_lowercase().get(start..).and_then(|rest| rest.find(&close));
            let end = end.map_or(text.len(), |at| start + at + close.len());
            text.replace_range(start..end, "");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{is_same_model, without_thoughts};

    #[test]
    fn a_model_is_known_by_its_other_names() {
        for (one, other) in [
            ("llama3.2", "llama3.2:latest"),
            ("Llama3.2:LATEST", "llama3.2"),
            ("llama3.2", "llama3.2:3b"),
            ("library/llama3.2:3b", "registry.example/library/llama3.2:3b"),
        ] {
            assert!(is_same_model(one, other), "{one} {other}");
        }
        for (one, other) in [("llama3.2:1b", "llama3.2:3b"), ("llama3.2", "llama3.1"), ("judge:3b", "scribe:3b")] {
            assert!(!is_same_model(one, other), "{one} {other}");
        }
    }

    #[test]
    fn thoughts_are_not_answers() {
        assert_eq!(without_thoughts("<think>THESIS: NONE?</think>\nTHESIS: yes"), "\nTHESIS: yes");
        assert_eq!(without_thoughts("90<THINK>or less"), "90");
        assert_eq!(without_thoughts("plain"), "plain");
    }
}
