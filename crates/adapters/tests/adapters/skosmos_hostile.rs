//! The Skosmos adapter against servers that hang, drip, lie, flood or break off: it always comes back in time, and says
//! which it was.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};
use vouch_adapters::skosmos::{Skosmos, SkosmosSettings};
use vouch_domain::{
    Fault, PortError,
    concept::{Concept, TermKey},
    ports::Vocabulary,
    reader::Reader,
};

use crate::support::model_server::silent_address;

/// Short where a deadline is to be missed, long where it has no part in the matter.
const SHORT: Duration = Duration::from_millis(300);
const LONG: Duration = Duration::from_secs(20);
/// Generous, since the machine that runs the tests may be busy, and less than `LONG`, which a missing deadline would take.
const IN_TIME: Duration = Duration::from_secs(10);
const FLOOD_BYTES: usize = 200 * 1024 * 1024;
const JSON_HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n";

/// What the server does once it has read a request for this path.
#[derive(Clone)]
enum Does {
    Hang,
    Drop,
    /// Sends this and closes.
    Send(String),
    /// Sends this at once, then one byte per second.
    Drip(String),
    Flood,
    /// A reply by path and how often it was asked.
    Reply(fn(&str, usize) -> Does),
}

struct Hostile {
    base_url: String,
    asked: Arc<AtomicUsize>,
    sent_bytes: Arc<AtomicUsize>,
}

impl Hostile {
    async fn start(does: Does) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let base_url = format!("http://{}/rest/v1", listener.local_addr().expect("an address"));
        let hostile = Self { base_url, asked: Arc::default(), sent_bytes: Arc::default() };
        let (asked, sent_bytes) = (Arc::clone(&hostile.asked), Arc::clone(&hostile.sent_bytes));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, does.clone(), Arc::clone(&asked), Arc::clone(&sent_bytes)));
            }
        });
        hostile
    }

    async fn look_up(&self, timeout: Duration) -> Result<Vec<Concept>, PortError> {
        look_up(&self.base_url, timeout).await
    }
}

async fn look_up(base_url: &str, timeout: Duration) -> Result<Vec<Concept>, PortError> {
    let adapter = Skosmos::new(SkosmosSettings {
        base_url: base_url.to_owned(),
        vocabularies: vec!["gloss".to_owned()],
        language: "en".to_owned(),
        timeout,
        response_bytes_max: SkosmosSettings::RESPONSE_BYTES_MAX,
    });
    let key = TermKey::parse("Mercury").expect("a key");
    adapter.expect("an adapter").look_up(&Reader::of_tenant("acme"), &key).await
}

async fn serve(mut stream: TcpStream, does: Does, asked: Arc<AtomicUsize>, sent_bytes: Arc<AtomicUsize>) {
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        let Ok(byte) = stream.read_u8().await else { return };
        request.push(byte);
    }
    let times = asked.fetch_add(1, Ordering::SeqCst);
    let request = String::from_utf8_lossy(&request);
    let does = match does {
        Does::Reply(reply) => reply(request.split(' ').nth(1).unwrap_or_default(), times),
        other @ (Does::Hang | Does::Drop | Does::Send(_) | Does::Drip(_) | Does::Flood) => other,
    };
    match does {
        Does::Drop | Does::Reply(_) => {}
        Does::Hang => tokio::time::sleep(Duration::from_secs(60)).await,
        Does::Send(text) => {
            let _ = stream.write_all(text.as_bytes()).await;
        }
        Does::Drip(text) => {
            let _ = stream.write_all(text.as_bytes()).await;
            while stream.write_all(b" ").await.is_ok() {
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
        }
        Does::Flood => flood(&mut stream, &sent_bytes).await,
    }
}

async fn flood(stream: &mut TcpStream, sent_bytes: &AtomicUsize) {
    let piece = vec![b' '; 64 * 1024];
    let _ = stream.write_all(format!("{JSON_HEAD}\r\n").as_bytes()).await;
    while sent_bytes.load(Ordering::SeqCst) < FLOOD_BYTES && stream.write_all(&piece).await.is_ok() {
        sent_bytes.fetch_add(piece.len(), Ordering::SeqCst);
    }
}

fn json(body: &str) -> String {
    format!("{JSON_HEAD}Content-Length: {}\r\n\r\n{body}", body.len())
}

