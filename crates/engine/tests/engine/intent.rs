//! What a question wants, told from its words: the document's own cases by name, then ours, half of them near misses.

use vouch_engine::understand::{Intent, intent};

fn term(question: &str) -> Option<String> {
    match intent(question) {
        Intent::Terminology(term) => Some(term),
        Intent::List(_) | Intent::Open => None,
    }
}

/// Name, question, and the term it asks for; none if it asks for none.
const OF_THE_DOCUMENT: &[(&str, &str, Option<&str>)] = &[
    ("INTENT-01", "What is CIMXML?", Some("cimxml")),
    ("INTENT-02", "Define voltage regulation", Some("voltage regulation")),
    ("INTENT-03", "ADR-0031", None),
    ("INTENT-04", "List ADRs about security", None),
    ("INTENT-05", "What is the TLS decision in ADRs?", None),
    ("INTENT-06", "What should I use for encryption?", None),
    ("INTENT-07", "CIM term transformer", Some("transformer")),
];

const TERMS: &[(&str, &str)] = &[
    ("WHAT IS CIM?", "cim"),
    ("what is cim", "cim"),
    ("  What   is CIM ?  ", "cim"),
    ("What is CIM?!", "cim"),
    ("\"What is CIM?\"", "cim"),
    ("What is \"CIM\"?", "cim"),
    ("What’s CIM?", "cim"),
    ("what's a busbar", "busbar"),
    ("whats a busbar?", "busbar"),
    ("What is a transformer?", "transformer"),
    ("What is an asset?", "asset"),
    ("What is the grid code?", "grid code"),
    ("What are busbars?", "busbars"),
    ("What are tie lines?", "tie lines"),
    ("define CGMES", "cgmes"),
    ("Define the term redispatch", "redispatch"),
    ("Definition of asset management", "asset management"),
    ("meaning of asset management", "asset management"),
    ("What is the meaning of congestion?", "congestion"),
    ("What is the definition of a feeder?", "feeder"),
    ("Explain the term CGMES", "cgmes"),
    ("explain term state estimation", "state estimation"),
    ("What does IEC 61970 mean?", "iec 61970"),
    ("What does CIM stand for?", "cim"),
    ("what does \"N-1\" mean", "n-1"),
    ("What is meant by topology processing?", "topology processing"),
    ("How is congestion defined?", "congestion"),
    ("skosmos term feeder", "feeder"),
    ("What is state of charge?", "state of charge"),
    ("What is FooBarBaz?", "foobarbaz"),
    ("What is an ADR?", "adr"),
    ("What is a principle?", "principle"),
    ("Define __TEST_SKOSMOS_TIMEOUT__", "__test_skosmos_timeout__"),
    ("Please define busbar.", "busbar"),
];

const NO_TERMS: &[&str] = &[
    "What is the data retention policy?",
    "Define the TLS requirements in ADRs",
    "Define the encryption requirements in ADR-0015",
    "What is decided about TLS versions?",
    "What is in the CIM policy?",
    "What does ADR.0031 decide?",
    "What does ADR-12 mean?",
    "what is adr 12",
    "What is the meaning of ADR-0031?",
    "Show all principles",
    "Show me the policies",
    "What can I use for messaging?",
    "What will replace Gridline?",
    "What is the retention period for SCADA data?",
    "What is the maximum latency?",
    "What is the status of the migration?",
    "What is the difference between CIM and CGMES?",
    "What is our approach to encryption?",
    "What is this?",
    "What does it mean?",
    "What are the interoperability principles?",
    "What are the consequences of choosing MQTT for telemetry?",
    "What is required before a release?",
    "What is used for authentication?",
    "How do we ensure grid stability?",
    "Who owns the asset register?",
    "When was MQTT chosen?",
    "Security decisions and principles",
    "Why is the event bus needed?",
    "Define the approval process",
    "What is the CIM policy about?",
    "What is the decision on the event bus?",
    "What is the owner of the model?",
    "How many ADRs are there?",
    "transformer",
    "Is CIM mandatory?",
    "What is the name of the asset register?",
    "What is stored in the asset register?",
];

#[test]
fn the_documents_own_cases() {
    for (name, question, expected) in OF_THE_DOCUMENT {
        assert_eq!(term(question).as_deref(), *expected, "{name}: {question}");
    }
}

#[test]
fn questions_for_a_term() {
    for (question, expected) in TERMS {
        assert_eq!(term(question).as_deref(), Some(*expected), "{question}");
    }
}

#[test]
fn questions_that_only_look_like_it() {
    for question in NO_TERMS {
        assert_eq!(term(question), None, "{question}");
    }
}

#[test]
fn one_document_is_no_list() {
    for question in ["Show me the verse on moles", "show the policy about travel", "Show me ADR-12"] {
        assert!(!matches!(intent(question), Intent::List(_)), "{question}");
    }
}

#[test]
fn lists_name_a_kind_and_perhaps_a_topic() {
    let cases = [
        ("List ADRs", "adrs", None),
        ("list all ADRs.", "adrs", None),
        ("List ADRs about security", "adrs", Some("security")),
        ("Show all principles about security", "principles", Some("security")),
        ("Show me the policies", "policies", None),
        ("Which principles are there?", "principles", None),
        ("What policies do we have on encryption?", "policies", Some("encryption")),
        ("How many ADRs are there?", "adrs", None),
        ("How many ADRs are there about security?", "adrs", Some("security")),
        ("How many policies do we have?", "policies", None),
        ("Give me a list of all policies", "policies", None),
        ("LIST ALL ADRS", "adrs", None),
        ("List the rejected ADRs", "rejected adrs", None),
        ("Which ADRs are still proposed?", "proposed adrs", None),
        ("How many ADRs were rejected?", "rejected adrs", None),
        ("How many ADRs are available?", "adrs", None),
        ("Which principles are about interoperability?", "principles", Some("interoperability")),
    ];
    for (question, noun, about) in cases {
        let Intent::List(request) = intent(question) else { panic!("{question} is no list") };
        assert_eq!((request.noun.as_str(), request.about.as_deref()), (noun, about), "{question}");
    }
}

#[test]
fn what_is_no_list() {
    for question in ["What is CIM?", "How do I list the open faults of a feeder in the control room?", "ADR-0012"] {
        assert!(!matches!(intent(question), Intent::List(_)), "{question}");
    }
}
