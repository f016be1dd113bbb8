//! The contract of `Vocabulary`, on one that holds the concepts below.

use std::sync::Arc;

use vouch_domain::{Concept, Reader, TermKey, ports::Vocabulary};

use crate::fakes::concept;

/// The concepts the vocabulary under test holds.
#[must_use]
pub fn concepts() -> Vec<Concept> {
    vec![
        concept("https://terms.test/busbar", &["Busbar", "bus bar"], Some("A conductor that joins circuits.")),
        concept("https://terms.test/cim-model", &["Common Information Model", "CIM"], Some("A model of the grid.")),
        concept("https://terms.test/cim-module", &["Customer Interface Module", "CIM"], Some("A part of a meter.")),
        concept("https://terms.test/bare", &["Black start"], None),
    ]
}

fn key(text: &str) -> TermKey {
    TermKey::parse(text).expect("a usable term")
}

/// Runs every clause.
pub async fn check(vocabulary: Arc<dyn Vocabulary>, reader: &Reader) {
    let uris = |text: &'static str| {
        let vocabulary = Arc::clone(&vocabulary);
        async move {
            let found = vocabulary.look_up(reader, &key(text)).await.expect("an answer");
            found.iter().map(|one| one.uri.clone()).collect::<Vec<_>>()
        }
    };
    assert_eq!(uris("Busbar").await, ["https://terms.test/busbar"]);
    assert_eq!(uris("BUS   bar").await, ["https://terms.test/busbar"]);
    assert_eq!(uris("cim").await, ["https://terms.test/cim-model", "https://terms.test/cim-module"]);
    assert_eq!(uris("busbars of steel").await, Vec::<String>::new());
    assert_eq!(uris("bus").await, Vec::<String>::new());
    for hostile in ["*", "%", "bus*", "' OR 1=1 --", "\u{0}", "../../etc/passwd", "\u{202e}rabsub"] {
        assert_eq!(uris(hostile).await, Vec::<String>::new(), "{hostile}");
    }
    let found = vocabulary.look_up(reader, &key("busbar")).await.expect("an answer");
    let definition = found.first().and_then(|one| one.definition("en")).map(|wording| wording.text.as_str());
    assert_eq!(definition, Some("A conductor that joins circuits."));
    let alike = vocabulary.similar(reader, &key("busbarr"), 2).await.expect("an answer");
    assert_eq!(alike.first().map(String::as_str), Some("Busbar"), "{alike:?}");
    assert!(alike.len() <= 2, "{alike:?}");
}
