//! Files that real programs wrote from a text that is known: all of its words, in order, once, under their headings.
#![cfg(unix)]
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{fs, path::Path};

use vouch_domain::{Document, SourceFormat};
use vouch_testkit::{
    producers::Producer::{LibreOffice, Pandoc},
    skip,
};

use crate::office_file::parse;

const CHAPTERS: usize = 12;

/// Markdown of chapters, each with sections, a list, a table, a note and text; every sentence has a word of its own.
fn source() -> String {
    let mut text = String::new();
    for chapter in 1..=CHAPTERS {
        text.push_str(&format!("# Chapter c{chapter}\n\n"));
        for section in 1..=3 {
            let name = format!("c{chapter}s{section}");
            text.push_str(&format!("## Section {name}\n\n"));
            for sentence in 1..=6 {
                text.push_str(&format!("The keeper of {name}w{sentence} opens the gate of the Möwe at dawn. "));
            }
            text.push_str(&format!("\n\n1. first {name}a\n2. second {name}b\n    - inner {name}c\n\n"));
            text.push_str(&format!("| Ship | Fee |\n|---|---|\n| {name}d | 10 |\n| {name}e | 20 |\n\n"));
        }
    }
    text
}

fn words(text: &str) -> Vec<String> {
    let is_mark = |word: &&str| {
        word.chars().any(char::is_alphanumeric) && !word.trim_end_matches('.').chars().all(|c| c.is_ascii_digit())
    };
    text.split_whitespace()
        .filter(is_mark)
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned())
        .collect()
}

/// The length of the longest rising run, of words that are there once, by their places in the source.
fn in_order(found: &[String], expected: &[String]) -> usize {
    let place = |word: &String| expected.iter().position(|one| one == word);
    let own = found.iter().filter(|word| expected.iter().filter(|one| one == word).count() == 1);
    let mut ends: Vec<usize> = Vec::new();
    for at in own.filter_map(place) {
        let slot = ends.partition_point(|end| *end < at);
        match ends.get_mut(slot) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    ends.len()
}

fn check(what: &str, document: &Document, expected: &[String]) {
    let found = words(&document.text);
    let own = |all: &[String]| all.iter().filter(|word| expected.iter().filter(|one| one == word).count() == 1).count();
    assert_eq!(found.len(), expected.len(), "{what}: as many words as were written, none twice and no others");
    assert_eq!(in_order(&found, expected), own(expected), "{what}: every word of its own, in order");
    let mut right = 0;
    for section in &document.sections {
        let text = document.text.get(section.start..section.end).expect("a section lies on characters");
        let Some(name) = section.path.last().and_then(|title| title.strip_prefix("Section ")) else { continue };
        // The first chapter names the document, and a path does not repeat its name.
        let above = section.path.iter().rev().nth(1).unwrap_or(&document.card.title);
        if Some(above.as_str()) == name.split('s').next().map(|chapter| format!("Chapter {chapter}")).as_deref() {
            right += text.matches(&format!("{name}w")).count();
        }
    }
    assert_eq!(right, CHAPTERS * 3 * 6, "{what}: every sentence under its headings");
}

fn read(path: &Path, format: SourceFormat) -> Document {
    let bytes = fs::read(path).expect("the file that was made");
    parse(format, &path.file_name().expect("a name").to_string_lossy(), &bytes).expect("a document")
}

#[test]
fn texts_of_pandoc_and_libreoffice_are_read_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let markdown = folder.path().join("text.md");
    fs::write(&markdown, source()).expect("a file");
    let expected = words(&source());
    for (format, ending) in [(SourceFormat::Docx, "docx"), (SourceFormat::Odt, "odt")] {
        let made = match Pandoc.convert(&markdown, ending, folder.path()) {
            Ok(made) => made,
            Err(reason) => return skip("files of pandoc", &reason),
        };
        check(&format!("pandoc {ending}"), &read(&made, format), &expected);
    }
    let elsewhere = folder.path().join("converted");
    fs::create_dir(&elsewhere).expect("a folder");
    for (from, format, ending) in [("odt", SourceFormat::Docx, "docx"), ("docx", SourceFormat::Odt, "odt")] {
        let source = folder.path().join("text").with_extension(from);
        let made = match LibreOffice.convert(&source, ending, &elsewhere) {
            Ok(made) => made,
            Err(reason) => return skip("files of LibreOffice", &reason),
        };
        check(&format!("LibreOffice {ending}"), &read(&made, format), &expected);
    }
}

#[test]
fn sheets_of_libreoffice_are_read_as_the_values_they_were_made_of() {
    let folder = tempfile::tempdir().expect("a folder");
    let csv = folder.path().join("fees.csv");
    let lines: String =
        (1..=500).map(|row| format!("Ship {row},{},{}\n", row * 3, if row % 2 == 0 { "open" } else { "" })).collect();
    fs::write(&csv, format!("Ship,Fee,State\n{lines}")).expect("a file");
    let expected = parse(SourceFormat::Csv, "fees.csv", &fs::read(&csv).expect("the file")).expect("a document");
    assert_eq!(expected.pages.len(), 500);
    for ending in ["xlsx", "ods"] {
        let made = match LibreOffice.convert(&csv, ending, folder.path()) {
            Ok(made) => made,
            Err(reason) => return skip("sheets of LibreOffice", &reason),
        };
        let document = read(&made, SourceFormat::Spreadsheet);
        assert_eq!(document.text, format!("# fees\n\n{}", expected.text), "{ending}");
        assert_eq!(document.pages.last().map(|mark| mark.page), Some(501), "{ending}");
    }
}
