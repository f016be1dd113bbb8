//! A file of people and topics: everyone in it is sound and stands there once, or the file is refused in one line.
#![no_main]

use std::collections::BTreeSet;

use libfuzzer_sys::fuzz_target;
use vouch_app::people_file;

fuzz_target!(|text: &str| {
    match people_file::parse(text) {
        Ok(read) => {
            assert!(read.people.iter().all(|person| person.fault().is_none()), "a person with a fault");
            assert!(read.topics.iter().all(|(_, topic)| topic.fault().is_none()), "a topic with a fault");
            let ids: BTreeSet<_> = read.people.iter().map(|person| (&person.tenant, &person.id)).collect();
            assert_eq!(ids.len(), read.people.len(), "a person twice");
        }
        Err(error) => assert!(!error.to_string().contains('\n'), "{error}"),
    }
});
