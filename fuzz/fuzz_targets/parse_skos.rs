//! A vocabulary in the syntax the first byte names → concepts with a name each, or a place and a sentence.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use vouch_adapters::skos_file;

const NAMES: [&str; 6] = ["v.ttl", "v.trig", "v.nt", "v.nq", "v.rdf", "v.jsonld"];

fuzz_target!(
    init: {
        // A parser of others that panics is caught and told as a fault; a panic of our own is a find.
        std::panic::set_hook(Box::new(|panic| {
            if panic.location().is_none_or(|place| !place.file().contains("/registry/")) {
                eprintln!("{panic}");
                std::process::abort();
            }
        }));
    },
    |bytes: &[u8]| {
        let Some((first, rest)) = bytes.split_first() else { return };
        let path = Path::new(NAMES[usize::from(*first) % NAMES.len()]);
        let read = skos_file::read(path, rest);
        assert_eq!(read, skos_file::read(path, rest), "the same bytes gave two answers");
        match read {
            Ok(concepts) => {
                assert!(concepts.is_sorted_by(|one, next| one.uri < next.uri), "concepts out of order, or twice");
            }
            Err(fault) => {
                assert!(!fault.sentence.is_empty() && fault.sentence.chars().count() <= 401, "{fault:?}");
                assert!(!fault.to_string().contains('\n'), "a fault of several lines: {fault:?}");
            }
        }
    }
);
