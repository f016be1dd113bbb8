//! A corpus small enough to know by heart.

use std::collections::BTreeSet;

use vouch_domain::{
    CharSpan, ContentHash, Document, DocumentCard, DocumentId, EmbeddedPassage, Passage, Section, ports::KeptDocument,
};

use crate::fakes::FakeEmbedder;

/// The tenant of the tiny corpus.
pub const TENANT: &str = "acme";

/// A card with the given id and tags, everything else plain.
#[must_use]
pub fn card(id: &str, tags: &[&str]) -> DocumentCard {
    DocumentCard {
        id: DocumentId::parse(id).expect("a usable id"),
        tenant: TENANT.to_owned(),
        source: format!("/docs/{id}.md"),
        title: format!("About {id}"),
        kind: "guide".to_owned(),
        collection: "default".to_owned(),
        status: None,
        date: None,
        version: None,
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect::<BTreeSet<String>>(),
        topics: BTreeSet::new(),
        owner: None,
        address: None,
        url: None,
        superseded_by: None,
    }
}

/// The same of a collection.
#[must_use]
pub fn card_of(collection: &str, id: &str, tags: &[&str]) -> DocumentCard {
    DocumentCard { collection: collection.to_owned(), ..card(id, tags) }
}

/// A document whose every line is a passage, ready to be kept.
#[must_use]
pub fn kept(card: DocumentCard, lines: &[&str]) -> KeptDocument {
    let text = lines.join("\n");
    let mut start = 0;
    let passages = (0u32..)
        .zip(lines)
        .map(|(ordinal, line)| {
            let end = start + line.chars().count();
            let passage = Passage {
                ordinal,
                section: ["Facts".to_owned()].into(),
                span: CharSpan { start, end },
                text: (*line).to_owned(),
                address: None,
                times: Vec::new(),
                pages: Vec::new(),
            };
            start = end + 1;
            EmbeddedPassage { embedding: FakeEmbedder::vector(line), passage }
        })
        .collect();
    let hash = ContentHash(*blake3::hash(text.as_bytes()).as_bytes());
    let sections = vec![Section { path: ["Facts".to_owned()].into(), start: 0, end: text.len() }];
    KeptDocument {
        ended_edits: Vec::new(),
        document: Document {
            card,
            text,
            sections,
            times: Vec::new(),
            pages: Vec::new(),
            states_access: true,
            warnings: Vec::new(),
        },
        hash,
        passages,
        taken_in_ms: 1_000,
    }
}
