//! A schema that an answer is to keep to: given to servers in their own words, and left out where a server turns it away.

use serde_json::json;
use vouch_domain::ports::CompletionRequest;

use crate::support::model_server::{Protocol, Request, Step, TestServer, completion_request, hear};

const SCHEMA: &str = r#"{"type": "object", "required": ["thesis"]}"#;

fn speaking(protocol: Protocol) -> Vec<Step> {
    vec![Step::send(protocol.head()), Step::send(protocol.word("{}")), Step::send(protocol.end())]
}

fn asked() -> CompletionRequest {
    CompletionRequest { schema: Some(SCHEMA), ..completion_request() }
}

#[tokio::test]
async fn each_protocol_is_given_the_schema_in_its_own_words() {
    let schema = json!({"type": "object", "required": ["thesis"]});
    for protocol in [Protocol::Ollama, Protocol::OpenAi] {
        let server = TestServer::start(move |_| speaking(protocol)).await;
        let (said, ended) = hear(&*protocol.model(&server), asked()).await;
        assert_eq!((said.as_str(), ended), ("{}", None));
        let requests = server.seen.requests();
        let sent = requests.first().map(|request| match protocol {
            Protocol::Ollama => request.json["format"].clone(),
            Protocol::OpenAi => request.json["response_format"]["json_schema"]["schema"].clone(),
        });
        assert_eq!(sent, Some(schema.clone()));
    }
}

#[tokio::test]
async fn without_a_schema_nothing_is_said_of_one() {
    for protocol in [Protocol::Ollama, Protocol::OpenAi] {
        let server = TestServer::start(move |_| speaking(protocol)).await;
        hear(&*protocol.model(&server), completion_request()).await;
        let requests = server.seen.requests();
        let body = requests.first().map(|request| request.json.to_string()).unwrap_or_default();
        assert!(!body.contains("format"), "{body}");
    }
}

#[tokio::test]
async fn a_server_that_knows_no_schemas_is_asked_again_without() {
    let knows = |request: &Request| request.json.get("response_format").is_none();
    let server = TestServer::start(move |request| match knows(request) {
        true => speaking(Protocol::OpenAi),
        false => vec![Step::Send(Protocol::OpenAi.refusal(400, "unknown field response_format"))],
    })
    .await;
    let (said, ended) = hear(&*Protocol::OpenAi.model(&server), asked()).await;
    assert_eq!((said.as_str(), ended), ("{}", None));
    assert_eq!(server.seen.requests().len(), 2);
}

#[tokio::test]
async fn a_server_that_turns_everything_away_is_asked_twice_and_no_more() {
    let refusal = Protocol::OpenAi.refusal(400, "no");
    let server = TestServer::start(move |_| vec![Step::Send(refusal.clone())]).await;
    let (_, ended) = hear(&*Protocol::OpenAi.model(&server), asked()).await;
    assert!(ended.is_some());
    assert_eq!(server.seen.requests().len(), 2);
}
