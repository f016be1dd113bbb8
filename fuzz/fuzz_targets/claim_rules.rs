//! A claim, a line with `=`, and evidence → what the rules say: a copy of the evidence meets no objection, and what was
//! not read is no support.
#![no_main]

use libfuzzer_sys::fuzz_target;
use vouch_engine::verify::checks::check_claim;

fuzz_target!(|text: &str| {
    let (claim, evidence) = text.split_once("\n=\n").unwrap_or((text, text));
    let checked = check_claim(claim, &[evidence]);
    assert!((0.0..=1.0).contains(&checked.overlap), "an overlap of {}", checked.overlap);
    assert_eq!(checked, check_claim(claim, &[evidence]), "the same claim was read in two ways");
    if checked.is_copy {
        assert!(checked.findings.is_empty(), "a copy meets {:?}", checked.findings);
    }
    for finding in &checked.findings {
        assert!(!finding.sentence().is_empty());
    }
});
