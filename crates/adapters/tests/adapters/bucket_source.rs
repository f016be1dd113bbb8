//! A bucket as a source: servers that say odd things, and hosts that are not asked.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{
    io::{Read, Write},
    net::TcpListener,
    path::Path,
    time::Duration,
};

use vouch_adapters::{
    files::{Links, Reading},
    sources::{Addressing, BucketSettings, BucketSource},
};
use vouch_domain::{Fault, PortError, document::Labels, ports::DocumentSource};

/// A server that gives the listing, or whatever else it has for a path; an empty reply breaks the connection.
fn server(replies: Vec<(&'static str, String)>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut request = [0; 4_096];
            let length = stream.read(&mut request).unwrap_or_default();
            let request = String::from_utf8_lossy(request.get(..length).unwrap_or_default()).into_owned();
            let reply = replies.iter().find(|(path, _)| request.starts_with(&format!("GET {path}")));
            // A client that went away is no concern of the server's.
            let _ = stream.write_all(reply.map(|(_, reply)| reply.as_bytes()).unwrap_or_default());
        }
    });
    address
}

fn reply(status: &str, headers: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len())
}

fn listing(inner: &str) -> String {
    reply("200 OK", "", &format!("<ListBucketResult><IsTruncated>false</IsTruncated>{inner}</ListBucketResult>"))
}

fn object(key: &str, bytes: u64) -> String {
    format!("<Contents><Key>{key}</Key><Size>{bytes}</Size><ETag>e</ETag></Contents>")
}

fn settings(endpoint: &str, folder: &Path) -> BucketSettings {
    BucketSettings {
        name: "files".to_owned(),
        endpoint: endpoint.to_owned(),
        bucket: "docs".to_owned(),
        prefix: String::new(),
        region: "us-east-1".to_owned(),
        addressing: Addressing::Path,
        key: None,
        hosts: vec!["127.0.0.1".to_owned()],
        timeout: Duration::from_secs(5),
        objects_max: 10,
        bytes_max: 1_000,
        folder: folder.to_owned(),
        reading: Reading {
            bytes_max: 100,
            links: Links::Within,
            labels: Labels { tenant: "default".to_owned(), ..Labels::default() },
            foreign: Vec::new(),
        },
    }
}

async fn refused(settings: BucketSettings) -> PortError {
    BucketSource::new(settings).open(&|| true).await.err().expect("a fault")
}

#[tokio::test(flavor = "multi_thread")]
async fn an_object_that_cannot_be_had_is_a_fault_and_still_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let keys = [
        ("a.md", 6),
        ("large.md", 101),
        ("liar.md", 5),
        ("away.md", 5),
        ("cold.md", 5),
        ("gone.md", 5),
        ("shut.md", 5),
        ("../x.md", 5),
    ];
    let inner: String = keys.iter().map(|(key, bytes)| object(key, *bytes)).collect();
    let error = |code: &str| format!("<Error><Code>{code}</Code></Error>");
    let endpoint = server(vec![
        ("/docs/?", listing(&inner)),
        ("/docs/a.md", reply("200 OK", "", "Words.")),
        ("/docs/liar.md", reply("200 OK", "", &"x".repeat(200))),
        ("/docs/away.md", reply("302 Found", "Location: http://169.254.169.254/latest\r\n", "")),
        ("/docs/cold.md", reply("403 Forbidden", "", &error("InvalidObjectState"))),
        ("/docs/shut.md", reply("403 Forbidden", "", &error("AccessDenied"))),
        ("/docs/gone.md", reply("404 Not Found", "", &error("NoSuchKey"))),
    ]);
    let opened = BucketSource::new(settings(&endpoint, folder.path())).open(&|| true).await.expect("a bucket");
    assert_eq!((opened.roots.as_slice(), opened.total), (["bucket:files".to_owned()].as_slice(), Some(7)));
    assert!((opened.exists)("bucket:files/away.md") && !(opened.exists)("bucket:files/gone.md"));
    let outcomes: Vec<(String, String)> = opened
        .documents
        .map(|read| match read {
            Ok(raw) => (raw.fallback_id, raw.url.unwrap_or_default()),
            Err(fault) => (fault.shown, fault.sentence),
        })
        .collect();
    let expected = [
        ("../x.md", "its key has no address: it is too long or has a '.' or '..' between slashes".to_owned()),
        ("files/a.md", format!("{endpoint}/docs/a.md")),
        ("away.md", "the server answered 302".to_owned()),
        ("cold.md", "the server answered 403 InvalidObjectState".to_owned()),
        ("large.md", "it has more than 100 bytes".to_owned()),
        ("liar.md", "it has more than 100 bytes".to_owned()),
        ("shut.md", "it is not public (403 AccessDenied)".to_owned()),
    ];
    assert_eq!(outcomes, expected.map(|(name, told)| (name.to_owned(), told)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_listing_that_is_not_one_fails_as_a_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let round = "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>\
                 </ListBucketResult>";
    for (said, fault, told) in [
        (
            reply("503 Slow Down", "", "<Error><Code>SlowDown</Code></Error>"),
            Fault::Unavailable,
            "answered 503 SlowDown",
        ),
        (reply("403 Forbidden", "", ""), Fault::Invalid, "the key may not list it (403)"),
        (
            reply("307 Moved", "Location: https://docs.other.example/?x\r\n", ""),
            Fault::Invalid,
            "redirects to docs.other.example, which is not followed",
        ),
        (reply("200 OK", "", "<html>a portal</html>"), Fault::Unavailable, "it is not a list of objects"),
        (reply("200 OK", "", round), Fault::Invalid, "listing repeats itself"),
        (listing(&object("a.md", 100).repeat(11)), Fault::Invalid, "more than 10 objects (objects_max)"),
        (String::new(), Fault::Unavailable, "the connection broke"),
    ] {
        let endpoint = server(vec![("/docs/?", said)]);
        let error = refused(settings(&endpoint, folder.path())).await;
        assert!(error.fault == fault && error.sentence.contains(told), "{told}: {error:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn this_machine_is_not_asked_unless_the_settings_name_it() {
    let folder = tempfile::tempdir().expect("a folder");
    for (endpoint, told) in [
        ("http://127.0.0.1:9", "does not use https"),
        ("https://127.0.0.1:9", "private address"),
        ("https://169.254.169.254", "private address"),
    ] {
        let error = refused(BucketSettings { hosts: Vec::new(), ..settings(endpoint, folder.path()) }).await;
        assert!(error.fault == Fault::Invalid && error.sentence.contains(told), "{endpoint}: {error:?}");
    }
}
