//! The Skosmos adapter against what a real server answered, replayed byte for byte from `recorded/skosmos.txt`.
//!
//! The adapter asks for more fields than were asked for when the answers were recorded, so a request is matched by what
//! decides its answer: the method, the vocabularies, the text, the language and the concept. Where nothing was recorded
//! a test names the exchange that stands in; any other request fails the test.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use reqwest::Url;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};
use vouch_adapters::skosmos::{Skosmos, SkosmosSettings};
use vouch_domain::{
    Fault, PortError,
    concept::{Concept, ConceptLink, Label, LabelKind, TermKey, Wording},
    ports::Vocabulary,
    reader::Reader,
};

const RECORDED: &str = include_str!("recorded/skosmos.txt");
const NOTHING: &str = "/rest/v1/search?query=nothinghere&vocab=gloss&lang=en";
const SLA: &str = "/rest/v1/gloss/search?query=sla&lang=en";
const WITH_FIELDS: &str =
    "/rest/v1/search?query=*service*&lang=en&vocab=gloss&fields=definition%20broader%20notation&unique=true";
const NO_SUCH_CONCEPT: &str = "/rest/v1/gloss/data?uri=http://example.org/gloss/zzz&format=application/json";

#[derive(Clone)]
struct Exchange {
    target: String,
    status: String,
    content_type: String,
    location: String,
    body: String,
}

fn recorded() -> Vec<Exchange> {
    let exchange = |text: &str| {
        let (target, rest) = text.split_once('\n').expect("a target");
        let (head, body) = rest.split_once('\n').unwrap_or((rest, ""));
        let mut head = head.split("  ");
        let mut next = || head.next().expect("a header").to_owned();
        let (status, content_type, location) = (next(), next(), next());
        Exchange {
            target: target.trim().to_owned(),
            status: status.trim_start_matches("HTTP ").to_owned(),
            content_type,
            location: location.trim_start_matches("redirect=").to_owned(),
            body: body.trim_end_matches('\n').to_owned(),
        }
    };
    RECORDED.split("### GET ").skip(1).map(exchange).collect()
}

/// What decides the answer to a request; one vocabulary in the path and one as a parameter are the same to the server.
fn essence(target: &str) -> BTreeMap<String, String> {
    let address = Url::parse(&format!("http://h{target}")).expect("a target");
    let path = address.path().trim_start_matches("/rest/v1").trim_matches('/');
    let (vocabulary, method) = path.split_once('/').map_or((None, path), |(id, method)| (Some(id), method));
    let mut essence = BTreeMap::from([("method".to_owned(), method.to_owned())]);
    essence.extend(vocabulary.map(|id| ("vocab".to_owned(), id.to_owned())));
    let decides = |name: &str| ["query", "vocab", "lang", "uri"].contains(&name);
    let parameters = address.query_pairs().filter(|(name, _)| decides(name));
    essence.extend(parameters.map(|(name, value)| (name.into_owned(), value.to_lowercase())));
    essence
}

/// Whether a search names no language; such searches were recorded where they find something.
fn is_in_any_language(essence: &BTreeMap<String, String>) -> bool {
    essence.get("method").is_some_and(|method| method == "search") && !essence.contains_key("lang")
}

/// A server that gives recorded answers and notes what it was asked.
struct Replay {
    base_url: String,
    asked: Arc<Mutex<Vec<String>>>,
    unknown: Arc<Mutex<Vec<String>>>,
}

