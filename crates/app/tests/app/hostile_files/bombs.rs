//! Files that are small on disk and endless inside, that refer to themselves, or that reach for what is not theirs.
#![expect(clippy::expect_used, reason = "a test that cannot set its scene has failed")]

use std::io::{Cursor, Write};

use zip::{ZipWriter, write::SimpleFileOptions};

use super::{
    File,
    packed::{docx, docx_of, epub, epub_of, odt, pptx, xlsx, zipped},
    sound::pdf_of,
};

const MIB: usize = 1 << 20;
/// How deep things are nested.
const DEEP: usize = 200_000;

/// Every bomb.
pub(super) fn files() -> Vec<File> {
    [archives(), markup(), pdfs(), texts()].into_iter().flatten().collect()
}

/// So many bytes of one kind, packed into an entry of an archive.
fn inflating(name: &str, bytes: usize) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file(name, SimpleFileOptions::default()).expect("an entry");
    for _ in 0..bytes / MIB {
        zip.write_all(&vec![b' '; MIB]).expect("room in memory");
    }
    zip.finish().expect("an archive").into_inner()
}

fn many_entries(count: u32) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for number in 0..count {
        zip.start_file(format!("part-{number}.xml"), SimpleFileOptions::default()).expect("an entry");
    }
    zip.finish().expect("an archive").into_inner()
}

fn archives() -> Vec<File> {
    let nested = (0..20).fold(b"end".to_vec(), |inner, _| zipped(&[("inner.docx", &inner)]));
    vec![
        File::new("inflating.docx", inflating("word/document.xml", 1_024 * MIB)),
        File::new("inflating.odt", inflating("content.xml", 1_024 * MIB)),
        File::new("inflating.xlsx", inflating("xl/workbook.xml", 1_024 * MIB)),
        File::new("inflating.pptx", inflating("ppt/presentation.xml", 1_024 * MIB)),
        File::new("inflating.epub", inflating("META-INF/container.xml", 1_024 * MIB)),
        File::new("entries.docx", many_entries(60_000)),
        File::new("entries.epub", many_entries(60_000)),
        File::new("nested.docx", nested),
        File::new("climbing.docx", zipped(&[("../../outside.xml", b"<a/>"), ("/etc/outside", b"x")])),
        File::new("climbing.epub", epub_of("../../../../etc/passwd", b"<html/>")),
        File::new("elsewhere.epub", epub_of("http://127.0.0.1:9/chapter.xhtml", b"<html/>")),
        File::new("itself.epub", epub_of("book.opf", b"<html/>")),
    ]
}

/// Ten names, each of them ten times the one before.
fn laughs(root: &str) -> String {
    let mut text = "<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY e0 \"ha\">".to_owned();
    for number in 1..10 {
        let before = format!("&e{};", number - 1).repeat(10);
        text.push_str(&format!("<!ENTITY e{number} \"{before}\">"));
    }
    format!("{text}]>{}", root.replace('$', "&e9;"))
}

fn reaching(root: &str) -> String {
    let file = "<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY f SYSTEM \"file:///etc/passwd\">]>";
    format!("{file}{}", root.replace('$', "&f;"))
}

fn nested(open: &str, close: &str) -> String {
    format!("{}text{}", open.repeat(DEEP), close.repeat(DEEP))
}

fn markup() -> Vec<File> {
    let word = "<w:document xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"><w:body><w:p><w:r>\
        <w:t>$</w:t></w:r></w:p></w:body></w:document>";
    let repeated = "<office:spreadsheet><table:table table:name=\"S\"><table:table-row table:number-rows-repeated=\"1000000\">\
        <table:table-cell table:number-columns-repeated=\"16000\"><text:p>x</text:p></table:table-cell></table:table-row>\
        </table:table></office:spreadsheet>";
    let spaces = "<office:text><text:p>a<text:s text:c=\"2000000000\"/>b</text:p></office:text>";
    vec![
        File::new("laughs.docx", docx_of(laughs(word).as_bytes())),
        File::new("laughs.epub", epub(&laughs("<html><body>$</body></html>"))),
        File::new("laughs.html", laughs("<html><body>$</body></html>")),
        File::new("reaching.docx", docx_of(reaching(word).as_bytes())),
        File::new("reaching.epub", epub(&reaching("<html><body>$</body></html>"))),
        File::new("deep.docx", docx(&nested("<w:tbl><w:tr><w:tc>", "</w:tc></w:tr></w:tbl>"))),
        File::new("deep.odt", odt(&format!("<office:text>{}</office:text>", nested("<text:span>", "</text:span>")))),
        File::new("deep.pptx", pptx(&nested("<a:r>", "</a:r>"))),
        File::new("deep.html", nested("<div><blockquote>", "</blockquote></div>")),
        File::new("deep.epub", epub(&nested("<div>", "</div>"))),
        File::new("repeated.ods", odt(repeated)),
        File::new("spaces.odt", odt(spaces)),
        File::new("far.xlsx", xlsx("<row r=\"1048576\"><c r=\"XFD1048576\"><v>1</v></c></row>")),
        File::new("beyond.xlsx", xlsx("<row r=\"4294967295\"><c r=\"ZZZZZZ4294967295\"><v>1</v></c></row>")),
        File::new("attributes.html", format!("<p {}>a</p>", "a=b ".repeat(300_000))),
    ]
}

