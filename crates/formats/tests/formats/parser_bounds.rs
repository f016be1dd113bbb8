//! Documents out of proportion are refused with a sentence that names the bound; those just within it are read.

use vouch_domain::{
    Document, RawDocument,
    SourceFormat::{self, Html, JsonLines, Markdown},
    document::Labels,
    ports::{ParseError, Parser},
};
use vouch_formats::FileParser;

fn parse(format: SourceFormat, text: &str) -> Vec<Result<Document, ParseError>> {
    FileParser::default().parse(RawDocument {
        source: "/d/x".to_owned(),
        fallback_id: "x".to_owned(),
        url: None,
        format,
        bytes: text.as_bytes().to_vec(),
        labels: Labels::default(),
    })
}

/// What is said of a source: the first fault, or nothing.
fn told(format: SourceFormat, text: &str) -> String {
    let faults = parse(format, text).into_iter().find_map(Result::err);
    faults.map(|fault| fault.sentence).unwrap_or_default()
}

/// The first is read, the second refused with these words.
fn check(format: SourceFormat, within: &str, beyond: &str, words: &str) {
    assert_eq!(told(format, within), "", "{words}");
    let sentence = told(format, beyond);
    assert!(sentence.contains(words), "{words}: {sentence:?}");
}

#[test]
fn a_heading_has_a_longest_length() {
    let of = |bytes: usize| format!("# Title\n\n## {}\n\nText.\n", "h".repeat(bytes));
    check(Markdown, &of(4_000), &of(4_001), "has 4001 bytes, the limit is 4000; make it a paragraph");
    let of = |bytes: usize| format!("<title>t</title><h2>{}</h2><p>Text.", "h".repeat(bytes));
    check(Html, &of(4_000), &of(4_001), "has 4001 bytes");
}

#[test]
fn headings_are_not_repeated_out_of_proportion() {
    let of = |sections: usize| format!("# t\n\n## {}\n\n{}", "h".repeat(4_000), "### a\nb\n".repeat(sections));
    check(Markdown, &of(40), &of(5_000), "repeated for each of its sections");
    let of =
        |sections: usize| format!("<title>t</title><h1>{}</h1>{}", "h".repeat(4_000), "<h2>a</h2>b".repeat(sections));
    check(Html, &of(40), &of(5_000), "repeated for each of its sections");
    let line = |text: String| format!("{}\n", serde_json::json!({ "id": "a", "text": text }));
    let of = |sections: usize| line(format!("# {}\n\n{}", "h".repeat(4_000), "## a\nb\n".repeat(sections)));
    check(JsonLines, &of(40), &of(5_000), "repeated for each of its sections");
}

#[test]
fn many_headings_of_usual_length_are_read() {
    let chapters: String = (0..2_000)
        .map(|at| format!("## Chapter {at} of the handbook on keeping boats\n\n### What to do\n\nPaint the hull.\n\n"))
        .collect();
    let parsed = parse(Markdown, &format!("# Handbook\n\n{chapters}"));
    let document = parsed.first().expect("a document").as_ref().expect("it is read");
    let painted = document.sections.iter().filter(|section| section.path.len() == 2).count();
    assert_eq!(painted, 2_000);
}

#[test]
fn the_sections_of_one_heading_share_nothing_they_do_not_have() {
    let parsed = parse(Markdown, "# t\n\n## A\n\none\n\n### B\n\ntwo\n\n## C\n\nthree\n");
    let document = parsed.first().expect("a document").as_ref().expect("it is read");
    let paths: Vec<String> = document.sections.iter().map(|section| section.path.join(">")).collect();
    assert_eq!(paths, ["", "A", "A>B", "C"]);
}

#[test]
fn what_a_document_says_of_itself_has_longest_lengths() {
    let of = |name: &str, chars: usize| format!("---\n{name}: {}\n---\nText.\n", "é".repeat(chars));
    for (name, limit) in
        [("title", 2_000), ("owner", 2_000), ("url", 2_000), ("kind", 200), ("access", 200), ("tags", 200)]
    {
        let words = format!("is longer than {limit} characters");
        check(Markdown, &of(name, limit), &of(name, limit + 1), &words);
    }
    let tags = |count: usize| (0..count).map(|at| format!("t{at}, ")).collect::<String>();
    for (key, words) in [("access", "it has 101 tags"), ("tags", "it has 101 topics")] {
        let of = |count: usize| format!("---\n{key}: [{}]\n---\nText.\n", tags(count));
        check(Markdown, &of(100), &of(101), &format!("{words}, the limit is 100"));
    }
    let of = |bytes: usize| format!("---\nown: {}\n---\nText.\n", "x".repeat(bytes - 6));
    check(Markdown, &of(65_536), &of(65_537), "its front matter has 65537 bytes, the limit is 65536");
}

