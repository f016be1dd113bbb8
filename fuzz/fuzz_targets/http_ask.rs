//! Bodies of questions, searches, claims and feedback; the first byte chooses the path. Every one has an answer with a
//! status below 500, and an answer's words are the document's.
#![no_main]

use libfuzzer_sys::fuzz_target;
use vouch_fuzz::service::{LEAVE, post};

const PATHS: [&str; 5] = ["/v1/ask", "/v1/ask/stream", "/v1/search", "/v1/check", "/v1/feedback"];

fuzz_target!(|bytes: &[u8]| {
    let Some((first, body)) = bytes.split_first() else { return };
    let path = PATHS[usize::from(*first) % PATHS.len()];
    let told = post(path, body);
    if told.media.starts_with("text/event-stream") {
        assert_eq!(path, "/v1/ask/stream");
        let events: Vec<&str> = told.text.lines().filter_map(|line| line.strip_prefix("data:")).collect();
        assert!(!events.is_empty() && told.text.ends_with("\n\n"), "{:?}", told.text);
        for event in events {
            assert!(serde_json::from_str::<serde_json::Value>(event).is_ok(), "{event:?}");
        }
        return;
    }
    let reply = told.json();
    for claim in reply["claims"].as_array().into_iter().flatten().filter(|_| path == "/v1/ask") {
        assert_eq!(claim["text"], LEAVE, "{reply}");
    }
});
