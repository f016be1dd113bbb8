//! Archives that are damaged, encrypted, of another form or made to fill memory: each is told in a sentence.

use std::io::{Cursor, Write};

use vouch_domain::SourceFormat;
use zip::{ZipWriter, write::SimpleFileOptions};

use crate::office_file::{docx, fault, zipped};

const FORMATS: [(SourceFormat, &str); 4] = [
    (SourceFormat::Docx, "docx"),
    (SourceFormat::Pptx, "pptx"),
    (SourceFormat::Odt, "odt"),
    (SourceFormat::Spreadsheet, "xlsx"),
];

#[test]
fn bytes_of_another_form_are_told_by_what_they_are() {
    let old = [&[0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1], [0; 600].as_slice()].concat();
    let name: Vec<u8> = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let encrypted = [old.as_slice(), &name].concat();
    for (format, ending) in FORMATS {
        let said = |bytes: &[u8]| fault(format, &format!("x.{ending}"), bytes);
        assert_eq!(said(b"%PDF-1.7"), format!("its ending says .{ending}, but its contents are not in that format"));
        assert_eq!(said(&old), format!("it is in the old binary Office format; save it again as .{ending}"));
        assert_eq!(said(&encrypted), "it is encrypted; save it without a password");
        assert_eq!(said(b""), "it contains no text");
    }
}

#[test]
fn a_file_cut_off_anywhere_is_a_fault_and_no_shorter_document() {
    let whole = docx("<w:p><w:r><w:t>Words that are all there.</w:t></w:r></w:p>", &[]);
    for part in 1..20 {
        let cut = whole.get(..whole.len() * part / 20).expect("a part of it");
        let said = fault(SourceFormat::Docx, "x.docx", cut);
        assert!(said.starts_with("its archive is damaged or incomplete"), "{part}: {said}");
    }
}

#[test]
fn a_part_that_inflates_without_end_is_told() {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file("content.xml", SimpleFileOptions::default()).expect("an entry");
    let megabyte = vec![b' '; 1024 * 1024];
    for _ in 0..40 {
        zip.write_all(&megabyte).expect("a part");
    }
    let bytes = zip.finish().expect("an archive").into_inner();
    assert!(bytes.len() < 100_000, "{} bytes", bytes.len());
    let said = fault(SourceFormat::Odt, "x.odt", &bytes);
    assert_eq!(said, "its archive inflates to more than 33554432 bytes; split it");
}

#[test]
fn an_archive_of_very_many_entries_is_told() {
    let names: Vec<String> = (0..10_001).map(|at| format!("{at}.xml")).collect();
    let parts: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "")).collect();
    let said = fault(SourceFormat::Spreadsheet, "x.xlsx", &zipped(&parts));
    assert_eq!(said, "its archive has 10001 entries, the limit is 10000");
}

#[test]
fn encrypted_and_overlapping_entries_are_told() {
    let mut bytes = zipped(&[("a.xml", "<a/>"), ("b.xml", "<b/>")]);
    let heads: Vec<usize> =
        bytes.windows(4).enumerate().filter(|(_, four)| four == b"PK\x01\x02").map(|(at, _)| at).collect();
    let encrypted = {
        let mut bytes = bytes.clone();
        *bytes.get_mut(heads[0] + 8).expect("flags") |= 1;
        let local = bytes.get_mut(6).expect("flags");
        *local |= 1;
        bytes
    };
    assert_eq!(fault(SourceFormat::Odt, "x.odt", &encrypted), "it is encrypted; save it without a password");
    // The second entry is said to begin where the first one does.
    bytes.get_mut(heads[1] + 42..heads[1] + 46).expect("an offset").fill(0);
    let said = fault(SourceFormat::Odt, "x.odt", &bytes);
    assert!(said.starts_with("its archive is damaged"), "{said}");
}

#[test]
fn an_archive_without_the_document_is_told() {
    let other = zipped(&[("a.txt", "words")]);
    assert_eq!(
        fault(SourceFormat::Spreadsheet, "x.xlsx", &other),
        "its ending says .xlsx, but there is no workbook in it"
    );
    for (format, ending) in [(SourceFormat::Docx, "docx"), (SourceFormat::Pptx, "pptx")] {
        let said = fault(format, &format!("x.{ending}"), &other);
        assert!(said.starts_with("it is damaged or incomplete ("), "{said}");
    }
}
