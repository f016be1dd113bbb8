//! One part of an office file → the file around it.
//!
//! Most bytes that a fuzzer changes in an archive break the archive; what it changes in a part comes to the reader.

use std::io::{Cursor, Write};

use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const KINDS: &str = "application/vnd.openxmlformats-officedocument";

/// A document of Word whose words are this part.
pub fn docx(part: &[u8]) -> Vec<u8> {
    let types = types(&[("word/document.xml", "wordprocessingml.document.main")]);
    let own = relationships("officeDocument", "word/document.xml");
    zipped(&[("[Content_Types].xml", types.as_bytes()), ("_rels/.rels", own.as_bytes()), ("word/document.xml", part)])
}

/// A presentation whose only slide is this part.
pub fn pptx(part: &[u8]) -> Vec<u8> {
    let slide = "ppt/slides/slide1.xml";
    let types = types(&[("ppt/presentation.xml", "presentationml.presentation.main"), (slide, "presentationml.slide")]);
    let own = relationships("officeDocument", "ppt/presentation.xml");
    let slides = relationships("slide", "slides/slide1.xml");
    let presentation = format!(
        "<p:presentation xmlns:p=\"http://schemas.openxmlformats.org/presentationml/2006/main\" xmlns:r=\"{OFFICE}\">\
         <p:sldIdLst><p:sldId id=\"256\" r:id=\"rId1\"/></p:sldIdLst></p:presentation>"
    );
    zipped(&[
        ("[Content_Types].xml", types.as_bytes()),
        ("_rels/.rels", own.as_bytes()),
        ("ppt/presentation.xml", presentation.as_bytes()),
        ("ppt/_rels/presentation.xml.rels", slides.as_bytes()),
        (slide, part),
    ])
}

/// A workbook of Excel whose only sheet is this part.
pub fn xlsx(part: &[u8]) -> Vec<u8> {
    let own = relationships("officeDocument", "xl/workbook.xml");
    let sheets = relationships("worksheet", "worksheets/sheet1.xml");
    let workbook = format!(
        "<workbook xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" xmlns:r=\"{OFFICE}\"><sheets>\
         <sheet name=\"S\" sheetId=\"1\" r:id=\"rId1\"/></sheets></workbook>"
    );
    zipped(&[
        ("_rels/.rels", own.as_bytes()),
        ("xl/workbook.xml", workbook.as_bytes()),
        ("xl/_rels/workbook.xml.rels", sheets.as_bytes()),
        ("xl/worksheets/sheet1.xml", part),
    ])
}

/// A file of `OpenDocument` whose content is this part.
pub fn open_document(part: &[u8]) -> Vec<u8> {
    zipped(&[("content.xml", part)])
}

/// A book whose only chapter is this part.
pub fn epub(part: &[u8]) -> Vec<u8> {
    let container = "<container xmlns=\"urn:oasis:names:tc:opendocument:xmlns:container\" version=\"1.0\"><rootfiles>\
         <rootfile full-path=\"book.opf\" media-type=\"application/oebps-package+xml\"/></rootfiles></container>";
    let book = "<package xmlns=\"http://www.idpf.org/2007/opf\" version=\"3.0\"><metadata/><manifest>\
         <item id=\"c\" href=\"chapter.xhtml\" media-type=\"application/xhtml+xml\"/></manifest>\
         <spine><itemref idref=\"c\"/></spine></package>";
    zipped(&[
        ("mimetype", b"application/epub+zip"),
        ("META-INF/container.xml", container.as_bytes()),
        ("book.opf", book.as_bytes()),
        ("chapter.xhtml", part),
    ])
}

fn relationships(kind: &str, target: &str) -> String {
    format!(
        "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">\
         <Relationship Id=\"rId1\" Type=\"{OFFICE}/{kind}\" Target=\"{target}\"/></Relationships>"
    )
}

fn types(parts: &[(&str, &str)]) -> String {
    let lines =
        parts.iter().map(|(part, kind)| format!("<Override PartName=\"/{part}\" ContentType=\"{KINDS}.{kind}+xml\"/>"));
    let lines: String = lines.collect();
    format!("<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">{lines}</Types>")
}

fn zipped(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, part) in parts {
        zip.start_file(*name, options).expect("an entry");
        zip.write_all(part).expect("a part");
    }
    zip.finish().expect("an archive").into_inner()
}
