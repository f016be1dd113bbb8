//! Files of office programs, written by hand from their parts, and what is read of them.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::io::{Cursor, Write};

use vouch_domain::{
    Document, RawDocument, SourceFormat,
    document::Labels,
    ports::{ParseError, Parser},
};
use vouch_formats::FileParser;
use zip::{ZipWriter, write::SimpleFileOptions};

const RELATIONSHIPS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/// The one document of a source.
pub(crate) fn parse(format: SourceFormat, file: &str, bytes: &[u8]) -> Result<Document, ParseError> {
    let mut parsed = FileParser::default().parse(RawDocument {
        url: None,
        source: format!("/d/{file}"),
        fallback_id: file.to_owned(),
        format,
        bytes: bytes.to_vec(),
        labels: Labels { tenant: "acme".to_owned(), ..Labels::default() },
    });
    assert_eq!(parsed.len(), 1, "one document");
    parsed.pop().expect("one document")
}

/// What is wrong with a source.
pub(crate) fn fault(format: SourceFormat, file: &str, bytes: &[u8]) -> String {
    parse(format, file, bytes).expect_err("a fault").sentence
}

/// The text with the pages, slides or rows where they begin.
pub(crate) fn marked(document: &Document) -> String {
    let mut marks = document.pages.iter().peekable();
    let mut text = String::new();
    for (at, character) in document.text.chars().enumerate() {
        while let Some(mark) = marks.next_if(|mark| mark.at <= at) {
            text.push_str(&format!("[{}]", mark.page));
        }
        text.push(character);
    }
    text
}

/// An archive of these parts.
pub(crate) fn zipped(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, part) in parts {
        zip.start_file(*name, SimpleFileOptions::default()).expect("an entry");
        zip.write_all(part.as_bytes()).expect("a part");
    }
    zip.finish().expect("an archive").into_inner()
}

fn relationships(targets: &[(&str, &str)]) -> String {
    let lines = targets.iter().enumerate().map(|(at, (kind, target))| {
        format!("<Relationship Id=\"rId{}\" Type=\"{RELATIONSHIPS}/{kind}\" Target=\"{target}\"/>", at + 1)
    });
    let lines: String = lines.collect();
    format!(
        "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">{lines}</Relationships>"
    )
}

fn content_types(parts: &[(&str, &str)]) -> String {
    let lines = parts.iter().map(|(part, kind)| {
        let whole = format!("application/vnd.openxmlformats-officedocument.{kind}+xml");
        format!("<Override PartName=\"/{part}\" ContentType=\"{whole}\"/>")
    });
    let lines: String = lines.collect();
    format!(
        "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">\
         <Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
         <Default Extension=\"xml\" ContentType=\"application/xml\"/>{lines}</Types>"
    )
}

/// A document of Word with this body and these further parts, each with its kind.
pub(crate) fn docx(body: &str, more: &[(&str, &str, &str)]) -> Vec<u8> {
    let document = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><w:document \
         xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\" xmlns:r=\"{RELATIONSHIPS}\" \
         xmlns:m=\"http://schemas.openxmlformats.org/officeDocument/2006/math\"><w:body>{body}</w:body></w:document>"
    );
    let kinds: Vec<(String, String)> =
        more.iter().map(|(kind, file, _)| (format!("word/{file}"), format!("wordprocessingml.{kind}"))).collect();
    let mut types = vec![("word/document.xml", "wordprocessingml.document.main")];
    types.extend(kinds.iter().map(|(part, kind)| (part.as_str(), kind.as_str())));
    let targets: Vec<(&str, &str)> = more.iter().map(|(kind, file, _)| (*kind, *file)).collect();
    let (types, own, links) =
        (content_types(&types), relationships(&[("officeDocument", "word/document.xml")]), relationships(&targets));
    let mut parts = vec![
        ("[Content_Types].xml", types.as_str()),
        ("_rels/.rels", &own),
        ("word/document.xml", &document),
        ("word/_rels/document.xml.rels", &links),
    ];
    parts.extend(kinds.iter().zip(more).map(|((part, _), (_, _, xml))| (part.as_str(), *xml)));
    zipped(&parts)
}

