//! Files of values: which delimiter and encoding they have, and what their rows say.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use vouch_domain::{PageUnit, SourceFormat};

use crate::office_file::{fault, marked, parse};

fn rows(bytes: &[u8]) -> String {
    marked(&parse(SourceFormat::Csv, "d/ships.csv", bytes).expect("a document")).trim_end().to_owned()
}

#[test]
fn each_row_is_a_block_that_names_its_columns() {
    let document = parse(SourceFormat::Csv, "d/ships.csv", b"Ship,Fee\nTug,10\nFerry,\n").expect("a document");
    assert_eq!(document.card.title, "ships");
    assert_eq!(marked(&document), "[2]Ship: Tug; Fee: 10\n\n[3]Ship: Ferry\n");
    assert!(document.pages.iter().all(|mark| mark.unit == PageUnit::Row));
}

#[test]
fn delimiters_are_found_and_quotes_kept_together() {
    let expected = "[2]Ship: Tug, small; Fee: 10.5\n\n[3]Ship: Ferry \"big\"; Fee: 20";
    for delimiter in [",", ";", "\t", "|"] {
        let text = "Ship^Fee\n\"Tug, small\"^10.5\n\"Ferry \"\"big\"\"\"^20\n".replace('^', delimiter);
        assert_eq!(rows(text.as_bytes()), expected, "{delimiter:?}");
    }
    assert_eq!(rows(b"sep=;\r\nA;B\r\n1,5;2\r\n"), "[2]A: 1,5; B: 2");
    assert_eq!(rows(b"Name;Note\nTug;small, red, old\nFerry;big, blue, new\n").lines().count(), 3);
}

#[test]
fn every_encoding_is_read() {
    let text = "Name;Größe\nMöwe;groß\n";
    let utf16 = |mark: [u8; 2], bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
        mark.into_iter().chain(text.encode_utf16().flat_map(bytes)).collect()
    };
    let latin: Vec<u8> = text.chars().map(|c| u8::try_from(u32::from(c)).expect("Latin-1")).collect();
    let marked_utf8 = [b"\xef\xbb\xbf", text.as_bytes()].concat();
    let files = [
        text.as_bytes().to_vec(),
        marked_utf8,
        latin,
        utf16([0xff, 0xfe], u16::to_le_bytes),
        utf16([0xfe, 0xff], u16::to_be_bytes),
    ];
    for file in files {
        assert_eq!(rows(&file), "[2]Name: Möwe; Größe: groß");
    }
}

#[test]
fn rows_are_counted_as_a_sheet_counts_them() {
    let text = "Ship,Note\n\nTug,\"one\ntwo\"\n\n\nFerry,three\n";
    assert_eq!(rows(text.as_bytes()), "[3]Ship: Tug; Note: one two\n\n[6]Ship: Ferry; Note: three");
}

#[test]
fn the_names_of_columns_are_found_below_a_title_or_are_none() {
    let below = "Tariffs 2026,,\n,,\nShip,2025,2026\nTug,10,20\n";
    assert_eq!(rows(below.as_bytes()), "[1]Tariffs 2026\n\n[4]Ship: Tug; 2025: 10; 2026: 20");
    assert_eq!(rows(b"1,2\n3,4\n"), "[1]1; 2\n\n[2]3; 4");
    assert_eq!(rows(b"Alpha\nBeta\n"), "[1]Alpha\n\n[2]Beta");
    assert_eq!(rows(b"Price\n10\n20\n"), "[2]Price: 10\n\n[3]Price: 20");
    assert_eq!(rows(b"A,B\n1,2,3\n4\n"), "[2]A: 1; B: 2; 3\n\n[3]A: 4");
}

#[test]
fn what_is_no_such_file_is_said() {
    let said = |bytes: &[u8]| fault(SourceFormat::Csv, "x.csv", bytes);
    assert_eq!(said(b"a,b\n\0\x01\x02"), "it is a binary file, not text");
    assert_eq!(said(b"\xff\xfea"), "it is not valid UTF-16LE, which its first bytes say it is");
    let open = format!("a,b\nc,\"{}", "word\n".repeat(60_000));
    assert!(
        said(open.as_bytes()).starts_with("row 2 has a value of more than 262144 bytes; is a quotation mark missing")
    );
    assert!(said(",".repeat(2_000_001).as_bytes()).contains("more than 1000000 rows or 2000000 values"));
}
