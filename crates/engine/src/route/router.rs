//! A question → whose it is: by the examples, by the documents each agent reads, and by what was spoken of before.

use std::sync::Arc;

use tokio::sync::OnceCell;
use vouch_domain::{
    Embedding, PortError, Question, Reader, Speaker,
    ports::{Embedder, KeptVectors},
};

use crate::{
    policy::{AgentsPolicy, SlotSource},
    retrieve::RetrievePorts,
    trace::{ConsideredAgent, Routing},
};

use super::{
    features::{Example, FeatureMap},
    rule::{Case, LinearRule},
};

/// How surely a question must be nobody's to leave a conversation for it.
const LEAVES_AT_LEAST: f32 = 0.97;
/// How much the best passage of what an agent reads speaks for it, and from which relevance on it speaks for it at all.
const PASSAGE_WEIGHT: f32 = 3.0;
const PASSAGE_FROM: f32 = 0.45;
/// From here on a tool is meant, among what its agent does.
const TOOL_AT_LEAST: f32 = 0.5;

/// On how many examples the rule is fitted at most, evenly chosen; all of them are what questions are held against.
const CASES_MAX: usize = 256;

/// What a class of examples stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Class {
    /// The agent; the fallback where it is none's.
    agent: String,
    /// The tool, where it is not the agent's documents that answer.
    tool: Option<String>,
}

/// A rule with how texts are read for it.
struct Fitted {
    map: FeatureMap,
    rule: LinearRule,
}

/// Tells whose question it is.
#[derive(Clone)]
pub struct Router {
    policy: Arc<AgentsPolicy>,
    classes: Vec<Class>,
    kept: Option<Arc<dyn KeptVectors>>,
    fitted: Arc<OnceCell<Fitted>>,
}

impl Router {
    /// A router for these agents; nothing is fitted yet.
    #[must_use]
    pub fn new(policy: Arc<AgentsPolicy>, kept: Option<Arc<dyn KeptVectors>>) -> Self {
        let own = policy.agents.iter().flat_map(|agent| {
            let documents = std::iter::once(None);
            documents
                .chain(agent.tools.iter().map(|tool| Some(tool.clone())))
                .map(|tool| Class { agent: agent.name.clone(), tool })
        });
        let nobody = Class { agent: policy.fallback.name.clone(), tool: None };
        let classes = own.chain(std::iter::once(nobody)).collect();
        Self { policy, classes, kept, fitted: Arc::default() }
    }

    /// Whose question it is. A request that names an agent has it, what waits stays where it is, and the rest is told by the examples.
    ///
    /// # Errors
    /// Fails if the asker names an agent that is none.
    pub async fn route(&self, question: &Question, ports: &RetrievePorts) -> Result<Routing, NoSuchAgent> {
        let recent = self.recent(question, ports).await;
        let chances = match self.chances(&question.text, &question.reader, ports).await {
            Ok(chances) => chances,
            Err(error) => {
                tracing::warn!(%error, component = "agents", "no vectors to tell the agents apart by");
                Vec::new()
            }
        };
        if let Some(asked) = &question.agent {
            let agent = self.policy.agent(asked).ok_or_else(|| self.no_such_agent(asked))?;
            let reason = "the user chose it".to_owned();
            return Ok(Routing { reason, confidence: 1.0, ..self.routing(&agent.name, &chances) });
        }
        Ok(self.settle(&chances, recent))
    }

    /// The agent that the chances and what was spoken of before come to.
    fn settle(&self, chances: &[f32], recent: Option<String>) -> Routing {
        let considered = self.considered(chances);
        let (best, confidence) =
            considered.first().map_or((&self.policy.fallback.name, 0.0), |one| (&one.agent, one.confidence));
        let at_least = self.policy.confidence_at_least;
        let is_nobodys = *best == self.policy.fallback.name;
        match recent {
            Some(recent) if confidence < at_least || (is_nobodys && confidence < LEAVES_AT_LEAST) => {
                let reason = format!("the conversation is with {recent}, and no other is likely enough");
                let own = considered.iter().find(|one| one.agent == recent).map_or(0.0, |one| one.confidence);
                Routing { reason, confidence: own, ..self.routing(&recent, chances) }
            }
            Some(_) | None if confidence >= at_least => {
                let reason = match is_nobodys {
                    true => "it resembles no question of any agent".to_owned(),
                    false => format!("it resembles the questions of {best}"),
                };
                Routing { reason, confidence, ..self.routing(best, chances) }
            }
            Some(_) | None => {
                let reason = format!(
                    "{best} is likeliest at {confidence:.2}, below {at_least}, and no agent was answering before"
                );
                Routing { reason, confidence, ..self.routing(&self.policy.fallback.name, chances) }
            }
        }
    }

