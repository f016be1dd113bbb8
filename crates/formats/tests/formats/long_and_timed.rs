//! Transcripts that know when each word is said, and long works that are a document a numbered section.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use vouch_domain::{
    Document, RawDocument, SourceFormat,
    document::Labels,
    ports::{ParseError, Parser},
};
use vouch_formats::FileParser;

fn parse(format: SourceFormat, bytes: &[u8]) -> Vec<Result<Document, ParseError>> {
    let labels = Labels { tenant: "acme".to_owned(), ..Labels::default() };
    let fallback_id = "docs/first steps.v2.md".to_owned();
    FileParser::default().parse(RawDocument {
        source: "/d/x".to_owned(),
        fallback_id,
        url: None,
        format,
        bytes: bytes.to_vec(),
        labels,
    })
}

fn only(format: SourceFormat, text: &str) -> Result<Document, ParseError> {
    let mut parsed = parse(format, text.as_bytes());
    assert_eq!(parsed.len(), 1, "one document");
    parsed.pop().expect("one document")
}

fn check_fault(format: SourceFormat, bytes: &[u8], expected: &str) {
    let parsed = parse(format, bytes);
    let told: Vec<&str> =
        parsed.iter().map(|one| one.as_ref().map_or_else(|fault| fault.sentence.as_str(), |_| "read")).collect();
    assert_eq!(told, [expected]);
}

const VTT: &str = "WEBVTT

NOTE
---
title: The Turn of Water
kind: lecture
address: L.1
url: https://lectures.test/1
---

intro
00:00:00.000 --> 00:00:04.000 align:start
<v Maren>Good evening.
It is late.

00:00:04.100 --> 00:00:09.000
A turn is six hours &amp; no more.

00:00:09.000 --> 00:00:10.000
A turn is six hours &amp; no more.

00:12:34.500 --> 00:12:40.000
Half of it is three.
";

#[test]
fn a_transcript_knows_when_each_word_is_said() {
    let lecture = only(SourceFormat::Transcript, VTT).expect("a lecture");
    assert_eq!(lecture.text, "Good evening. It is late. A turn is six hours & no more.\n\nHalf of it is three.");
    let spoken: Vec<(&str, u32)> = lecture
        .times
        .iter()
        .map(|mark| {
            (
                lecture
                    .text
                    .char_indices()
                    .nth(mark.at)
                    .and_then(|(at, _)| lecture.text.get(at..at + 4))
                    .unwrap_or_default(),
                mark.seconds,
            )
        })
        .collect();
    assert_eq!(spoken, [("Good", 0), ("A tu", 4), ("Half", 754)]);
    let card = &lecture.card;
    assert_eq!((card.title.as_str(), card.kind.as_str()), ("The Turn of Water", "lecture"));
    assert_eq!(card.address.as_ref().map(|address| address.as_str()), Some("L.1"));
}

#[test]
fn a_subrip_file_may_say_something_of_itself_too() {
    let text = "---\ntitle: Gates\n---\n\n1\n00:00:01,000 --> 00:00:02,000\nGate.\n\n2\n00:00:02,500 --> 00:00:03,000\nShut it.\n";
    let lecture = only(SourceFormat::Transcript, text).expect("a lecture");
    assert_eq!((lecture.card.title.as_str(), lecture.text.as_str()), ("Gates", "Gate. Shut it."));
    let bare = only(SourceFormat::Transcript, "1\r\n00:00:01,000 --> 00:00:02,000\r\nGate.\r\n").expect("a lecture");
    assert_eq!((bare.card.title.as_str(), bare.text.as_str()), ("first steps.v2", "Gate."));
}

#[test]
fn a_bad_transcript_names_its_line() {
    let bad =
        only(SourceFormat::Transcript, "WEBVTT\n\n00:00:00.000 --> 00:00:04.000\nHello.\n\n00:xx --> 00:05\nBye.\n");
    let fault = bad.expect_err("refused");
    assert_eq!(
        (fault.place.as_str(), fault.sentence.as_str()),
        ("line 6", "its time cannot be read: '00:xx --> 00:05'")
    );
    check_fault(SourceFormat::Transcript, b"WEBVTT\n\njust words\n", "it contains no timed text");
}

#[test]
fn a_long_work_is_a_document_a_numbered_section() {
    let text = "---\nid: cv\ntitle: The Channel Verses\nkind: verse\naddresses: \"CV {}\"\n---\nA word before.\n\n# 1 Of the River\n\n\
                ## 1.1\n\nNobody owns it.\n\n## 1.2 On rain\n\nIt falls.\n\n### A remark\n\nOften.\n\n# 2 Of the Turn\n\nSix hours.\n";
    let works: Vec<Document> =
        parse(SourceFormat::Markdown, text.as_bytes()).into_iter().map(|one| one.expect("a document")).collect();
    let told: Vec<(&str, Option<&str>, &str)> = works
        .iter()
        .map(|one| {
            let card = &one.card;
            (card.id.as_str(), card.address.as_ref().map(|address| address.as_str()), card.title.as_str())
        })
        .collect();
    assert_eq!(
        told,
        [
            ("cv", None, "The Channel Verses"),
            ("cv § 1.1", Some("CV 1.1"), "The Channel Verses 1.1"),
            ("cv § 1.2", Some("CV 1.2"), "The Channel Verses: On rain"),
            ("cv § 2", Some("CV 2"), "The Channel Verses: Of the Turn"),
        ]
    );
    let rain = works.get(2).expect("the third document");
    let body = |start, end| rain.text.get(start..end).expect("a section lies on characters").trim();
    let sections: Vec<(String, &str)> =
        rain.sections.iter().map(|one| (one.path.join(" > "), body(one.start, one.end))).collect();
    let expected = [("1 Of the River", "It falls."), ("1 Of the River > A remark", "Often.")];
    assert_eq!(sections, expected.map(|(path, text)| (path.to_owned(), text)));
    check_fault(
        SourceFormat::Markdown,
        b"---\naddresses: CV\n---\n# 1\n\nText.\n",
        "its `addresses` must hold {} where the number of a section goes, as in \"CV {}\"",
    );
    check_fault(
        SourceFormat::Markdown,
        b"---\naddresses: CV {}\n---\n# One\n",
        "none of its headings starts with a number and has text below it",
    );
}
