//! Tools that models are offered, and the calls they ask for: in each server's own shape, whole or not at all.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use serde_json::json;
use vouch_domain::{
    ModelError, ToolCall, ToolValue,
    ports::{CompletionRequest, LanguageModel, OfferedTool},
};

use crate::support::{
    model_server::{BOTH, Protocol, Step, TestServer, completion_request, hear, reply},
    tool_calls::{calling, tool_call_lines},
};

fn offering() -> CompletionRequest {
    let tool = OfferedTool {
        name: "get_invoice".to_owned(),
        description: "Looks an invoice up.".to_owned(),
        input_schema: r#"{"type": "object", "required": ["invoice_id"]}"#.to_owned(),
    };
    CompletionRequest { tools: vec![tool], ..completion_request() }
}

fn call(name: &str, args: &[(&str, ToolValue)]) -> ToolCall {
    ToolCall {
        tool: name.to_owned(),
        args: args.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect(),
    }
}

/// What is said and called by a server that sends these lines and then ends.
async fn called(protocol: Protocol, lines: Vec<String>) -> (String, Vec<ToolCall>) {
    let mut steps = vec![Step::send(protocol.head())];
    steps.extend(lines.into_iter().map(Step::send));
    steps.push(Step::send(protocol.end()));
    heard(&*protocol.model(&TestServer::doing(steps).await)).await
}

async fn heard(model: &dyn LanguageModel) -> (String, Vec<ToolCall>) {
    let mut completion = model.stream_completion(offering()).await.expect("a stream");
    let mut said = Vec::new();
    while let Some(bytes) = completion.next().await.expect("no failure") {
        said.extend(bytes);
    }
    (String::from_utf8(said).expect("text"), completion.tool_calls().to_vec())
}

/// A line with one call whose arguments are this text: an object of it for Ollama, a string for others.
fn with_arguments(protocol: Protocol, text: &str) -> String {
    const HOLE: &str = "\"HOLE\"";
    let line = calling(protocol, &json!([{"index": 0, "function": {"name": "get_invoice", "arguments": "HOLE"}}]));
    match protocol {
        Protocol::Ollama => line.replace(HOLE, text),
        Protocol::OpenAi => line.replace(HOLE, &json!(text).to_string()),
    }
}

#[tokio::test]
async fn tools_are_offered_in_the_shape_of_both_servers_and_left_out_where_there_are_none() {
    for protocol in BOTH {
        let server = TestServer::doing(vec![Step::send(protocol.head()), Step::send(protocol.end())]).await;
        for asked in [offering(), completion_request()] {
            assert_eq!(hear(&*protocol.model(&server), asked).await, (String::new(), None));
        }
        let requests = server.seen.requests();
        let tools = requests.iter().map(|request| request.json.get("tools").cloned()).collect::<Vec<_>>();
        let function = json!({
            "name": "get_invoice",
            "description": "Looks an invoice up.",
            "parameters": {"type": "object", "required": ["invoice_id"]},
        });
        assert_eq!(tools, [Some(json!([{"type": "function", "function": function}])), None]);
    }
}

#[tokio::test]
async fn a_call_may_come_in_any_line_beside_words() {
    let asked = call("get_invoice", &[("invoice_id", "INV-1".into())]);
    for protocol in BOTH {
        let mut lines = vec![protocol.word("One")];
        lines.extend(tool_call_lines(protocol, std::slice::from_ref(&asked)));
        lines.push(protocol.word(" moment."));
        assert_eq!(called(protocol, lines).await, ("One moment.".to_owned(), vec![asked.clone()]));
    }
}

