//! Timed lectures, numbered verses and what editors prepared, through the binary.
#![expect(clippy::panic, reason = "a broken test should stop where it breaks")]

use serde_json::Value;

use crate::support::{Place, Ran};

const LECTURE: &str = "WEBVTT

NOTE
---
id: lecture-1
title: The Keeper's Day
kind: lecture
address: L.1
url: https://lectures.test/1
---

00:00:00.000 --> 00:00:05.000
Good evening and welcome to the mill.

00:00:05.100 --> 00:00:11.000
The keeper of the gate is up at half past three in the morning.

00:12:34.500 --> 00:12:41.000
The lhōsta, the closing board, is made of oak and weighs thirty-eight kilograms when it is wet.
";

const VERSES: &str = "---
id: verses
title: The Channel Verses
kind: verse
addresses: \"CV {}\"
---

# 1 Of the Turn

## 1.1

A vāṇira is six hours long,
and half of it is a sīvara.

## 1.2

The first turn of spring goes to Coldwell,
then to Tarrow, then to Ness.

## 1.3

Who steals water loses three turns, and six at night.
";

const SETTINGS: &str = r"
understand:
  addresses:
    - { kind: verse, pattern: '(?i)\bCV (?P<chapter>\d+)\.(?P<verse>\d+)', normal: 'CV {chapter}.{verse}' }
";

struct School {
    place: Place,
}

impl School {
    fn new() -> Self {
        let place = Place::new();
        place.write("vouch.yaml", SETTINGS);
        place.write("corpus/1.vtt", LECTURE);
        place.write("corpus/verses.md", VERSES);
        let school = Self { place };
        let ran = school.place.run(&["ingest", "corpus"]);
        assert!(ran.code == Some(0) && ran.out.contains("added 4"), "{}{}", ran.out, ran.err);
        school
    }

    fn run(&self, words: &[&str]) -> Ran {
        self.place.run(words)
    }

    fn json(&self, words: &[&str]) -> Value {
        let ran = self.run(&[words, &["--json"]].concat());
        serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{}{}", ran.out, ran.err))
    }
}

#[test]
fn a_citation_plays_from_the_words_it_quotes() {
    let reply = School::new().json(&["ask", "How much does the wet closing board of oak weigh?"]);
    let citation = &reply["citations"][0];
    assert_eq!(citation["document_id"], "lecture-1", "{reply}");
    assert_eq!(citation["locator"], "t=754");
    assert_eq!(citation["url"], "https://lectures.test/1#t=754");
}

#[test]
fn a_term_without_its_marks_is_found_and_said_to_be_read_so() {
    let school = School::new();
    let reply = school.json(&["ask", "How long is a vaanira?", "--explain"]);
    assert!(reply["answer"].as_str().is_some_and(|answer| answer.contains("six hours")), "{reply}");
    assert_eq!(reply["notices"][0], "\"vaanira\" was read as \"vāṇira\".");
    let rewrites = reply["trace"]["rewrites"].as_array().expect("rewrites");
    assert!(rewrites.iter().any(|one| one["kind"] == "spelling" && one["text"] == "How long is a vāṇira?"), "{reply}");
}

#[test]
fn a_follow_up_keeps_its_subject() {
    let school = School::new();
    school.place.write(
        "history.json",
        r#"[{"role": "user", "content": "What is the lhōsta made of?"}, {"role": "assistant", "content": "Oak."}]"#,
    );
    let reply = school.json(&["ask", "and how much does it weigh?", "--history", "history.json", "--explain"]);
    assert_eq!(reply["trace"]["rewrites"][1]["text"], "how much does lhōsta weigh?", "{reply}");
    assert!(reply["answer"].as_str().is_some_and(|answer| answer.contains("thirty-eight")), "{reply}");
}

#[test]
fn the_table_says_who_found_what_and_what_became_of_it() {
    let school = School::new();
    let told = school.run(&["ask", "Who has the first turn of spring?", "--explain"]).out;
    for said in ["asked as q0 (original)", "lane dense", "lane lexical", "found by", "kept as 1", "gate coverage"] {
        assert!(told.contains(said), "{said}: {told}");
    }
    let searched = school.run(&["search", "CV 1.3 stealing", "--explain"]).out;
    assert!(searched.contains("lane address") && searched.contains("forced by address"), "{searched}");
    let alone = school.json(&["search", "CV 1.3", "--lane", "address"]);
    assert_eq!(alone[0]["document_id"], "verses § 1.3", "{alone}");
}

#[test]
fn a_work_is_followed_section_by_section() {
    let school = School::new();
    school.place.write("corpus/verses.md", VERSES.replace("## 1.2", "## 1.4").replace("loses three", "forfeits three"));
    let told = school.run(&["ingest", "corpus"]).out;
    assert!(told.contains("added 1, updated 1, unchanged 2, removed 1"), "{told}");
    assert_eq!(school.json(&["ask", "CV 1.2"])["abstain_reason"], "entity_not_found");
}

