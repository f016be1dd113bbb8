//! The call that a model chooses: the only one, of a tool that was offered, or none.

use std::{sync::Arc, time::Duration};

use vouch_domain::{ModelError, ToolCall, ports::OfferedTool};
use vouch_engine::{
    breaker::{Breaker, GuardedModel},
    model_registry::{JobModel, chosen_call},
};
use vouch_testkit::fakes::{Script, ScriptedModel, Step, StoppedClock};

use crate::support::{MODEL, job_model};

fn tools() -> Vec<OfferedTool> {
    let tool = |name: &str| OfferedTool {
        name: name.to_owned(),
        description: "Looks something up.".to_owned(),
        input_schema: r#"{"type": "object"}"#.to_owned(),
    };
    vec![tool("get_invoice"), tool("list_invoices")]
}

fn call(name: &str) -> ToolCall {
    ToolCall { tool: name.to_owned(), args: [("invoice_id".to_owned(), "INV-1".into())].into() }
}

async fn chosen(script: Script) -> Result<Option<ToolCall>, ModelError> {
    let model = ScriptedModel::named(MODEL, [script]);
    chosen_call(&job_model(&model), "Today is 17 November 2026.", "What is on INV-1?", tools()).await
}

#[tokio::test]
async fn one_call_of_an_offered_tool_is_chosen_whatever_is_said_beside_it() {
    assert_eq!(chosen(Script::calling([call("get_invoice")])).await, Ok(Some(call("get_invoice"))));
    let beside = Script::saying(["One moment."]).then(Step::Call(call("list_invoices")));
    assert_eq!(chosen(beside).await, Ok(Some(call("list_invoices"))));
}

#[tokio::test]
async fn no_call_several_calls_and_a_call_of_something_else_are_none() {
    assert_eq!(chosen(Script::saying(["NONE"])).await, Ok(None));
    assert_eq!(chosen(Script::calling([call("get_invoice"), call("get_invoice")])).await, Ok(None));
    assert_eq!(chosen(Script::calling([call("get_invoices")])).await, Ok(None));
    assert_eq!(chosen(Script::calling([call("get_invoice")]).then(Step::Cut)).await, Ok(None));
}

#[tokio::test]
async fn a_model_that_fails_after_its_call_has_called_nothing() {
    let lost = ModelError::Connection { sentence: "lost".to_owned() };
    let failing = Script::calling([call("get_invoice")]).then(Step::Fail(lost.clone()));
    assert_eq!(chosen(failing).await, Err(lost));
}

#[tokio::test]
async fn a_call_comes_through_a_breaker() {
    let model = ScriptedModel::named(MODEL, [Script::calling([call("get_invoice")])]);
    let breaker = Breaker::with_default_policy("models", Arc::new(StoppedClock::at(0)));
    let server = Arc::new(GuardedModel::new(Arc::new(model.clone()), Arc::new(breaker)));
    let guarded = JobModel { server, ..job_model(&model) };
    assert_eq!(chosen_call(&guarded, "", "What?", tools()).await, Ok(Some(call("get_invoice"))));
}

#[tokio::test]
async fn a_model_that_never_ends_is_late() {
    let model = ScriptedModel::named(MODEL, [Script::calling([call("get_invoice")]).then(Step::Hang)]);
    let hurried = JobModel { timeout: Duration::from_millis(50), ..job_model(&model) };
    let ended = chosen_call(&hurried, "", "What?", tools()).await;
    assert_eq!(ended.map_err(|error| error.code()), Err("llm_timeout"));
}

#[tokio::test]
async fn it_is_told_the_instructions_the_question_and_the_tools() {
    let model = ScriptedModel::named(MODEL, [Script::calling([call("get_invoice")])]);
    let question = "What is on {instructions} INV-1?";
    chosen_call(&job_model(&model), "Today is 17 November 2026.", question, tools()).await.expect("a call");
    let requests = model.completion_requests();
    let request = requests.first().expect("a request");
    let texts: Vec<&str> = request.messages.iter().map(|message| message.text.as_str()).collect();
    assert!(texts.first().is_some_and(|text| text.contains("Today is 17 November 2026.") && text.contains("NONE")));
    assert_eq!(texts.get(1), Some(&question));
    assert_eq!((&request.tools, request.temperature, request.schema), (&tools(), 0.0, None));
}

#[tokio::test]
async fn without_tools_or_room_for_them_nothing_is_asked() {
    let model = ScriptedModel::named(MODEL, [Script::calling([call("get_invoice")])]);
    assert_eq!(chosen_call(&job_model(&model), "", "What?", Vec::new()).await, Ok(None));
    let mut huge = tools();
    huge.iter_mut().for_each(|tool| tool.description = "word ".repeat(100_000));
    assert_eq!(chosen_call(&job_model(&model), "", "What?", huge).await, Ok(None));
    assert!(model.completion_requests().is_empty());
}
