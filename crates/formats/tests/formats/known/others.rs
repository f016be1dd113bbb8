//! Mails of Python's library, JSON, JSON Lines, plain text and transcripts, made of the same books.

use std::{error::Error, fs, process::Command};

use serde_json::json;
use vouch_testkit::{producers::Producer::Pandoc, skip};

use super::{
    book::{Block, Book},
    books,
    count::{Place, Table, Truth},
    document, documents,
    markdown::{markdown, written},
    prose::plain,
    skipped,
    web_page::web_page,
    write,
};

/// Makes mails of a book in four ways: plain, as a page, as both, and attached to another mail.
const MAILS: &str = r#"
import json, sys
from email.message import EmailMessage
book = json.load(open(sys.argv[1], encoding="utf-8"))
def mail(subject):
    one = EmailMessage()
    one["From"], one["To"], one["Subject"] = "Ada Rope <ada@x.example>", "crew@x.example", subject
    one["Date"] = "Sat, 31 Jan 2026 10:05:00 +0100"
    return one
def save(one, kind):
    open(f"{sys.argv[1]}.{kind}.eml", "wb").write(bytes(one))
plain = mail(book["title"]); plain.set_content(book["text"]); save(plain, "plain")
page = mail(book["title"]); page.set_content(book["page"], subtype="html", cte="base64"); save(page, "page")
both = mail(book["title"]); both.set_content(book["text"], cte="quoted-printable")
both.add_alternative(book["page"], subtype="html"); save(both, "both")
outer = mail("Outer"); outer.set_content("See below."); outer.add_attachment(page); save(outer, "attached")
"#;
const HEAD: &str = "From: Ada Rope <ada@x.example>; To: crew@x.example; Date: 2026-01-31 10:05\n";

/// What is known of a book that keeps its headings, or only its words.
fn truth(book: &Book, has_paths: bool) -> Truth {
    let place = |(word, path): &(String, Vec<String>)| Place {
        word: word.clone(),
        path: Some(if has_paths { path.clone() } else { Vec::new() }),
        mark: None,
    };
    let places = book.places.iter().map(place).collect();
    Truth { title: Some(book.title.clone()), text: book.text(), places, ..Truth::default() }
}

/// The paragraphs, items and headings of a book, each on its own.
fn paragraphs(book: &Book) -> String {
    book.text().replace('\n', "\n\n")
}

#[test]
fn mails_are_read_with_all_of_their_words() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let mut table = Table::default();
    for book in books().iter().map(Book::without_notes) {
        let file = folder.path().join(&book.name);
        let text = paragraphs(&book);
        fs::write(&file, json!({ "title": book.title, "text": text, "page": web_page(&book) }).to_string())?;
        let made = Command::new("python3").args(["-c", MAILS]).arg(&file).output();
        match made {
            Ok(made) if made.status.success() => {}
            Ok(made) => return Err(String::from_utf8_lossy(&made.stderr).into()),
            Err(reason) => return skipped("mails of Python", &reason.to_string()),
        }
        for kind in ["plain", "page", "both", "attached"] {
            let mut truth = truth(&book, kind == "page" || kind == "attached");
            truth.text = format!("{HEAD}{}", truth.text);
            if kind == "attached" {
                truth.text = format!("{HEAD}See below.\n{}\n{}", book.title, truth.text);
                truth.title = Some("Outer".to_owned());
                truth
                    .places
                    .iter_mut()
                    .filter_map(|place| place.path.as_mut())
                    .for_each(|path| path.insert(0, book.title.clone()));
            }
            let file = file.with_extension(format!("{kind}.eml"));
            table.add(&format!("mail, {kind}, Python"), &book.name, &document(&file)?, &truth);
        }
    }
    println!("{}", table.shown());
    assert_eq!(table.shortfalls(), "");
    Ok(())
}

/// A book as the text of one document.
fn fields(book: &Book) -> serde_json::Value {
    let blocks: Vec<String> = book.blocks.iter().map(written).collect();
    json!({ "id": book.name, "title": book.title, "text": blocks.join("\n\n") })
}

