//! The contract of `LanguageModel`, on one that is made to do what each scene says.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use vouch_domain::{
    ModelError, ToolCall, ToolValue,
    ports::{CompletionRequest, LanguageModel, Message, OfferedTool, Role},
};

/// The only model there is under test.
pub const MODEL: &str = "scribe:small";

/// What the model under test is to do once it is asked.
#[derive(Debug, Clone)]
pub struct Scene {
    /// What it says first, piece by piece.
    pub says: Vec<String>,
    /// The calls of tools it asks for after that.
    pub calls: Vec<ToolCall>,
    /// What it does then.
    pub then: Then,
}

/// How an answer goes on once everything is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// It ends as it should.
    Ends,
    /// Nothing comes any more, and no end.
    Hangs,
    /// The connection is lost.
    BreaksOff,
}

const DEADLINE: Duration = Duration::from_millis(250);
/// A deadline before which something is to come: the machine that runs the tests may be busy.
const ROOMY_DEADLINE: Duration = Duration::from_secs(4);
/// Generous for the same reason.
const LONG: Duration = Duration::from_secs(20);

/// Runs every clause; `stage` makes a model that plays a scene for everyone who asks.
pub async fn check(stage: impl AsyncFn(Scene) -> Arc<dyn LanguageModel>) {
    it_says_what_it_says_in_order_and_ends(&stage).await;
    two_at_once_do_not_mix(&stage).await;
    silence_ends_by_the_first_deadline(&stage).await;
    a_pause_ends_by_the_last_deadline(&stage).await;
    a_pause_ends_by_its_own_deadline(&stage).await;
    what_breaks_off_is_no_end(&stage).await;
    no_more_is_heard_than_is_allowed(&stage).await;
    a_model_that_is_not_there_is_named(&stage).await;
    calls_of_tools_are_there_after_the_end(&stage).await;
    calls_of_what_breaks_off_are_none(&stage).await;
}

fn scene<S: AsRef<str>>(says: impl IntoIterator<Item = S>, then: Then) -> Scene {
    Scene { says: says.into_iter().map(|piece| piece.as_ref().to_owned()).collect(), calls: Vec::new(), then }
}

fn completion_request() -> CompletionRequest {
    let message = |role, text: &str| Message { role, text: text.to_owned() };
    CompletionRequest {
        model: MODEL.to_owned(),
        messages: vec![message(Role::System, "Be brief."), message(Role::Asker, "How tall is the mast?")],
        temperature: 0.0,
        context_window: 2048,
        response_tokens_max: 256,
        response_bytes_max: 1024,
        first_token_timeout: LONG,
        gap_timeout: LONG,
        timeout: LONG,
        schema: None,
        tools: Vec::new(),
    }
}

/// What is said until the end, and how that comes about; nothing may come after it.
async fn hear(model: &dyn LanguageModel, completion_request: CompletionRequest) -> (Vec<u8>, Option<ModelError>) {
    let mut completion = match model.stream_completion(completion_request).await {
        Ok(completion) => completion,
        Err(error) => return (Vec::new(), Some(error)),
    };
    let mut said = Vec::new();
    let ended = loop {
        match completion.next().await {
            Ok(Some(bytes)) => said.extend(bytes),
            Ok(None) => break None,
            Err(error) => break Some(error),
        }
    };
    for _ in 0..2 {
        assert_eq!(completion.next().await, Ok(None), "nothing comes after the end");
    }
    (said, ended)
}

async fn it_says_what_it_says_in_order_and_ends(stage: &impl AsyncFn(Scene) -> Arc<dyn LanguageModel>) {
    let pieces = ["The mast", "", " is", "\n\"2\\0\" m", " tall; ", "é 桅杆 🗼", "\u{0}\u{1b}\u{2028}", "."];
    let model = stage(scene(pieces, Then::Ends)).await;
    assert!(!model.provider().is_empty() && !model.provider().contains(' '), "{}", model.provider());
    assert_eq!(model.models().await.expect("a list"), [MODEL]);
    for _ in 0..2 {
        let (said, ended) = hear(&*model, completion_request()).await;
        assert_eq!((String::from_utf8(said).expect("text"), ended), (pieces.concat(), None));
    }
    let model = stage(scene([""; 0], Then::Ends)).await;
    assert_eq!(hear(&*model, completion_request()).await, (Vec::new(), None), "to say nothing is an answer");
}

async fn two_at_once_do_not_mix(stage: &impl AsyncFn(Scene) -> Arc<dyn LanguageModel>) {
    let model = stage(scene(["one", " two", " three"], Then::Ends)).await;
    let ((first, _), (second, _)) =
        tokio::join!(hear(&*model, completion_request()), hear(&*model, completion_request()));
    assert_eq!((first.as_slice(), second.as_slice()), (&b"one two three"[..], &b"one two three"[..]));
}

async fn silence_ends_by_the_first_deadline(stage: &impl AsyncFn(Scene) -> Arc<dyn LanguageModel>) {
    let model = stage(scene(["", ""], Then::Hangs)).await;
    let started = Instant::now();
    let (said, ended) =
        hear(&*model, CompletionRequest { first_token_timeout: DEADLINE, ..completion_request() }).await;
    assert_eq!((said, ended.map(|error| error.code())), (Vec::new(), Some("llm_timeout")));
    assert!(started.elapsed() < LONG / 2, "{:?}", started.elapsed());
}

