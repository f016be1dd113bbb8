//! Bodies of documents and memory entries; the first byte chooses the path. Every document sent is counted once.
#![no_main]

use libfuzzer_sys::fuzz_target;
use vouch_fuzz::service::post;

const PATHS: [&str; 2] = ["/v1/documents", "/v1/memory"];

fuzz_target!(|bytes: &[u8]| {
    let Some((first, body)) = bytes.split_first() else { return };
    let path = PATHS[usize::from(*first) % PATHS.len()];
    let told = post(path, body);
    let reply = told.json();
    if path == "/v1/documents" && (told.status == 200 || told.status == 207) {
        let failures = reply["failures"].as_array().expect("a list of failures");
        assert_eq!(reply["failed"].as_u64(), Some(failures.len() as u64), "{reply}");
        let counts = ["added", "updated", "unchanged", "failed"].map(|name| reply[name].as_u64().expect("a count"));
        let sent = match serde_json::from_slice::<serde_json::Value>(body) {
            Ok(serde_json::Value::Array(list)) => list.len() as u64,
            _ => 1,
        };
        assert_eq!(counts.iter().sum::<u64>(), sent, "{reply}");
        for failure in failures {
            assert!(failure["reason"].as_str().is_some_and(|reason| !reason.trim().is_empty()), "{reply}");
        }
    }
});
