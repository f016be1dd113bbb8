//! Who answers what: agents, their tools, and the words they use.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use regex::Regex;
use serde::{Deserialize, Serialize};

use super::Policies;

/// The agents of a profile.
#[derive(Debug, Clone)]
pub struct AgentsPolicy {
    /// A question goes to an agent that is at least this likely the right one; below, it goes to the fallback.
    pub confidence_at_least: f32,
    /// Who says what the others can do where a question is none of theirs.
    pub fallback: FallbackPolicy,
    /// The agents.
    pub agents: Vec<AgentPolicy>,
    /// The tools.
    pub tools: Vec<ToolPolicy>,
    /// Whether a model that writes is asked whose question it is, where the examples leave it open.
    pub model_routes: bool,
    /// Whether a model that writes is asked which tool is meant.
    pub model_chooses_tools: bool,
    /// Whether a model that writes tells what a tool gave, as far as that bears it out.
    pub model_tells_outputs: bool,
    /// How long a tool may take.
    pub tool_timeout: Duration,
    /// How long a call waits for what is missing of its input, or for a yes.
    pub answer_timeout: Duration,
    /// The tenants whose people the tools' records are of; to everybody else a tool says that it does not know them.
    pub tool_tenants: BTreeSet<String>,
}

impl AgentsPolicy {
    /// The agent of a name.
    #[must_use]
    pub fn agent(&self, name: &str) -> Option<&AgentPolicy> {
        self.agents.iter().find(|agent| agent.name == name)
    }

    /// The agent that may use a tool: this one, where it may.
    #[must_use]
    pub fn agent_with(&self, tool: &str, this: Option<&str>) -> Option<&AgentPolicy> {
        let may = |agent: &&AgentPolicy| agent.tools.iter().any(|own| own == tool);
        this.and_then(|name| self.agent(name)).filter(may).or_else(|| self.agents.iter().find(may))
    }

    /// The tool of a name.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<&ToolPolicy> {
        self.tools.iter().find(|tool| tool.name == name)
    }
}

/// Who says what the others can do.
#[derive(Debug, Clone)]
pub struct FallbackPolicy {
    /// Its name.
    pub name: String,
    /// What it says.
    pub message: String,
    /// Questions that are nobody's.
    pub examples: Vec<String>,
}

/// One agent: what it is for, where it looks, what it may use and how it speaks.
#[derive(Debug, Clone)]
pub struct AgentPolicy {
    /// Its name.
    pub name: String,
    /// What it is for, in a few words.
    pub scope: String,
    /// Questions that are its own.
    pub examples: Vec<String>,
    /// The collections it reads; all where none is named.
    pub collections: BTreeSet<String>,
    /// The tools it may use, by name.
    pub tools: Vec<String>,
    /// The figures it decides by.
    pub policies: Box<Policies>,
}

/// What is said where the documents do not answer, and asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoContextPolicy {
    /// That nothing was found.
    pub message: String,
    /// What would help, each in a few words.
    #[serde(default)]
    pub details: Vec<String>,
}

/// One tool, as far as the engine must know it.
#[derive(Debug, Clone)]
pub struct ToolPolicy {
    /// Its name.
    pub name: String,
    /// What it does, for a person.
    pub does: String,
    /// Questions it answers.
    pub examples: Vec<String>,
    /// Its input, in the order it is asked for.
    pub slots: Vec<SlotPolicy>,
    /// How its output is read; what is not named is text.
    pub fields: BTreeMap<String, FieldKind>,
    /// What is said of it.
    pub words: ToolWords,
}

/// One value of a tool's input.
#[derive(Debug, Clone)]
pub struct SlotPolicy {
    /// Its name.
    pub name: String,
    /// Where it comes from.
    pub source: SlotSource,
    /// What is asked where it is missing.
    pub asks: String,
    /// Whether the tool can do without.
    pub is_optional: bool,
}

/// Where a value of a tool's input comes from.
#[derive(Debug, Clone)]
pub enum SlotSource {
    /// Who asks, and never the words. With a pattern: what in the words is somebody's name of this sort.
    Asker(Option<Regex>),
    /// The day.
    Today,
    /// What in the words matches, in capitals.
    Pattern(Regex),
    /// An amount of a currency, and of no other.
    Amount {
        /// How the currency is written; the first is its code.
        currency: Vec<String>,
    },
    /// One of several values, by the words that mean it.
    Choice(Vec<(String, Vec<String>)>),
}

/// How a value of a tool's output is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldKind {
    /// As it stands.
    Text,
    /// An amount of a currency.
    Money {
        /// How the currency is written; the first is its code.
        currency: Vec<String>,
    },
    /// A day, or a month.
    Date,
    /// A state, and the words for each; what has none is told as it stands.
    State(BTreeMap<String, String>),
    /// A number of something.
    Count,
}

/// What is said of a tool's output. `{field}` stands for a value of it, or of the input.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolWords {
    /// Where there is what was asked for.
    pub found: String,
    /// Of each of several, under the name of their list.
    pub each: Option<(String, String)>,
    /// Where there is nothing.
    pub not_found: String,
    /// What will be done, before the yes.
    pub confirm: String,
    /// What is said in place of that where something stands in its way, by its name.
    pub obstacles: BTreeMap<String, String>,
}
