//! A model beside the tools: it may say which tool is meant, and tell an output in words of its own. Neither is believed.
//!
//! Invariant: a call counts only where every value of it is who asks or stands in the asker's words; a summary is shown only where the
//! output bears out every part of it. Anything else, and rules and templates speak.

use vouch_domain::{ToolOutput, ToolRecord, ToolValue, ports::OfferedTool};

use super::{agents::Handover, engine::Engine};
use crate::{
    model_registry::{
        JobModel, chosen_call,
        prompt::{TOOL_SUMMARY, fill_template, neutralize, system_message, user_message},
    },
    policy::{AgentPolicy, ToolPolicy},
    tool::{Saying, borne_out},
};

/// How many values of an output a model is told.
const VALUES_MAX: usize = 200;

impl Engine {
    /// The tool that a model means, where it is asked and its call stands up to the check.
    pub(super) async fn tool_of_model<'a>(
        &self,
        handover: Handover<'a>,
        agent: &AgentPolicy,
    ) -> Option<&'a ToolPolicy> {
        let policy = &handover.agents.policy;
        let job_model = self.tool_writer(handover, policy.model_chooses_tools).await?;
        let toolbox = self.toolbox.as_ref()?;
        let offered = agent.tools.iter().filter_map(|name| {
            let tool = policy.tool(name)?;
            let input_schema = toolbox.input_schema(name)?;
            Some(OfferedTool { name: name.clone(), description: tool.does.clone(), input_schema })
        });
        let instructions = agent.policies.compose.instructions.clone().unwrap_or_default();
        let asked = chosen_call(&job_model, &instructions, &handover.question.text, offered.collect()).await;
        let call = match asked {
            Ok(call) => call?,
            Err(error) => {
                tracing::warn!(code = error.code(), component = "tools", "the model chose no tool; rules did");
                return None;
            }
        };
        let tool = policy.tool(&call.tool).filter(|tool| agent.tools.contains(&tool.name))?;
        let own = self.filled(handover, tool, None);
        // What the model adds of its own is not asked for by anybody.
        let is_said = call.args.iter().all(|(name, value)| own.args.get(name) == Some(value));
        if !is_said {
            tracing::warn!(tool = tool.name, component = "tools", "a model's call held what the asker did not say");
            return None;
        }
        Some(tool)
    }

    /// An output in a model's words, with the model's name, where one is asked and the output bears out every part.
    pub(super) async fn told_by_model(
        &self,
        handover: Handover<'_>,
        tool: &ToolPolicy,
        output: &ToolOutput,
    ) -> Option<(Saying, String)> {
        let job_model = self.tool_writer(handover, handover.agents.policy.model_tells_outputs).await?;
        let values = lines(&output.record, "");
        if !output.is_found || values.len() > VALUES_MAX {
            return None;
        }
        let values = neutralize(&values.join("\n"), |_| true);
        let prompt = fill_template(TOOL_SUMMARY, &[("does", &tool.does), ("values", &values)]);
        let said = job_model.complete_uncut(vec![system_message(prompt), user_message(&handover.question.text)]).await;
        let summary = match said {
            Ok(said) => said?.trim().to_owned(),
            Err(error) => {
                tracing::warn!(code = error.code(), component = "tools", "the model told nothing; the template does");
                return None;
            }
        };
        match borne_out(&summary, &output.record, tool) {
            Ok(shown) => Some((Saying::checked(shown), job_model.model.clone())),
            Err(why) => {
                tracing::info!(tool = tool.name, why, component = "tools", "a summary was not borne out");
                None
            }
        }
    }

    /// The model that writes, where it is asked.
    pub(super) async fn tool_writer(&self, handover: Handover<'_>, is_asked: bool) -> Option<JobModel> {
        if !is_asked {
            return None;
        }
        self.model_registry.writer(handover.question.model.as_deref()).await.ok().flatten()
    }
}

/// The values of a record, one a line, by their paths.
fn lines(record: &ToolRecord, path: &str) -> Vec<String> {
    record.iter().flat_map(|(name, value)| line(&format!("{path}{name}"), value)).collect()
}

fn line(path: &str, value: &ToolValue) -> Vec<String> {
    match value {
        ToolValue::Nothing => vec![format!("{path}: none")],
        ToolValue::Flag(flag) => vec![format!("{path}: {flag}")],
        ToolValue::Number(number) => vec![format!("{path}: {number}")],
        ToolValue::Text(text) => vec![format!("{path}: {text}")],
        ToolValue::Record(record) => lines(record, &format!("{path}.")),
        ToolValue::List(items) => {
            (1..).zip(items).flat_map(|(number, item)| line(&format!("{path} {number}"), item)).collect()
        }
    }
}