#[test]
fn documents_in_json_are_read_one_by_one() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let books: Vec<Book> = books().iter().map(Book::without_notes).collect();
    let mut table = Table::default();
    for (at, pair) in books.chunks(2).enumerate() {
        let documents_of: Vec<serde_json::Value> = pair.iter().map(fields).collect();
        let lines: Vec<String> = documents_of.iter().map(ToString::to_string).collect();
        let (list, rows) = (folder.path().join(format!("{at}.json")), folder.path().join(format!("{at}.jsonl")));
        fs::write(&list, serde_json::to_string_pretty(&documents_of)?)?;
        fs::write(&rows, lines.join("\n"))?;
        for (kind, file) in [("JSON", list), ("JSON Lines", rows)] {
            for (book, document) in pair.iter().zip(documents(&file)?) {
                table.add(kind, &book.name, &document, &truth(book, true));
            }
        }
    }
    for book in &books {
        let file = folder.path().join(&book.name).with_extension("json");
        let sections = book.blocks.iter().enumerate().filter_map(|(at, block)| match block {
            Block::Paragraph { sentences, .. } => Some((format!("part {at:03}"), json!(sentences))),
            Block::Heading { .. } | Block::Items { .. } | Block::Table { .. } => None,
            Block::Code { .. } | Block::Quote { .. } => None,
        });
        let sections: Vec<(String, serde_json::Value)> = sections.collect();
        let mut truth =
            Truth { title: Some(book.title.clone()), text: format!("title: {}", book.title), ..Truth::default() };
        for (name, sentences) in &sections {
            truth.text.push_str(&format!("\n{name}\n"));
            for sentence in sentences.as_array().into_iter().flatten().filter_map(|sentence| sentence.as_str()) {
                truth.text.push_str(&format!("{}\n", plain(sentence)));
                let word = sentence.split_whitespace().next().unwrap_or_default().to_owned();
                truth.places.push(Place { word, path: Some(vec![name.clone()]), mark: None });
            }
        }
        let fields = [("title".to_owned(), json!(book.title))].into_iter().chain(sections);
        fs::write(&file, plain(&serde_json::Value::Object(fields.collect()).to_string()))?;
        table.add("JSON, values", &book.name, &document(&file)?, &truth);
    }
    println!("{}", table.shown());
    assert_eq!(table.shortfalls(), "");
    Ok(())
}

#[test]
fn plain_text_and_transcripts_are_read_whole() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let books: Vec<Book> = books().iter().map(Book::without_notes).collect();
    let sources = write(folder.path(), &books, "md", markdown)?;
    let mut table = Table::default();
    match Pandoc.convert_all(&sources, "txt:plain", folder.path()) {
        Ok(made) => {
            for (book, file) in books.iter().zip(made) {
                let truth = Truth { title: None, ..truth(book, false) };
                table.add("plain text, pandoc", &book.name, &document(&file)?, &truth);
            }
        }
        Err(reason) => skip("plain text of pandoc", &reason),
    }
    for book in &books {
        let mut truth = Truth::default();
        let (mut cues, mut seconds) = (String::new(), 0);
        for (at, sentence) in book.text().split_inclusive(['.', '!', '?']).enumerate() {
            let (sentence, from, to) = (sentence.trim(), seconds, seconds + 2 + at % 5);
            seconds = to + at % 4;
            let time = |at: usize| format!("{:02}:{:02}:{:02},000", at / 3_600, at / 60 % 60, at % 60);
            cues.push_str(&format!("{}\n{} --> {}\n{sentence}\n\n", at + 1, time(from), time(to)));
            truth.text.push_str(&format!("{sentence}\n"));
            let known = book.places.iter().filter(|(word, _)| sentence.contains(word.as_str()));
            let mark = u32::try_from(from).ok();
            truth.places.extend(known.map(|(word, _)| Place { word: word.clone(), path: None, mark }));
        }
        let (rip, track) = (
            folder.path().join(&book.name).with_extension("srt"),
            folder.path().join(&book.name).with_extension("vtt"),
        );
        fs::write(&track, format!("WEBVTT\n\n{}", cues.replace(",000", ".000")))?;
        fs::write(&rip, cues)?;
        for (kind, file) in [("SubRip", rip), ("WebVTT", track)] {
            table.add(kind, &book.name, &document(&file)?, &truth);
        }
    }
    println!("{}", table.shown());
    assert_eq!(table.shortfalls(), "");
    Ok(())
}
