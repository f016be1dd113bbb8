//! Books in EPUB: chapters in their order, with titles, notes and what is said of books that cannot be read.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::io::{Cursor, Write};

use vouch_domain::SourceFormat::Epub;
use vouch_testkit::{producers::Producer, skip};
use zip::{ZipWriter, write::SimpleFileOptions};

use crate::outcome::{document, fault, outcomes, paths};

const CONTAINER: &str = "<container><rootfiles><rootfile full-path='OPS/book.opf'/></rootfiles></container>";
const PACKAGE: &str = "<package><metadata><dc:title>The Boat Book</dc:title><dc:date>2025-05-01</dc:date>\
    <meta property='dcterms:modified'>2026-01-31T10:00:00Z</meta></metadata><manifest>\
    <item id='n' href='nav.xhtml' properties='nav' media-type='application/xhtml+xml'/>\
    <item id='t' href='toc.ncx' media-type='application/x-dtbncx+xml'/>\
    <item id='b' href='text/two%20b.xhtml' media-type='application/xhtml+xml'/>\
    <item id='a' href='text/one.xhtml' media-type='application/xhtml+xml'/>\
    <item id='p' href='mast.png' media-type='image/png'/></manifest>\
    <spine><itemref idref='n'/><itemref idref='a'/><itemref idref='b'/><itemref idref='p'/></spine></package>";
const CONTENTS: &str = "<!DOCTYPE html><html xmlns='x'><body><nav epub:type='toc'><ol><li><a href='text/one.xhtml'>First</a></li>\
    <li><a href='text/two%20b.xhtml#x'>The <i>Second</i></a></li></ol></nav></body></html>";
const ONE: &str = "<?xml version='1.0'?><html><head><title/><script src='x'/></head><body><h1><a id='m'/>Masts</h1>\
    <p>Oak.<a epub:type='noteref' href='#n1'>1</a> Old.</p><p>More.</p>\
    <aside epub:type='footnote' id='n1'><p>Not pine. <a href='#r'>↩</a></p></aside></body></html>";
const TWO: &str = "<html><body><p>Hemp &amp; flax.</p></body></html>";

fn book(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in parts {
        zip.start_file(*name, SimpleFileOptions::default()).expect("a part");
        zip.write_all(text.as_bytes()).expect("its bytes");
    }
    zip.finish().expect("an archive").into_inner()
}

fn boats() -> Vec<(&'static str, &'static str)> {
    vec![
        ("mimetype", "application/epub+zip"),
        ("META-INF/container.xml", CONTAINER),
        ("OPS/book.opf", PACKAGE),
        ("OPS/nav.xhtml", CONTENTS),
        ("OPS/text/one.xhtml", ONE),
        ("OPS/text/two b.xhtml", TWO),
    ]
}

#[test]
fn chapters_are_read_in_order_with_their_titles_and_notes() {
    let boats = document(Epub, &book(&boats()));
    assert_eq!((boats.card.title.as_str(), boats.card.date.as_deref()), ("The Boat Book", Some("2026-01-31")));
    assert_eq!(boats.text, "# Masts\n\nOak. [1] Old.\n\n[1] Not pine.\n\nMore.\n\n# The Second\n\nHemp & flax.\n");
    assert_eq!(paths(&boats), ["Masts", "The Second"]);
}

#[test]
fn a_title_that_the_chapter_begins_with_is_its_heading_and_not_told_twice() {
    let mut parts = boats();
    parts.pop();
    let two = "<html><body><p class='x'><span>The Second</span></p><p>Hemp.<a epub:type='noteref' href='#n'>7</a></p>\
               <aside id='n'><span>7</span><span>Flax.</span></aside></body></html>";
    parts.push(("OPS/text/two b.xhtml", two));
    let boats = document(Epub, &book(&parts));
    let (_, text) = boats.text.split_once("More.\n\n").expect("the second chapter");
    assert_eq!(text, "# The Second\n\nHemp. [7]\n\n[7] Flax.\n");
}

#[test]
fn a_missing_chapter_is_told_and_the_others_are_read() {
    let mut parts = boats();
    parts.pop();
    let boats = document(Epub, &book(&parts));
    assert_eq!(boats.warnings, ["its chapter OPS/text/two b.xhtml is missing"]);
    assert!(boats.text.contains("Oak."));
}

#[test]
fn what_is_no_book_or_protected_is_said() {
    let with = |name: &'static str, text: &'static str| {
        let mut parts: Vec<_> = boats().into_iter().filter(|(known, _)| *known != name).collect();
        parts.push((name, text));
        fault(Epub, &book(&parts))
    };
    let fonts = "<encryption><EncryptedData><EncryptionMethod Algorithm='http://www.idpf.org/2008/embedding'/></EncryptedData></encryption>";
    let words = "<encryption><EncryptedData><EncryptionMethod Algorithm='http://www.w3.org/2001/04/xmlenc#aes128-cbc'/></EncryptedData></encryption>";
    assert_eq!(with("META-INF/encryption.xml", fonts), "");
    assert_eq!(
        with("META-INF/encryption.xml", words),
        "it is protected against copying (DRM), so its text cannot be read"
    );
    assert_eq!(with("OPS/book.opf", "<package/>"), "it is damaged: its package names no chapters");
    assert!(with("OPS/book.opf", "<package>").contains("ends too early"));
    assert_eq!(fault(Epub, &book(&[("a.txt", "x")])), "its bytes are an archive, but not of a book in EPUB");
    assert_eq!(fault(Epub, b"plain text"), "its ending says .epub, but its contents are not in that format");
    let whole = book(&boats());
    assert!(fault(Epub, whole.get(..whole.len() / 2).expect("a half")).contains("damaged"));
    for end in (0..whole.len()).step_by(37) {
        assert_eq!(outcomes(Epub, whole.get(..end).expect("a part")).len(), 1);
    }
}

#[test]
fn a_book_of_a_real_producer_gives_all_its_words() {
    let folder = tempfile::tempdir().expect("a folder");
    let words = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let chapters: String = (1..=20)
        .map(|at| {
            format!(
                "# Chapter {at}\n\nOf mast {at} and its *rope*.[^{at}]\n\n## Parts {at}\n\n- hull {at}\n- keel {at}\n\n\
                 | Part{at} | Size{at} |\n|---|---|\n| rib{at} | two{at} |\n\n[^{at}]: Note of {at}.\n\n"
            )
        })
        .collect();
    let source = folder.path().join("boats.md");
    std::fs::write(&source, &chapters).expect("a source");
    let made = match Producer::Pandoc.convert(&source, "epub", folder.path()) {
        Ok(made) => made,
        Err(reason) => return skip("books of pandoc", &reason),
    };
    let read = document(Epub, &std::fs::read(made).expect("its bytes"));
    let plain = chapters.replace("[^", " [^");
    let mut wanted = words(&plain);
    let mut found = words(&read.text);
    assert_eq!(paths(&read).iter().filter(|path| path.contains(" > Parts ")).count(), 20);
    wanted.sort();
    found.sort();
    let missing = wanted.iter().filter(|word| found.binary_search(word).is_err()).count();
    assert!(missing * 100 <= wanted.len(), "{missing} of {} words are missing", wanted.len());
    assert!(found.len() <= wanted.len() + wanted.len() / 50, "{} of {} words", found.len(), wanted.len());
}
