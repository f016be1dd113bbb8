//! Books that programs saved as texts of every format: each passage under its headings.

use std::{error::Error, path::PathBuf};

use vouch_testkit::producers::Producer::{self, Asciidoctor, Docutils, LibreOffice, Pandoc};

use super::{
    book::Book,
    books,
    count::{Place, Table, Truth},
    document,
    flat_text::flat_text,
    markdown::markdown,
    skipped, write,
};

fn truth(book: &Book) -> Truth {
    let place =
        |(word, path): &(String, Vec<String>)| Place { word: word.clone(), path: Some(path.clone()), mark: None };
    Truth {
        title: Some(book.title.clone()),
        text: book.text(),
        notes: book.notes(),
        places: book.places.iter().map(place).collect(),
        ..Truth::default()
    }
}

/// LibreOffice writes no headings into a book, only its chapters into the table of contents, and names what is before
/// the first of them itself.
fn truth_of_chapters(book: &Book) -> Truth {
    let mut truth = truth(book);
    for path in truth.places.iter_mut().filter_map(|place| place.path.as_mut()) {
        path.truncate(1);
        if path.is_empty() {
            path.push("Section 1".to_owned());
        }
    }
    truth.text = format!("Section 1 {} {}", book.title, truth.text);
    truth
}

/// The files that programs make, each of those before it: kind, what from, program, ending.
const WAYS: [(&str, &str, Producer, &str); 14] = [
    ("DOCX, pandoc", "md", Pandoc, "docx"),
    ("ODT, pandoc", "md", Pandoc, "odt"),
    ("EPUB, pandoc", "md", Pandoc, "epub"),
    ("HTML, pandoc", "md", Pandoc, "html"),
    ("reStructuredText, pandoc", "md", Pandoc, "rst"),
    ("AsciiDoc, pandoc", "md", Pandoc, "adoc"),
    ("Markdown, pandoc", "DOCX, pandoc", Pandoc, "md:gfm"),
    ("HTML, Asciidoctor", "AsciiDoc, pandoc", Asciidoctor, "html"),
    ("HTML, Docutils", "reStructuredText, pandoc", Docutils, "html"),
    ("DOCX, LibreOffice", "fodt", LibreOffice, "docx"),
    ("ODT, LibreOffice", "fodt", LibreOffice, "odt"),
    ("EPUB, LibreOffice", "fodt", LibreOffice, "epub"),
    ("HTML, LibreOffice", "fodt", LibreOffice, "html"),
    ("ODT, LibreOffice from DOCX", "DOCX, pandoc", LibreOffice, "odt"),
];

#[test]
fn books_that_were_saved_are_read_section_by_section() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let books = books();
    let mut table = Table::default();
    let mut made: Vec<(&str, Vec<PathBuf>)> = vec![
        ("md", write(folder.path(), &books, "md", markdown)?),
        ("fodt", write(folder.path(), &books, "fodt", flat_text)?),
    ];
    for (kind, from, producer, ending) in WAYS {
        let place = folder.path().join(made.len().to_string());
        std::fs::create_dir(&place)?;
        let sources = made.iter().find(|(name, _)| *name == from).map(|(_, files)| files.clone());
        match producer.convert_all(&sources.ok_or("it is made later")?, ending, &place) {
            Ok(files) => made.push((kind, files)),
            Err(reason) => return skipped(kind, &reason),
        }
    }
    for (kind, files) in made.iter().skip(2) {
        for (book, file) in books.iter().zip(files) {
            let truth = if *kind == "EPUB, LibreOffice" { truth_of_chapters(book) } else { truth(book) };
            table.add(kind, &book.name, &document(file)?, &truth);
        }
    }
    println!("{}", table.shown());
    assert_eq!(table.shortfalls(), "");
    Ok(())
}
