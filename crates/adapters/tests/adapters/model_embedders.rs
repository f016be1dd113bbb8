//! Embedders behind a model server: the contract of `Embedder` over a server that counts letters, and servers whose
//! vectors are no vectors.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};
use vouch_adapters::{
    model_server::EmbedderSettings,
    ollama::{OllamaEmbedder, OllamaSettings},
    openai_compatible::{OpenAiEmbedder, OpenAiSettings},
};
use vouch_domain::{Fault, PortError, RelevanceMap, ports::Embedder};
use vouch_testkit::contracts;

use crate::support::model_server::{BOTH, KEY, LONG, Protocol, Request, Step, TestServer, reply};

const DIMENSIONS: usize = 8;
const NO_EMBEDDINGS: &[u8] = include_bytes!("recorded/openai_llama_no_embeddings.txt");
const RECORDED: &str = include_str!("recorded/ollama.txt");

fn settings() -> EmbedderSettings {
    EmbedderSettings {
        model: "letters".to_owned(),
        dimensions: DIMENSIONS,
        batch_max: 2,
        timeout: LONG,
        relevance_map: RelevanceMap::identity(),
        likeness_map: RelevanceMap::from_knots(vec![(0.0, 0.1), (1.0, 0.9)]).expect("a map"),
    }
}

fn embedder(protocol: Protocol, server: &TestServer, settings: EmbedderSettings) -> Arc<dyn Embedder> {
    let (base_url, connect_timeout) = (protocol.base_url("http", &server.address), LONG);
    match protocol {
        Protocol::Ollama => {
            Arc::new(OllamaEmbedder::new(&OllamaSettings { base_url, connect_timeout }, settings).expect("an adapter"))
        }
        Protocol::OpenAi => {
            let server = OpenAiSettings { base_url, api_key: Some(KEY.to_owned()), connect_timeout };
            Arc::new(OpenAiEmbedder::new(&server, settings).expect("an adapter"))
        }
    }
}

/// How often each of a few letters stands in a text; not of length one, so that the adapter must see to that.
fn letters(text: &str) -> Vec<f64> {
    let count = |letter: char| f64::from(u32::try_from(text.matches(letter).count()).unwrap_or(u32::MAX));
    let mut values: Vec<f64> = "aeilmrst".chars().map(count).collect();
    values.iter_mut().take(1).for_each(|value| *value += 0.5);
    values
}

/// Vectors in the protocol's words; the last one first where the protocol numbers them.
fn answer(protocol: Protocol, vectors: &[Value]) -> Vec<u8> {
    let body = match protocol {
        Protocol::Ollama => json!({"model": "letters", "embeddings": vectors, "total_duration": 1}),
        Protocol::OpenAi => {
            let data = vectors.iter().enumerate().rev();
            let data: Vec<Value> = data
                .map(|(index, vector)| json!({"object": "embedding", "index": index, "embedding": vector}))
                .collect();
            json!({"object": "list", "data": data, "usage": {"total_tokens": 1}})
        }
    };
    reply(200, "application/json", &body.to_string())
}

fn count_letters(protocol: Protocol, request: &Request) -> Vec<Step> {
    let texts = request.json.get("input").and_then(Value::as_array).cloned().unwrap_or_default();
    let texts: Vec<&str> = texts.iter().filter_map(Value::as_str).collect();
    if texts.len() > 2 || texts.iter().any(|text| text.is_empty()) {
        return vec![Step::Send(protocol.refusal(400, "too many, or too little"))];
    }
    let vectors: Vec<Value> = texts.iter().map(|text| json!(letters(text))).collect();
    vec![Step::Send(answer(protocol, &vectors))]
}

async fn embed(protocol: Protocol, steps: Vec<Step>, settings: EmbedderSettings) -> Result<usize, PortError> {
    let server = TestServer::doing(steps).await;
    let texts = vec!["one".to_owned(), "Zanzibar".to_owned()];
    embedder(protocol, &server, settings).embed(texts).await.map(|embeddings| embeddings.len())
}

#[tokio::test]
async fn a_model_server_keeps_the_contract_of_an_embedder() {
    for protocol in BOTH {
        let server = TestServer::start(move |request| count_letters(protocol, request)).await;
        contracts::embedder::check(&*embedder(protocol, &server, settings())).await;
    }
}

#[tokio::test]
async fn texts_are_sent_batch_by_batch_and_come_back_in_order() {
    for protocol in BOTH {
        let server = TestServer::start(move |request| count_letters(protocol, request)).await;
        let texts: Vec<String> = ["a", "e", "i", "l", "m"].map(str::to_owned).to_vec();
        let embeddings = embedder(protocol, &server, settings()).embed(texts).await.expect("vectors");
        let largest = embeddings.iter().map(|embedding| {
            let values = embedding.values().iter().enumerate();
            values.max_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(at, _)| at).expect("a value")
        });
        assert_eq!(largest.collect::<Vec<_>>(), [0, 1, 2, 3, 4], "{protocol:?}");
        let requests = server.seen.requests();
        let sizes: Vec<_> = requests.iter().map(|request| request.json["input"].as_array().map(Vec::len)).collect();
        assert_eq!(sizes, [Some(2), Some(2), Some(1)]);
        let path = if protocol == Protocol::Ollama { "POST /api/embed" } else { "POST /v1/embeddings" };
        assert!(requests.iter().all(|request| request.line() == path && request.json["model"] == "letters"));
    }
}

