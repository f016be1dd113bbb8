//! A bucket as a source: a real S3-compatible server that checks signatures, and one that dies while it is asked.
#![cfg(unix)]
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{
    io::{Read, Write},
    net::TcpListener,
    path::Path,
    process::Command,
};

use serde_json::Value;
use vouch_testkit::{object_server::ObjectServer, skip};

use crate::support::{Place, Ran, finish, replies};

/// A server, and a folder whose settings name its bucket; none where there can be no server.
struct Scene {
    server: ObjectServer,
    place: Place,
}

impl Scene {
    fn start() -> Option<Self> {
        let server = ObjectServer::start(Path::new(env!("CARGO_TARGET_TMPDIR")));
        let server = server.map_err(|reason| skip("buckets of an S3-compatible server", &reason)).ok()?;
        let scene = Self { server, place: Place::new() };
        scene.settings(scene.server.address(), "docs", "");
        Some(scene)
    }

    fn settings(&self, endpoint: &str, bucket: &str, more: &str) {
        let text = format!(
            "sources:\n  - {{name: files, bucket: {bucket}, endpoint: '{endpoint}', hosts: [127.0.0.1], prefix: team/, tags: [staff], \
             key_variable: FILES_KEY, secret_variable: FILES_SECRET{more}}}\n"
        );
        self.place.write("vouch.yaml", text);
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = self.place.vouch(words);
        command.env("FILES_KEY", self.server.key()).env("FILES_SECRET", self.server.secret());
        command
    }

    fn synced(&self) -> Value {
        let ran = finish(self.command(&["sync", "--prune-many", "--json"]));
        assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
        replies::json(&ran)
    }

    /// A sync that fails with a sentence, after which every document is still there.
    fn refused(&self, command: Command, told: &str) {
        let known = self.documents();
        let Ran { code, out, err, .. } = finish(command);
        assert_eq!(code, Some(1), "{out}{err}");
        assert!(err.contains(told), "{err}");
        assert!(!err.contains(self.server.secret()), "{err}");
        assert_eq!(self.documents(), known, "nothing is lost");
        assert!(!known.is_empty());
    }

    /// Ids of the documents with what is cited of them.
    fn documents(&self) -> Vec<String> {
        let hits = replies::json(&self.place.run(&["search", "weir mill gate harbour", "--json"]));
        let hits = hits.as_array().cloned().unwrap_or_default();
        let mut ids: Vec<String> =
            hits.iter().filter_map(|hit| hit["document_id"].as_str().map(str::to_owned)).collect();
        ids.sort();
        ids.dedup();
        ids
    }

    /// The objects that were sent, without the address's beginning.
    fn sent(&mut self) -> Vec<String> {
        let asked = self.server.asked();
        asked.iter().filter_map(|asked| asked.strip_prefix("/docs/team/").map(str::to_owned)).collect()
    }
}