    /// An agent with the tool that is meant, if one is.
    fn routing(&self, agent: &str, chances: &[f32]) -> Routing {
        let own = || self.classes.iter().zip(chances).filter(|(class, _)| class.agent == agent);
        let sum: f32 = own().map(|(_, chance)| chance).sum();
        let likeliest = own().max_by(|a, b| a.1.total_cmp(b.1));
        let tool = likeliest.filter(|(_, chance)| sum > 0.0 && **chance / sum >= TOOL_AT_LEAST);
        Routing {
            agent: agent.to_owned(),
            confidence: 0.0,
            reason: String::new(),
            considered: self.considered(chances),
            tool: tool.and_then(|(class, _)| class.tool.clone()),
        }
    }

    /// Every agent with how likely it is, the likeliest first.
    fn considered(&self, chances: &[f32]) -> Vec<ConsideredAgent> {
        let mut considered: Vec<ConsideredAgent> = Vec::new();
        for (class, chance) in self.classes.iter().zip(chances) {
            match considered.iter_mut().find(|one| one.agent == class.agent) {
                Some(known) => known.confidence += chance,
                None => considered.push(ConsideredAgent { agent: class.agent.clone(), confidence: *chance }),
            }
        }
        considered.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
        considered
    }

    /// The agent of the conversation: the one that is kept with it, else whose the last question was.
    async fn recent(&self, question: &Question, ports: &RetrievePorts) -> Option<String> {
        let is_agent = |name: &String| self.policy.agent(name).is_some();
        if let Some(kept) = question.session.agent.clone().filter(is_agent) {
            return Some(kept);
        }
        let last = question.conversation.iter().rev().find(|turn| turn.speaker == Speaker::Asker)?;
        let chances = self.chances(&last.text, &question.reader, ports).await.ok()?;
        let settled = self.settle(&chances, None);
        Some(settled.agent).filter(is_agent)
    }

    /// How likely each class is for these words: by the examples, and by how near the documents are that its agent reads.
    async fn chances(&self, text: &str, reader: &Reader, ports: &RetrievePorts) -> Result<Vec<f32>, PortError> {
        let embedder = ports.embedder.as_ref();
        let fitted = self.fitted.get_or_try_init(|| self.fit_apart(&ports.embedder)).await?;
        let vectors = embedder.identity().accept(embedder.embed(vec![text.to_owned()]).await?, 1)?;
        let Some(vector) = vectors.first() else { return Ok(Vec::new()) };
        let mut chances = fitted.rule.chances(&fitted.map.signs(&self.marked(text), vector, None));
        for agent in &self.policy.agents {
            let own = match agent.collections.is_empty() {
                true => reader.clone(),
                false => reader.clone().within(&agent.collections),
            };
            // An index that fails says nothing for anybody; the search will say that it failed.
            let Ok(found) = ports.dense.nearest(&own, vector, 1).await else { continue };
            let cosine = found.first().map_or(0.0, |hit| hit.lane_score);
            let relevance = embedder.relevance_map().relevance(cosine);
            let weight = (PASSAGE_WEIGHT * (relevance - PASSAGE_FROM).max(0.0)).exp();
            let classes = self.classes.iter().zip(&mut chances).filter(|(class, _)| class.agent == agent.name);
            classes.for_each(|(_, chance)| *chance *= weight);
        }
        let sum: f32 = chances.iter().sum();
        chances.iter_mut().for_each(|chance| *chance /= sum.max(f32::MIN_POSITIVE));
        Ok(chances)
    }

    /// Fits the rule on a task of its own, so that an asker who leaves does not end it: the vectors are kept for the next.
    async fn fit_apart(&self, embedder: &Arc<dyn Embedder>) -> Result<Fitted, PortError> {
        let (own, embedder) = (self.clone(), Arc::clone(embedder));
        let fitted = tokio::spawn(async move { own.fit(embedder.as_ref()).await }).await;
        fitted.unwrap_or_else(|error| {
            let sentence = "the rule of the agents could not be fitted";
            Err(PortError::new("agents", vouch_domain::Fault::Internal, sentence).with_source(error))
        })
    }