impl Replay {
    /// Beside what was recorded, these requests are answered by these exchanges.
    async fn start(stand_ins: &[(&str, &str)]) -> Self {
        let recorded = recorded();
        let find = |target: &str| recorded.iter().find(|exchange| exchange.target == target).expect(target).clone();
        let mut answers: Vec<_> = stand_ins.iter().map(|(asked, given)| (essence(asked), find(given))).collect();
        let is_method =
            |exchange: &&Exchange| exchange.target.contains("/search?") || exchange.target.contains("/data?");
        answers.extend(recorded.iter().filter(is_method).map(|each| (essence(&each.target), each.clone())));
        let nothing = find(NOTHING);
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let base_url = format!("http://{}/rest/v1", listener.local_addr().expect("an address"));
        let replay = Self { base_url, asked: Arc::default(), unknown: Arc::default() };
        let (asked, unknown) = (Arc::clone(&replay.asked), Arc::clone(&replay.unknown));
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let target = read_target(&mut stream).await;
                let wanted = essence(&target);
                asked.lock().expect("a lock").push(target.clone());
                let answer = answers.iter().find(|(essence, _)| *essence == wanted).map(|(_, answer)| answer);
                let answer = answer.or_else(|| is_in_any_language(&wanted).then_some(&nothing));
                if answer.is_none() {
                    unknown.lock().expect("a lock").push(target);
                }
                give(&mut stream, answer).await;
            }
        });
        replay
    }

    fn settings(&self) -> SkosmosSettings {
        SkosmosSettings {
            base_url: self.base_url.clone(),
            vocabularies: vec!["gloss".to_owned()],
            language: "en".to_owned(),
            timeout: Duration::from_secs(10),
            response_bytes_max: SkosmosSettings::RESPONSE_BYTES_MAX,
        }
    }

    fn adapter(&self) -> Skosmos {
        Skosmos::new(self.settings()).expect("an adapter")
    }

    fn over(&self, vocabularies: &[&str]) -> Skosmos {
        let vocabularies = vocabularies.iter().map(|id| (*id).to_owned()).collect();
        Skosmos::new(SkosmosSettings { vocabularies, ..self.settings() }).expect("an adapter")
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().expect("a lock").clone()
    }

    /// How many concepts were asked for on their own.
    fn pages(&self) -> usize {
        self.asked().iter().filter(|target| target.contains("/data?")).count()
    }
}

impl Drop for Replay {
    fn drop(&mut self) {
        let unknown = self.unknown.lock().expect("a lock");
        assert!(unknown.is_empty() || std::thread::panicking(), "nothing was recorded for {unknown:?}");
    }
}

async fn read_target(stream: &mut TcpStream) -> String {
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        request.push(stream.read_u8().await.expect("a request"));
    }
    let request = String::from_utf8(request).expect("a request in letters");
    request.split(' ').nth(1).expect("a target").to_owned()
}

async fn give(stream: &mut TcpStream, answer: Option<&Exchange>) {
    let text = match answer {
        None => "HTTP/1.1 501 Not Recorded\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_owned(),
        Some(Exchange { status, content_type, location, body, .. }) => format!(
            "HTTP/1.1 {status} Recorded\r\nContent-Type: {content_type}\r\nLocation: {location}\r\nContent-Length: {}\
             \r\nConnection: close\r\n\r\n{body}",
            body.len()
        ),
    };
    stream.write_all(text.as_bytes()).await.expect("someone to answer");
}

fn key(text: &str) -> TermKey {
    TermKey::parse(text).expect("a key")
}

async fn look_up(adapter: &Skosmos, text: &str) -> Result<Vec<Concept>, PortError> {
    adapter.look_up(&Reader::of_tenant("acme"), &key(text)).await
}

async fn found(adapter: &Skosmos, text: &str) -> Vec<Concept> {
    look_up(adapter, text).await.expect("an answer")
}

fn addresses(concepts: &[Concept]) -> Vec<&str> {
    concepts.iter().map(|concept| concept.uri.trim_start_matches("http://example.org/gloss/")).collect()
}

fn say(text: &str, language: &str) -> Wording {
    Wording { text: text.to_owned(), language: Some(language.to_owned()) }
}

fn link(name: &str, label: &str) -> ConceptLink {
    ConceptLink { uri: format!("http://example.org/gloss/{name}"), label: Some(label.to_owned()) }
}

