//! A book in EPUB, or its only chapter → documents whose passages are their own text, within the limits a person is told of.
#![no_main]

use libfuzzer_sys::fuzz_target;
use vouch_domain::SourceFormat;
use vouch_fuzz::{documents, packages};

fuzz_target!(|bytes: &[u8]| {
    if bytes.starts_with(b"PK") {
        documents::check(SourceFormat::Epub, bytes);
    } else {
        documents::check(SourceFormat::Epub, &packages::epub(bytes));
    }
});