/// A workbook of Excel with these sheets: name, state, XML of its rows; and the formats of numbers that its styles 1, 2, … have.
pub(crate) fn xlsx(sheets: &[(&str, &str, &str)], formats: &[&str]) -> Vec<u8> {
    const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    let names: Vec<String> = (1..=sheets.len()).map(|at| format!("worksheets/sheet{at}.xml")).collect();
    let mut targets: Vec<(&str, &str)> = names.iter().map(|name| ("worksheet", name.as_str())).collect();
    targets.push(("styles", "styles.xml"));
    let listed = sheets.iter().enumerate().map(|(at, (name, state, _))| {
        format!("<sheet name=\"{name}\" sheetId=\"{0}\" state=\"{state}\" r:id=\"rId{0}\"/>", at + 1)
    });
    let listed: String = listed.collect();
    let workbook =
        format!("<workbook xmlns=\"{MAIN}\" xmlns:r=\"{RELATIONSHIPS}\"><sheets>{listed}</sheets></workbook>");
    let numbered = || (200..).zip(formats);
    let codes: String = numbered()
        .map(|(id, code)| format!("<numFmt numFmtId=\"{id}\" formatCode=\"{}\"/>", code.replace('"', "&quot;")))
        .collect();
    let used: String = numbered().map(|(id, _)| format!("<xf numFmtId=\"{id}\" applyNumberFormat=\"1\"/>")).collect();
    let styles = format!(
        "<styleSheet xmlns=\"{MAIN}\"><numFmts>{codes}</numFmts><cellXfs><xf numFmtId=\"0\"/>{used}</cellXfs></styleSheet>"
    );
    let bodies: Vec<String> =
        sheets.iter().map(|(_, _, xml)| format!("<worksheet xmlns=\"{MAIN}\">{xml}</worksheet>")).collect();
    let (own, links) = (relationships(&[("officeDocument", "xl/workbook.xml")]), relationships(&targets));
    let paths: Vec<String> = names.iter().map(|name| format!("xl/{name}")).collect();
    let mut types = vec![("xl/workbook.xml", "spreadsheetml.sheet.main"), ("xl/styles.xml", "spreadsheetml.styles")];
    types.extend(paths.iter().map(|path| (path.as_str(), "spreadsheetml.worksheet")));
    let types = content_types(&types);
    let mut parts = vec![
        ("[Content_Types].xml", types.as_str()),
        ("_rels/.rels", &own),
        ("xl/workbook.xml", &workbook),
        ("xl/_rels/workbook.xml.rels", &links),
        ("xl/styles.xml", &styles),
    ];
    parts.extend(paths.iter().zip(&bodies).map(|(path, body)| (path.as_str(), body.as_str())));
    zipped(&parts)
}

/// A file of `OpenDocument`: its kind (`text` or `spreadsheet`), its styles and its body.
pub(crate) fn open_document(kind: &str, styles: &str, body: &str, meta: &str) -> Vec<u8> {
    const NAMES: &str = "xmlns:office=\"urn:o\" xmlns:text=\"urn:t\" xmlns:table=\"urn:ta\" xmlns:style=\"urn:s\" \
                         xmlns:fo=\"urn:f\" xmlns:draw=\"urn:d\" xmlns:xlink=\"urn:x\" xmlns:dc=\"urn:dc\" \
                         xmlns:meta=\"urn:m\" xmlns:calcext=\"urn:c\" xmlns:svg=\"urn:sv\"";
    let content = format!(
        "<office:document-content {NAMES}><office:automatic-styles>{styles}</office:automatic-styles>\
         <office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>"
    );
    let meta = format!("<office:document-meta {NAMES}><office:meta>{meta}</office:meta></office:document-meta>");
    let kind = format!("application/vnd.oasis.opendocument.{kind}");
    zipped(&[("mimetype", &kind), ("content.xml", &content), ("meta.xml", &meta)])
}