async fn a_pause_ends_by_the_last_deadline(stage: &impl AsyncFn(Scene) -> Arc<dyn LanguageModel>) {
    let model = stage(scene(["one"], Then::Hangs)).await;
    let started = Instant::now();
    let (first_token_timeout, timeout) = (ROOMY_DEADLINE, ROOMY_DEADLINE);
    let hurry = CompletionRequest { first_token_timeout, timeout, ..completion_request() };
    let (said, ended) = hear(&*model, hurry).await;
    assert_eq!((said, ended.map(|error| error.code())), (b"one".to_vec(), Some("llm_timeout")));
    assert!(started.elapsed() < LONG / 2, "{:?}", started.elapsed());
}

async fn a_pause_ends_by_its_own_deadline(stage: &impl AsyncFn(Scene) -> Arc<dyn LanguageModel>) {
    let model = stage(scene(["one"], Then::Hangs)).await;
    let started = Instant::now();
    let (said, ended) = hear(&*model, CompletionRequest { gap_timeout: DEADLINE, ..completion_request() }).await;
    assert_eq!((said, ended.map(|error| error.code())), (b"one".to_vec(), Some("llm_timeout")));
    assert!(started.elapsed() < LONG / 2, "{:?}", started.elapsed());
}

async fn what_breaks_off_is_no_end(stage: &impl AsyncFn(Scene) -> Arc<dyn LanguageModel>) {
    let model = stage(scene(["one", " two"], Then::BreaksOff)).await;
    let (said, ended) = hear(&*model, completion_request()).await;
    assert_eq!((said, ended.map(|error| error.code())), (b"one two".to_vec(), Some("llm_connection")));
}

async fn no_more_is_heard_than_is_allowed(stage: &impl AsyncFn(Scene) -> Arc<dyn LanguageModel>) {
    let model = stage(scene(["1234567890"; 4], Then::Ends)).await;
    let (said, ended) = hear(&*model, CompletionRequest { response_bytes_max: 40, ..completion_request() }).await;
    assert_eq!((said.len(), ended), (40, None));
    let (said, ended) = hear(&*model, CompletionRequest { response_bytes_max: 39, ..completion_request() }).await;
    assert_eq!((said.len(), ended.map(|error| error.code())), (30, Some("llm_connection")));
}

async fn a_model_that_is_not_there_is_named(stage: &impl AsyncFn(Scene) -> Arc<dyn LanguageModel>) {
    let model = stage(scene(["one"], Then::Ends)).await;
    let (_, ended) = hear(&*model, CompletionRequest { model: "nobody".to_owned(), ..completion_request() }).await;
    let is_named = matches!(&ended, Some(ModelError::Unavailable { model, .. }) if model == "nobody");
    assert!(is_named, "{ended:?}");
}

/// Calls with every sort of value.
fn calls() -> Vec<ToolCall> {
    let row = [("id", ToolValue::from("INV-1")), ("is_paid", ToolValue::Flag(false)), ("note", ToolValue::Nothing)];
    let row = ToolValue::Record(row.into_iter().map(|(name, value)| (name.to_owned(), value)).collect());
    let args = [
        ("reason", "\"Łódź\" \\ 🗼\n".into()),
        ("amount", ToolValue::Number(-12.5)),
        ("rows", ToolValue::List(vec![row])),
    ];
    let args = args.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    vec![
        ToolCall { tool: "open_refund_case".to_owned(), args },
        ToolCall { tool: "list_invoices".to_owned(), args: [("count".to_owned(), ToolValue::Number(3.0))].into() },
    ]
}

fn with_tools() -> CompletionRequest {
    let tool = |name: &str| OfferedTool {
        name: name.to_owned(),
        description: "Does what it is called.".to_owned(),
        input_schema: r#"{"type": "object"}"#.to_owned(),
    };
    CompletionRequest { tools: vec![tool("open_refund_case"), tool("list_invoices")], ..completion_request() }
}

async fn calls_of_tools_are_there_after_the_end(stage: &impl AsyncFn(Scene) -> Arc<dyn LanguageModel>) {
    for says in [&["One", " moment."][..], &[]] {
        let model = stage(Scene { calls: calls(), ..scene(says, Then::Ends) }).await;
        let mut completion = model.stream_completion(with_tools()).await.expect("a stream");
        assert!(completion.tool_calls().is_empty(), "none before the end");
        let mut said = Vec::new();
        while let Some(bytes) = completion.next().await.expect("no failure") {
            said.extend(bytes);
            assert!(completion.tool_calls().is_empty(), "none before the end");
        }
        assert_eq!(said, says.concat().into_bytes());
        assert_eq!(completion.tool_calls(), calls());
        assert_eq!(completion.next().await, Ok(None));
        assert_eq!(completion.tool_calls(), calls(), "they stay");
    }
    let model = stage(scene(["one"], Then::Ends)).await;
    let mut completion = model.stream_completion(with_tools()).await.expect("a stream");
    while completion.next().await.expect("no failure").is_some() {}
    assert!(completion.tool_calls().is_empty(), "who calls nothing has no calls");
}

async fn calls_of_what_breaks_off_are_none(stage: &impl AsyncFn(Scene) -> Arc<dyn LanguageModel>) {
    let model = stage(Scene { calls: calls(), ..scene(["one"], Then::BreaksOff) }).await;
    let mut completion = model.stream_completion(with_tools()).await.expect("a stream");
    let ended = loop {
        match completion.next().await {
            Ok(Some(_)) => {}
            Ok(None) => break None,
            Err(error) => break Some(error.code()),
        }
    };
    assert_eq!(ended, Some("llm_connection"));
    assert_eq!(completion.next().await, Ok(None));
    assert!(completion.tool_calls().is_empty());
}