fn pdf_with(content: &str, more: &[&str]) -> Vec<u8> {
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /XObject << /X 5 0 R >> >> >>"
            .to_owned(),
        format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()),
    ];
    objects.extend(more.iter().map(|object| (*object).to_owned()));
    pdf_of(&objects)
}

fn pdfs() -> Vec<File> {
    let form = |own: &str, body: &str| {
        format!(
            "<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X {own} >> >> /Length {} >>\nstream\n{body}\nendstream",
            body.len()
        )
    };
    let of = |objects: &[&str]| pdf_of(&objects.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>());
    let catalogue = "<< /Type /Catalog /Pages 2 0 R >>";
    let cycle = of(&[catalogue, "<< /Type /Pages /Kids [2 0 R] /Count 1 >>"]);
    let parents =
        of(&[catalogue, "<< /Type /Pages /Kids [3 0 R] /Count 1 /Parent 3 0 R >>", "<< /Type /Pages /Kids [2 0 R] >>"]);
    let counted = of(&[catalogue, "<< /Type /Pages /Kids [] /Count 2147483647 >>"]);
    let itself = of(&["1 0 R"]);
    let length = of(&[
        catalogue,
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /Contents 4 0 R >>",
        "<< /Length 4 0 R >>\nstream\nBT ET\nendstream",
    ]);
    let locked = String::from_utf8_lossy(&of(&[catalogue, "<< /Type /Pages /Kids [] /Count 0 >>",
        "<< /Filter /Standard /V 2 /R 3 /Length 128 /P -4 /O (00000000000000000000000000000000) /U (00000000000000000000000000000000) >>"]))
        .replace("/Root 1 0 R", "/Root 1 0 R /Encrypt 3 0 R /ID [(a) (b)]");
    vec![
        File::new("cycle.pdf", cycle),
        File::new("parents.pdf", parents),
        File::new("counted.pdf", counted),
        File::new("itself.pdf", itself),
        File::new("length.pdf", length),
        File::new("locked.pdf", locked),
        File::new("form.pdf", pdf_with("/X Do", &[&form("5 0 R", "/X Do /X Do")])),
        File::new("forms.pdf", pdf_with("/X Do", &[&form("6 0 R", "/X Do /X Do"), &form("5 0 R", "/X Do /X Do")])),
        File::new("arrays.pdf", pdf_with(&nested("[", "]"), &[])),
        File::new("dictionaries.pdf", of(&[&nested("<< /A ", " >>")])),
        File::new("operators.pdf", pdf_with(&"q Q ".repeat(MIB), &[])),
        File::new("saved.pdf", pdf_with(&"q ".repeat(MIB), &[])),
    ]
}

fn texts() -> Vec<File> {
    let parts = |depth: usize| {
        let open: String =
            (0..depth).map(|at| format!("Content-Type: multipart/mixed; boundary=b{at}\r\n\r\n--b{at}\r\n")).collect();
        format!("From: a@mill.example\r\nSubject: a\r\n{open}Content-Type: text/plain\r\n\r\ntext\r\n")
    };
    vec![
        File::new("deep.json", format!("{}1{}", "[".repeat(DEEP), "]".repeat(DEEP))),
        File::new("open.json", "{\"a\":".repeat(DEEP)),
        File::new("number.json", format!("{{\"text\": {}}}", "9".repeat(MIB))),
        File::new("columns.csv", format!("{}\n{}\n", "a,".repeat(MIB), "b,".repeat(MIB))),
        File::new("quote.csv", format!("a,b\n\"{}", "x,\n".repeat(20_000))),
        File::new("parts.eml", parts(5_000)),
        File::new("headers.eml", format!("{}\r\n\r\ntext", "X-A: b\r\n".repeat(300_000))),
        File::new("include.adoc", "include::/etc/passwd[]\n\ninclude::include.adoc[]\n".repeat(200)),
        File::new("include.rst", ".. include:: /etc/passwd\n\n.. raw:: html\n   :file: /etc/passwd\n\n".repeat(200)),
        File::new("deep.rst", (0..3_000).map(|at| format!("{}- a\n\n", "  ".repeat(at))).collect::<String>()),
        File::new("deep.adoc", (0..3_000).map(|at| format!("{} a\n", "*".repeat(at + 1))).collect::<String>()),
        File::new("deep.md", format!("{}a\n", "> ".repeat(DEEP))),
        File::new("times.srt", "1\n99:99:99,999 --> 00:00:00,000\na\n\n".repeat(500)),
        File::new(
            "aliases.md",
            format!(
                "---\na: &a [x, x]\n{}---\ntext\n",
                (0..40).map(|at| format!("b{at}: [*a, *a]\n")).collect::<String>()
            ),
        ),
    ]
}