#[test]
fn the_memory_is_kept_listed_used_and_taken_out() {
    let school = School::new();
    let question = "Which village drinks first in the year?";
    let added = school.json(&["memory", "add", "first", "--phrase", question, "--reference", "CV 1.2"]);
    assert_eq!((&added["added"], &added["changed"]), (&Value::from(1), &Value::from(0)));
    let reply = school.json(&["ask", question]);
    assert_eq!(reply["citations"][0]["document_id"], "verses § 1.2", "{reply}");
    assert!(reply["notices"][0].as_str().is_some_and(|told| told.starts_with("An editor chose")), "{reply}");
    let found = school.json(&["search", question, "--lane", "memory"]);
    assert_eq!(found[0]["document_id"], "verses § 1.2", "{found}");
    assert_eq!(school.json(&["memory", "list"])[0]["references"][0], "CV 1.2");
    assert_eq!(school.json(&["memory", "remove", "first"])["removed"], 1);
    assert!(school.run(&["memory", "list"]).out.contains("empty"));
}

#[test]
fn a_file_with_a_reference_that_leads_nowhere_is_refused_whole() {
    let school = School::new();
    school.place.write(
        "memory.yaml",
        "- {id: good, kind: pinned, questions: [Who?], references: [CV 1.2]}\n\
         - {id: bad, kind: pinned, questions: [What?], references: [CV 9.9]}\n",
    );
    let ran = school.run(&["memory", "import", "memory.yaml"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("entry 'bad': no document is called 'CV 9.9'"), "{}", ran.err);
    assert!(school.run(&["memory", "list"]).out.contains("empty"));
}

#[test]
fn a_note_steers_and_only_its_lead_is_shown_as_what_it_is() {
    let school = School::new();
    school.place.write(
        "memory.yaml",
        "- id: n\n  kind: note\n  triggers: [Who has the first turn of spring?]\n  note: Mind the order of the villages. Editors \
         file this under nineteen copper thimbles.\n  for_readers: true\n  references: [CV 1.1, CV 1.2, CV 1.3]\n",
    );
    assert_eq!(school.run(&["memory", "import", "memory.yaml"]).code, Some(0));
    let reply = school.json(&["ask", "Who has the first turn of spring?", "--explain"]);
    assert_eq!(reply["trace"]["memory"][0]["verdict"], "accepted", "{reply}");
    let mut shown = reply.clone();
    shown["trace"] = Value::Null;
    assert!(!shown.to_string().contains("thimbles"), "{shown}");
    assert_eq!(shown["notices"][0], "Editor's note: Mind the order of the villages.", "{shown}");
    shown["notices"] = Value::Null;
    assert!(!shown.to_string().contains("Mind the order"), "never as evidence: {shown}");
}

#[test]
fn a_note_that_says_its_sources_disagree_has_each_of_them_quoted() {
    let school = School::new();
    school.place.write(
        "memory.yaml",
        "- id: n\n  kind: note\n  triggers: [What does stealing water cost?]\n  note: The two verses disagree on this.\n  \
         references: [CV 1.2, CV 1.3]\n",
    );
    assert_eq!(school.run(&["memory", "import", "memory.yaml"]).code, Some(0));
    let reply = school.json(&["ask", "What does stealing water cost?"]);
    let cited: Vec<&str> =
        reply["citations"].as_array().into_iter().flatten().filter_map(|one| one["document_id"].as_str()).collect();
    assert_eq!(cited, ["verses § 1.2", "verses § 1.3"], "{reply}");
    assert!(reply["notices"].to_string().contains("The sources disagree"), "{reply}");
}

#[test]
fn documents_and_entries_under_a_tag_change_no_byte_for_those_without_it() {
    let replies = |with_secrets: bool| {
        let school = School::new();
        if with_secrets {
            let secret = VERSES.replace("id: verses", "id: secret").replace("CV", "SV").replace("vāṇira", "vānnira");
            school.place.write("secret/verses.md", secret);
            assert_eq!(school.run(&["ingest", "secret", "--tags", "hr"]).code, Some(0));
            let words =
                ["memory", "add", "s", "--phrase", "How long is a vaanira?", "--reference", "SV 1.1", "--tags", "hr"];
            assert_eq!(school.run(&words).code, Some(0));
        }
        let questions = [
            "How long is a vaanira?",
            "What is a lhosta?",
            "Who has the first turn of spring?",
            "List verses",
            "How many verses are there?",
            "CV 1.9",
            "SV 1.1",
            "Which whales are in the mill?",
            "What does the vānnira cost?",
        ];
        let mut told = Vec::new();
        for question in questions {
            let mut reply = school.json(&["ask", question, "--tags", "it", "--explain"]);
            // That documents have changed is told by the number of the generation, and by nothing else.
            for key in ["request_id", "generation_time_ms", "generation"] {
                reply[key] = Value::Null;
            }
            reply["trace"]["timings_ms"] = Value::Null;
            reply["trace"]["lookup"] = Value::Null;
            // The folder of a test has a name of its own.
            told.push(reply.to_string().replace(&school.place.path("").display().to_string(), ""));
        }
        told
    };
    for (with, without) in replies(true).iter().zip(replies(false)) {
        assert_eq!(with, &without);
    }
}
