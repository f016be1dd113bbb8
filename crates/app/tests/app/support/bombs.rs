//! Documents made to break a parser: small, and out of all proportion in what a careless reader makes of them.

use std::fmt::Write;

use vouch_domain::SourceFormat::{self, Html, JsonLines, Markdown, PlainText, Transcript};

/// A kind of bomb, of any size.
pub struct Bomb {
    pub name: &'static str,
    pub format: SourceFormat,
    /// About so many bytes of it.
    pub make: fn(usize) -> String,
}

const fn bomb(name: &'static str, format: SourceFormat, make: fn(usize) -> String) -> Bomb {
    Bomb { name, format, make }
}

/// Every bomb; their names are told where one goes off.
pub const BOMBS: &[Bomb] = &[
    bomb("a long heading over small ones", Markdown, |n| heading_over(n, "# t\n\n## ", "\n", "### a\nb\n")),
    bomb("six long headings over small ones", Markdown, long_headings),
    bomb("a long title over small headings", Markdown, |n| {
        format!("---\ntitle: {}\n---\n{}", "t".repeat(n / 2), fill(n / 2, "# a\nb\n"))
    }),
    bomb("headings alone", Markdown, |n| fill(n, "# a\nb\n")),
    bomb("a paragraph underlined again and again", Markdown, |n| fill(n, "a\n-\n")),
    bomb("one heading as long as the document", Markdown, |n| format!("# {}\n\ntext\n", "h".repeat(n))),
    bomb("a long heading over one long section", Markdown, |n| {
        format!("# t\n\n## {}\n\n{}", "h ".repeat(n / 4), fill(n / 2, "One more sentence here. "))
    }),
    bomb("nested emphasis", Markdown, |n| fill(n, "**_")),
    bomb("nested emphasis in a heading", Markdown, |n| format!("# {}\n\ntext\n", fill(n, "**_a"))),
    bomb("closed emphasis", Markdown, |n| format!("{}a{}", fill(n / 2, "*_"), fill(n / 2, "_*"))),
    bomb("emphasis of all lengths", Markdown, |n| fill(n, "*a **b ***c _d __e ")),
    bomb("strewn marks", Markdown, |n| fill(n, "*a_")),
    bomb("block quotes in block quotes", Markdown, |n| format!("{}a\n", fill(n, ">"))),
    bomb("block quotes of growing depth", Markdown, |n| growing(n, "> ")),
    bomb("lists in lists", Markdown, |n| format!("{}a\n", fill(n, "- "))),
    bomb("lists of growing depth", Markdown, |n| growing(n, "  ")),
    bomb("many short list items", Markdown, |n| fill(n, "- a\n")),
    bomb("open brackets", Markdown, |n| fill(n, "[")),
    bomb("open images", Markdown, |n| fill(n, "![")),
    bomb("links in links", Markdown, |n| format!("{}a{}", fill(n / 4, "["), fill(n * 3 / 4, "](b)"))),
    bomb("links without an end", Markdown, |n| fill(n, "[a](")),
    bomb("link targets of many brackets", Markdown, |n| fill(n, "[a](((((((((((((((((((((((((((((((((")),
    bomb("definitions of links", Markdown, |n| numbered(n, |at, text| writeln!(text, "[a{at}]: b"))),
    bomb("links to one long definition", Markdown, |n| {
        format!("[a]: {}\n\n{}", "b".repeat(n / 2), fill(n / 2, "[a] "))
    }),
    bomb("a long definition in headings", Markdown, |n| {
        format!("[a]: {} \"{}\"\n\n{}", "b", "t".repeat(n / 2), fill(n / 2, "# [a]\nb\n"))
    }),
    bomb("footnotes", Markdown, |n| numbered(n, |at, text| writeln!(text, "[^{at}]: a [^{at}]"))),
    bomb("runs of backticks of all lengths", Markdown, backticks),
    bomb("backslashes", Markdown, |n| fill(n, "\\")),
    bomb("pieces of tags", Markdown, |n| fill(n, "<a ")),
    bomb("pieces of closing tags", Markdown, |n| fill(n, "</")),
    bomb("open comments", Markdown, |n| fill(n, "a <!-- ")),
    bomb("open instructions", Markdown, |n| fill(n, "a <? ")),
    bomb("open declarations", Markdown, |n| fill(n, "a <!A ")),
    bomb("open sections of data", Markdown, |n| fill(n, "a <![CDATA[ ")),
    bomb("lines of tags", Markdown, |n| fill(n, "<div>\n\n")),
    bomb("a wide table of short rows", Markdown, |n| wide_tables(n, n)),
    bomb("many tables of short rows", Markdown, |n| wide_tables(n, 6_000)),
    bomb("quoted tables of short rows", Markdown, |n| {
        wide_tables(n, 6_000).lines().map(|line| format!("> {line}\n")).collect()
    }),
    bomb("a long table", Markdown, |n| format!("|a|b|\n|-|-|\n{}", fill(n, "|1|2|\n"))),
    bomb("tables that never begin", Markdown, |n| fill(n, "|a|\n")),
    bomb("bars", Markdown, |n| fill(n, "|")),
    bomb("ampersands", Markdown, |n| fill(n, "&")),
    bomb("entities", Markdown, |n| fill(n, "&amp;")),
    bomb("long entities", Markdown, |n| fill(n, "&CounterClockwiseContourIntegral")),
    bomb("tabs", Markdown, |n| format!("a{}b", fill(n, "\t"))),
    bomb("empty lines", Markdown, |n| format!("a{}b", fill(n, "\n"))),
    bomb("carriage returns", Markdown, |n| format!("a{}b", fill(n, "\r"))),
    bomb("fences", Markdown, |n| fill(n, "```\n")),
    bomb("fences of all lengths", Markdown, fences),
    bomb("dashes that open front matter", Markdown, |n| fill(n, "---\n")),
    bomb("front matter of one long value", Markdown, |n| front(&format!("title: {}", "x".repeat(n)))),
    bomb("front matter of many keys", Markdown, |n| front(&numbered(n, |at, text| writeln!(text, "k{at}: v")))),
    bomb("front matter of one long key", Markdown, |n| front(&format!("{}: v", "k".repeat(n)))),
    bomb("front matter of many tags", Markdown, |n| {
        front(&format!("tags: [{}]", numbered(n, |at, text| write!(text, "t{at}, "))))
    }),
    bomb("front matter of aliases", Markdown, |n| front(&aliases(n))),
    bomb("front matter of aliases in tags", Markdown, |n| {
        front(&format!("a: &a {}\ntags: [{}]", "x".repeat(n / 2), fill(n / 2, "*a, ")))
    }),
    bomb("front matter in brackets", Markdown, |n| front(&format!("tags: {}", fill(n, "[")))),
    bomb("front matter in braces", Markdown, |n| front(&format!("x: {}", fill(n, "{a: ")))),
    bomb("front matter of dashes", Markdown, |n| front(&format!("x:\n  {}", fill(n, "- ")))),
    bomb("front matter of anchors", Markdown, |n| front(&numbered(n, |at, text| writeln!(text, "k{at}: &a{at} v")))),
    bomb("front matter of comments", Markdown, |n| front(&fill(n, "# c\n"))),
    bomb("front matter of quotes", Markdown, |n| front(&format!("x: \"{}", fill(n, "\\u0041")))),
    bomb("a work of many sections", Markdown, |n| work(n, "")),
    bomb("a work of many sections and a long title", Markdown, |n| {
        work(n / 2, &format!("title: {}\n", "t".repeat(n / 2)))
    }),
    bomb("a work of many sections and many tags", Markdown, |n| {
        work(n / 2, &format!("tags: [{}]\n", numbered(n / 2, |at, text| write!(text, "t{at}, "))))
    }),
    bomb("a work under a long heading", Markdown, |n| {
        format!("---\naddresses: \"A {{}}\"\n---\n# {}\n\n{}", "h".repeat(n / 2), sections(n / 2))
    }),
    bomb("a work of long addresses", Markdown, |n| {
        format!("---\naddresses: \"{}\"\n---\n{}", fill(n / 2, "{}"), sections(n / 2))
    }),
    bomb("a work of long numbers", Markdown, |n| {
        format!("---\naddresses: \"A {{}}\"\n---\n# {}1\n\ntext\n", "1.".repeat(n / 2))
    }),
    bomb("one long word", PlainText, |n| "x".repeat(n)),
    bomb("one long line", PlainText, |n| fill(n, "word ")),
    bomb("points", PlainText, |n| fill(n, "a.")),
    bomb("short lines", PlainText, |n| fill(n, "a\n\n")),
    bomb("signs of many bytes", PlainText, |n| fill(n, "🌧")),
    bomb("marks upon marks", PlainText, |n| format!("a{}", fill(n, "\u{301}"))),
    bomb("elements in elements", Html, |n| format!("{}a", fill(n, "<div>"))),
    bomb("formatting in formatting", Html, |n| format!("{}a", fill(n, "<b><i>"))),
    bomb("formatting of many kinds over paragraphs", Html, |n| {
        format!("{}{}", numbered(n / 2, |at, text| write!(text, "<b id={at}>")), fill(n / 2, "<p>x"))
    }),
    bomb("formatting that is never closed", Html, |n| {
        numbered(n, |at, text| write!(text, "<p><font color={at}>x</p>"))
    }),
    bomb("formatting behind markers", Html, |n| {
        numbered(n, |at, text| write!(text, "<b id={at}><object></b></object>x"))
    }),
    bomb("formatting over paragraphs", Html, |n| format!("<p>{}{}", FORMATTING.repeat(3), fill(n, "<p>x"))),
    bomb("formatting closed the wrong way", Html, |n| fill(n, "<a><b><p></a></b>x")),
    bomb("lists in lists", Html, |n| format!("{}a", fill(n, "<ul><li>"))),
    bomb("tables in tables", Html, |n| format!("{}a", fill(n, "<table><tr><td>"))),
    bomb("tables with words before their rows", Html, |n| fill(n, "<table>a")),
    bomb("templates in templates", Html, |n| format!("{}a", fill(n, "<template>"))),
    bomb("drawings in drawings", Html, |n| format!("a{}", fill(n, "<svg><g>"))),
    bomb("formulas in formulas", Html, |n| format!("a{}", fill(n, "<math><mi>"))),
    bomb("selections in selections", Html, |n| format!("a{}", fill(n, "<select><option>"))),
    bomb("buttons and forms", Html, |n| format!("a{}", fill(n, "<form><button>"))),
    bomb("unknown elements", Html, |n| format!("a{}", numbered(n, |at, text| write!(text, "<x{at}>")))),
    bomb("elements that seem to close themselves", Html, |n| format!("{}a", fill(n, "<div/>"))),
    bomb("headings in headings", Html, |n| format!("{}a", fill(n, "<h1><h2>"))),
    bomb("spans and ends of others", Html, |n| format!("{}{}a", "<span>".repeat(500), fill(n, "</i>"))),
    bomb("comments with ends inside", Html, |n| format!("{}a", fill(n, "<div><!--</div>-->"))),
    bomb("comments with tags inside", Html, |n| format!("a<!--{}-->", fill(n, "<a b>"))),
    bomb("comments that never end", Html, |n| format!("a{}", fill(n, "<!--"))),
    bomb("many comments", Html, |n| format!("a{}", fill(n, "<!---->"))),
    bomb("one tag of many attributes", Html, |n| format!("<p {}>a", numbered(n, |at, text| write!(text, "a{at} ")))),
    bomb("one end of many attributes", Html, |n| format!("a</p {}>a", numbered(n, |at, text| write!(text, "a{at}/")))),
    bomb("attributes without blanks", Html, |n| format!("<p {}>a", numbered(n, |at, text| write!(text, "a{at}=\"\"")))),
    bomb("tags of many attributes", Html, |n| {
        fill(n, &format!("<b {}>a", numbered(2_000, |at, text| write!(text, "a{at} "))))
    }),
    bomb("one huge attribute", Html, |n| format!("<img src=\"{}\">a", "/ ".repeat(n / 2))),
    bomb("a tag that never ends", Html, |n| format!("a<p {}", fill(n, "a "))),
    bomb("tags that never end", Html, |n| format!("a{}", fill(n, "<a "))),
    bomb("brackets", Html, |n| format!("a{}", fill(n, "<"))),
    bomb("paragraphs", Html, |n| format!("{}a", fill(n, "<p>"))),
    bomb("small paragraphs", Html, |n| fill(n, "<p>a")),
    bomb("cells", Html, |n| format!("<table>{}", fill(n, "<td>a"))),
    bomb("ends of what is not open", Html, |n| format!("a{}", fill(n, "</p>"))),
    bomb("line breaks", Html, |n| format!("a{}b", fill(n, "<br>"))),
    bomb("ampersands", Html, |n| fill(n, "&")),
    bomb("entities", Html, |n| fill(n, "&lt;")),
    bomb("half entities", Html, |n| fill(n, "&CounterClockwiseContourIntegra")),
    bomb("long numbers of signs", Html, |n| format!("a&#{};", "9".repeat(n))),
    bomb("a long heading over small ones", Html, |n| heading_over(n, "<title>t</title><h1>", "</h1>", "<h2>a</h2>b")),
    bomb("a long title", Html, |n| format!("<title>{}</title>{}", "t".repeat(n / 2), fill(n / 2, "<h2>a</h2>b"))),
    bomb("scripts", Html, |n| format!("a{}", fill(n, "<script>"))),
    bomb("scripts in comments", Html, |n| format!("a{}", fill(n, "<script><!--<script>"))),
    bomb("drawings of text", Html, |n| fill(n, "<svg><title>a</title></svg>")),
    bomb("frames", Html, |n| fill(n, "<frameset>")),
    bomb("plain text", Html, |n| format!("<plaintext>{}", fill(n, "<a b>"))),
    bomb("nested values", JsonLines, |n| {
        format!("{{\"id\":\"a\",\"text\":\"b\",\"x\":{}1{}}}", fill(n / 2, "["), fill(n / 2, "]"))
    }),
    bomb("many values", JsonLines, |n| format!("{{\"id\":\"a\",\"text\":\"b\",\"x\":[{}1]}}", fill(n, "1,"))),
    bomb("many fields", JsonLines, |n| {
        format!("{{\"id\":\"a\",\"text\":\"b\"{}}}", numbered(n, |at, text| write!(text, ",\"k{at}\":1")))
    }),
    bomb("one long line of text", JsonLines, |n| format!("{{\"id\":\"a\",\"text\":\"{}\"}}", "x".repeat(n))),
    bomb("escapes", JsonLines, |n| format!("{{\"id\":\"a\",\"text\":\"{}\"}}", fill(n, "\\u0041"))),
    bomb("a long id", JsonLines, |n| format!("{{\"id\":\"{}\",\"text\":\"b\"}}", "x".repeat(n))),
    bomb("a long title", JsonLines, |n| {
        format!("{{\"id\":\"a\",\"title\":\"{}\",\"text\":\"{}\"}}", "x".repeat(n / 2), fill(n / 2, "# a\\nb\\n"))
    }),
    bomb("a value of the wrong kind", JsonLines, |n| {
        format!("{{\"id\":\"a\",\"text\":\"b\",\"tags\":{{\"{}\":1}}}}", "x".repeat(n))
    }),
    bomb("many small documents", JsonLines, |n| {
        numbered(n, |at, text| writeln!(text, "{{\"id\":\"{at}\",\"text\":\"b\"}}"))
    }),
    bomb("bad lines", JsonLines, |n| fill(n, "x\n")),
    bomb("cues", Transcript, |n| fill(n, "0:0-->0:0\na\n\n")),
    bomb("different cues", Transcript, |n| numbered(n, |at, text| write!(text, "0:0 --> 0:0\na{at}\n\n"))),
    bomb("absurd times", Transcript, |n| fill(n, "99999999:59:59.999 --> 0:0\na\n\nb --> c\n\n")),
    bomb("a long time", Transcript, |n| format!("0:0.{} --> 0:0\na\n", "0".repeat(n))),
    bomb("colons", Transcript, |n| format!("{} --> 0:0\na\n", ":".repeat(n))),
    bomb("notes", Transcript, |n| format!("{}0:0 --> 0:1\na\n", fill(n, "NOTE\n"))),
    bomb("notes that open front matter", Transcript, |n| format!("{}0:0 --> 0:1\na\n", fill(n, "NOTE ---\n"))),
    bomb("marks of a player", Transcript, |n| format!("0:0 --> 0:1\n{}\n", fill(n, "<a{"))),
];

