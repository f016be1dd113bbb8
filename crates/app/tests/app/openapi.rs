//! The description of the API checked against the server itself by Schemathesis: whatever it makes up from the
//! description, right or wrong, is answered as described.

use std::{path::Path, process::Command, time::Duration};

use vouch_domain::Role;
use vouch_testkit::{
    python::{self, Dependencies},
    skip,
};

use crate::support::{
    Place, callers, finish_within,
    server::{self, Server},
};

/// Schemathesis and everything it stands on.
const PACKAGES: &[&str] = &[
    "schemathesis==4.32.5",
    "anyio==4.16.0",
    "certifi==2026.10.18",
    "charset-normalizer==3.5.2",
    "click==8.5.1",
    "graphql-core==3.3.2",
    "harfile==0.6.0",
    "hypothesis==6.170.15",
    "hypothesis-graphql==0.13.5",
    "idna==3.20",
    "iniconfig==2.3.1",
    "jsonschema_rs==0.60.3",
    "markdown-it-py==4.3.0",
    "MarkupSafe==3.0.4",
    "mdurl==0.1.2",
    "packaging==26.3",
    "pluggy==1.7.0",
    "Pygments==2.21.0",
    "pyrate-limiter==4.5.1",
    "pytest==9.2.0",
    "PyYAML==6.0.3",
    "requests==2.34.2",
    "rich==15.0.0",
    "sortedcontainers==2.4.0",
    "typing_extensions==4.16.0",
    "urllib3==2.8.0",
    "Werkzeug==3.1.9",
];

/// It sends thousands of requests one after the other.
const DEADLINE: Duration = Duration::from_secs(3_600);

/// Judging makes answers slow and changes nothing of their shape.
const SETTINGS: &str = "judge: { model: none, gates: [{ gate: query_coverage, at_least: 0.5 }] }\n";

/// What a description cannot say: whether a model is allowed, whether a reference leads somewhere, whether a text or a
/// file says anything, whether somebody answers for a topic, whether there is such a finding, that whole numbers are written without a point, that feedback needs a thumb or a
/// rating, that nobody can sign in here; and that a bad document among others is reported and not refused.
const CHECKS: &str = r#"
[[operations]]
include-name = ["POST /v1/ask", "POST /v1/ask/stream", "POST /v1/chat/completions", "POST /v1/memory", "POST /v1/documents", "POST /v1/jobs", "POST /v1/matches", "POST /v1/questions", "POST /v1/search"]
checks.positive_data_acceptance.expected-statuses = [200, 207, 400]

[[operations]]
include-name = "POST /v1/files"
checks.positive_data_acceptance.expected-statuses = [200, 207, 400, 409]

[[operations]]
include-name = "PATCH /v1/documents/{id}"
checks.positive_data_acceptance.expected-statuses = [200, 400, 404]

[[operations]]
include-name = "POST /v1/feedback"
checks.positive_data_acceptance.expected-statuses = [200, 400, 404]

[[operations]]
include-name = "POST /v1/findings/dismiss"
checks.positive_data_acceptance.expected-statuses = [200, 404]

[[operations]]
include-name = "POST /v1/sign-in"
checks.positive_data_acceptance.expected-statuses = [400, 404]

[[operations]]
include-name = "POST /v1/documents"
checks.negative_data_rejection.expected-statuses = [207, 400, 401, 403, 408, 415]
"#;

const TERMS: &str = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n\
    <http://e/carry> a skos:Concept ; skos:prefLabel \"carry-over\"@en ; skos:definition \"Leave kept.\"@en .\n";

#[test]
fn the_server_does_what_its_description_says() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("schemathesis");
    let python = python::with_packages(&folder, PACKAGES, Dependencies::LeftOut);
    let Ok(python) = python.map_err(|reason| skip("the description of the API, by Schemathesis", &reason)) else {
        return;
    };
    let place = Place::new();
    place.write("docs/leave.md", server::LEAVE);
    place.write("terms.ttl", TERMS);
    place.write("vouch.yaml", SETTINGS);
    place.write("schemathesis.toml", CHECKS);
    for words in [["ingest", "docs"].as_slice(), &["vocab", "import", "terms.ttl"]] {
        let ran = place.run(words);
        assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    }
    let key = callers::key(&place, "default", Role::Admin, None);
    let server = Server::over(place);
    let ran = finish_within(schemathesis(&python, &server, key.trim()), DEADLINE);
    assert_eq!(ran.code, Some(0), "{}\n{}", ran.out, ran.err);
    assert!(ran.out.contains("No issues found"), "{}", ran.out);
    let heard = server.heard();
    assert!(!heard.iter().any(|line| line.contains("panicked")), "{heard:?}");
}

fn schemathesis(python: &Path, server: &Server, key: &str) -> Command {
    let mut command = Command::new(python.with_file_name("schemathesis"));
    command
        .args(["--config-file", "schemathesis.toml", "run"])
        .arg(format!("http://{}/openapi.json", server.address))
        .args(["--header", key, "--checks", "all", "--max-examples", "60", "--generation-deterministic"])
        .args(["--no-color", "--workers", "1", "--request-timeout", "120", "--warnings", "off"])
        .current_dir(server.place.path(""));
    command
}