async fn check(does: Does, fault: Fault, sentence: &str) {
    let hostile = Hostile::start(does).await;
    let started = Instant::now();
    let timeout = if fault == Fault::Timeout { SHORT } else { LONG };
    let error = hostile.look_up(timeout).await.expect_err(sentence);
    assert!(started.elapsed() < IN_TIME, "{error} after {:?}", started.elapsed());
    assert_eq!(error.fault, fault, "{error}");
    assert!(error.sentence.contains(sentence), "{error}");
    let mut cause: Option<&dyn std::error::Error> = Some(&error);
    while let Some(error) = cause {
        assert!(!error.to_string().contains("mercury"), "the asker's words are in `{error}`");
        cause = error.source();
    }
}

#[tokio::test]
async fn a_server_that_never_answers_is_late() {
    check(Does::Hang, Fault::Timeout, "did not answer within 300 ms").await;
}

#[tokio::test]
async fn a_server_that_drips_is_late_wherever_it_begins_to() {
    let heads = ["HTTP/1.1 200", "HTTP/1.1 200 OK\r\nX: ", &format!("{JSON_HEAD}\r\n{{"), "HTTP/1.1 500 No\r\n\r\n"];
    for head in heads {
        check(Does::Drip(head.to_owned()), Fault::Timeout, "did not answer within 300 ms").await;
    }
}

