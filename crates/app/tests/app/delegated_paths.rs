//! Files that commands beside a server name: they are to the server what they are where the command was given, or nothing is done.
#![cfg(unix)]

use std::{
    fs::File,
    io::{Read, Write},
    os::unix::{fs::MetadataExt, net::UnixStream},
    time::Duration,
};

use serde_json::{Value, json};

use crate::support::{Place, replies, server::Server};

const PEOPLE: &str =
    "tenants:\n  default:\n    people:\n      - { id: jonas, email: jonas@tarnside.example, tags: [staff] }\n";

/// What a server replies to a request of our own making.
fn requested(server: &Server, words: &[&str], identities: &Value) -> std::io::Result<String> {
    let version = server.place.run(&["--version"]).out;
    let terminal = json!({"screen": null, "bar_columns": null, "has_json_messages": false});
    let request = json!({
        "version": version.trim().trim_start_matches("vouch "), "words": words, "folder": server.place.path(""),
        "identities": identities, "settings": "", "terminal": terminal,
    });
    let mut stream = UnixStream::connect(server.place.path(".vouch/socket"))?;
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    stream.write_all(format!("{request}\n").as_bytes())?;
    let mut said = String::new();
    stream.read_to_string(&mut said)?;
    Ok(said)
}

#[test]
fn documents_have_the_ids_they_have_without_a_server_wherever_that_runs() {
    let server = Server::start("");
    let data = server.place.path(".vouch").display().to_string();
    server.place.write("far/piers/pier.md", "# The Pier\n\nThe long pier has 21 bollards and a lamp.\n");
    let far = server.place.path("far/piers").display().to_string();
    let client = Place::new();
    client.write("docs/boats/aldis.md", "# The Ferry\n\nThe ferry Aldis carries 48 passengers.\n");
    for data in [data.as_str(), "alone"] {
        let ran = client.run(&["ingest", "docs/boats", &far, "--data", data]);
        assert!(ran.code == Some(0) && ran.out.starts_with("added 2,"), "{data}: {}{}", ran.out, ran.err);
        let id = |words: &str| {
            let found = client.run(&["search", words, "--lane", "lexical", "--json", "--data", data]);
            replies::json(&found)[0]["document_id"].clone()
        };
        // What lies below the client's folder is named from there on, and only the end of any other path is told.
        assert_eq!((id("Aldis"), id("bollards")), (json!("docs/boats/aldis.md"), json!("piers/pier.md")), "{data}");
    }
}

#[test]
fn a_path_that_leads_elsewhere_for_the_server_is_neither_read_nor_written() {
    let server = Server::start("");
    server.place.write("people.yaml", PEOPLE);
    let import = ["vouch", "user", "import", "people.yaml"];
    let other = json!({"device": 1, "inode": 1});
    let told = requested(&server, &import, &json!([{"there": other}])).expect("a reply");
    assert!(told.contains("does not find the same files at people.yaml"), "{told}");
    for identities in [json!([]), json!(["nowhere", "nowhere"])] {
        let told = requested(&server, &import, &identities).expect("a reply");
        assert!(told.contains("could not be read"), "{told}");
    }
    assert!(!server.place.run(&["user", "list"]).out.contains("jonas"));
    let propose = ["vouch", "memory", "propose", "--output", "proposals.yaml"];
    let told = requested(&server, &propose, &json!([{"absent": other}])).expect("a reply");
    assert!(told.contains("does not find the same files at proposals.yaml"), "{told}");
    assert!(!server.place.path("proposals.yaml").exists());
    let there = std::fs::metadata(server.place.path("people.yaml")).expect("our own file");
    let same = json!([{"there": {"device": there.dev(), "inode": there.ino()}}]);
    let told = requested(&server, &import, &same).expect("a reply");
    assert!(told.contains("{\"ended\":0}"), "{told}");
    assert!(server.place.run(&["user", "list"]).out.contains("jonas"));
}

#[test]
#[cfg(target_os = "linux")]
fn a_path_is_judged_by_where_it_leads_and_not_by_its_name() {
    let server = Server::start("");
    std::os::unix::fs::symlink("/proc/self/environ", server.place.path("environ.yaml")).expect("our own link");
    for path in ["/usr/../proc/self/environ", "environ.yaml"] {
        let ran = server.place.run(&["user", "import", path]);
        assert!(ran.code == Some(2) && ran.err.contains("name a file"), "{path}: {:?} {}", ran.code, ran.err);
    }
    // Memory that processes share is the same for all of them.
    let Ok(mut shared) = tempfile::NamedTempFile::new_in("/dev/shm") else { return };
    shared.write_all(PEOPLE.as_bytes()).expect("our own file");
    let path = shared.path().display().to_string();
    let ran = server.place.run(&["user", "import", &path]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
}

#[test]
fn a_file_that_is_too_large_for_the_memory_of_a_server_is_refused() {
    let server = Server::start("");
    let cases: [(&str, u64, &[&str]); 5] = [
        ("turns.json", 16 << 20, &["ask", "How many days?", "--history", "turns.json"]),
        ("asked.jsonl", 256 << 20, &["ask", "--batch", "asked.jsonl"]),
        ("searched.jsonl", 256 << 20, &["search", "--batch", "searched.jsonl"]),
        ("people.yaml", 32 << 20, &["user", "import", "people.yaml"]),
        ("memory.yaml", 16 << 20, &["memory", "import", "memory.yaml"]),
    ];
    for (name, bytes_max, words) in cases {
        File::create(server.place.path(name)).and_then(|file| file.set_len(bytes_max + 1)).expect("our own file");
        let ran = server.place.run(words);
        let told = format!("has more than {bytes_max} bytes");
        assert!(ran.code == Some(2) && ran.err.contains(&told), "{name}: {:?} {}", ran.code, ran.err);
    }
}