#[tokio::test]
async fn a_concept_the_search_does_not_define_is_told_by_its_page() {
    let replay = Replay::start(&[]).await;
    let label = |kind, text: &str, language: &str| Label { kind, wording: say(text, language) };
    let expected = Concept {
        uri: "http://example.org/gloss/c2".to_owned(),
        schemes: vec!["Corporate glossary".to_owned()],
        labels: vec![
            label(LabelKind::Preferred, "Service Level Agreement", "en"),
            label(LabelKind::Preferred, "accord de niveau de service", "fr"),
            label(LabelKind::Alternative, "SLA", "en"),
            label(LabelKind::Hidden, "service level agrement", "en"),
        ],
        definitions: vec![
            say("A commitment between a provider and a client on availability and response times.", "en"),
            say("Engagement entre un fournisseur et un client.", "fr"),
        ],
        notations: vec!["T-002".to_owned()],
        broader: vec![link("c1", "service")],
        related: vec![link("c4", "Mercury (planet)")],
        ..Concept::default()
    };
    assert_eq!(found(&replay.adapter(), "SLA").await, [expected]);
    assert_eq!(replay.pages(), 1);
}

#[tokio::test]
async fn a_concept_the_search_defines_needs_no_second_request() {
    let target = "/rest/v1/gloss/search?query=service+level+agreement&lang=en";
    let replay = Replay::start(&[(target, WITH_FIELDS)]).await;
    let concepts = found(&replay.adapter(), "Service  Level Agreement").await;
    assert_eq!(addresses(&concepts), ["c2"]);
    let concept = concepts.first().expect("one concept");
    let told = say("A commitment between a provider and a client on availability and response times.", "en");
    assert_eq!(concept.definitions, [told]);
    assert_eq!(concept.broader, [link("c1", "service")]);
    assert_eq!(concept.notations, ["T-002"]);
    assert_eq!(concept.schemes, ["gloss"]);
    assert_eq!(replay.pages(), 0);
}

#[tokio::test]
async fn a_hidden_label_leads_to_its_concept() {
    let replay = Replay::start(&[]).await;
    assert_eq!(addresses(&found(&replay.adapter(), "service level agrement").await), ["c2"]);
}

#[tokio::test]
async fn both_meanings_of_a_term_are_found_in_the_order_of_their_addresses() {
    let third = "/rest/v1/gloss/data?uri=http://example.org/gloss/c3";
    let replay = Replay::start(&[(third, NO_SUCH_CONCEPT)]).await;
    let concepts = found(&replay.adapter(), "Mercury").await;
    assert_eq!(addresses(&concepts), ["c3", "c4"]);
    let told: Vec<_> = concepts.iter().map(|concept| concept.definitions.as_slice()).collect();
    assert_eq!(told, [&[][..], &[say("First planet from the Sun.", "en")]]);
}

#[tokio::test]
async fn an_asterisk_in_a_key_is_an_asterisk() {
    let replay = Replay::start(&[("/rest/v1/gloss/search?query=*service*", WITH_FIELDS)]).await;
    let adapter = replay.adapter();
    assert_eq!(addresses(&found(&adapter, "*service*").await), Vec::<&str>::new());
    let asked = replay.asked().len();
    assert_eq!(addresses(&found(&adapter, "* **").await), Vec::<&str>::new());
    assert_eq!(replay.asked().len(), asked, "a key of asterisks alone is not asked for");
}

#[tokio::test]
async fn a_code_is_not_a_label() {
    let replay = Replay::start(&[("/rest/v1/gloss/search?query=t-002", NOTHING)]).await;
    assert_eq!(addresses(&found(&replay.adapter(), "T-002").await), Vec::<&str>::new());
}

#[tokio::test]
async fn a_term_unknown_in_the_language_is_looked_up_in_all_of_them() {
    let stand_ins = [("/rest/v1/gloss/search?query=sla&lang=fi", NOTHING), ("/rest/v1/gloss/search?query=sla", SLA)];
    let replay = Replay::start(&stand_ins).await;
    let adapter = Skosmos::new(SkosmosSettings { language: "fi".to_owned(), ..replay.settings() }).expect("an adapter");
    assert_eq!(addresses(&found(&adapter, "SLA").await), ["c2"]);
}

#[tokio::test]
async fn a_term_known_in_the_language_means_what_it_means_there() {
    let elsewhere = [("/rest/v1/gloss/search?query=sla", WITH_FIELDS)];
    let replay = Replay::start(&elsewhere).await;
    assert_eq!(addresses(&found(&replay.adapter(), "SLA").await), ["c2"]);
    assert_eq!(replay.pages(), 1, "what the search in the language told was taken");
}

