//! A judge that is given no time: what it could not read is told as such, and a batch waits for it.

use crate::support::{Place, finish, replies::json};

const DEEP: &str = "How deep is the well?";

#[test]
fn a_question_that_was_not_read_in_time_says_so_and_a_batch_waits() {
    let place = Place::new();
    place.write("docs/well.md", "# Well\n\nThe well is 12 metres deep.\n");
    // Far more than any judge reads in a millisecond.
    let long = "The parish looks after the well and its deep shaft. ".repeat(40);
    for number in 0..8 {
        place.write(
            &format!("docs/parish-{number}.md"),
            format!("# Parish {number}\n\nThe well of year {number}. {long}\n"),
        );
    }
    assert_eq!(place.run(&["ingest", "docs"]).code, Some(0));
    let hurried = |words: &[&str]| {
        let mut command = place.vouch(words);
        command.env("VOUCH_JUDGE_READ_TIMEOUT_MS", "1");
        json(&finish(command))
    };
    let cut = hurried(&["ask", DEEP, "--json"]);
    assert_eq!(
        (cut["abstain_reason"].as_str(), cut["fallback_mode"].as_bool()),
        (Some("not_read_in_time"), Some(true)),
        "{cut}"
    );
    place.write("batch.jsonl", format!("{{\"id\": 1, \"query\": \"{DEEP}\"}}\n"));
    let batch = hurried(&["ask", "--batch", "batch.jsonl", "--json"]);
    assert!(batch.to_string().contains("12 metres"), "{batch}");
}
