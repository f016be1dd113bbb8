//! A settings file: read as settings that, written down and read again, are the same, or refused in one line.
#![no_main]

use libfuzzer_sys::fuzz_target;
use vouch_app::settings::{Settings, ThresholdSettings, parse_text};

fuzz_target!(|text: &str| {
    // Thresholds may stand in a file of their own; no file is opened because an input names it.
    let names_a_file = |read: Settings| matches!(read.judge.thresholds, Some(ThresholdSettings::File(_)));
    if serde_saphyr::from_str::<Settings>(text).is_ok_and(names_a_file) {
        return;
    }
    match parse_text("vouch.yaml", text) {
        Ok(loaded) => {
            // JSON is YAML.
            let written = serde_json::to_string(&loaded.settings).expect("settings can be written");
            let again = parse_text("vouch.yaml", &written).expect("what was written can be read");
            assert_eq!(again.settings, loaded.settings, "settings that change when they are read again");
        }
        Err(error) => {
            let sentence = error.to_string();
            assert!(!sentence.is_empty() && !sentence.contains('\n'), "{sentence:?}");
        }
    }
});
