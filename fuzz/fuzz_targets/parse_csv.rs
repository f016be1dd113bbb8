//! Values with delimiters between → documents whose passages are their own text, within the limits a person is told of.
#![no_main]

use libfuzzer_sys::fuzz_target;
use vouch_domain::SourceFormat;
use vouch_fuzz::documents;

fuzz_target!(|bytes: &[u8]| {
    documents::check(SourceFormat::Csv, bytes);
});
