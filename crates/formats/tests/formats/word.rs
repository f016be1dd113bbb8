//! Documents of Word: what is read of them, and what is left out.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use vouch_domain::{Document, SourceFormat};

use crate::office_file::{docx, marked, parse};

fn read(body: &str, more: &[(&str, &str, &str)]) -> Document {
    parse(SourceFormat::Docx, "d/plan.docx", &docx(body, more)).expect("a document")
}

fn run(words: &str) -> String {
    format!("<w:r><w:t xml:space=\"preserve\">{words}</w:t></w:r>")
}

fn paragraph(inside: &str) -> String {
    format!("<w:p>{inside}</w:p>")
}

const NAMESPACE: &str = "xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"";

fn styles(inside: &str) -> String {
    format!("<w:styles {NAMESPACE}>{inside}</w:styles>")
}

#[test]
fn what_was_deleted_moved_away_hidden_or_remarked_is_left_out() {
    let body = [
        paragraph(
            &[run("Kept "), "<w:del w:id=\"1\"><w:r><w:delText>deleted</w:delText></w:r></w:del>".to_owned()].concat(),
        ),
        paragraph(&format!("<w:ins w:id=\"2\">{}</w:ins>", run("Inserted"))),
        paragraph(&format!("<w:moveFrom w:id=\"3\">{}</w:moveFrom>", run("Moved"))),
        paragraph(&format!("<w:moveTo w:id=\"4\">{}</w:moveTo>", run("Moved"))),
        paragraph("<w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r>"),
        paragraph(&[run("Commented"), "<w:r><w:commentReference w:id=\"0\"/></w:r>".to_owned()].concat()),
    ]
    .concat();
    let comments = format!(
        "<w:comments {NAMESPACE}><w:comment w:id=\"0\" w:author=\"Ada\">{}</w:comment></w:comments>",
        paragraph(&run("a remark"))
    );
    let document = read(&body, &[("comments", "comments.xml", &comments)]);
    assert_eq!(document.text, "Kept\n\nInserted\n\nMoved\n\nCommented\n");
}

#[test]
fn headings_are_found_by_style_name_and_by_outline_level() {
    let sheet = styles(
        "<w:style w:type=\"paragraph\" w:styleId=\"berschrift1\"><w:name w:val=\"heading 1\"/></w:style>\
         <w:style w:type=\"paragraph\" w:styleId=\"Kapitel\"><w:name w:val=\"Kapitel\"/><w:pPr><w:outlineLvl w:val=\"1\"/></w:pPr></w:style>\
         <w:style w:type=\"paragraph\" w:styleId=\"Verzeichnis1\"><w:name w:val=\"toc 1\"/></w:style>",
    );
    let styled =
        |style: &str, words: &str| paragraph(&format!("<w:pPr><w:pStyle w:val=\"{style}\"/></w:pPr>{}", run(words)));
    let body = [
        styled("Verzeichnis1", "Hafen 1"),
        styled("berschrift1", "Hafen"),
        styled("Kapitel", "Liegeplätze"),
        paragraph(&run("Zwölf.")),
    ]
    .concat();
    let document = read(&body, &[("styles", "styles.xml", &sheet)]);
    assert_eq!(document.text, "# Hafen\n\n## Liegeplätze\n\nZwölf.\n");
    let last = document.sections.last().expect("a section");
    assert_eq!((document.card.title.as_str(), last.path.join("/")), ("Hafen", "Liegeplätze".to_owned()));
}

#[test]
fn notes_stand_after_the_block_that_refers_to_them() {
    let body = [
        paragraph(&[run("First."), "<w:r><w:footnoteReference w:id=\"2\"/></w:r>".to_owned()].concat()),
        paragraph(&[run("Second."), "<w:r><w:endnoteReference w:id=\"2\"/></w:r>".to_owned()].concat()),
    ]
    .concat();
    let notes = |kind: &str, words: &str| {
        format!("<w:{kind}s {NAMESPACE}><w:{kind} w:id=\"2\">{}</w:{kind}></w:{kind}s>", paragraph(&run(words)))
    };
    let (foot, end) = (notes("footnote", "Below."), notes("endnote", "Behind."));
    let document = read(&body, &[("footnotes", "footnotes.xml", &foot), ("endnotes", "endnotes.xml", &end)]);
    assert_eq!(document.text, "First.\n\nNote: Below.\n\nSecond.\n\nNote: Behind.\n");
}

#[test]
fn cells_stay_in_their_columns() {
    let cell =
        |properties: &str, words: &str| format!("<w:tc><w:tcPr>{properties}</w:tcPr>{}</w:tc>", paragraph(&run(words)));
    let row = |cells: &[String]| format!("<w:tr>{}</w:tr>", cells.concat());
    let body = [
        "<w:tbl><w:tblGrid><w:gridCol/><w:gridCol/><w:gridCol/></w:tblGrid>".to_owned(),
        row(&[cell("", "Ship"), cell("", "From"), cell("", "To")]),
        row(&[cell("<w:gridSpan w:val=\"2\"/>", "wide"), cell("", "end")]),
        row(&[cell("<w:vMerge w:val=\"restart\"/>", "tall"), cell("", "a"), cell("", "b")]),
        row(&[cell("<w:vMerge/>", ""), cell("", "c"), cell("", "d")]),
        "</w:tbl>".to_owned(),
    ]
    .concat();
    let document = read(&body, &[]);
    let rows: Vec<&str> = document.text.lines().collect();
    assert_eq!(
        rows,
        ["| Ship | From | To |", "| --- | --- | --- |", "| wide |  | end |", "| tall | a | b |", "|  | c | d |"]
    );
}

