//! Parts → an archive around them, as office files and books are.
#![expect(clippy::expect_used, reason = "a test that cannot set its scene has failed")]

use std::io::{Cursor, Write};

use zip::{ZipWriter, write::SimpleFileOptions};

const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const KINDS: &str = "application/vnd.openxmlformats-officedocument";

pub(super) fn zipped(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, part) in parts {
        zip.start_file(*name, SimpleFileOptions::default()).expect("an entry");
        zip.write_all(part).expect("a part");
    }
    zip.finish().expect("an archive").into_inner()
}

/// A document of Word with these words in its body.
pub(super) fn docx(body: &str) -> Vec<u8> {
    let part = format!(
        "<w:document xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"><w:body>{body}</w:body></w:document>"
    );
    docx_of(part.as_bytes())
}

pub(super) fn docx_of(part: &[u8]) -> Vec<u8> {
    let types = types(&[("word/document.xml", "wordprocessingml.document.main")]);
    let own = relationships("officeDocument", "word/document.xml");
    zipped(&[("[Content_Types].xml", types.as_bytes()), ("_rels/.rels", own.as_bytes()), ("word/document.xml", part)])
}

pub(super) fn paragraph(text: &str) -> String {
    format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>")
}

/// A presentation of one slide with this text.
pub(super) fn pptx(text: &str) -> Vec<u8> {
    let slide = "ppt/slides/slide1.xml";
    let types = types(&[("ppt/presentation.xml", "presentationml.presentation.main"), (slide, "presentationml.slide")]);
    let own = relationships("officeDocument", "ppt/presentation.xml");
    let slides = relationships("slide", "slides/slide1.xml");
    let presentation = format!(
        "<p:presentation xmlns:p=\"http://schemas.openxmlformats.org/presentationml/2006/main\" xmlns:r=\"{OFFICE}\">\
         <p:sldIdLst><p:sldId id=\"256\" r:id=\"rId1\"/></p:sldIdLst></p:presentation>"
    );
    let part = format!(
        "<p:sld xmlns:p=\"http://schemas.openxmlformats.org/presentationml/2006/main\" \
         xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\"><p:cSld><p:spTree><p:sp><p:txBody>\
         <a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>"
    );
    zipped(&[
        ("[Content_Types].xml", types.as_bytes()),
        ("_rels/.rels", own.as_bytes()),
        ("ppt/presentation.xml", presentation.as_bytes()),
        ("ppt/_rels/presentation.xml.rels", slides.as_bytes()),
        (slide, part.as_bytes()),
    ])
}

/// A workbook of one sheet with these rows of XML.
pub(super) fn xlsx(rows: &str) -> Vec<u8> {
    let own = relationships("officeDocument", "xl/workbook.xml");
    let sheets = relationships("worksheet", "worksheets/sheet1.xml");
    let workbook = format!(
        "<workbook xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" xmlns:r=\"{OFFICE}\"><sheets>\
         <sheet name=\"Mill\" sheetId=\"1\" r:id=\"rId1\"/></sheets></workbook>"
    );
    let sheet = format!(
        "<worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><sheetData>{rows}</sheetData></worksheet>"
    );
    zipped(&[
        ("_rels/.rels", own.as_bytes()),
        ("xl/workbook.xml", workbook.as_bytes()),
        ("xl/_rels/workbook.xml.rels", sheets.as_bytes()),
        ("xl/worksheets/sheet1.xml", sheet.as_bytes()),
    ])
}

pub(super) fn cell(place: &str, text: &str) -> String {
    format!("<c r=\"{place}\" t=\"inlineStr\"><is><t>{text}</t></is></c>")
}

/// A text of `OpenDocument` with this body.
pub(super) fn odt(body: &str) -> Vec<u8> {
    let part = format!(
        "<office:document-content xmlns:office=\"urn:oasis:names:tc:opendocument:xmlns:office:1.0\" \
         xmlns:text=\"urn:oasis:names:tc:opendocument:xmlns:text:1.0\" \
         xmlns:table=\"urn:oasis:names:tc:opendocument:xmlns:table:1.0\"><office:body>{body}</office:body>\
         </office:document-content>"
    );
    zipped(&[("content.xml", part.as_bytes())])
}

/// A book of one chapter.
pub(super) fn epub(chapter: &str) -> Vec<u8> {
    epub_of("chapter.xhtml", chapter.as_bytes())
}

/// A book whose list of parts names this one.
pub(super) fn epub_of(href: &str, chapter: &[u8]) -> Vec<u8> {
    let container = "<container xmlns=\"urn:oasis:names:tc:opendocument:xmlns:container\"><rootfiles>\
        <rootfile full-path=\"book.opf\" media-type=\"application/oebps-package+xml\"/></rootfiles></container>";
    let package = format!(
        "<package xmlns=\"http://www.idpf.org/2007/opf\" version=\"3.0\"><metadata \
         xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><dc:title>The Mill</dc:title></metadata><manifest>\
         <item id=\"c\" href=\"{href}\" media-type=\"application/xhtml+xml\"/></manifest>\
         <spine><itemref idref=\"c\"/></spine></package>"
    );
    zipped(&[
        ("mimetype", b"application/epub+zip"),
        ("META-INF/container.xml", container.as_bytes()),
        ("book.opf", package.as_bytes()),
        ("chapter.xhtml", chapter),
    ])
}

fn relationships(kind: &str, target: &str) -> String {
    format!(
        "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">\
         <Relationship Id=\"rId1\" Type=\"{OFFICE}/{kind}\" Target=\"{target}\"/></Relationships>"
    )
}

fn types(parts: &[(&str, &str)]) -> String {
    let line =
        |(part, kind): &(&str, &str)| format!("<Override PartName=\"/{part}\" ContentType=\"{KINDS}.{kind}+xml\"/>");
    let lines: String = parts.iter().map(line).collect();
    format!("<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">{lines}</Types>")
}