#[tokio::test]
async fn an_embedder_is_known_by_its_provider_model_and_width() {
    let server = TestServer::doing(vec![]).await;
    let identity = |protocol, settings| embedder(protocol, &server, settings).identity().clone();
    let first = identity(Protocol::Ollama, settings());
    assert_eq!((first.name.as_str(), first.dimensions), ("ollama/letters", DIMENSIONS));
    assert_eq!(identity(Protocol::OpenAi, settings()).name, "openai_compatible/letters");
    assert_eq!(identity(Protocol::Ollama, settings()), first);
    let others = [
        identity(Protocol::OpenAi, settings()),
        identity(Protocol::Ollama, EmbedderSettings { model: "words".to_owned(), ..settings() }),
        identity(Protocol::Ollama, EmbedderSettings { dimensions: 9, ..settings() }),
    ];
    assert!(others.iter().all(|other| other.digest != first.digest));
    let maps = embedder(Protocol::Ollama, &server, settings());
    assert_eq!((maps.relevance_map(), maps.likeness_map()), (&settings().relevance_map, &settings().likeness_map));
}

#[tokio::test]
async fn what_is_no_vector_is_refused() {
    let fine = json!(letters("one"));
    let cases = [
        (vec![fine.clone()], "gave 1 vectors for 2 texts"),
        (vec![], "gave 0 vectors for 2 texts"),
        (vec![fine.clone(); 3], "gave 3 vectors for 2 texts"),
        (vec![fine.clone(), json!([1.0, 2.0])], "gave a vector of 2 numbers instead of 8"),
        (vec![fine.clone(), json!(vec![0.0; DIMENSIONS])], "gave a vector of zeros or of invalid numbers"),
        (vec![fine.clone(), json!(vec![1e39; DIMENSIONS])], "gave a vector of zeros or of invalid numbers"),
    ];
    for protocol in BOTH {
        for (vectors, sentence) in &cases {
            let error = embed(protocol, vec![Step::Send(answer(protocol, vectors))], settings()).await;
            let error = error.expect_err(sentence);
            assert_eq!(error.fault, Fault::Internal, "{error}");
            assert!(error.sentence.contains(sentence), "{protocol:?}: {error}");
        }
        let words = vec![fine.clone(), json!([null, "NaN"])];
        let error = embed(protocol, vec![Step::Send(answer(protocol, &words))], settings()).await.expect_err("words");
        assert!(error.sentence.contains("does not fit its protocol"), "{error}");
    }
}

#[tokio::test]
async fn two_vectors_for_one_text_are_refused() {
    for indices in [[0, 0], [1, 2], [5, 0]] {
        let data: Vec<Value> = indices.iter().map(|at| json!({"index": at, "embedding": letters("one")})).collect();
        let steps = vec![Step::Send(reply(200, "application/json", &json!({"data": data}).to_string()))];
        let error = embed(Protocol::OpenAi, steps, settings()).await.expect_err("a mix-up");
        assert!(error.sentence.contains("does not say which vector belongs to which text"), "{error}");
    }
}

#[tokio::test]
async fn a_server_that_fails_is_told_by_its_fault() {
    for protocol in BOTH {
        let hurry = EmbedderSettings { timeout: Duration::from_millis(200), ..settings() };
        let too_long = "the input (Zanzibar) exceeds the context length";
        let cases = [
            (vec![Step::Hang], hurry, Fault::Timeout, "did not finish within 200 ms"),
            (vec![], settings(), Fault::Unavailable, "closed the connection"),
            (vec![Step::Send(protocol.refusal(500, "Zanzibar"))], settings(), Fault::Unavailable, "failed (500"),
            (
                vec![Step::Send(protocol.refusal(404, "model 'letters' not found"))],
                settings(),
                Fault::Invalid,
                "letters",
            ),
            (vec![Step::Send(protocol.refusal(400, too_long))], settings(), Fault::Invalid, "a text is longer than"),
        ];
        for (steps, settings, fault, sentence) in cases {
            let error = embed(protocol, steps, settings).await.expect_err(sentence);
            assert_eq!(error.fault, fault, "{error}");
            assert!(error.sentence.contains(sentence), "{protocol:?}: {error}");
            assert!(!format!("{error:?}").contains("Zanzibar"), "{error:?}");
        }
        let flood = vec![
            Step::send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n["),
            Step::Repeat(vec![b'1'; 64 * 1024], 3000),
        ];
        let error = embed(protocol, flood, settings()).await.expect_err("a flood");
        assert!(error.sentence.contains("bytes allowed"), "{error}");
    }
}

#[tokio::test]
async fn recorded_answers_are_understood() {
    let error = embed(Protocol::OpenAi, vec![Step::send(NO_EMBEDDINGS)], settings()).await.expect_err("none");
    assert_eq!(error.fault, Fault::Unavailable, "{error}");
    assert!(error.sentence.ends_with("failed (501, not_supported_error)"), "{error}");
    let recorded = RECORDED.split("### embed\n").nth(1).and_then(|exchange| exchange.lines().nth(1)).expect("one");
    let steps = vec![Step::Send(reply(200, "application/json; charset=utf-8", recorded))];
    let narrow = EmbedderSettings { dimensions: 4, ..settings() };
    assert_eq!(embed(Protocol::Ollama, steps, narrow).await.expect("vectors"), 2);
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let cases = [
        EmbedderSettings { model: String::new(), ..settings() },
        EmbedderSettings { dimensions: 0, ..settings() },
        EmbedderSettings { batch_max: 0, ..settings() },
        EmbedderSettings { timeout: Duration::ZERO, ..settings() },
    ];
    let server = OllamaSettings { base_url: OllamaSettings::BASE_URL.to_owned(), connect_timeout: LONG };
    for settings in cases {
        let error = OllamaEmbedder::new(&server, settings).err().expect("a refusal");
        assert_eq!(error.fault, Fault::Invalid, "{error}");
    }
}
