//! Both adapters of language models against servers that are down, hang, drip, lie, flood or break off: they always come
//! back in time, say which it was, and never repeat what was asked.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::net::TcpListener;
use vouch_domain::{ModelError, ports::CompletionRequest};

use crate::support::model_server::{
    self, BOTH, KEY, LONG, PROMPT, Protocol, Step, TestServer, completion_request, hear, reply, silent_address,
};

/// Short where a deadline is to be missed.
const SHORT: Duration = Duration::from_millis(300);
/// As short where something is to come before it: the machine that runs the tests may be busy.
const BRIEF: Duration = Duration::from_secs(4);
/// Generous for the same reason, and less than `LONG`, which a missing deadline would take.
const IN_TIME: Duration = Duration::from_secs(15);
const FLOOD_BYTES: usize = 200 * 1024 * 1024;

/// How a talk ended: the code of the failure, and what is in its sentence.
struct Ends<'a> {
    code: &'static str,
    sentence: &'a str,
    after: &'a str,
}

fn fails<'a>(code: &'static str, sentence: &'a str) -> Ends<'a> {
    Ends { code, sentence, after: "" }
}

async fn check(protocol: Protocol, steps: Vec<Step>, completion_request: CompletionRequest, ends: Ends<'_>) {
    let server = TestServer::doing(steps).await;
    let model = protocol.model(&server);
    let started = Instant::now();
    let (said, ended) = hear(&*model, completion_request).await;
    let error = ended.expect(ends.sentence);
    assert!(started.elapsed() < IN_TIME, "{protocol:?}: {error} after {:?}", started.elapsed());
    assert_eq!(error.code(), ends.code, "{protocol:?}: {error}");
    assert!(error.to_string().contains(ends.sentence), "{protocol:?}: {error}");
    assert!(!tells(&error), "{error}");
    assert_eq!(said, ends.after, "{protocol:?}");
    let connections = || server.seen.connections.load(Ordering::SeqCst);
    // Whoever gives up in a hurry may do so before the server has noticed.
    while connections() == 0 && started.elapsed() < LONG {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(connections(), 1, "{protocol:?}: a request that was read is not sent again");
}

fn tells(error: &ModelError) -> bool {
    let text = format!("{error} {error:?}");
    [PROMPT, "Zanzibar", KEY, "verysecret"].iter().any(|secret| text.contains(secret))
}

fn in_a_hurry() -> CompletionRequest {
    CompletionRequest { first_token_timeout: SHORT, ..completion_request() }
}

fn briefly() -> CompletionRequest {
    CompletionRequest { timeout: BRIEF, ..completion_request() }
}

#[tokio::test]
async fn a_port_where_nobody_listens_cannot_be_reached() {
    let (address, _socket) = silent_address();
    for protocol in BOTH {
        let model = protocol.model_at(protocol.base_url("http", &address), LONG);
        let started = Instant::now();
        let (_, ended) = hear(&*model, completion_request()).await;
        assert!(started.elapsed() < LONG, "{:?}", started.elapsed());
        let error = ended.expect("nobody");
        assert_eq!(error.code(), "llm_connection");
        assert!(error.to_string().ends_with("cannot be reached"), "{error}");
        assert!(model.models().await.expect_err("nobody").to_string().ends_with("cannot be reached"));
    }
}

#[tokio::test]
async fn a_connection_that_cannot_be_made_is_tried_twice() {
    for protocol in BOTH {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        // Without a handshake there is no connection, so that every try can be counted.
        let tries = Arc::new(AtomicUsize::new(0));
        let counting = Arc::clone(&tries);
        tokio::spawn(async move {
            while listener.accept().await.is_ok() {
                counting.fetch_add(1, Ordering::SeqCst);
            }
        });
        let model = protocol.model_at(protocol.base_url("https", &address), LONG);
        let (_, ended) = hear(&*model, completion_request()).await;
        let error = ended.expect("no handshake");
        assert!(error.to_string().ends_with("cannot be reached"), "{error}");
        tokio::time::sleep(SHORT).await;
        assert_eq!(tries.load(Ordering::SeqCst), 2, "{protocol:?}");
    }
}

#[tokio::test]
async fn a_request_that_was_read_is_not_sent_again() {
    for protocol in BOTH {
        check(
            protocol,
            vec![],
            completion_request(),
            fails("llm_connection", "closed the connection without an answer"),
        )
        .await;
        let garbage = vec![Step::send("\u{1}\u{2} garbage\r\n\r\n")];
        check(protocol, garbage, completion_request(), fails("llm_connection", "does not speak HTTP")).await;
    }
}

#[tokio::test]
async fn a_server_that_accepts_and_hangs_misses_the_first_word() {
    for protocol in BOTH {
        check(protocol, vec![Step::Hang], in_a_hurry(), fails("llm_timeout", "sent nothing within 300 ms")).await;
        let accepts = vec![Step::send(protocol.head()), Step::Hang];
        check(protocol, accepts, in_a_hurry(), fails("llm_timeout", "sent nothing within 300 ms")).await;
    }
}

#[tokio::test]
async fn signs_of_life_are_no_words() {
    for protocol in BOTH {
        let mut steps = vec![Step::send(protocol.head())];
        for _ in 0..200 {
            steps.extend([Step::send(protocol.keep_alive()), Step::Wait(Duration::from_millis(10))]);
        }
        check(protocol, steps, in_a_hurry(), fails("llm_timeout", "sent nothing within 300 ms")).await;
    }
}

#[tokio::test]
async fn a_server_that_hangs_in_the_middle_misses_the_end() {
    for protocol in BOTH {
        let steps = vec![Step::send(protocol.head()), Step::send(protocol.word("One")), Step::Hang];
        let sentence = format!("did not finish within {} ms", BRIEF.as_millis());
        check(protocol, steps, briefly(), Ends { code: "llm_timeout", sentence: &sentence, after: "One" }).await;
    }
}

#[tokio::test]
async fn a_first_word_in_time_leaves_the_rest_its_own_deadline() {
    for protocol in BOTH {
        let server = TestServer::doing(vec![
            Step::send(protocol.head()),
            Step::send(protocol.word("One")),
            Step::Wait(BRIEF + SHORT),
            Step::send(format!("{}{}", protocol.word(" two"), protocol.end())),
        ])
        .await;
        let (said, ended) =
            hear(&*protocol.model(&server), CompletionRequest { first_token_timeout: BRIEF, ..completion_request() })
                .await;
        assert_eq!((said.as_str(), ended), ("One two", None), "{protocol:?}");
    }
}

#[tokio::test]
async fn a_server_that_drips_is_late_wherever_it_begins_to() {
    for protocol in BOTH {
        let word: String = protocol.word("One").chars().take(20).collect();
        for head in ["HTTP/1.1 200".to_owned(), protocol.head(), format!("{}{word}", protocol.head())] {
            let steps = vec![Step::send(head), Step::Drip(b" ".to_vec())];
            check(protocol, steps, in_a_hurry(), fails("llm_timeout", "sent nothing within 300 ms")).await;
        }
    }
}

#[tokio::test]
async fn garbage_is_told_from_json_of_another_shape() {
    for protocol in BOTH {
        let (garbage, shape) = match protocol {
            Protocol::Ollama => ("garbage\n", "{\"message\":{\"content\":5}}\n"),
            Protocol::OpenAi => ("data: garbage\n\n", "data: {\"choices\":[{\"delta\":{\"content\":5}}]}\n\n"),
        };
        for (line, sentence) in [(garbage, "not JSON"), (shape, "does not fit its protocol")] {
            let steps = vec![Step::send(format!("{}{}{line}", protocol.head(), protocol.word("One"))), Step::Hang];
            let ends = Ends { code: "llm_connection", sentence, after: "One" };
            check(protocol, steps, completion_request(), ends).await;
        }
    }
}

#[tokio::test]
async fn half_a_character_is_an_answer_broken_off() {
    for protocol in BOTH {
        let whole = protocol.word("café");
        let half = whole.find('é').expect("an accent") + 1;
        let mut bytes = format!("{}{}", protocol.head(), protocol.word("One")).into_bytes();
        bytes.extend(whole.bytes().take(half));
        let ends = Ends { code: "llm_connection", sentence: "broke off in the middle", after: "One" };
        check(protocol, vec![Step::Send(bytes)], completion_request(), ends).await;
    }
}

#[tokio::test]
async fn an_answer_without_its_end_is_broken_off() {
    for protocol in BOTH {
        let plain = format!("{}{}", protocol.head(), protocol.word("One"));
        let chunks = protocol.in_chunks(&[protocol.word("One").as_bytes()]);
        let cut: Vec<u8> = chunks.iter().copied().take(chunks.len() - 5).collect();
        for answer in [plain.into_bytes(), chunks, cut] {
            let ends = Ends { code: "llm_connection", sentence: "broke off in the middle", after: "One" };
            check(protocol, vec![Step::Send(answer)], completion_request(), ends).await;
        }
    }
}

#[tokio::test]
async fn an_error_in_the_middle_of_an_answer_ends_it() {
    for protocol in BOTH {
        let said = format!("{PROMPT} {KEY}");
        let answer = format!("{}{}{}", protocol.head(), protocol.word("One"), protocol.error(&said));
        let ends = Ends { code: "llm_connection", sentence: "failed in the middle of its answer", after: "One" };
        check(protocol, vec![Step::send(answer), Step::Hang], completion_request(), ends).await;
    }
}

#[tokio::test]
async fn a_page_for_people_is_not_an_answer() {
    for protocol in BOTH {
        let page = format!("<html>{PROMPT} {KEY}</html>");
        let broken = vec![Step::Send(reply(500, "text/html", &page))];
        check(protocol, broken, completion_request(), fails("llm_connection", "failed (500)")).await;
        let fine = vec![Step::Send(reply(200, "text/html; charset=utf-8", &page))];
        check(protocol, fine, completion_request(), fails("llm_connection", "answered with text/html instead of"))
            .await;
    }
}

#[tokio::test]
async fn a_refusal_repeats_nothing_the_server_was_told() {
    for protocol in BOTH {
        for status in [400, 404, 422, 429, 500, 502, 503] {
            let steps = vec![Step::Send(protocol.refusal(status, &format!("{PROMPT} {KEY}")))];
            check(protocol, steps, completion_request(), fails("llm_connection", &status.to_string())).await;
        }
        let body = format!(r#"{{"error":{{"message":"{PROMPT}","type":"{KEY}","code":"{PROMPT}"}}}}"#);
        let steps = vec![Step::Send(reply(400, "application/json", &body))];
        check(protocol, steps, completion_request(), fails("llm_connection", "refused the request (400)")).await;
    }
}

#[tokio::test]
async fn a_refusal_that_never_ends_is_told_by_its_status() {
    for protocol in BOTH {
        let steps = vec![Step::send("HTTP/1.1 500 No\r\n\r\n"), Step::Drip(b"x".to_vec())];
        let brief = CompletionRequest { first_token_timeout: BRIEF, ..completion_request() };
        check(protocol, steps, brief, fails("llm_connection", "failed (500)")).await;
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    for protocol in BOTH {
        let elsewhere = "HTTP/1.1 307 Go\r\nLocation: http://127.0.0.1:1/?q=Zanzibar\r\nContent-Length: 0\r\n\r\n";
        let ends = fails("llm_connection", "redirects are not followed");
        check(protocol, vec![Step::send(elsewhere)], completion_request(), ends).await;
    }
}

#[tokio::test]
async fn a_flood_without_a_line_is_cut_off() {
    for protocol in BOTH {
        let flood = vec![b'x'; 64 * 1024];
        let steps = vec![Step::send(protocol.head()), Step::Repeat(flood, FLOOD_BYTES / (64 * 1024))];
        let server = TestServer::doing(steps).await;
        let started = Instant::now();
        let roomy = CompletionRequest { response_bytes_max: FLOOD_BYTES, ..completion_request() };
        let (_, ended) = hear(&*protocol.model(&server), roomy).await;
        let error = ended.expect("a flood");
        assert!(started.elapsed() < IN_TIME, "{:?}", started.elapsed());
        assert_eq!(error.code(), "llm_connection", "{error}");
        assert!(error.to_string().contains("more than the 1048576 bytes allowed"), "{error}");
        tokio::time::sleep(SHORT).await;
        let sent = server.seen.sent_bytes.load(Ordering::SeqCst);
        assert!(sent < FLOOD_BYTES / 4, "{sent} bytes were taken");
    }
}

#[tokio::test]
async fn a_flood_that_says_nothing_is_cut_off() {
    for protocol in BOTH {
        let flood = protocol.keep_alive().repeat(100).into_bytes();
        let times = FLOOD_BYTES / flood.len();
        let steps = vec![Step::send(protocol.head()), Step::Repeat(flood, times)];
        check(protocol, steps, completion_request(), fails("llm_connection", "bytes allowed")).await;
    }
}

#[tokio::test]
async fn a_model_that_never_ends_says_too_much() {
    for protocol in BOTH {
        let words = Step::Repeat(protocol.word("12345678").into_bytes(), 1_000_000);
        let server = TestServer::doing(vec![Step::send(protocol.head()), words]).await;
        let (said, ended) = hear(&*protocol.model(&server), completion_request()).await;
        let error = ended.expect("too much");
        assert_eq!(error.code(), "llm_connection");
        assert!(error.to_string().contains("answered with more than the 4096 bytes allowed"), "{error}");
        assert_eq!(said, "12345678".repeat(512), "what was allowed was given");
    }
}

#[tokio::test]
async fn what_fits_exactly_is_not_too_much() {
    for protocol in BOTH {
        let text = "x".repeat(4096);
        let answer = format!("{}{}{}", protocol.head(), protocol.word(&text), protocol.end());
        let server = TestServer::doing(vec![Step::send(answer)]).await;
        assert_eq!(hear(&*protocol.model(&server), completion_request()).await, (text, None));
    }
}

#[tokio::test]
async fn whoever_stops_listening_ends_the_request() {
    for protocol in BOTH {
        let server = TestServer::doing(vec![Step::send(protocol.head() + &protocol.word("One")), Step::Hang]).await;
        let model = protocol.model(&server);
        let mut completion = model.stream_completion(completion_request()).await.expect("a speech");
        assert_eq!(completion.next().await, Ok(Some(b"One".to_vec())));
        drop(completion);
        assert!(server.seen.closed_within(IN_TIME).await, "{protocol:?}: in the middle");

        let server = TestServer::doing(vec![Step::send(protocol.head()), Step::Hang]).await;
        drop(protocol.model(&server).stream_completion(completion_request()).await.expect("a speech"));
        assert!(server.seen.closed_within(IN_TIME).await, "{protocol:?}: before the first word");

        let server = TestServer::doing(vec![Step::Hang]).await;
        let model = protocol.model(&server);
        let asking = tokio::spawn(async move { model.stream_completion(completion_request()).await.map(drop) });
        while server.seen.requests().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        asking.abort();
        assert!(server.seen.closed_within(IN_TIME).await, "{protocol:?}: before the answer");
    }
}

#[tokio::test]
async fn an_end_closes_the_connection_too() {
    for protocol in BOTH {
        let answer = format!("{}{}{}", protocol.head(), protocol.word("One"), protocol.end());
        let server = TestServer::doing(vec![Step::send(answer), Step::Hang]).await;
        let model = protocol.model(&server);
        assert_eq!(hear(&*model, completion_request()).await, ("One".to_owned(), None));
        assert!(server.seen.closed_within(IN_TIME).await, "{protocol:?}");
    }
}

#[tokio::test]
async fn many_speak_at_once_and_none_hears_another() {
    for protocol in BOTH {
        let echo = move |request: &model_server::Request| {
            let asked = request.json["messages"][0]["content"].as_str().unwrap_or_default().to_owned();
            let words: String = asked.chars().map(|c| protocol.word(&c.to_string())).collect();
            vec![Step::send(format!("{}{words}{}", protocol.head(), protocol.end()))]
        };
        let server = TestServer::start(echo).await;
        let model = protocol.model(&server);
        let speaking = (0..20).map(|number| {
            let model = Arc::clone(&model);
            let mut completion_request = completion_request();
            completion_request.messages.iter_mut().for_each(|message| message.text = format!("number {number}"));
            tokio::spawn(async move { hear(&*model, completion_request).await })
        });
        for (number, said) in speaking.collect::<Vec<_>>().into_iter().enumerate() {
            assert_eq!(said.await.expect("a speech"), (format!("number {number}"), None));
        }
    }
}

#[tokio::test]
async fn a_list_of_models_is_bounded_too() {
    for protocol in BOTH {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n[";
        let flood = Step::Repeat(vec![b' '; 64 * 1024], FLOOD_BYTES / (64 * 1024));
        let server = TestServer::doing(vec![Step::send(head), flood]).await;
        let error = protocol.model(&server).models().await.expect_err("a flood");
        assert!(error.to_string().contains("bytes allowed"), "{error}");
    }
}
