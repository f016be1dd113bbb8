//! Plain text → a document; its text, written down and read again, is the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use vouch_domain::SourceFormat;
use vouch_fuzz::documents;

fuzz_target!(|bytes: &[u8]| {
    for document in documents::check(SourceFormat::PlainText, bytes).into_iter().flatten() {
        // A text that begins like front matter would lose it on the way back.
        if document.text.starts_with("---") || document.text.starts_with('\u{feff}') {
            continue;
        }
        let again = documents::check(SourceFormat::PlainText, document.text.as_bytes());
        let again = again.into_iter().flatten().next().expect("what was read can be read");
        assert_eq!(again.text, document.text, "a text that changes when it is read again");
    }
});