#[test]
fn a_bucket_is_taken_in_and_followed() {
    let Some(mut scene) = Scene::start() else { return };
    scene.server.put("team/weir.md", "# Weir\n\nThe weir is closed in March.\n");
    scene.server.put("team/a b/mühle +1.md", "# Mill\n\nThe mill opens at seven.\n");
    scene.server.put("team/logo.bin", "no document");
    scene.server.put("team/folder/", "");
    scene.server.put("private/other.md", "# Other\n\nThe harbour is not of the prefix.\n");
    // More than one part of a listing has room for.
    scene.server.fill("team/filler/", 1_100);
    scene.server.asked();
    let first = scene.synced();
    assert_eq!((&first["added"], &first["failed"]), (&2.into(), &0.into()), "{first}");
    assert_eq!(scene.documents(), ["files/team/a b/mühle +1.md", "files/team/weir.md"]);
    let asked = scene.server.asked();
    assert_eq!(asked.len(), 4, "two parts of the listing and two objects: {asked:?}");
    assert!(asked.iter().all(|asked| asked.ends_with(" 200") && !asked.contains("Signature")), "{asked:?}");
    let reply = replies::json(&scene.place.run(&["ask", "When does the mill open?", "--json"]));
    let url = format!("{}/docs/team/a%20b/m%C3%BChle%20%2B1.md", scene.server.address());
    assert_eq!(reply["citations"][0]["url"], url.as_str(), "{reply}");
    let hidden = replies::json(&scene.place.run(&["search", "mill", "--tags", "other", "--json"]));
    assert_eq!(hidden.as_array().map(Vec::len), Some(0), "its tags say who may see it: {hidden}");

    let same = scene.synced();
    assert_eq!((&same["unchanged"], scene.sent()), (&2.into(), Vec::new()), "{same}");

    scene.server.put("team/weir.md", "# Weir\n\nThe weir is closed in April.\n");
    scene.server.delete("team/a b/mühle +1.md");
    scene.server.put("team/gate.md", "# Gate\n\nThe gate is green.\n");
    let next = scene.synced();
    assert_eq!(
        (&next["added"], &next["updated"], &next["removed"], &next["unchanged"]),
        (&1.into(), &1.into(), &1.into(), &0.into()),
        "{next}"
    );
    assert_eq!(scene.sent(), ["gate.md 200", "weir.md 200"]);
    assert_eq!(scene.documents(), ["files/team/gate.md", "files/team/weir.md"]);

    scene.server.delete("team/gate.md");
    scene.server.put("team/moved/gate.md", "# Gate\n\nThe gate is green.\n");
    let moved = scene.synced();
    assert_eq!((&moved["added"], &moved["removed"]), (&0.into(), &0.into()), "{moved}");
    assert_eq!(scene.documents(), ["files/team/gate.md", "files/team/weir.md"], "what was renamed keeps its id");
    let copies = std::fs::read_dir(scene.place.path(".vouch/sources/files")).expect("the folder").count();
    assert_eq!(copies, 3, "the list, and a copy of each object");
}

#[test]
fn what_cannot_be_read_is_a_sentence_and_nothing_is_lost() {
    let Some(mut scene) = Scene::start() else { return };
    scene.server.put("team/weir.md", "# Weir\n\nThe weir is closed in March.\n");
    scene.server.put("team/mill.md", "# Mill\n\nThe mill opens at seven.\n");
    assert_eq!(scene.synced()["added"], 2);

    let mut stranger = scene.command(&["sync"]);
    stranger.env("FILES_KEY", "AKIANOBODY");
    scene.refused(
        stranger,
        "files: bucket docs at 127.0.0.1: the server does not know the access key (403 InvalidAccessKeyId)",
    );
    let mut forger = scene.command(&["sync"]);
    forger.env("FILES_SECRET", "guessed");
    scene.refused(
        forger,
        "the secret does not match the access key, or the region is wrong (403 SignatureDoesNotMatch)",
    );
    let mut unset = scene.command(&["sync"]);
    unset.env_remove("FILES_SECRET");
    scene.refused(unset, "the environment variable FILES_SECRET is not set");

    scene.settings(scene.server.address(), "nothing", "");
    scene.refused(scene.command(&["sync"]), "there is no such bucket (404 NoSuchBucket)");
    scene.settings(scene.server.address(), "docs", ", objects_max: 1");
    scene.refused(scene.command(&["sync"]), "it lists more than 1 objects (objects_max)");
    scene.settings(scene.server.address(), "docs", ", bytes_max: 10");
    scene.refused(scene.command(&["sync"]), "its objects have more than 10 bytes together (bytes_max)");

    scene.settings(&dying(), "docs", "");
    scene.refused(scene.command(&["sync"]), "cannot be listed: the connection broke");
    scene.settings(scene.server.address(), "docs", "");
    assert_eq!(scene.synced()["unchanged"], 2, "and goes on as if nothing had been");
}

/// A server that gives the first part of a listing, which has one object of two, and dies in the middle of the second.
fn dying() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        let part = "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>2</NextContinuationToken>\
                    <Contents><Key>team/weir.md</Key><Size>5</Size><ETag>x</ETag></Contents></ListBucketResult>";
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut request = [0; 4_096];
            let length = stream.read(&mut request).unwrap_or_default();
            let is_second =
                String::from_utf8_lossy(request.get(..length).unwrap_or_default()).contains("continuation-token");
            let sent = if is_second { part.get(..60).unwrap_or_default() } else { part };
            let _ =
                write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{sent}", part.len());
        }
    });
    address
}