const FORMATTING: &str =
    "<b><big><code><em><font><i><s><small><strike><strong><tt><u><font color=1><font size=1><font face=1>";

/// A text over and over, about so many bytes of it.
fn fill(bytes: usize, text: &str) -> String {
    text.repeat(bytes / text.len())
}

/// Pieces with their numbers, about so many bytes of them.
fn numbered(bytes: usize, write: fn(usize, &mut String) -> std::fmt::Result) -> String {
    let mut text = String::new();
    let mut at = 0;
    while text.len() < bytes {
        assert!(write(at, &mut text).is_ok(), "a string takes everything");
        at += 1;
    }
    text
}

fn heading_over(bytes: usize, open: &str, close: &str, small: &str) -> String {
    format!("{open}{}{close}\n{}", "h".repeat(bytes / 2), fill(bytes / 2, small))
}

fn long_headings(bytes: usize) -> String {
    let long = "h".repeat(bytes / 12);
    let above: String = (1..6).map(|level| format!("{} {long}\n", "#".repeat(level))).collect();
    format!("---\ntitle: t\n---\n{above}{}", fill(bytes / 2, "###### a\nb\n"))
}

/// Lines each one deeper than the one before.
fn growing(bytes: usize, step: &str) -> String {
    let mut text = String::new();
    let mut depth = 0;
    while text.len() < bytes {
        text.push_str(&step.repeat(depth));
        text.push_str("- a\n");
        depth += 1;
    }
    text
}