#[tokio::test]
async fn all_vocabularies_are_searched_where_none_is_named() {
    let replay = Replay::start(&[]).await;
    assert_eq!(addresses(&found(&replay.over(&[]), "SLA").await), ["c2"]);
    assert!(replay.asked().iter().any(|target| target.starts_with("/rest/v1/gloss/data?")));
}

#[tokio::test]
async fn several_vocabularies_are_searched_at_once() {
    let replay = Replay::start(&[("/rest/v1/search?query=sla&lang=en&vocab=gloss+test", SLA)]).await;
    assert_eq!(addresses(&found(&replay.over(&["gloss", "test"]), "SLA").await), ["c2"]);
}

#[tokio::test]
async fn every_refusal_of_the_server_is_told_apart() {
    let one: &[&str] = &["gloss"];
    let cases = [
        ("/rest/v1/search?vocab=gloss&lang=en", one, Fault::Invalid, "(400): query parameter missing"),
        ("/rest/v1/nope/lookup?label=x", one, Fault::Invalid, "(404): Vocabulary id 'nope' not found"),
        ("/rest/v1/", one, Fault::Invalid, "(404); the base address may be wrong"),
        ("/rest/v1/gloss", one, Fault::Invalid, "(302 Found), and redirects are not followed"),
        ("/rest/v1/gloss/vocabularyStatistics?lang=en", one, Fault::Unavailable, "no answer from its triple store"),
        ("/rest/v1/search?query=serv*&vocab=nope&lang=en", one, Fault::Unavailable, "failed (500)"),
        (
            "/rest/v1/search?query=serv*&vocab=nope&lang=en",
            &["gloss", "nope"],
            Fault::Unavailable,
            "(500); perhaps it does not know one of the vocabularies gloss, nope",
        ),
        (
            "/rest/v1/gloss/data?uri=http://example.org/gloss/c2",
            one,
            Fault::Corrupt,
            "application/rdf+xml instead of JSON",
        ),
    ];
    for (given, vocabularies, fault, sentence) in cases {
        let target = format!("/rest/v1/search?query=x&lang=en&vocab={}", vocabularies.join("+"));
        let replay = Replay::start(&[(&target, given)]).await;
        let error = look_up(&replay.over(vocabularies), "x").await.expect_err(given);
        assert_eq!(error.fault, fault, "{given}: {error}");
        assert!(error.sentence.contains(sentence), "{given}: {error}");
    }
}

#[tokio::test]
async fn names_near_a_term_come_nearest_first_and_each_once() {
    let replay = Replay::start(&[]).await;
    let adapter = Skosmos::new(SkosmosSettings { language: String::new(), ..replay.settings() }).expect("an adapter");
    let similar = async |text: &str, limit| {
        adapter.similar(&Reader::of_tenant("acme"), &key(text), limit).await.expect("an answer")
    };
    assert_eq!(similar("servcie", 5).await, ["service"]);
    assert_eq!(similar("service level", 5).await, ["Service Level Agreement", "service"]);
    assert_eq!(similar("service level", 1).await, ["Service Level Agreement"]);
    let asked = replay.asked().len();
    assert!(similar("servcie", 0).await.is_empty() && similar("*", 5).await.is_empty());
    assert_eq!(replay.asked().len(), asked);
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let settings = |base_url: &str, vocabulary: &str, timeout_ms| SkosmosSettings {
        base_url: base_url.to_owned(),
        vocabularies: vec![vocabulary.to_owned()],
        language: "en".to_owned(),
        timeout: Duration::from_millis(timeout_ms),
        response_bytes_max: 1,
    };
    assert!(Skosmos::new(settings("http://h/rest/v1/", "gloss", 300)).is_ok());
    let cases = [
        settings("h/rest/v1", "gloss", 300),
        settings("ftp://h/rest/v1", "gloss", 300),
        settings("http://h/rest/v1?x", "gloss", 300),
        settings("http://h/rest/v1", "a b", 300),
        settings("http://h/rest/v1", "..", 300),
        settings("http://h/rest/v1", "gloss", 0),
    ];
    for case in cases {
        let said = format!("{case:?}");
        let error = Skosmos::new(case).err().expect(&said);
        assert_eq!(error.fault, Fault::Invalid, "{said}");
    }
}
