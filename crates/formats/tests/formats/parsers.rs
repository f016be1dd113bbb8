//! Bytes of every form → documents, or a sentence that says what is wrong with them.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::time::{Duration, Instant};

use vouch_domain::{
    Document, DocumentCard, RawDocument, SourceFormat,
    document::Labels,
    ports::{ParseError, Parser},
};
use vouch_formats::FileParser;

fn parse(format: SourceFormat, bytes: &[u8]) -> Vec<Result<Document, ParseError>> {
    let labels = Labels {
        tenant: "acme".to_owned(),
        collection: Some("manuals".to_owned()),
        kind: None,
        tags: ["staff".to_owned()].into(),
        opens: false,
    };
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

fn markdown(text: &str) -> Document {
    only(SourceFormat::Markdown, text).expect("a document")
}

fn html(text: &str) -> Document {
    only(SourceFormat::Html, text).expect("a document")
}

fn card_of(front_matter: &str) -> DocumentCard {
    markdown(&format!("---\n{front_matter}\n---\nBody text.\n")).card
}

/// Each section's path and trimmed text.
fn sections(document: &Document) -> Vec<(String, &str)> {
    let body = |start, end| document.text.get(start..end).expect("a section lies on characters").trim();
    document.sections.iter().map(|one| (one.path.join(" > "), body(one.start, one.end))).collect()
}

fn check_sections(document: &Document, expected: &[(&str, &str)]) {
    let found = sections(document);
    let found: Vec<(&str, &str)> = found.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    let found: Vec<(&str, &str)> = found.into_iter().filter(|(_, text)| !text.is_empty()).collect();
    assert_eq!(found, expected);
}

fn check_fault(format: SourceFormat, bytes: &[u8], expected: &str) {
    let parsed = parse(format, bytes);
    let told: Vec<&str> =
        parsed.iter().map(|one| one.as_ref().map_or_else(|f| f.sentence.as_str(), |_| "read")).collect();
    assert_eq!(told, [expected], "{format:?} {:?}", String::from_utf8_lossy(bytes));
}

#[test]
fn every_field_of_the_front_matter_is_read() {
    let card = card_of(
        "id: ADR-7\ntitle: Masts\nkind: ADR\ncollection: own\nstatus: accepted\ndate: 2026-01-05\nversion: v3\n\
         access: [hr, it]\nowner: Ada\naddress: CH.3\nurl: https://x.example/a\nunknown: {a: [1, 2]}",
    );
    let tags: Vec<&str> = card.tags.iter().map(String::as_str).collect();
    assert_eq!((card.id.as_str(), card.title.as_str(), card.kind.as_str()), ("ADR-7", "Masts", "ADR"));
    assert_eq!((card.collection.as_str(), card.status.as_deref()), ("own", Some("accepted")));
    assert_eq!((card.date.as_deref(), card.version.as_deref()), (Some("2026-01-05"), Some("v3")));
    assert_eq!((tags, card.owner.as_deref()), (vec!["hr", "it", "staff"], Some("Ada")));
    assert_eq!(card.address.map(|address| address.as_str().to_owned()).as_deref(), Some("CH.3"));
    assert_eq!(card.url.as_deref(), Some("https://x.example/a"));
    assert_eq!((card.tenant.as_str(), card.source.as_str()), ("acme", "/d/x"));
}

#[test]
fn what_the_front_matter_leaves_out_comes_from_the_run_or_is_plain() {
    let card = markdown("Body text.").card;
    assert_eq!(card.id.as_str(), "docs/first steps.v2.md");
    assert_eq!((card.kind.as_str(), card.collection.as_str()), ("document", "manuals"));
    assert_eq!((card.status, card.date, card.version, card.owner), (None, None, None, None));
}

#[test]
fn a_version_is_kept_as_it_was_written() {
    let cases = [("3", "3"), ("1.5", "1.5"), ("1.10", "1.10"), ("2.0", "2.0"), ("007", "007"), ("true", "true")];
    for (written, expected) in cases {
        assert_eq!(card_of(&format!("version: {written}")).version.as_deref(), Some(expected), "{written}");
    }
    for nothing in ["", "~", "null", "\"  \""] {
        assert_eq!(card_of(&format!("version: {nothing}")).version, None, "{nothing:?}");
    }
}

#[test]
fn tags_come_as_a_list_or_between_commas() {
    let cases = [
        ("access: hr, it ,, legal", vec!["hr", "it", "legal", "staff"]),
        ("access: [hr, 7]", vec!["7", "hr", "staff"]),
        ("access:\n  - hr\n  - hr", vec!["hr", "staff"]),
        ("access: 7", vec!["7", "staff"]),
        ("access: []", vec!["staff"]),
    ];
    for (front_matter, expected) in cases {
        assert_eq!(card_of(front_matter).tags.into_iter().collect::<Vec<_>>(), expected, "{front_matter}");
    }
}

#[test]
fn windows_line_ends_do_not_hide_the_front_matter() {
    let document = markdown("---\r\nid: w\r\ntitle: Win\r\n---\r\n# Win\r\n\r\nBody text.\r\n");
    assert_eq!((document.card.id.as_str(), document.card.title.as_str()), ("w", "Win"));
    check_sections(&document, &[("", "Body text.")]);
}

#[test]
fn what_is_no_front_matter_is_text() {
    let cases = [
        "---\nid: x\nThe dashes never close.\n",
        "----\nid: x\n---\nText.\n",
        "Text first.\n---\nid: x\n---\n",
        "\n---\nid: x\n---\nText.\n",
    ];
    for text in cases {
        let document = markdown(text);
        assert_eq!((document.card.id.as_str(), document.text.as_str()), ("docs/first steps.v2.md", text));
    }
    let document = markdown("---\n---\nText.\n");
    assert_eq!(document.text, "Text.\n", "empty front matter is front matter");
}

#[test]
fn bad_front_matter_names_its_line() {
    let cases = [
        ("---\nid: a\ntitle: [open\n---\nText.", &["line 3", "line 4"][..]),
        ("---\nid: a\nkind: b\n\ttitle: tab\n---\nText.", &["line 3", "line 4"]),
        ("---\nid: a\ntitle: {a: 1}\n---\nText.", &["line 3"]),
        ("---\njust words\n---\nText.", &["line 2"]),
    ];
    for (text, places) in cases {
        let fault = only(SourceFormat::Markdown, text).expect_err("a fault");
        assert!(fault.sentence.starts_with("its front matter is not valid YAML: "), "{text:?}: {fault:?}");
        assert!(places.contains(&fault.place.as_str()), "{text:?}: {fault:?}");
    }
}

#[test]
fn a_key_that_is_there_twice_is_told_and_the_first_counts() {
    let document = markdown("---\nid: a\naccess: [hr]\nx: {y: 1}\naccess: [it, all]\nid: b\n---\nText.");
    let tags: Vec<&str> = document.card.tags.iter().map(String::as_str).collect();
    assert_eq!((document.card.id.as_str(), tags), ("a", vec!["hr", "staff"]));
    assert_eq!(document.warnings, ["its front matter has 'access' more than once (line 5); the first one counts"]);
    assert_eq!(markdown("---\nid: a\ntags: [hr, hr]\n---\nText.").warnings, Vec::<String>::new());
    let fault = only(SourceFormat::Markdown, "---\nid: a\nid: b\ntitle: {a: 1}\n---\nText.").expect_err("a fault");
    assert_eq!(fault.place, "line 4", "what else is wrong is still a fault");
    let timed = "---\nid: a\nid: b\n---\n1\n00:00:01,000 --> 00:00:02,000\nText.\n";
    assert_eq!(only(SourceFormat::Transcript, timed).expect("a document").warnings.len(), 1);
    let work =
        parse(SourceFormat::Markdown, b"---\nid: a\nid: b\naddresses: \"CV {}\"\n---\n## 1\nOne.\n\n## 2\nTwo.\n");
    let told: Vec<usize> = work.iter().flatten().map(|document| document.warnings.len()).collect();
    assert_eq!(told, [1, 0], "once for each file");
}

#[test]
fn a_fault_counts_lines_from_the_top_of_its_file_and_in_its_place_alone() {
    let yaml = only(SourceFormat::Markdown, "---\nid: a\ntitle: {a: 1}\n---\nText.").expect_err("a fault");
    assert!(yaml.place == "line 3" && !yaml.sentence.contains("line 2"), "{yaml:?}");
    let parsed = parse(SourceFormat::JsonLines, b"\n\n{broken");
    let json = parsed.first().expect("an outcome").as_ref().expect_err("a fault");
    assert!(json.place == "line 3" && !json.sentence.contains("line 1"), "{json:?}");
}

#[test]
fn an_id_that_is_too_long_is_a_fault() {
    let long = "x".repeat(1_025);
    let fault = only(SourceFormat::Markdown, &format!("---\nid: {long}\n---\nText.")).expect_err("a fault");
    assert_eq!(fault.sentence, "its id is empty or longer than 1024 bytes");
}

#[test]
fn sections_follow_the_headings_above_them() {
    let text =
        "Before.\n\n# Title\nIntro.\n\n## A\nOne.\n\n### B `code` *c*\nTwo.\n\n## D\n\n#### E\nThree.\n\n# F\nFour.\n";
    let expected =
        [("", "Before."), ("", "Intro."), ("A", "One."), ("A > B code c", "Two."), ("D > E", "Three."), ("F", "Four.")];
    check_sections(&markdown(text), &expected);
}

#[test]
fn underlined_headings_are_headings() {
    check_sections(&markdown("Title\n=====\n\nOne.\n\nPart\n----\n\nTwo.\n"), &[("", "One."), ("Part", "Two.")]);
}

#[test]
fn a_heading_inside_a_code_fence_is_code() {
    let text = "# T\n\n```sh\n# not a heading\n```\n\n    # nor this\n\n~~~\n## nor that\n~~~\n\nEnd.\n";
    let document = markdown(text);
    let body = text.strip_prefix("# T\n").expect("the heading").trim();
    check_sections(&document, &[("", body)]);
}

#[test]
fn a_title_is_the_front_matters_the_first_top_headings_the_first_headings_or_the_files() {
    let cases = [
        ("---\ntitle: Own\n---\n# Top\nText.", "Own"),
        ("# Top\nText.\n\n# Second\nText.", "Top"),
        ("Text.\n\n# Late\nText.", "Late"),
        ("## Small\nText.\n\n# Top\nText.", "Top"),
        ("Text.\n\n### Smaller\nText.\n\n## Small\nText.", "Smaller"),
        ("---\ntitle: Own\n---\n## Small\nText.", "Own"),
        ("#\n\n## Small\nText.", "Small"),
        ("---\naddresses: \"CV {}\"\n---\nWords.\n\n## 1 One\nText.", "first steps.v2"),
        ("---\ntitle: \"  \"\n---\nText.", "first steps.v2"),
        ("#\n\nText.", "first steps.v2"),
    ];
    for (text, expected) in cases {
        let first = parse(SourceFormat::Markdown, text.as_bytes()).into_iter().next().expect("a document");
        assert_eq!(first.expect("a document").card.title, expected, "{text:?}");
    }
    assert_eq!(only(SourceFormat::PlainText, "# Top\nText.").expect("a document").card.title, "first steps.v2");
}

#[test]
fn plain_text_is_one_section_untouched() {
    let text = "---\nid: x\n---\n# Not a heading\r\n  Größe 🌧\t.\n";
    let document = only(SourceFormat::PlainText, text).expect("a document");
    assert_eq!((document.text.as_str(), document.sections.len()), (text, 1));
}

#[test]
fn what_no_person_reads_on_a_page_is_dropped() {
    let page = "<!doctype html><html><head><title>T</title><style>s{}</style></head><body><nav><p>Menu</p></nav>\
                <script>var x = '<p>no</p>';</script><noscript>no</noscript><template><p>no</p></template>\
                <svg><text>no</text></svg><!-- no --><p>Yes &amp; so&nbsp;on &lt;b&gt; &uuml;&#8364;.</p></body></html>";
    let document = html(page);
    assert_eq!((document.card.title.as_str(), document.text.trim()), ("T", "Yes & so on <b> ü€."));
}

#[test]
fn the_headings_of_a_page_are_its_sections() {
    let page = "<title>T</title><p>Intro.</p><h1>T</h1><p>One.</p><h2>A <em>b</em> </h2><div>Two.</div>\
                <h3>Größe</h3>Three.<h2>D</h2><p>Four.</p>";
    let expected = [("", "Intro."), ("", "One."), ("A b", "Two."), ("A b > Größe", "Three."), ("D", "Four.")];
    check_sections(&html(page), &expected);
}

#[test]
fn lists_tables_and_line_breaks_stay_readable() {
    let cases = [
        (
            "<p>Bring:</p><ul><li>a <b>rope</b></li><li>a lamp</li></ul><p>Go.</p>",
            "Bring:\n\n- a rope\n- a lamp\n\nGo.",
        ),
        (
            "<table><tr><th>Part</th><th>Size</th></tr><tr><td>mast</td><td>2 m</td></tr></table>",
            "| Part | Size |\n| --- | --- |\n| mast | 2 m |",
        ),
        ("<table>\n <tr>\n  <td>mast</td>\n  <td>2 m</td>\n </tr>\n</table>", "| mast | 2 m |\n| --- | --- |"),
        ("<p>one<br>two<br/>three</p>", "one\ntwo\nthree"),
        ("<p>one\n   long\tline</p><p>two</p>", "one long line\n\ntwo"),
        ("<p>mid<b>dle</b> of <i>a</i> word</p>", "middle of a word"),
        ("plain words, no tags", "plain words, no tags"),
    ];
    for (page, expected) in cases {
        assert_eq!(html(page).text.trim(), expected, "{page}");
    }
}

#[test]
fn a_page_tells_its_title_and_its_date() {
    let page =
        "<head><title> A\n b </title><meta property='article:modified_time' content='2026-02-03'></head><h1>H</h1>x";
    let card = html(page).card;
    assert_eq!((card.title.as_str(), card.date.as_deref()), ("A b", Some("2026-02-03")));
    assert_eq!(html("<p>x</p><h1>First</h1><h1>Second</h1>").card.title, "First");
    assert_eq!(html("<p>x</p>").card.title, "first steps.v2");
}

/// Reads a page on a small stack, as a worker thread has one: recursion over the page would overflow it.
fn read_deep(page: String) -> (Result<Document, ParseError>, Duration) {
    let started = Instant::now();
    let reader = std::thread::Builder::new().stack_size(512 * 1024);
    let reader = reader.spawn(move || only(SourceFormat::Html, &page)).expect("a thread");
    (reader.join().expect("the stack holds"), started.elapsed())
}

#[test]
fn a_page_nested_fifty_thousand_deep_is_read_or_refused_in_bounded_time() {
    for tag in ["<div>", "<b>", "<ul><li>"] {
        let depth = 50_000 / tag.matches('<').count();
        let (outcome, took) = read_deep(format!("{}deep words", tag.repeat(depth)));
        let is_defined = match &outcome {
            Ok(document) => document.text.contains("deep words"),
            Err(fault) => fault.sentence.contains("nest") || fault.sentence.contains("deep"),
        };
        assert!(is_defined, "{tag}: {outcome:?}");
        assert!(took < Duration::from_secs(5), "{tag} took {took:?}");
    }
}

#[test]
fn a_json_line_keeps_its_id_and_fields_whatever_they_hold() {
    let lines = [
        (r#"{"id":"a/b c?#ü:1","text":"T.","more":{"x":[1]},"version":2}"#, "a/b c?#ü:1"),
        (r#"{"text":"T.","id":42}"#, "42"),
        (r#"{"text":"T.","id":18446744073709551615}"#, "18446744073709551615"),
        (r#"{"id":"\"quoted\" \\ back","text":"T."}"#, "\"quoted\" \\ back"),
    ];
    for (line, expected) in lines {
        let document = only(SourceFormat::JsonLines, line).expect("a document");
        assert_eq!((document.card.id.as_str(), document.card.title.as_str()), (expected, expected), "{line}");
    }
    let tagged = only(SourceFormat::JsonLines, r#"{"id":"a","title":"Own","tags":[7,"hr"],"text":"T."}"#);
    let card = tagged.expect("a document").card;
    assert_eq!(
        (card.title.as_str(), card.tags.into_iter().collect::<Vec<_>>()),
        ("Own", vec!["7".into(), "hr".into(), "staff".into()])
    );
}

#[test]
fn the_text_of_a_json_line_has_sections_too() {
    let line = r##"{"id":"a","text":"# A\nOne.\n\n## B\nTwo."}"##;
    check_sections(&only(SourceFormat::JsonLines, line).expect("a document"), &[("A", "One."), ("A > B", "Two.")]);
}

#[test]
fn a_bad_json_line_is_numbered_and_the_others_are_read() {
    let text = "{\"id\":\"a\",\"text\":\"A.\"}\n\n{broken\n{\"text\":\"no id\"}\r\n{\"id\":\"b\"}\n\
                {\"id\":\"\",\"text\":\"x\"}\n{\"id\":\"c\",\"text\":\" \"}\n[1]\n{\"id\":\"d\",\"text\":\"D.\"}";
    let parsed = parse(SourceFormat::JsonLines, text.as_bytes());
    let told: Vec<(&str, &str)> = parsed
        .iter()
        .map(|one| match one {
            Ok(document) => (document.card.id.as_str(), "read"),
            Err(fault) => (fault.place.as_str(), fault.sentence.split(':').next().unwrap_or_default()),
        })
        .collect();
    let broken = "it is not a JSON document";
    let expected = [
        ("a", "read"),
        ("line 3", broken),
        ("line 4", "it has no id"),
        ("line 5", "it has no text"),
        ("line 6", "it has no id"),
        ("line 7", "it contains no text"),
        ("line 8", broken),
        ("d", "read"),
    ];
    assert_eq!(told, expected);
}

const FORMATS: [SourceFormat; 4] =
    [SourceFormat::Markdown, SourceFormat::PlainText, SourceFormat::Html, SourceFormat::JsonLines];

#[test]
fn bytes_that_are_no_text_are_a_fault_in_every_form() {
    for format in FORMATS {
        check_fault(format, b"", "it contains no text");
        check_fault(format, b"ok \xff bad", "it is not valid UTF-8 (first bad byte at 3)");
        check_fault(format, b"nul \0 inside", "it is a binary file, not text");
        check_fault(
            format,
            "utf-16".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>().as_slice(),
            "it is a binary file, not text",
        );
    }
}

#[test]
fn a_source_that_says_nothing_is_a_fault_in_every_form() {
    for format in FORMATS {
        check_fault(format, b"\xef\xbb\xbf", "it contains no text");
        check_fault(format, b" \n\t\r\n ", "it contains no text");
    }
    for format in [SourceFormat::Markdown, SourceFormat::PlainText, SourceFormat::Html] {
        check_fault(format, "… — !? 🌧 ***\n".as_bytes(), "it contains no text");
    }
    check_fault(SourceFormat::Markdown, b"---\nid: a\n---\n", "it contains no text");
    check_fault(SourceFormat::Html, b"<title>T</title><script>x</script>", "it contains no text");
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_text() {
    let document = only(SourceFormat::Markdown, "\u{feff}---\nid: bom\n---\nText.").expect("a document");
    assert_eq!((document.card.id.as_str(), document.text.as_str()), ("bom", "Text."));
    let line = only(SourceFormat::JsonLines, "\u{feff}{\"id\":\"a\",\"text\":\"T.\"}").expect("a document");
    assert_eq!(line.card.id.as_str(), "a");
}