fn backticks(bytes: usize) -> String {
    let mut text = String::new();
    let mut length = 1;
    while text.len() < bytes {
        text.push_str(&"`".repeat(length));
        text.push('a');
        length += 1;
    }
    text
}

fn fences(bytes: usize) -> String {
    let mut text = String::new();
    let mut length = 3;
    while text.len() < bytes {
        text.push_str(&"`".repeat(length));
        text.push('\n');
        length += 1;
    }
    text
}

/// Tables with many columns, whose rows fill only the first.
fn wide_tables(bytes: usize, table_bytes: usize) -> String {
    let columns = table_bytes / 24;
    let table = format!("{}|\n{}|\n{}\n", "|a".repeat(columns), "|-".repeat(columns), "|b\n".repeat(table_bytes / 4));
    fill(bytes.max(table.len()), &table)
}

fn front(yaml: &str) -> String {
    format!("---\n{yaml}\n---\n# Title\n\nText.\n")
}

/// Lists of lists of lists, each by name.
fn aliases(bytes: usize) -> String {
    let mut yaml = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    let mut at = 1;
    while yaml.len() < bytes.min(4_000) {
        let name = format!("*a{}", at - 1);
        let _ = writeln!(yaml, "a{at}: &a{at} [{}]", [name.as_str(); 9].join(", "));
        at += 1;
    }
    format!("{yaml}tags: *a{}", at - 1)
}

fn sections(bytes: usize) -> String {
    numbered(bytes, |at, text| write!(text, "# {at}\nb\n"))
}

fn work(bytes: usize, more: &str) -> String {
    format!("---\naddresses: \"A {{}}\"\n{more}---\n{}", sections(bytes))
}