#[test]
fn a_name_in_front_matter_may_stand_for_a_few_values_and_not_for_a_flood() {
    let of = |times: usize| format!("---\nown: &a [x, y]\nmore: [{}]\n---\nText.\n", "*a, ".repeat(times));
    check(Markdown, &of(20), &of(10_000), "its front matter is not valid YAML");
}

#[test]
fn a_table_may_lack_cells_and_not_a_flood_of_them() {
    let table = |rows: usize| format!("{}|\n{}|\n{}\n", "|a".repeat(100), "|-".repeat(100), "|b\n".repeat(rows));
    check(Markdown, &table(900), &table(2_000), "its tables lack more than");
    let full = format!("|a|b|c|\n|-|-|-|\n{}", "|one|two|three|\n".repeat(20_000));
    assert_eq!(told(Markdown, &full), "", "a full table may be long");
}

#[test]
fn a_work_may_have_many_sections_and_not_a_flood_of_copies() {
    let sections =
        |count: usize| (0..count).map(|at| format!("# {at}\n\nOf the river, line {at}.\n")).collect::<String>();
    let of = |tags: usize, count: usize| {
        let tags: String = (0..tags).map(|at| format!("{}{at}, ", "t".repeat(150))).collect();
        format!("---\naddresses: \"A {{}}\"\ntags: [{tags}]\n---\n{}", sections(count))
    };
    check(Markdown, &of(1, 2_000), &of(90, 2_000), "repeated for each of its sections");
    let pattern = |chars: usize| format!("---\naddresses: \"{}{{}}\"\n---\n# 1\n\nText.\n", "a".repeat(chars - 2));
    check(Markdown, &pattern(200), &pattern(201), "its `addresses` is longer than 200 characters");
}

#[test]
fn a_page_has_bounds_to_its_depth_its_elements_and_its_attributes() {
    let of = |depth: usize| format!("{}words", "<div>".repeat(depth));
    check(Html, &of(500), &of(1_500), "levels deep");
    let of = |depth: usize| format!("{}words", "<div/>".repeat(depth));
    check(Html, &of(500), &of(1_500), "levels deep");
    let of = |count: usize| format!("<div><!--</div>-->{}words", "<div><!--</div>-->".repeat(count));
    check(Html, &of(500), &of(1_500), "levels deep");
    let of = |count: usize| {
        let names: String = (0..count).map(|at| format!(" a{at}='x y / z'")).collect();
        format!("<p{names}>words")
    };
    check(Html, &of(900), &of(3_000), "more than 1000 attributes");
    let formatting = "<b><i><u><s><em><tt><code><small><strong><strike><big><font><font size=1>".repeat(3);
    let of = |count: usize| format!("<p>{formatting}{}", "<p>x".repeat(count));
    check(Html, &of(500), &of(10_000), "too many for a page of its size");
}

#[test]
fn what_only_looks_like_a_tag_of_many_attributes_is_none() {
    let words = "word ".repeat(5_000);
    for page in [
        format!("<p>text</p><!-- <a {words} -->"),
        format!("<p>R&D<!-- <a {words} --></p>"),
        format!("<p>text</p><script>if (a <b) {{ {words} }}</script>"),
        format!("<p>text</p><style>a <b {words}</style>"),
        format!("<p>text</p><textarea><a {words}</textarea>"),
        format!("<p>text</p><img src=\"{words}\" alt='{words}'>"),
        format!("<p>text {words} a < b {words}</p>"),
    ] {
        assert_eq!(told(Html, &page), "", "{}", page.chars().take(60).collect::<String>());
    }
    let page = format!(
        "<p>R&amp;D</p><svg><script><a {}></script></svg>",
        (0..9_000).map(|at| format!(" a{at}")).collect::<String>()
    );
    assert!(told(Html, &page).contains("attributes"), "a script in a drawing holds tags");
}

#[test]
fn bad_lines_beyond_a_thousand_are_counted_together() {
    let good = serde_json::json!({ "id": "a", "text": "Words." });
    let parsed = parse(JsonLines, &format!("{}{good}\n", "x\n".repeat(1_500)));
    assert_eq!(parsed.len(), 1_002);
    assert!(parsed.iter().any(Result::is_ok), "the good line is read");
    let last = parsed.last().and_then(|one| one.as_ref().err()).expect("a fault");
    assert_eq!(last.sentence, "500 more of its lines cannot be read");
}

#[test]
fn a_sentence_about_a_document_does_not_repeat_it() {
    let long = "x".repeat(100_000);
    for (format, text) in [
        (JsonLines, format!("{{\"id\":\"a\",\"text\":\"b\",\"title\":{{\"{long}\":1}}}}")),
        (Markdown, format!("---\ntitle: [{long}, {{\n---\nText.")),
        (SourceFormat::Transcript, format!("{long} --> {long}\na\n")),
    ] {
        let sentence = told(format, &text);
        assert!(!sentence.is_empty() && sentence.len() < 1_000, "{format:?}: {} bytes", sentence.len());
    }
}
