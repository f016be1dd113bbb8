//! The contract of `Parser`: every input has an answer, and what is read fits together.

use std::collections::BTreeSet;

use vouch_domain::{RawDocument, SourceFormat, document::Labels, ports::Parser};

use crate::corpus::TENANT;

const INPUTS: [&[u8]; 12] = [
    b"",
    b" \n\t\n",
    b"\xff\xfe\x00bad",
    b"nul \0 inside",
    b"One plain line.",
    b"---\ntitle: [unclosed\n---\nText.",
    b"---\nid: x\n",
    "# Héading\n\nÜber Umlaute. 漢字。\n\n## Next\n".as_bytes(),
    b"<html><body><h1>Title</h1><p>Text &amp; more<ul><li>a<li>b</ul>",
    b"{\"id\":\"a\",\"text\":\"One.\"}\n{\"id\":1}\n[]\n{\"id\":\"b\",\"text\":\"# H\\n\\nTwo.\"}",
    b"{\"id\":\"a\",\"text\":5,\"tags\":{}}",
    b"```\n# not a heading\n```\n\n***\n\n| a | b |\n|---|---|\n",
];

/// Runs every clause.
pub fn check(parser: &dyn Parser) {
    for format in SourceFormat::ALL {
        for bytes in INPUTS {
            let raw = RawDocument {
                source: "/docs/input".to_owned(),
                fallback_id: "input".to_owned(),
                url: None,
                format,
                bytes: bytes.to_vec(),
                labels: Labels { tenant: TENANT.to_owned(), tags: BTreeSet::new(), ..Labels::default() },
            };
            let parsed = parser.parse(raw.clone());
            assert!(!parsed.is_empty(), "{format:?} {bytes:?} has no answer");
            assert_eq!(parsed, parser.parse(raw), "the same bytes give the same documents");
            for outcome in parsed {
                match outcome {
                    Err(fault) => assert!(!fault.sentence.trim().is_empty(), "{format:?} {bytes:?}"),
                    Ok(document) => check_document(&document),
                }
            }
        }
    }
}

/// Sections lie in order on whole characters, and the card says where the document is from.
fn check_document(document: &vouch_domain::Document) {
    assert_eq!((document.card.tenant.as_str(), document.card.source.as_str()), (TENANT, "/docs/input"));
    assert!(document.text.chars().any(char::is_alphanumeric), "{document:?}");
    assert!(!document.card.title.is_empty() && !document.card.kind.is_empty(), "{document:?}");
    let mut last = 0;
    for section in &document.sections {
        assert!(section.start >= last && section.start <= section.end, "{document:?}");
        assert!(document.text.get(section.start..section.end).is_some(), "{document:?}");
        last = section.end;
    }
}