#[tokio::test]
async fn a_dropped_connection_is_a_server_that_is_not_there() {
    check(Does::Drop, Fault::Unavailable, "closed the connection without an answer").await;
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_not_taken_for_a_whole_one() {
    let cut = format!("{JSON_HEAD}Content-Length: 1000\r\n\r\n{{\"results\": []}}");
    check(Does::Send(cut), Fault::Unavailable, "broke off in the middle").await;
}

#[tokio::test]
async fn a_port_where_nobody_listens_cannot_be_reached() {
    let (address, _socket) = silent_address();
    let error = look_up(&format!("http://{address}"), LONG).await.expect_err("nobody");
    assert_eq!(error.fault, Fault::Unavailable);
    assert!(error.sentence.ends_with("cannot be reached"), "{error}");
}

#[tokio::test]
async fn what_is_not_http_is_not_an_answer() {
    check(Does::Send("\u{1}\u{2} garbage\r\n\r\n".to_owned()), Fault::Unavailable, "does not speak HTTP").await;
}

#[tokio::test]
async fn what_is_not_json_is_told_from_json_of_another_shape() {
    let cases = [
        ("", "is not JSON"),
        ("<html>", "is not JSON"),
        (r#"{"results": ["#, "is not JSON"),
        ("[]", "does not look like Skosmos"),
        (r#"{"result": []}"#, "does not look like Skosmos"),
        (r#"{"results": [{"prefLabel": "mercury"}]}"#, "does not look like Skosmos"),
        (r#"{"results": [{"uri": "u", "prefLabel": 5}]}"#, "does not look like Skosmos"),
    ];
    for (body, sentence) in cases {
        check(Does::Send(json(body)), Fault::Corrupt, sentence).await;
    }
}

#[tokio::test]
async fn a_page_for_people_is_not_an_answer() {
    let page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<h1>Please sign in</h1>";
    check(Does::Send(page.to_owned()), Fault::Corrupt, "answered with text/html instead of JSON").await;
    let page = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{\"results\": []}";
    check(Does::Send(page.to_owned()), Fault::Corrupt, "instead of JSON").await;
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let elsewhere = "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n";
    check(Does::Send(elsewhere.to_owned()), Fault::Invalid, "redirects are not followed").await;
}

#[tokio::test]
async fn a_flood_is_cut_off_at_the_limit() {
    let hostile = Hostile::start(Does::Flood).await;
    let started = Instant::now();
    let error = hostile.look_up(LONG).await.expect_err("a flood");
    assert!(started.elapsed() < IN_TIME, "{:?}", started.elapsed());
    assert_eq!(error.fault, Fault::Corrupt, "{error}");
    assert!(error.sentence.contains("more than the 1048576 bytes allowed"), "{error}");
    tokio::time::sleep(SHORT).await;
    let sent = hostile.sent_bytes.load(Ordering::SeqCst);
    assert!(sent < FLOOD_BYTES / 4, "{sent} bytes were taken");
}

#[tokio::test]
async fn an_answer_that_promises_too_much_is_not_begun() {
    let promise = format!("{JSON_HEAD}Content-Length: {FLOOD_BYTES}\r\n\r\n{{");
    check(Does::Drip(promise), Fault::Corrupt, "more than the 1048576 bytes allowed").await;
}

#[tokio::test]
async fn the_deadline_covers_the_pages_too() {
    let search_then_hang = |target: &str, _| match target.contains("/search?") {
        true => Does::Send(json(r#"{"results": [{"uri": "u", "prefLabel": "Mercury", "vocab": "gloss"}]}"#)),
        false => Does::Hang,
    };
    check(Does::Reply(search_then_hang), Fault::Timeout, "did not answer within 300 ms").await;
}

#[tokio::test]
async fn a_page_that_fails_fails_the_look_up() {
    let search_then_drop = |target: &str, _| match target.contains("/search?") {
        true => Does::Send(json(r#"{"results": [{"uri": "u", "prefLabel": "Mercury", "vocab": "gloss"}]}"#)),
        false => Does::Drop,
    };
    check(Does::Reply(search_then_drop), Fault::Unavailable, "closed the connection").await;
}

/// Seven concepts of one name and no definition.
fn seven(target: &str, _times: usize) -> Does {
    if target.contains("/search?") {
        let hits: Vec<String> = (0..7).map(|n| format!(r#"{{"uri": "u{n}", "altLabel": "Mercury"}}"#)).collect();
        return Does::Send(json(&format!(r#"{{"results": [{}]}}"#, hits.join(","))));
    }
    let uri: String = target.split("uri=").nth(1).unwrap_or_default().chars().take(2).collect();
    Does::Send(json(&format!(r#"{{"graph": [{{"uri": "{uri}", "skos:definition": "told"}}]}}"#)))
}

#[tokio::test]
async fn no_more_than_five_pages_are_fetched_for_a_term() {
    let hostile = Hostile::start(Does::Reply(seven)).await;
    let concepts = hostile.look_up(LONG).await.expect("an answer");
    assert!((6..=7).contains(&hostile.asked.load(Ordering::SeqCst)), "five pages and one search, or both");
    let told: Vec<usize> = concepts.iter().map(|concept| concept.definitions.len()).collect();
    assert_eq!(told, [1, 1, 1, 1, 1, 0, 0]);
}

/// A definition of two lines, as the server's search breaks it, and as the concept's page has it whole.
fn broken_lines(target: &str, _times: usize) -> Does {
    let hit = r#"{"uri": "u", "prefLabel": "Mercury", "definition": ["First line", {"uri": "second line\""}]}"#;
    let page = r#"{"uri": "u", "prefLabel": "Mercury", "skos:definition": "First line\nsecond line"}"#;
    let body = if target.contains("/search?") { format!(r#"{{"results": [{hit}]}}"#) } else { page.to_owned() };
    Does::Send(json(&body))
}

#[tokio::test]
async fn a_definition_the_search_broke_into_lines_is_fetched_whole() {
    let hostile = Hostile::start(Does::Reply(broken_lines)).await;
    let concepts = hostile.look_up(LONG).await.expect("an answer");
    let told: Vec<&str> = concepts.iter().filter_map(|concept| Some(concept.definition("en")?.text.as_str())).collect();
    assert_eq!(told, ["First line\nsecond line"]);
}

#[tokio::test]
async fn a_server_without_a_certificate_is_not_asked_over_https() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let greeting = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.expect("a connection");
        let mut greeting = vec![0; 4096];
        let length = stream.read(&mut greeting).await.expect("a greeting");
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.expect("someone to answer");
        String::from_utf8_lossy(greeting.get(..length).unwrap_or_default()).into_owned()
    });
    let error = look_up(&format!("https://user:secret@{address}/rest/v1"), LONG).await.expect_err("no certificate");
    assert_eq!(error.fault, Fault::Unavailable, "{error}");
    assert!(!error.to_string().contains("secret"), "{error}");
    assert!(!greeting.await.expect("a greeting").contains("ercury"), "the term went out unprotected");
}
