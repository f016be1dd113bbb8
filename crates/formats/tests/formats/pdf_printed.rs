//! Documents that real programs printed to PDF: every word in its place, under its heading, on its page.

use std::{error::Error, fs};

use vouch_domain::Document;
use vouch_testkit::{producers::Producer, skip};

use crate::pdf_file::read;

const CHAPTERS: usize = 12;
const PARAGRAPHS: usize = 5;
const WORDS: [&str; 24] = [
    "harbour",
    "office",
    "certificate",
    "passenger",
    "difficult",
    "crossing",
    "company",
    "affluent",
    "engine",
    "reserve",
    "department",
    "signature",
    "well-known",
    "lifejacket",
    "evening",
    "approval",
    "ticket",
    "waffle",
    "supervisor",
    "weather",
    "cancellation",
    "employee",
    "equipment",
    "inspection",
];

fn named(at: usize) -> &'static str {
    WORDS.get(at % WORDS.len()).copied().unwrap_or_default()
}

/// A paragraph of words that differ from place to place, always the same.
fn paragraph(chapter: usize, number: usize) -> String {
    let word = |at: usize| named(chapter * 7 + number * 5 + at * at + at);
    let sentences = (0..4).map(|sentence| {
        let words: Vec<&str> = (0..14).map(|at| word(sentence * 14 + at)).collect();
        format!("Rule {chapter}.{number}.{sentence} says {}.", words.join(" "))
    });
    sentences.collect::<Vec<_>>().join(" ")
}

fn title(chapter: usize) -> String {
    format!("About the {} and the {}", named(chapter), named(chapter + 11))
}

const ROWS: [[&str; 3]; 4] = [
    ["Role", "Limit of orders", "Signed by"],
    ["Team leader", "500 pounds", "the head"],
    ["Head of department", "5000 pounds", "the director"],
    ["Director", "30000 pounds", "the board"],
];

fn web_page() -> String {
    let mut page =
        "<!doctype html><html lang=en><title>Rules of the Harbour</title><h1>Rules of the Harbour</h1>".to_owned();
    for chapter in 0..CHAPTERS {
        page.push_str(&format!("<h2>{}</h2>", title(chapter)));
        for number in 0..PARAGRAPHS {
            page.push_str(&format!("<p>{}</p>", paragraph(chapter, number)));
        }
    }
    page.push_str("<h2>Lists and tables</h2><ol><li>Call the office.<li>Leave the ship.</ol><table border=1>");
    for row in ROWS {
        page.push_str(&format!("<tr><td>{}</td></tr>", row.join("</td><td>")));
    }
    page + "</table><p>The end of the rules.</p></html>"
}

fn groff_source(columns: &str) -> String {
    let mut source = ".TL\nRules of the Harbour\n".to_owned() + columns;
    for chapter in 0..CHAPTERS {
        source.push_str(&format!(".SH\n{}\n", title(chapter)));
        for number in 0..PARAGRAPHS {
            source.push_str(&format!(".LP\n{}\n", paragraph(chapter, number).replace(". Rule", ".\nRule")));
        }
    }
    source.push_str(".SH\nLists and tables\n.IP 1. 3\nCall the office.\n.IP 2. 3\nLeave the ship.\n.LP\n.TS\nl l l.\n");
    for row in ROWS {
        source.push_str(&format!("{}\n", row.join("\t")));
    }
    source + ".TE\n.LP\nThe end of the rules.\n"
}

/// What is read of a source that a program printed; nothing where there is no such program.
fn printed(printer: Producer, name: &str, source: &str) -> Result<Option<Document>, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join(name);
    fs::write(&file, source)?;
    match printer.print(&file) {
        Ok(printed) => Ok(Some(read(fs::read(printed)?).map_err(|fault| fault.sentence)?)),
        Err(reason) => {
            skip(&format!("PDF files of {printer:?}"), &reason);
            Ok(None)
        }
    }
}

/// Everything stands in the text once and in order, each paragraph whole and under its heading.
fn check(document: &Document) -> Result<(), String> {
    let mut rest = document.text.as_str();
    let mut take = |wanted: &str| match rest.split_once(wanted) {
        Some((_, after)) => {
            rest = after;
            Ok(())
        }
        None => Err(format!("'{wanted}' is not in order in\n{}", document.text)),
    };
    for chapter in 0..CHAPTERS {
        take(&format!("# {}\n", title(chapter)))?;
        for number in 0..PARAGRAPHS {
            take(&paragraph(chapter, number))?;
        }
    }
    take("# Lists and tables\n")?;
    take("1. Call the office.\n2. Leave the ship.\n")?;
    take("| Role | Limit of orders | Signed by |\n| --- | --- | --- |\n| Team leader | 500 pounds | the head |\n")?;
    take("The end of the rules.")?;
    let words = document.text.split_whitespace().filter(|word| word.starts_with(char::is_alphabetic)).count();
    let wanted = CHAPTERS * PARAGRAPHS * 4 * 16;
    assert!((wanted..wanted + 200).contains(&words), "{words} words for {wanted} and a few");
    assert!(document.pages.len() > 3 && document.pages.is_sorted_by_key(|mark| mark.page), "{:?}", document.pages);
    assert_eq!(document.card.title, "Rules of the Harbour");
    assert!(document.warnings.is_empty(), "{:?}", document.warnings);
    Ok(())
}

#[test]
fn what_groff_printed_is_read() -> Result<(), Box<dyn Error>> {
    if let Some(document) = printed(Producer::Groff, "rules.ms", &groff_source(""))? {
        check(&document)?;
    }
    Ok(())
}

#[test]
fn two_columns_of_groff_are_read_one_after_the_other() -> Result<(), Box<dyn Error>> {
    if let Some(document) = printed(Producer::Groff, "rules.ms", &groff_source(".2C\n"))? {
        for chapter in 0..CHAPTERS {
            assert!(document.text.contains(&format!("# {}\n", title(chapter))), "{}", title(chapter));
            for number in 0..PARAGRAPHS {
                assert!(document.text.contains(&paragraph(chapter, number)), "{}", paragraph(chapter, number));
            }
        }
    }
    Ok(())
}

#[test]
fn what_chromium_printed_is_read() -> Result<(), Box<dyn Error>> {
    if let Some(document) = printed(Producer::Chromium, "rules.html", &web_page())? {
        check(&document)?;
    }
    Ok(())
}

#[test]
fn what_libreoffice_printed_is_read() -> Result<(), Box<dyn Error>> {
    if let Some(document) = printed(Producer::LibreOffice, "rules.html", &web_page())? {
        check(&document)?;
    }
    Ok(())
}
