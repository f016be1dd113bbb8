//! What is read of PDF files in which only place, size and number tell what words are: columns, headings, notes, blanks.

use crate::{
    outcome::paths,
    pdf_file::{PdfFile, lines, pages, read, words},
};

const BODY: [&str; 3] = [
    "The harbour office opens at seven in the morning and closes when the last ferry",
    "has left the quay, which in summer may be as late as eleven at night. Tickets are",
    "sold on board as well.",
];

#[test]
fn a_table_in_one_of_two_columns_is_no_table_over_both() {
    let column = |name: &str, from: usize| -> Vec<String> {
        (from..=24).map(|line| format!("{name} line {line} goes on to the edge of its column")).collect()
    };
    let mut text = words("F2", 14, (50, 740), "A title that goes over both of the columns of this page");
    for (at, line) in (0..).zip(column("left", 1)) {
        text.push_str(&words("F1", 9, (50, 700 - at * 12), &line));
    }
    let cells =
        [["Ship", "Fee", "Made of"], ["Tug", "10", "steel and oak"], ["Sloop", "20", "oak"], ["Raft", "5", "pine"]];
    for (at, row) in (0..).zip(cells) {
        for (x, cell) in [320, 390, 460].into_iter().zip(row) {
            text.push_str(&words("F1", 9, (x, 700 - at * 14), cell));
        }
        text.push_str(&format!("318 {0} m 520 {0} l S\n", 697 - at * 14));
    }
    for (at, line) in (0..).zip(column("right", 6)) {
        text.push_str(&words("F1", 9, (320, 634 - at * 12), &line));
    }
    let read = pages(&[text]).expect("a document").text;
    let table = "| Ship | Fee | Made of |\n| --- | --- | --- |\n| Tug | 10 | steel and oak |\n| Sloop | 20 | oak |\n| Raft | 5 | pine |";
    let expected = format!("{}\n\n{table}\n\n{}", column("left", 1).join(" "), column("right", 6).join(" "));
    assert!(read.contains(&expected), "{read}");
}

#[test]
fn of_headings_that_look_alike_the_numbers_tell_which_is_deeper() {
    let heading = |y: u32, title: &str| words("F2", 10, (72, y), title);
    let text = [
        words("F2", 16, (72, 760), "Rules"),
        heading(720, "1. Masts"),
        lines(690, &BODY),
        heading(630, "1.1. Of oak"),
        lines(600, &BODY),
        heading(540, "1.2. Of pine"),
        lines(510, &BODY),
        heading(450, "2. Sails"),
        lines(420, &BODY),
    ];
    let read = pages(&[text.concat()]).expect("a document");
    assert_eq!(paths(&read), ["1. Masts", "1. Masts > 1.1. Of oak", "1. Masts > 1.2. Of pine", "2. Sails"]);
}

#[test]
fn a_footnote_whose_number_is_not_raised_belongs_to_the_raised_one() {
    let text = [
        lines(700, &BODY),
        words("F1", 6, (172, 680), "1"),
        words("F1", 7, (72, 100), "1"),
        words("F1", 7, (84, 100), "On Sundays at eight."),
    ];
    let read = pages(&[text.concat()]).expect("a document").text;
    assert!(read.contains("sold on board as well. [1]") && read.contains("[1] On Sundays"), "{read}");
}

#[test]
fn a_blank_that_is_drawn_as_spacing_of_two_letters_is_a_blank() {
    let drawn =
        "BT /F1 10 Tf 1 0 0 1 72 700 Tm (of th) Tj 4 Tc 19.46 0 Td (eb) Tj 0 Tc 15.12 0 Td (oat and more) Tj ET\n";
    let read = pages(&[drawn.to_owned()]).expect("a document").text;
    assert_eq!(read, "of the boat and more\n");
}

#[test]
fn a_word_with_an_apostrophe_is_put_together_again() {
    let text = [
        "Le chef d\\222\\351quipe v\\351rifie tout, et surtout l\\222\\351qui-",
        "page, avant la travers\\351e diffi-",
        "cile, et la der-",
        "ni\\350re.",
    ];
    let read = pages(&[lines(700, &text)]).expect("a document").text;
    assert!(read.contains("l’équipage, avant"), "{read}");
}

#[test]
fn a_title_in_which_groff_named_its_letters_has_the_letters() {
    let file =
        PdfFile { info: "/Title ([u00DC]ber M[u00F6]wen [under way])".to_owned(), ..PdfFile::of(&[lines(700, &BODY)]) };
    assert_eq!(read(file.bytes()).expect("a document").card.title, "Über Möwen [under way]");
}
