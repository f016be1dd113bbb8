//! A question and the tools there are → the one call that a model asks for, if it asks for one.
//!
//! Invariant: a call is returned only where it is the only one and names a tool that was offered. Its input is the model's and
//! not believed.

use vouch_domain::{ModelError, ToolCall, ports::OfferedTool};

use super::{
    JobModel,
    prompt::{TOOLS, fill_template, system_message, user_message},
};

/// The call that a model asks for; none where it asks for none, for several or for what was not offered, was cut off, or could not
/// be shown the whole.
///
/// # Errors
/// As the model's server; one that knows no tools turns them away.
pub async fn chosen_call(
    job_model: &JobModel,
    instructions: &str,
    question: &str,
    tools: Vec<OfferedTool>,
) -> Result<Option<ToolCall>, ModelError> {
    let prompt = fill_template(TOOLS, &[("instructions", instructions)]);
    let of_tool =
        |tool: &OfferedTool| [&tool.name, &tool.description, &tool.input_schema].map(|text| job_model.count(text));
    let of_tools: usize = tools.iter().flat_map(of_tool).sum();
    let tokens = job_model.count(&prompt) + job_model.count(question) + of_tools;
    if tools.is_empty() || tokens + job_model.allowed.response_tokens_max > job_model.allowed.context_window {
        return Ok(None);
    }
    let names: Vec<String> = tools.iter().map(|tool| tool.name.clone()).collect();
    // As near to the same call every time as a server allows.
    let job_model = JobModel { temperature: 0.0, ..job_model.clone() };
    let bytes_max = job_model.response_bytes_max();
    job_model
        .with_timeout(async {
            let mut completion =
                job_model.begin(vec![system_message(prompt), user_message(question)], None, tools).await?;
            let mut bytes_said = 0;
            while let Some(bytes) = completion.next().await? {
                bytes_said += bytes.len();
                if bytes_said > bytes_max {
                    return Err(ModelError::Connection { sentence: "it wrote too much".to_owned() });
                }
            }
            match completion.tool_calls() {
                [call] if names.contains(&call.tool) && !completion.is_cut() => Ok(Some(call.clone())),
                _ => Ok(None),
            }
        })
        .await
}
