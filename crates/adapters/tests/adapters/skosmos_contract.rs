//! The contract of `Vocabulary` on the Skosmos adapter, over a server that searches as Skosmos does: whole labels in any
//! case, an asterisk for anything.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{sync::Arc, time::Duration};

use reqwest::Url;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};
use vouch_adapters::skosmos::{Skosmos, SkosmosSettings};
use vouch_domain::{
    concept::{Concept, Label, LabelKind},
    reader::Reader,
};
use vouch_testkit::contracts::vocabulary;

/// Whether a label is what was asked for, each asterisk standing for anything.
fn matches(label: &str, query: &str) -> bool {
    match query.split_once('*') {
        None => label == query,
        Some((start, rest)) => label.strip_prefix(start).is_some_and(|after| {
            let ends = after.char_indices().map(|(at, _)| at).chain([after.len()]);
            ends.into_iter().any(|at| after.get(at..).is_some_and(|tail| matches(tail, rest)))
        }),
    }
}

fn hit(concept: &Concept, matched: &Label) -> Value {
    let mut hit =
        json!({"uri": concept.uri, "type": ["skos:Concept"], "prefLabel": concept.name("en"), "vocab": "terms"});
    let fields = hit.as_object_mut().expect("an object");
    fields.extend(matched.wording.language.clone().map(|language| ("lang".to_owned(), json!(language))));
    if matched.kind == LabelKind::Alternative {
        fields.insert("altLabel".to_owned(), json!(matched.wording.text));
    }
    if !concept.definitions.is_empty() {
        let texts: Vec<&str> = concept.definitions.iter().map(|definition| definition.text.as_str()).collect();
        fields.insert("definition".to_owned(), json!(texts));
    }
    hit
}

fn answer(target: &str) -> String {
    let address = Url::parse(&format!("http://h{target}")).expect("a target");
    if address.path() != "/rest/v1/terms/search" {
        let body = "404 Bad Request : no concept found with given uri";
        return format!("HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n{body}");
    }
    let query = address.query_pairs().find(|(name, _)| name == "query").expect("a query").1.to_lowercase();
    let concepts = vocabulary::concepts();
    let labels = concepts.iter().flat_map(|concept| concept.labels.iter().map(move |label| (concept, label)));
    let found = labels.filter(|(_, label)| matches(&label.wording.text.to_lowercase(), &query));
    let body = json!({"uri": "", "results": found.map(|(concept, label)| hit(concept, label)).collect::<Vec<_>>()});
    format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n{body}")
}

async fn serve(mut stream: TcpStream) {
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        request.push(stream.read_u8().await.expect("a request"));
    }
    let request = String::from_utf8(request).expect("a request in letters");
    let reply = answer(request.split(' ').nth(1).expect("a target"));
    stream.write_all(reply.as_bytes()).await.expect("someone to answer");
}

#[tokio::test]
async fn a_skosmos_server_keeps_the_contract_of_a_vocabulary() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let base_url = format!("http://{}/rest/v1", listener.local_addr().expect("an address"));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(stream));
        }
    });
    let adapter = Skosmos::new(SkosmosSettings {
        base_url,
        vocabularies: vec!["terms".to_owned()],
        language: "en".to_owned(),
        timeout: Duration::from_secs(20),
        response_bytes_max: SkosmosSettings::RESPONSE_BYTES_MAX,
    });
    vocabulary::check(Arc::new(adapter.expect("an adapter")), &Reader::of_tenant("acme")).await;
}
