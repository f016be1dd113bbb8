//! Books that programs printed to PDF: poppler says which page a word stands on.

use std::{error::Error, path::Path};

use vouch_testkit::producers::{Producer, pages};

use super::{
    book::Book,
    books,
    count::{Place, Table, Truth},
    document,
    flat_text::flat_text,
    groff::groff,
    markdown::markdown,
    skipped,
    web_page::web_page,
    write,
};

/// A program, the ending of its sources, the books, and what writes the source of one.
type Way<'a> = (Producer, &'a str, &'a [Book], fn(&Book) -> String);

/// What is known of a printed book.
fn truth(book: &Book, file: &Path) -> Result<Truth, Box<dyn Error>> {
    let pages: Vec<String> = pages(file)?.iter().map(|page| page.replace("-\n", "").replace("\u{ad}\n", "")).collect();
    let page = |word: &str| {
        let mut found = (1..).zip(&pages).filter(|(_, page)| page.contains(word)).map(|(number, _)| number);
        found.next().filter(|_| found.next().is_none())
    };
    let mut places = Vec::new();
    for (word, path) in &book.places {
        places.push(Place { mark: page(word), path: Some(path.clone()), word: word.clone() });
    }
    for word in &book.noted {
        places.push(Place { mark: page(word), path: None, word: word.clone() });
    }
    // A word that goes on over the page has no page; there are few.
    let without = places.iter().filter(|place| place.mark.is_none()).count();
    if without * 100 > places.len() || pages.len() < 3 {
        return Err(format!("poppler finds {without} of {} words on no page of {}", places.len(), pages.len()).into());
    }
    let (title, text, notes) = (Some(book.title.clone()), book.text(), book.notes());
    Ok(Truth { title, text, notes, places, ..Truth::default() })
}

#[test]
fn books_that_were_printed_are_read_page_by_page() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let books = books();
    let without_notes: Vec<Book> = books.iter().map(Book::without_notes).collect();
    let mut table = Table::default();
    let ways: [Way<'_>; 4] = [
        (Producer::LibreOffice, "fodt", &books, flat_text),
        (Producer::Chromium, "html", &without_notes, web_page),
        (Producer::Groff, "ms", &books, groff),
        (Producer::Pandoc, "md", &books, markdown),
    ];
    for (producer, ending, books, source) in ways {
        let place = folder.path().join(format!("{producer:?}"));
        std::fs::create_dir(&place)?;
        let sources = write(&place, books, ending, source)?;
        let printed = match producer.convert_all(&sources, "pdf", &place) {
            Ok(printed) => printed,
            Err(reason) => return skipped(&format!("books printed by {producer:?}"), &reason),
        };
        for (book, file) in books.iter().zip(printed) {
            let columns = if book.style.columns == 2 && producer != Producer::Pandoc { ", two columns" } else { "" };
            let kind = format!("PDF, {producer:?}{columns}");
            table.add(&kind, &book.name, &document(&file)?, &truth(book, &file)?);
        }
    }
    println!("{}", table.shown());
    assert_eq!(table.shortfalls(), "");
    Ok(())
}
