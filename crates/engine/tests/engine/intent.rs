//! What a question wants, told from its words: the document's own cases by name, then ours, half of them near misses.

use vouch_engine::understand::{Intent, definable, intent};

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
    ("What exactly is a busbar?", "busbar"),
    ("Tell me what busbar means", "busbar"),
    ("Can you tell me what a busbar is?", "busbar"),
    ("What do we mean by congestion?", "congestion"),
    ("How do we define congestion?", "congestion"),
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
        ("How many ADRs are available?", "adrs", None),
        ("Which principles are about interoperability?", "principles", Some("interoperability")),
    ];
    for (question, noun, about) in cases {
        let Intent::List(request) = intent(question) else { panic!("{question} is no list") };
        assert_eq!((request.noun.as_str(), request.about.as_deref()), (noun, about), "{question}");
    }
}

/// Question, noun, status, topic, time.
type Asked = (&'static str, &'static str, Option<&'static str>, Option<&'static str>, Option<&'static str>);

const CONDITIONS: &[Asked] = &[
    ("Show ADRs", "adrs", None, None, None),
    ("Show deprecated ADRs", "deprecated adrs", None, None, None),
    ("List all ADRs dated 2026", "adrs", None, None, Some("2026")),
    ("How many ADRs about security are there?", "adrs", None, Some("security"), None),
    ("Which ADRs are still proposed?", "adrs", Some("proposed"), None, None),
    ("How many ADRs were rejected?", "adrs", Some("rejected"), None, None),
    ("How many of the ADRs are deprecated?", "adrs", Some("deprecated"), None, None),
    ("List ADRs about security that are deprecated", "adrs", Some("deprecated"), Some("security"), None),
    ("List ADRs that are deprecated about security", "adrs", Some("deprecated"), Some("security"), None),
    ("List ADRs with status superseded", "adrs", Some("superseded"), None, None),
    ("Show me all accepted ADRs from 2024 on encryption", "accepted adrs", None, Some("encryption"), Some("2024")),
    ("List ADRs about security dated 2026", "adrs", None, Some("security"), Some("2026")),
    ("Which ADRs were made in 2025?", "adrs", None, None, Some("2025")),
    ("How many ADRs do we have since 2024?", "adrs", None, None, Some("since 2024")),
    ("How many ADRs since March 2024 do we have about TLS?", "adrs", None, Some("tls"), Some("since 2024-03")),
    ("List the 2025 ADRs", "adrs", None, None, Some("2025")),
    ("Count ADRs on outages in 2024", "adrs", None, Some("outages in 2024"), None),
    ("Which policies mention passwords?", "policies", None, Some("passwords"), None),
    ("Give me an overview of the principles", "principles", None, None, None),
    ("Show all ADRs for 2026", "adrs", None, None, Some("2026")),
    ("What is the number of ADRs about security?", "adrs", None, Some("security"), None),
    ("All deprecated ADRs", "deprecated adrs", None, None, None),
];

#[test]
fn conditions_of_a_list_are_read_in_any_order() {
    for (question, noun, status, about, dated) in CONDITIONS {
        let Intent::List(request) = intent(question) else { panic!("{question} is no list") };
        let dated_as = request.dated.as_ref().map(|span| span.said.as_str());
        let read = (request.noun.as_str(), request.status.as_deref(), request.about.as_deref(), dated_as);
        assert_eq!(read, (*noun, *status, *about, *dated), "{question}");
    }
}

#[test]
fn what_could_be_a_term_is_told_whatever_else_it_looks_like() {
    let cases = [
        ("What is planned outage?", "planned outage"),
        ("What is the difference model?", "difference model"),
        ("What is current transformer?", "current transformer"),
        ("What is on-load tap changer?", "on-load tap changer"),
        ("Explain tap changer", "tap changer"),
        ("Tell me what planned outage means", "planned outage"),
        ("Tell me what a planned outage is.", "planned outage"),
        ("What exactly is current transformer?", "current transformer"),
        ("meaning of on-load tap changer", "on-load tap changer"),
        ("What is a difference model, exactly?", "difference model"),
        ("Could you explain what the difference model is?", "difference model"),
        ("What do we mean by planned outage?", "planned outage"),
        ("What is sent in the clear vs. by cipher, etc.?", "sent in the clear vs. by cipher, etc."),
    ];
    for (question, name) in cases {
        assert!(definable(question).iter().any(|reading| reading == name), "{question}: {:?}", definable(question));
    }
    for question in ["What does ADR-12 mean?", "What is decided about TLS?", "List ADRs", "Who owns the register?"] {
        assert_eq!(definable(question), Vec::<String>::new(), "{question}");
    }
}

#[test]
fn what_is_no_list() {
    for question in [
        "What is CIM?",
        "What are the policies on sick leave?",
        "What policies on sick leave apply to me?",
        "Which policy is about travel?",
        "Find the policy on travel",
        "What decisions should I take?",
        "How do I list the open faults of a feeder in the control room?",
        "ADR-0012",
    ] {
        assert!(!matches!(intent(question), Intent::List(_)), "{question}");
    }
}