    async fn fit(&self, embedder: &dyn Embedder) -> Result<Fitted, PortError> {
        let (texts, classes): (Vec<String>, Vec<usize>) = self.examples().into_iter().unzip();
        let vectors = self.vectors(&texts, embedder).await?;
        let marked = texts.iter().map(|text| self.marked(text));
        let examples: Vec<Example> =
            marked.zip(vectors).zip(classes).map(|((text, vector), class)| Example { text, vector, class }).collect();
        let map = FeatureMap::new(&examples, self.classes.len());
        let chosen = self.chosen(&examples);
        let weight = |class: usize| self.weight(class, &chosen, &examples);
        let cases: Vec<Case> = chosen
            .iter()
            .filter_map(|number| examples.get(*number).map(|one| (*number, one)))
            .map(|(number, one)| Case {
                signs: map.signs(&one.text, &one.vector, Some(number)),
                class: one.class,
                weight: weight(one.class),
            })
            .collect();
        let rule = LinearRule::fit(&cases, self.classes.len());
        let none =
            || PortError::new("agents", vouch_domain::Fault::Invalid, "the examples of the agents allow no rule");
        Ok(Fitted { map, rule: rule.ok_or_else(none)? })
    }

    /// The numbers of the examples that the rule is fitted on: of every agent as many, evenly chosen, and of every class one at least.
    fn chosen(&self, examples: &[Example]) -> Vec<usize> {
        let quota = CASES_MAX.div_ceil(self.policy.agents.len() + 1);
        let mut chosen = Vec::new();
        for (class, own) in self.classes.iter().enumerate() {
            let is_agents = |one: &&Example| self.classes.get(one.class).is_some_and(|other| other.agent == own.agent);
            let step = examples.iter().filter(is_agents).count().div_ceil(quota).max(1);
            let of_class = examples.iter().enumerate().filter(|(_, one)| one.class == class);
            chosen.extend(of_class.map(|(number, _)| number).step_by(step));
        }
        chosen
    }

    /// Every agent counts the same, however many examples it has.
    fn weight(&self, class: usize, chosen: &[usize], examples: &[Example]) -> f64 {
        let agent = |class: usize| self.classes.get(class).map(|class| &class.agent);
        let own = chosen.iter().filter_map(|number| examples.get(*number));
        let own = own.filter(|one| agent(one.class) == agent(class)).count();
        u32::try_from(own.max(1)).map_or(0.0, |own| 1.0 / f64::from(own))
    }

    /// The vectors of the examples: those that are kept, or new ones, which are kept then.
    async fn vectors(&self, texts: &[String], embedder: &dyn Embedder) -> Result<Vec<Embedding>, PortError> {
        let identity = embedder.identity();
        let Some(kept) = &self.kept else { return identity.accept(embedder.embed(texts.to_vec()).await?, texts.len()) };
        let mut hasher = blake3::Hasher::new();
        for part in std::iter::once(&embedder.identity().digest).chain(texts) {
            hasher.update(&part.len().to_le_bytes());
            hasher.update(part.as_bytes());
        }
        let digest = hasher.finalize().to_hex().to_string();
        match kept.load(&digest).await {
            Ok(kept) => {
                if let Some(vectors) = kept.and_then(|vectors| identity.accept(vectors, texts.len()).ok()) {
                    return Ok(vectors);
                }
            }
            Err(error) => tracing::warn!(%error, component = "agents", "kept vectors cannot be read"),
        }
        let vectors = identity.accept(embedder.embed(texts.to_vec()).await?, texts.len())?;
        if let Err(error) = kept.save(&digest, &vectors).await {
            tracing::warn!(%error, component = "agents", "the vectors of the examples are not kept");
        }
        Ok(vectors)
    }

    /// Every example with the number of its class.
    fn examples(&self) -> Vec<(String, usize)> {
        let mut examples = Vec::new();
        for (number, class) in self.classes.iter().enumerate() {
            let own = match (&class.tool, self.policy.agent(&class.agent)) {
                (Some(tool), _) => self.policy.tool(tool).map(|tool| &tool.examples),
                (None, Some(agent)) => Some(&agent.examples),
                (None, None) => Some(&self.policy.fallback.examples),
            };
            examples.extend(own.into_iter().flatten().map(|text| (text.clone(), number)));
        }
        examples
    }

    /// The words, with the name of every value in them that a tool could take: an invoice's number says more than its digits.
    fn marked(&self, text: &str) -> String {
        let mut marked = text.to_owned();
        for slot in self.policy.tools.iter().flat_map(|tool| &tool.slots) {
            if let SlotSource::Pattern(pattern) = &slot.source
                && pattern.is_match(text)
                && !marked.ends_with(&slot.name)
            {
                marked.push(' ');
                marked.push_str(&slot.name);
            }
        }
        marked
    }

    fn no_such_agent(&self, asked: &str) -> NoSuchAgent {
        let there = self.policy.agents.iter().map(|agent| agent.name.clone()).collect();
        NoSuchAgent { asked: asked.to_owned(), there }
    }
}

/// The asker names an agent that is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no agent '{asked}'; available agents: {}", there.join(", "))]
pub struct NoSuchAgent {
    /// The name.
    pub asked: String,
    /// The agents there are.
    pub there: Vec<String>,
}