/// The archive with one more part, which nothing in it refers to.
pub(crate) fn with_part(bytes: &[u8], name: &str, part: &str) -> Vec<u8> {
    let mut zip = ZipWriter::new_append(Cursor::new(bytes.to_vec())).expect("an archive");
    zip.start_file(name, SimpleFileOptions::default()).expect("an entry");
    zip.write_all(part.as_bytes()).expect("a part");
    zip.finish().expect("an archive").into_inner()
}

/// A presentation of slides in the order they are shown: the number of its part, its shapes, its notes, whether it is shown.
pub(crate) fn pptx(slides: &[(usize, &str, &str, bool)]) -> Vec<u8> {
    const NAMES: &str = "xmlns:p=\"http://schemas.openxmlformats.org/presentationml/2006/main\" \
                         xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\" \
                         xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\"";
    let tree = |shapes: &str| format!("<p:cSld><p:spTree><p:nvGrpSpPr/><p:grpSpPr/>{shapes}</p:spTree></p:cSld>");
    let (mut parts, mut types, mut targets) = (Vec::new(), Vec::new(), Vec::new());
    for (number, shapes, notes, is_shown) in slides {
        let show = if *is_shown { "" } else { " show=\"0\"" };
        let slide = format!("ppt/slides/slide{number}.xml");
        parts.push((slide.clone(), format!("<p:sld {NAMES}{show}>{}</p:sld>", tree(shapes))));
        types.push((slide, "presentationml.slide"));
        targets.push(format!("slides/slide{number}.xml"));
        if !notes.is_empty() {
            let lines: String = notes.lines().map(|line| format!("<a:p><a:r><a:t>{line}</a:t></a:r></a:p>")).collect();
            let shape = format!(
                "<p:sp><p:nvSpPr><p:cNvPr id=\"2\" name=\"n\"/><p:cNvSpPr/><p:nvPr><p:ph type=\"body\" idx=\"1\"/></p:nvPr>\
                 </p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/>{lines}</p:txBody></p:sp>"
            );
            let part = format!("ppt/notesSlides/notesSlide{number}.xml");
            parts.push((part.clone(), format!("<p:notes {NAMES}>{}</p:notes>", tree(&shape))));
            types.push((part, "presentationml.notesSlide"));
            let target = format!("../notesSlides/notesSlide{number}.xml");
            parts.push((format!("ppt/slides/_rels/slide{number}.xml.rels"), relationships(&[("notesSlide", &target)])));
        }
    }
    let listed: String =
        (1..=slides.len()).map(|at| format!("<p:sldId id=\"{}\" r:id=\"rId{at}\"/>", 255 + at)).collect();
    types.push(("ppt/presentation.xml".to_owned(), "presentationml.presentation.main"));
    parts.push((
        "ppt/presentation.xml".to_owned(),
        format!("<p:presentation {NAMES}><p:sldIdLst>{listed}</p:sldIdLst></p:presentation>"),
    ));
    let targets: Vec<(&str, &str)> = targets.iter().map(|target| ("slide", target.as_str())).collect();
    parts.push(("ppt/_rels/presentation.xml.rels".to_owned(), relationships(&targets)));
    parts.push(("_rels/.rels".to_owned(), relationships(&[("officeDocument", "ppt/presentation.xml")])));
    let types: Vec<(&str, &str)> = types.iter().map(|(part, kind)| (part.as_str(), *kind)).collect();
    parts.push(("[Content_Types].xml".to_owned(), content_types(&types)));
    let parts: Vec<(&str, &str)> = parts.iter().map(|(name, part)| (name.as_str(), part.as_str())).collect();
    zipped(&parts)
}
