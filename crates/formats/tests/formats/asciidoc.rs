//! `AsciiDoc`: its words as a rendering shows them, in the blocks they belong to.

use vouch_domain::SourceFormat::AsciiDoc;

use crate::outcome::{document, fault, paths};

fn check(text: &str, expected: &str) {
    assert_eq!(document(AsciiDoc, text.as_bytes()).text.trim(), expected, "{text}");
}

#[test]
fn titles_are_sections_and_the_header_says_what_it_is() {
    let text = "// no\n= Boats\nAda Rope <ada@x.example>\n:toc:\n:revnumber: 1.10\n:revdate: 2026-01-31\n\nIntro.\n\n== Masts\n\nOak.\n\n\
                === Of *pine*\nLight.\n\nSails\n-----\n\nHemp.\n";
    let boats = document(AsciiDoc, text.as_bytes());
    let card = &boats.card;
    assert_eq!(
        (card.title.as_str(), card.date.as_deref(), card.version.as_deref()),
        ("Boats", Some("2026-01-31"), Some("1.10"))
    );
    assert_eq!(paths(&boats), ["", "Masts", "Masts > Of pine", "Sails"]);
    let card = document(AsciiDoc, b"= Boats\nAda\nv2.1, 2026-02-03: more masts\n\nText.\n").card;
    assert_eq!((card.version.as_deref(), card.date.as_deref()), (Some("2.1"), Some("2026-02-03")));
}

#[test]
fn front_matter_says_what_a_page_is_and_is_none_of_its_text() {
    let text = "---\nlayout: subsection\ntitle: \"Relays: a guide\"\nowner: ada@x.example\naccess: [crew]\ndate: 2026-01-31\n---\n\
                :page-layout: docs\n:toc:\nifdef::env-x[:imagesdir: no]\n\n= Relays\n:revnumber: 3\n\nA relay has two keys.\n";
    let relays = document(AsciiDoc, text.as_bytes());
    let card = &relays.card;
    assert_eq!(
        (card.title.as_str(), card.owner.as_deref(), card.date.as_deref(), card.version.as_deref()),
        ("Relays: a guide", Some("ada@x.example"), Some("2026-01-31"), Some("3"))
    );
    assert_eq!((card.tags.contains("crew"), relays.states_access), (true, true), "what closes a page is not lost");
    assert_eq!(relays.text, "# Relays\n\nA relay has two keys.\n");
    let without_title = document(AsciiDoc, b"---\nlayout: chapter\n---\n:toc:\n\n= Masts\n\nOak.\n");
    assert_eq!((without_title.card.title.as_str(), without_title.text.as_str()), ("Masts", "# Masts\n\nOak.\n"));
    let twice = document(AsciiDoc, b"---\ntitle: A\ntitle: B\n---\nOak.\n");
    assert!(twice.warnings.iter().any(|told| told.contains("'title' more than once")), "{:?}", twice.warnings);
    assert!(fault(AsciiDoc, b"---\naccess: {a: b}\n---\nOak.\n").contains("list of names"));
}

#[test]
fn a_title_is_found_below_what_is_said_of_it() {
    for above in [
        "[id=\"x_{context}\"]\n:kind: PROCEDURE\n\ninclude::names.adoc[]\n",
        "////\nA licence.\n////\n[[x]]\n",
        ":toc:\n// no\n",
    ] {
        let read = document(AsciiDoc, format!("{above}= Masts\nv2, 2026-02-03\n\nOak.\n").as_bytes());
        assert_eq!((read.card.title.as_str(), read.text.as_str()), ("Masts", "# Masts\n\nv2, 2026-02-03\n\nOak.\n"));
    }
    let by_attribute = document(AsciiDoc, b":page-title: Sails\n:toc:\n\nHemp.\n\n== Care\n\nDry them.\n");
    assert_eq!(by_attribute.card.title, "Sails");
    check(
        "= Boats\ninclude::names.adoc[]\nThe first line.\nThe second line.\n",
        "# Boats\n\nThe first line.\n\nThe second line.",
    );
    check("[NOTE]\n====\nNo title.\n====\n", "Note: No title.");
}

#[test]
fn marks_inside_of_words_are_not_shown() {
    for (marked, shown) in [
        (
            "a *bold* _thin_ `co_de` #mark# un**con**strained H~2~O 2^nd^",
            "a bold thin co_de mark unconstrained H2O 2nd",
        ),
        (
            "https://x.example[the site] https://x.example/a_b_c link:a.html[here,window=_blank]",
            "the site https://x.example/a_b_c here",
        ),
        ("<<masts>> <<masts,the masts>> xref:_oak_trees[] <<nowhere>>", "The Masts the masts Oak Trees [nowhere]"),
        ("{product} {cpp} {unknown} \\{product} \\*not*", "Vouch C++ {unknown} {product} *not*"),
        ("+{product}+ `+*a*+` pass:[<b>raw</b>] ++_x_++", "{product} *a* raw _x_"),
        ("kbd:[Ctrl+C] btn:[OK] menu:File[Save] image:a.png[no](((no)))((yes))", "Ctrl+C OK File › Save yes"),
        ("\"`curved`\" 2 * 3 * 4 snake_case_word a_b &amp; &#167;", "\"curved\" 2 * 3 * 4 snake_case_word a_b & §"),
        ("[.role]#words# [[anchor]]here one +", "words here one"),
    ] {
        let text = format!(":product: Vouch\n\n{marked}\n\n[[masts]]\n== The Masts\n\n== Oak Trees\n\nEnd.\n");
        let read = document(AsciiDoc, text.as_bytes()).text;
        assert_eq!(read.lines().next(), Some(shown));
    }
    check("Oak.footnote:[Not *pine*.] Old.\n\nMore.\n", "Oak. Old.\n\n[1] Not pine.\n\nMore.");
    check("Oak.footnoteref:[o,See link:a.html[the list].] Old.footnoteref:[o]\n", "Oak. Old.\n\n[1] See the list.");
}

