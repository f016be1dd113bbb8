//! The examples of agents and tools: those beside their settings and the further ones, checked together.

use std::collections::BTreeMap;

use super::{
    super::{AgentsSettings, ToolsSettings},
    range::SettingError,
};

const KEY: &str = "agents.examples";
/// Fewer tell nothing.
const EXAMPLES_MIN: usize = 3;
const EXAMPLES_MAX: usize = 2_000;
/// Of all together; each is embedded before the first question is answered.
const IN_ALL_MAX: usize = 10_000;

/// Further examples, one a line, by whom they are for.
#[derive(Clone, Copy)]
pub(super) struct FurtherExamples<'s>(pub(super) &'s BTreeMap<String, String>);

impl FurtherExamples<'_> {
    /// Whoever has further examples is there, and there are not too many in all.
    pub(super) fn check_names(self, agents: &AgentsSettings, tools: &ToolsSettings) -> Result<(), SettingError> {
        let is_there = |name: &String| {
            *name == agents.fallback.name
                || agents.list.iter().any(|agent| agent.name == *name)
                || tools.list.iter().any(|tool| tool.name == *name)
        };
        let beside = agents.list.iter().map(|agent| agent.examples.len()).sum::<usize>()
            + tools.list.iter().map(|tool| tool.examples.len()).sum::<usize>()
            + agents.fallback.examples.len();
        let further: usize = self.0.values().map(|text| text.lines().count()).sum();
        if beside + further > IN_ALL_MAX {
            return Err(SettingError::new(KEY, &format!("are more than {IN_ALL_MAX} with those of agents and tools")));
        }
        match self.0.keys().find(|name| !is_there(name)) {
            None => Ok(()),
            Some(name) => Err(SettingError::new(KEY, &format!("names '{name}', which is neither an agent nor a tool"))),
        }
    }

    /// All examples of one: enough, not too many, none empty.
    pub(super) fn checked(self, key: &'static str, name: &str, own: &[String]) -> Result<Vec<String>, SettingError> {
        let lines = self.0.get(name).into_iter().flat_map(|text| text.lines());
        let further = lines.map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned);
        let examples: Vec<String> = own.iter().cloned().chain(further).collect();
        let is_ample = (EXAMPLES_MIN..=EXAMPLES_MAX).contains(&examples.len());
        if is_ample && examples.iter().all(|example| !example.trim().is_empty()) {
            return Ok(examples);
        }
        let sentence = format!("must give {name} {EXAMPLES_MIN} to {EXAMPLES_MAX} examples, none of them empty");
        Err(SettingError { key, sentence })
    }
}
