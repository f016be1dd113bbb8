//! What is said of PDF files that cannot be read, or not as a whole.

use std::{error::Error, fs};

use vouch_testkit::{producers::encrypt, skip};

use crate::pdf_file::{PdfFile, lines, pages, read, words};

const PICTURE: &str = "q 500 0 0 700 50 50 cm /Im Do Q";

/// What is said of a file that cannot be read; nothing where it can.
fn fault(bytes: Vec<u8>) -> String {
    read(bytes).err().map(|fault| fault.sentence).unwrap_or_default()
}

#[test]
fn pages_without_text_are_named() {
    let text = |said: &str| lines(700, &[said]);
    let picture = || PICTURE.to_owned();
    let read =
        pages(&[text("One."), picture(), text("Three."), picture(), picture(), String::new()]).expect("a document");
    assert_eq!(read.warnings, ["pages 2, 4-5 have no text; they may be scanned"]);
    assert_eq!(read.text, "One.\n\nThree.\n");
}

#[test]
fn a_file_without_any_text_is_said_to_look_scanned() {
    let said = fault(PdfFile::of(&[PICTURE.to_owned(), PICTURE.to_owned()]).bytes());
    assert!(said.starts_with("its 2 pages have no text, so it looks scanned"), "{said}");
    assert!(said.contains("ingest.convert"), "{said}");
}

#[test]
fn other_bytes_are_said_to_be_no_pdf() {
    assert_eq!(fault(b"PK\x03\x04 a zip file".to_vec()), "it is not a PDF file, although its name says so");
    assert_eq!(fault(Vec::new()), vouch_domain::ports::NO_TEXT);
}

#[test]
fn a_file_that_is_cut_off_is_read_as_far_as_it_goes_or_refused_in_a_sentence() {
    let bytes = PdfFile::of(&[lines(700, &["The first page."]), lines(700, &["The second page."])]).bytes();
    for length in (0..bytes.len()).step_by(7) {
        match read(bytes[..length].to_vec()) {
            Ok(document) => assert!(document.text.contains("page."), "{length}: {}", document.text),
            Err(fault) => assert!(!fault.sentence.is_empty()),
        }
    }
}

#[test]
fn a_file_with_a_password_is_refused_and_one_that_anybody_may_open_is_read() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("paper.pdf");
    fs::write(&file, PdfFile::of(&[lines(700, &["Only for friends."])]).bytes())?;
    let open = match encrypt(&file, "") {
        Ok(open) => fs::read(open)?,
        Err(reason) => {
            skip("encrypted PDF files", &reason);
            return Ok(());
        }
    };
    assert_eq!(read(open).map(|document| document.text), Ok("Only for friends.\n".to_owned()));
    let closed = fs::read(encrypt(&file, "friend")?)?;
    assert_eq!(fault(closed), "it is encrypted; save it without a password");
    Ok(())
}

#[test]
fn more_pages_than_anybody_reads_are_refused() {
    let file = PdfFile { count: Some(20_001), ..PdfFile::of(&[lines(700, &["x".repeat(30_000).as_str()])]) };
    assert_eq!(fault(file.bytes()), "it has more than 20000 pages; split it");
}

#[test]
fn a_page_that_unpacks_to_endless_commands_is_left_out() {
    // Runs of runs: each pair of bytes stands for 128, twice over.
    let run = |length: usize| [129u8, b' '].repeat(length);
    let inner = run(300_000);
    let outer: Vec<u8> = inner.chunks(1).flat_map(|byte| [0, byte[0]]).collect();
    let stream = "/Filter [/RunLengthDecode /RunLengthDecode]".to_owned();
    let file = PdfFile { pages: vec![outer], stream, ..PdfFile::default() };
    assert_eq!(fault(file.bytes()), "its pages have too many drawing commands to be read");
}

#[test]
fn letters_larger_than_any_page_are_read() {
    let text = words("F1", u32::MAX, (72, 700), "Harbour office");
    assert!(pages(&[text]).is_ok_and(|document| document.text.contains("Harbour")));
}