#[test]
fn lists_nest_by_their_marks_and_hold_what_is_attached() {
    check(
        "* one\ngoes on\n** inner\n+\nattached\n+\n----\ncode\n----\n* two\n\n. first\n. second\n.. deeper\n\nOut.\n",
        "- one\n   goes on\n   - inner\n\n      attached\n\n      ```\n      code\n      ```\n\n- two\n   1. first\n   2. second\n      1. deeper\n\nOut.",
    );
    check(
        "mast:: Of oak.\nsail::\n  Of hemp.\n* old\nlast::\n\nNone.\n",
        "- mast: Of oak.\n- sail: Of hemp.\n   - old\n- last: None.",
    );
    check("[source]\n----\nrun <1>\n----\n<1> Runs.\n", "```\nrun <1>\n```\n\n1. Runs.");
}

#[test]
fn blocks_are_code_quotes_and_notes() {
    check(".Listing\n[source,sh]\n----\nls *\n\n\tx\n----\n", "Listing:\n\n```\nls *\n\n\tx\n```");
    check(
        "....\nliteral\n....\n\n```rust\nfn a() {}\n```\n\n indented\n",
        "```\nliteral\n```\n\n```\nfn a() {}\n```\n\n```\n indented\n```",
    );
    check(
        "NOTE: Wear a vest.\n\n[WARNING]\n====\nDeep.\n\nCold.\n====\n",
        "Note: Wear a vest.\n\nWarning: Deep.\n\nCold.",
    );
    check("[quote, Ada, Letters]\n____\nIt is.\n____\n", "> It is.\n\n> — Ada, Letters");
    check(
        "Seen.\n\n////\nno\n////\n// no\n\n'''\n\nimage::a.png[no]\n\ninclude::no.adoc[]\n\n++++\n<b>no</b>\n++++\n\n****\nAside.\n****\n",
        "Seen.\n\nAside.",
    );
}

#[test]
fn tables_keep_their_columns() {
    check(
        "|===\n|Part |Size\n\n|mast\n|*2* m\n\n|sail |a\\|b\n|===\n",
        "| Part | Size |\n| --- | --- |\n| mast | 2 m |\n| sail | a/b |",
    );
    check(
        "[cols=\"1,2*\"]\n|===\n|A 2+|B\n.2+|1 |2 |3\n|4 a|5\n|===\n",
        "| A | B |  |\n| --- | --- | --- |\n| 1 | 2 | 3 |\n|  | 4 | 5 |",
    );
    check(",===\nA,\"B, C\"\n1,2\n,===\n", "| A | B, C |\n| --- | --- |\n| 1 | 2 |");
}

#[test]
fn conditions_follow_the_attributes_of_the_text() {
    check(
        ":draft:\n\nifdef::draft[]\nA draft.\nendif::[]\nifndef::draft[]\nFinal.\nendif::draft[]\nifdef::draft[In a line.]\n",
        "A draft.\nIn a line.",
    );
    check("ifdef::other[]\nno\nifdef::more[]\nno\nendif::[]\nno\nendif::[]\nendif::[]\nYes.\n", "Yes.");
}

#[test]
fn hostile_text_is_read_in_bounded_time_and_size() {
    let fences: String = (4..2_000).map(|at| format!("{}\nx{at}\n", "=".repeat(at))).collect();
    assert!(document(AsciiDoc, fences.as_bytes()).text.contains("x1999"));
    for mark in ["*a ", "`a ", "_a ", "<<a ", "[[a ", "link:a ", "{a ", "((a ", "+a ", "++", "#", "footnote:[", "~a"] {
        let started = std::time::Instant::now();
        assert_eq!(fault(AsciiDoc, format!("Words {}", mark.repeat(30_000)).as_bytes()), "");
        assert!(started.elapsed().as_secs() < 20, "{mark} took {:?}", started.elapsed());
    }
    let text = format!(":a: {}\n\n{}\n", "word ".repeat(50), "{a}".repeat(100_000));
    let length = document(AsciiDoc, text.as_bytes()).text.len();
    assert!(length < text.len() * 10, "{length} of {}", text.len());
    assert_eq!(fault(AsciiDoc, b"////\nno\n////\n"), "it contains no text");
}
