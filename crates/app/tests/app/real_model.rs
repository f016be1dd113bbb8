//! The whole way with a real model behind a real server: whatever it says, only what its notes support is shown.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use serde_json::Value;
use vouch_testkit::{real_model::RealServer, skip};

use crate::support::Place;

const LEAVE: &str =
    "# Annual Leave\n\nStaff have 26 days of paid annual leave a year. Unused leave is carried over with form P-04.\n";

#[test]
fn test_generate_full_pipeline_with_a_real_model() {
    let server = RealServer::start(Path::new(env!("CARGO_TARGET_TMPDIR")));
    let Ok(server) = server.map_err(|reason| skip("answers of a real model", &reason)) else { return };
    let place = Place::new();
    place.write("docs/leave.md", LEAVE);
    place.write(
        "vouch.yaml",
        format!(
            "models:\n  servers: {{ here: {{ kind: openai, url: \"{}\" }} }}\n  allowed: {{ \"smollm2:135m\": {{ context_window: 1024, \
             max_response: 80 }} }}\n  answer: {{ server: here, model: \"smollm2:135m\", temperature: 0.0 }}\n  context_tokens_max: 300\n  \
             system_tokens_reserved: 100\n  timeout_ms: 90000\n  first_token_timeout_ms: 60000\ncompose: {{ on_failure: fail }}\n",
            server.base_url()
        ),
    );
    assert_eq!(place.run(&["ingest", "docs"]).code, Some(0));
    let started = Instant::now();
    while place.run(&["doctor"]).code != Some(0) {
        assert!(started.elapsed() < Duration::from_secs(60), "{}", server.log());
        std::thread::sleep(Duration::from_millis(500));
    }
    let ran = place.run(&["ask", "How many days of paid annual leave do staff have?", "--json", "--explain"]);
    assert_eq!(ran.code, Some(0), "{}\n{}", ran.err, server.log());
    let reply: Value = serde_json::from_str(ran.out.lines().last().expect("a line")).expect("JSON");
    assert_eq!((&reply["fallback_mode"], &reply["trace"]["writer"]["model"]), (&false.into(), &"smollm2:135m".into()));
    // Small as it is, it may fail; what it may not do is to be believed.
    for claim in reply["claims"].as_array().expect("claims") {
        assert_eq!(claim["supported"], true);
        assert!(claim["score"].as_f64().is_some_and(|score| score >= 0.5), "{claim}");
        assert_eq!(claim["markers"], serde_json::json!([1]));
    }
    let is_answered = reply["outcome"] == "answered";
    assert_eq!(is_answered, !reply["citations"].as_array().expect("citations").is_empty());
}
