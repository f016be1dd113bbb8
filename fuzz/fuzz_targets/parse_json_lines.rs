//! JSON Lines → one document or fault per line; a document written as a line again is read as the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use vouch_domain::SourceFormat;
use vouch_fuzz::documents;

fuzz_target!(|bytes: &[u8]| {
    for document in documents::check(SourceFormat::JsonLines, bytes).into_iter().flatten() {
        let card = &document.card;
        let line = serde_json::json!({
            "id": card.id.as_str(), "title": card.title, "text": document.text, "kind": card.kind,
            "collection": card.collection, "tags": card.tags, "date": card.date, "version": card.version,
        });
        let again = documents::check(SourceFormat::JsonLines, line.to_string().as_bytes());
        let Some(Ok(again)) = again.into_iter().next() else { panic!("what was read cannot be read again: {line}") };
        assert_eq!((&again.card.id, &again.card.title, &again.card.tags), (&card.id, &card.title, &card.tags));
        assert_eq!((&again.card.kind, &again.card.date), (&card.kind, &card.date));
    }
});