#[test]
fn items_keep_their_numbers_and_depth() {
    let level = |depth: usize, format: &str| {
        format!(
            "<w:lvl w:ilvl=\"{depth}\"><w:start w:val=\"1\"/><w:numFmt w:val=\"{format}\"/><w:lvlText w:val=\"%1.\"/></w:lvl>"
        )
    };
    let numbering = format!(
        "<w:numbering {NAMESPACE}><w:abstractNum w:abstractNumId=\"0\">{}{}</w:abstractNum>\
         <w:abstractNum w:abstractNumId=\"1\">{}{}</w:abstractNum>\
         <w:num w:numId=\"1\"><w:abstractNumId w:val=\"0\"/></w:num><w:num w:numId=\"2\"><w:abstractNumId w:val=\"1\"/></w:num></w:numbering>",
        level(0, "decimal"),
        level(1, "decimal"),
        level(0, "bullet"),
        level(1, "bullet"),
    );
    let item = |list: usize, depth: usize, words: &str| {
        let numbers = format!("<w:numPr><w:ilvl w:val=\"{depth}\"/><w:numId w:val=\"{list}\"/></w:numPr>");
        paragraph(&format!("<w:pPr>{numbers}</w:pPr>{}", run(words)))
    };
    let body =
        [item(1, 0, "one"), item(1, 0, "two"), item(2, 1, "inside"), paragraph(&run("Between.")), item(1, 0, "three")]
            .concat();
    let document = read(&body, &[("numbering", "numbering.xml", &numbering)]);
    assert_eq!(document.text, "1. one\n2. two\n   - inside\n\nBetween.\n\n3. three\n");
}

#[test]
fn pages_are_told_only_where_the_file_is_sure_of_them() {
    let drawn = "<w:r><w:lastRenderedPageBreak/><w:t>second page.</w:t></w:r>";
    let body = [
        paragraph(&[run("The first page, which goes on over the"), drawn.to_owned()].concat()),
        paragraph("<w:r><w:br w:type=\"page\"/></w:r>"),
        paragraph("<w:r><w:lastRenderedPageBreak/><w:t>Third.</w:t></w:r>"),
    ]
    .concat();
    let told = |stated: &str| {
        let app = format!("<Properties><Pages>{stated}</Pages></Properties>");
        let mut bytes = docx(&body, &[]);
        bytes = crate::office_file::with_part(&bytes, "docProps/app.xml", &app);
        marked(&parse(SourceFormat::Docx, "p.docx", &bytes).expect("a document"))
    };
    let sure = "[1]The first page, which goes on over the [2]second page.\n\n[3]Third.\n";
    assert_eq!(told("3"), sure);
    assert_eq!(
        told("5"),
        sure.replace(['[', ']'], "").replace("1The", "The").replace("2second", "second").replace("3Third", "Third")
    );
}

#[test]
fn headers_and_footers_are_no_text_and_text_boxes_links_and_formulas_are() {
    let body = [
        paragraph(&format!("<w:hyperlink r:id=\"rId9\">{}</w:hyperlink>", run("the pier"))),
        paragraph("<m:oMath><m:r><m:t>a+b</m:t></m:r></m:oMath>"),
        paragraph(&format!("<w:r><w:pict><v:shape xmlns:v=\"urn:schemas-microsoft-com:vml\"><v:textbox><w:txbxContent>{}</w:txbxContent></v:textbox></v:shape></w:pict></w:r>", paragraph(&run("in a box")))),
        "<w:sectPr><w:headerReference w:type=\"default\" r:id=\"rId1\"/></w:sectPr>".to_owned(),
    ]
    .concat();
    let header = format!("<w:hdr {NAMESPACE}>{}</w:hdr>", paragraph(&run("on every page")));
    let document = read(&body, &[("header", "header1.xml", &header)]);
    assert_eq!(document.text, "the pier\n\na+b\n\nin a box\n");
}

#[test]
fn tables_that_are_nothing_but_spans_are_told() {
    let cell = format!("<w:tc><w:tcPr><w:gridSpan w:val=\"1000\"/></w:tcPr>{}</w:tc>", paragraph(&run("x")));
    let body = format!("<w:tbl>{}</w:tbl>", format!("<w:tr>{}</w:tr>", cell.repeat(60)).repeat(500));
    let said = crate::office_file::fault(SourceFormat::Docx, "x.docx", &docx(&body, &[]));
    assert_eq!(said, "its tables have more than 500000 cells; split it");
}

#[test]
fn what_lies_deeper_than_the_library_reads_is_told() {
    let body = format!(
        "{}{}{}",
        "<w:tbl><w:tr><w:tc>".repeat(120),
        paragraph(&run("x")),
        "</w:tc></w:tr></w:tbl>".repeat(120)
    );
    let said = crate::office_file::fault(SourceFormat::Docx, "x.docx", &docx(&body, &[]));
    assert_eq!(said, "its part word/document.xml has more than 200 elements inside each other");
}
