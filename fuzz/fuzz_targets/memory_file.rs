//! A file of memory entries: each stands there once and says what its kind says, or the file is refused.
#![no_main]

use std::collections::BTreeSet;

use libfuzzer_sys::fuzz_target;
use vouch_app::memory_file;
use vouch_domain::MemoryKind;

fuzz_target!(|text: &str| {
    if let Ok(memory_file::Read { entries, .. }) = memory_file::parse(text, "default") {
        let ids: BTreeSet<_> = entries.iter().map(|entry| &entry.id).collect();
        assert_eq!(ids.len(), entries.len(), "an entry twice");
        for entry in &entries {
            assert_eq!(entry.tenant, "default");
            assert!(entry.kind == MemoryKind::Note || entry.note.is_empty(), "a pinned question with a note");
        }
    }
});