#[tokio::test]
async fn a_call_may_come_with_the_last_line_of_an_ollama_server() {
    let message = json!({"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "get_invoice", "arguments": {}}}]});
    let last = json!({"model": "m", "message": message, "done": true, "done_reason": "stop"});
    let steps = vec![Step::send(Protocol::Ollama.head()), Step::send(Protocol::Ollama.line(&last))];
    let server = TestServer::doing(steps).await;
    assert_eq!(heard(&*Protocol::Ollama.model(&server)).await.1, [call("get_invoice", &[])]);
}

#[tokio::test]
async fn a_whole_message_may_hold_calls() {
    let function = json!({"name": "get_invoice", "arguments": "{\"invoice_id\": \"INV-1\"}"});
    let message = json!({"role": "assistant", "content": null, "tool_calls": [{"id": "1", "type": "function", "function": function}]});
    let body = json!({"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]});
    let server = TestServer::doing(vec![Step::Send(reply(200, "application/json", &body.to_string()))]).await;
    let asked = call("get_invoice", &[("invoice_id", "INV-1".into())]);
    assert_eq!(heard(&*Protocol::OpenAi.model(&server)).await, (String::new(), vec![asked]));
}

#[tokio::test]
async fn arguments_that_cannot_be_taken_as_they_are_leave_no_call() {
    let long = json!({"text": "x".repeat(9 * 1024)}).to_string();
    let cases = [
        "[]",
        "7",
        "null",
        r#"{"a": {"b": {"c": {"d": {"e": 1}}}}}"#,
        r#"{"a": [[[[1]]]]}"#,
        r#"{"a": 1, "a": 2}"#,
        r#"{"a": {"b": 1, "b": 1}}"#,
        long.as_str(),
    ];
    for protocol in BOTH {
        for arguments in cases {
            let sound = tool_call_lines(protocol, &[call("get_invoice", &[("invoice_id", "INV-1".into())])]);
            let found = called(protocol, vec![with_arguments(protocol, arguments)]).await;
            assert_eq!(found, (String::new(), Vec::new()), "{protocol:?} {arguments:.40}");
            let bad = with_arguments(protocol, arguments).replace("\"index\":0", "\"index\":1");
            let found = called(protocol, sound.into_iter().chain([bad]).collect()).await;
            assert_eq!(found.1, [], "a sound one beside it is not taken either: {protocol:?} {arguments:.40}");
        }
        let deep = called(protocol, vec![with_arguments(protocol, r#"{"a": {"b": {"c": {"d": 1}}}}"#)]).await;
        assert_eq!(deep.1.len(), 1, "four levels are taken");
    }
    for arguments in ["", "{", r#"{"a": 1"#, r#"{"a": NaN}"#, r#"{"a": 1e999}"#, "{} {}", "get it"] {
        let found = called(Protocol::OpenAi, vec![with_arguments(Protocol::OpenAi, arguments)]).await;
        assert_eq!(found, (String::new(), Vec::new()), "{arguments}");
    }
}

#[tokio::test]
async fn calls_that_are_none_too_many_or_named_too_long_are_dropped_whole() {
    let one = |name: &str| json!({"function": {"name": name, "arguments": {}}});
    let many: Vec<_> = (0..5).map(|_| one("get_invoice")).collect();
    let (longest, too_long) = ("x".repeat(64), "x".repeat(65));
    let cases = [
        (json!([one("a"), one("b"), one("c"), one("d")]), 4),
        (json!([one(&longest)]), 1),
        (json!(many), 0),
        (json!([one(&too_long)]), 0),
        (json!([one("")]), 0),
        (json!([{"function": {"arguments": {}}}]), 0),
        (json!([{"name": "get_invoice"}]), 0),
        (json!([one("a"), 7]), 0),
        (json!("get_invoice"), 0),
        (json!({"function": {"name": "a", "arguments": {}}}), 0),
        (json!([{"index": 7, "function": {"name": "a", "arguments": {}}}]), 0),
        (json!([{"index": 0.5, "function": {"name": "a", "arguments": {}}}]), 0),
        (json!([]), 0),
        (json!(null), 0),
    ];
    for protocol in BOTH {
        for (calls, taken) in &cases {
            let found = called(protocol, vec![protocol.word("Hm."), calling(protocol, calls)]).await;
            assert_eq!((found.0.as_str(), found.1.len()), ("Hm.", *taken), "{protocol:?} {calls}");
        }
    }
}

#[tokio::test]
async fn pieces_of_several_calls_are_told_apart_by_their_places() {
    let piece = |at: usize, function: serde_json::Value| {
        calling(Protocol::OpenAi, &json!([{"index": at, "function": function}]))
    };
    let lines = vec![
        piece(0, json!({"name": "get_invoice", "arguments": "{\"a\""})),
        piece(1, json!({"name": "list_invoices", "arguments": "{"})),
        piece(0, json!({"arguments": ": 1}"})),
        piece(1, json!({"arguments": "}"})),
    ];
    let expected = [call("get_invoice", &[("a", ToolValue::Number(1.0))]), call("list_invoices", &[])];
    assert_eq!(called(Protocol::OpenAi, lines).await.1, expected);
    let renamed = vec![piece(0, json!({"name": "a", "arguments": "{}"})), piece(0, json!({"name": "b"}))];
    assert_eq!(called(Protocol::OpenAi, renamed).await.1, []);
    let nameless = vec![piece(0, json!({"arguments": "{}"}))];
    assert_eq!(called(Protocol::OpenAi, nameless).await.1, []);
}

#[tokio::test]
async fn an_answer_that_was_cut_off_calls_nothing() {
    let asked = [call("get_invoice", &[("invoice_id", "INV-1".into())])];
    let cut = |protocol: Protocol| match protocol {
        Protocol::Ollama => protocol.line(&json!({"model": "m", "done": true, "done_reason": "length"})),
        Protocol::OpenAi => protocol.line(&json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "length"}]})),
    };
    for protocol in BOTH {
        let lines = tool_call_lines(protocol, &asked).into_iter().chain([cut(protocol)]).collect();
        assert_eq!(called(protocol, lines).await.1, []);
    }
}

#[tokio::test]
async fn a_server_that_turns_tools_away_is_asked_once_and_its_refusal_is_told() {
    for protocol in BOTH {
        let refusal = protocol.refusal(400, "m does not support tools");
        let server = TestServer::start(move |_| vec![Step::Send(refusal.clone())]).await;
        let (_, ended) = hear(&*protocol.model(&server), offering()).await;
        assert!(matches!(ended, Some(ModelError::Connection { .. })), "{ended:?}");
        assert_eq!(server.seen.requests().len(), 1);
    }
}
