//! What is read of a PDF: pages, paragraphs, headings, lists, tables, notes, and what is left out.

use vouch_domain::Document;

use crate::pdf_file::{PdfFile, lines, pages, read, words};

/// Enough ordinary text to be the size that most letters have.
const BODY: [&str; 3] = [
    "The harbour office opens at seven in the morning and closes when the last ferry",
    "has left the quay, which in summer may be as late as eleven at night. Tickets are",
    "sold on board as well.",
];

const SAID: [&str; 5] = [
    "First of all, every ferry carries lifejackets for all of its passengers.",
    "Second to none is the coffee that is sold on the upper deck in the morning.",
    "Third, dogs travel free of charge where they do not take a seat from anybody.",
    "Fourth, a bicycle takes the place of a child, and a child the place of a bicycle.",
    "Fifth wheels of 30 inches are left on the quay, where they can be fetched later.",
];

fn page_texts(document: &Document) -> Vec<(u32, String)> {
    let ends = document.pages.iter().skip(1).map(|mark| mark.at).chain([document.text.chars().count()]);
    let piece = |start: usize, end: usize| document.text.chars().skip(start).take(end - start).collect::<String>();
    document.pages.iter().zip(ends).map(|(mark, end)| (mark.page, piece(mark.at, end).trim().to_owned())).collect()
}

#[test]
fn lines_are_joined_to_paragraphs() {
    let text = [lines(700, &BODY), lines(650, &["A second paragraph stands further down."])].concat();
    let read = pages(&[text]).expect("a document");
    assert_eq!(read.text, format!("{}\n\nA second paragraph stands further down.\n", BODY.join(" ")));
}

#[test]
fn a_sentence_goes_on_over_the_page_and_the_page_is_marked_behind_its_parted_word() {
    let first = lines(700, &["The master of the vessel decides whether a crossing is cancelled, and the compensa-"]);
    let second = lines(700, &["tion is paid within ten days of the crossing. No compensation is paid for delays."]);
    let whole = lines(600, &["Whoever asks for compensation writes to the office."]);
    let read = pages(&[first, [second, whole].concat()]).expect("a document");
    let texts = page_texts(&read);
    assert_eq!(texts.len(), 2, "{texts:?}");
    assert!(texts[0].1.ends_with("and the compensation"), "{texts:?}");
    assert!(texts[1].1.starts_with("is paid within ten days of the crossing."), "{texts:?}");
    assert!(!read.text.contains("\n\nis paid"), "{}", read.text);
}

#[test]
fn hyphens_of_words_that_have_one_stay() {
    let text = lines(
        700,
        &[
            "A certificate of the ferry company is needed, and the certifi-",
            "cate is shown on board. A well-known rule covers COVID-",
            "19, and another well-",
            "known rule covers first aid. Every cer-",
            "tificate is renewed each year by the company.",
        ],
    );
    let read = pages(&[text]).expect("a document");
    assert!(read.text.contains("the certificate is shown"), "{}", read.text);
    assert!(read.text.contains("Every certificate is renewed"), "{}", read.text);
    assert!(read.text.contains("covers COVID-19, and another well-known rule"), "{}", read.text);
}

#[test]
fn larger_and_bold_lines_are_headings() {
    let text = [
        words("F2", 18, (72, 740), "Handbook"),
        words("F2", 14, (72, 720), "Opening hours"),
        lines(700, &BODY),
        words("F2", 10, (72, 650), "In winter"),
        lines(636, &["The office is closed on Sundays from November to March of every year."]),
        words("F2", 14, (72, 600), "Parking"),
        lines(580, &["Cars are left behind the ticket hall, never on the quay."]),
    ];
    let read = pages(&[text.concat()]).expect("a document");
    assert_eq!(read.card.title, "Handbook");
    let headings: Vec<&str> = read.text.lines().filter(|line| line.starts_with('#')).collect();
    assert_eq!(headings, ["# Handbook", "## Opening hours", "### In winter", "## Parking"]);
    let paths: Vec<String> = read.sections.iter().map(|section| section.path.join(" / ")).collect();
    assert!(paths.contains(&"Opening hours / In winter".to_owned()), "{paths:?}");
}

#[test]
fn a_title_and_a_heading_of_the_same_size_are_two() {
    let text = [
        words("F2", 18, (250, 740), "Handbook"),
        words("F2", 18, (72, 712), "Hours of the office"),
        words("F2", 18, (72, 692), "and of the ferries"),
        lines(660, &BODY),
    ];
    let read = pages(&[text.concat()]).expect("a document");
    let headings: Vec<&str> = read.text.lines().filter(|line| line.starts_with('#')).collect();
    assert_eq!(headings, ["# Handbook", "# Hours of the office and of the ferries"]);
}

#[test]
fn running_heads_and_page_numbers_are_left_out() {
    let page = |number: usize, text: &str| {
        [
            words("F1", 8, (72, 770), &format!("Staff Handbook, chapter {}", number / 3)),
            lines(700, &[text]),
            words("F1", 8, (300, 30), &format!("Page {number} of 5")),
        ]
        .concat()
    };
    let read =
        pages(&(1..).zip(SAID).map(|(number, text)| page(number, text)).collect::<Vec<_>>()).expect("a document");
    assert_eq!(read.text, SAID.join("\n\n") + "\n");
    assert_eq!(page_texts(&read).iter().map(|(page, _)| *page).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
}

/// Pages with a paragraph each and a foot of these lines, the lowest last.
fn with_feet(texts: &[&str], foot: impl Fn(usize) -> Vec<String>) -> Vec<String> {
    let page = |(number, text): (usize, &&str)| {
        let feet = foot(number);
        let at = |line: usize| (72, 30 + 10 * (feet.len() - line - 1) as u32);
        let feet: String = feet.iter().enumerate().map(|(line, text)| words("F1", 8, at(line), text)).collect();
        [lines(700, &[text]), feet].concat()
    };
    (1..).zip(texts).map(page).collect()
}

#[test]
fn feet_of_a_few_pages_are_left_out() {
    let two = &SAID[..2];
    for foot in [
        &(|number: usize| vec![format!("Staff Handbook | Page {number} of 2")]) as &dyn Fn(usize) -> Vec<String>,
        &|number| vec!["Harbour Company, Quay 4".to_owned(), format!("Handbook {number}")],
        &|_| vec!["For those who work here alone".to_owned()],
    ] {
        let read = pages(&with_feet(two, foot)).expect("a document");
        assert_eq!(read.text, two.join("\n\n") + "\n");
    }
    let one = pages(&with_feet(&SAID[..1], |_| vec!["Staff Handbook Page 1 of 1".to_owned()])).expect("a document");
    assert_eq!(one.text, format!("{}\n", SAID[0]));
    // Feet that are longer than the text of their pages are feet all the same.
    let short = ["Dogs travel free.", "Tickets are sold on board.", "Bicycles wait on the quay."];
    let long = |number: usize| vec![format!("Harbour Company, Staff Handbook, version of January, page {number} of 3")];
    assert_eq!(pages(&with_feet(&short, long)).expect("a document").text, short.join("\n\n") + "\n");
}

#[test]
fn the_last_line_of_a_page_that_is_no_foot_stays() {
    let alone =
        pages(&with_feet(&SAID[..1], |_| vec!["Signed by the harbour master.".to_owned()])).expect("a document");
    assert!(alone.text.contains("Signed by the harbour master."), "{}", alone.text);
    let others = |number: usize| vec![["Signed by the mate.", "Read by the master."][number - 1].to_owned()];
    let two = pages(&with_feet(&SAID[..2], others)).expect("a document");
    assert!(two.text.contains("Signed by the mate.") && two.text.contains("Read by the master."), "{}", two.text);
    let inside = [lines(700, &BODY), lines(664, &["Boats leave as said on Page 1"])].concat();
    assert!(pages(&[inside]).expect("a document").text.contains("as said on Page 1"));
}

#[test]
fn slides_that_grow_line_by_line_keep_each_line_once() {
    let slide = |title: &str, shown: usize| {
        let items = ["Lifejackets hang by the door.", "Flares lie in the locker.", "Boats are lowered by the mate."];
        let lines = |at: u32| words("F1", 14, (72, 600 - at * 40), items.get(at as usize).copied().unwrap_or_default());
        [words("F2", 24, (72, 700), title)].into_iter().chain((0..shown as u32).map(lines)).collect::<String>()
    };
    let grown = (1..=3).map(|shown| slide("In danger", shown));
    let others = SAID.map(|said| lines(500, &[said]));
    let read = pages(&grown.chain(others).collect::<Vec<_>>()).expect("a document");
    for said in ["In danger", "Lifejackets hang by the door.", "Boats are lowered by the mate."] {
        assert_eq!(read.text.matches(said).count(), 1, "{said} in {}", read.text);
    }
}

#[test]
fn pages_that_all_say_the_same_keep_it() {
    let read = pages(&vec![lines(700, &["This page is a form."]); 4]).expect("a document");
    assert_eq!(read.text.matches("This page is a form.").count(), 4);
}

#[test]
fn items_of_lists_are_items() {
    let text = [
        lines(700, &BODY),
        words("F1", 10, (72, 640), "1. Call the office."),
        words("F1", 10, (72, 628), "2. Say where the vessel is, how many people"),
        words("F1", 10, (84, 616), "are on board and what happened."),
        words("F1", 10, (72, 590), "\\002 Lifejackets"),
        words("F1", 10, (90, 578), "\\002 for children"),
        words("F1", 10, (72, 566), "\\002 Flares"),
    ];
    let read = pages(&[text.concat()]).expect("a document");
    let list = "1. Call the office.\n2. Say where the vessel is, how many people are on board and what happened.";
    assert!(read.text.contains(list), "{}", read.text);
    assert!(read.text.contains("- Lifejackets\n   - for children\n- Flares\n"), "{}", read.text);
}

#[test]
fn a_line_that_happens_to_begin_with_a_number_is_no_item() {
    let text = lines(
        700,
        &[
            "All budgets for the coming season are handed in at the finance office by July",
            "12. A department that is late receives the budget of the year before.",
        ],
    );
    assert!(pages(&[text]).expect("a document").text.contains("by July 12. A department"));
}

#[test]
fn cells_in_columns_are_a_table() {
    let row = |y: u32, cells: [&str; 3]| {
        (0..).zip(cells).map(|(at, cell)| words("F1", 10, (72 + at * 130, y), cell)).collect::<String>()
    };
    let text = [
        lines(700, &BODY),
        row(640, ["Role", "Limit", "Signed by"]),
        row(626, ["Team leader", "500", "the head"]),
        row(612, ["Head", "5000", "the director"]),
        row(598, ["Director", "30000", "the board"]),
    ];
    let read = pages(&[text.concat()]).expect("a document");
    let table = "| Role | Limit | Signed by |\n| --- | --- | --- |\n| Team leader | 500 | the head |\n| Head | 5000 |";
    assert!(read.text.contains(table), "{}", read.text);
}

#[test]
fn code_keeps_its_lines_and_its_indentation() {
    let code = ["fn main() {", "    call();", "}"];
    let mut text = lines(700, &BODY);
    for (at, line) in (0..).zip(code) {
        text.push_str(&words("F3", 10, (72, 650 - at * 12), line));
    }
    assert!(pages(&[text]).expect("a document").text.contains("```\nfn main() {\n    call();\n}\n```"));
}

#[test]
fn a_footnote_is_not_in_the_middle_of_a_sentence_and_its_number_is_no_part_of_a_word() {
    let first = [
        words("F1", 10, (72, 700), "An order of up to 5000"),
        words("F1", 6, (175, 704), "1"),
        words("F1", 10, (188, 700), "is signed by the head of the department, and"),
        lines(688, &["a larger one by the director, after the finance office has seen all of its"]),
        words("F1", 5, (72, 83), "1"),
        words("F1", 8, (76, 80), "Without tax."),
    ];
    let second = lines(700, &["papers and has found them to be in order. Nobody signs an order of a partner."]);
    let read = pages(&[first.concat(), second]).expect("a document");
    assert!(read.text.contains("all of its papers and has found"), "{}", read.text);
    assert!(read.text.contains("5000 [1] is signed"), "{}", read.text);
    assert!(read.text.contains("[1] Without tax.\n\n"), "{}", read.text);
}

#[test]
fn two_columns_are_read_one_after_the_other() {
    let column = |name: &str| -> Vec<String> {
        (1..=24).map(|line| format!("{name} line {line} goes on to the edge of its column")).collect()
    };
    let (left, right) = (column("left"), column("right"));
    let mut text = String::new();
    for (at, (left, right)) in (0..).zip(left.iter().zip(&right)) {
        text.push_str(&words("F1", 9, (50, 700 - at * 12), left));
        text.push_str(&words("F1", 9, (320, 700 - at * 12), right));
    }
    let read = pages(&[text]).expect("a document");
    assert_eq!(read.text.trim_end(), [left, right].concat().join(" "));
}

#[test]
fn ligatures_are_two_letters() {
    let read = pages(&[lines(700, &["the of\\001ce of the \\001rst mate"])]).expect("a document");
    assert_eq!(read.text, "the office of the first mate\n");
}

#[test]
fn the_title_and_the_date_are_those_of_the_file_where_somebody_gave_them() {
    let with = |info: &str| {
        let file = PdfFile { info: info.to_owned(), ..PdfFile::of(&[lines(700, &BODY)]) };
        let card = read(file.bytes()).expect("a document").card;
        (card.title, card.date)
    };
    let given = with("/Title (Rules of the Harbour) /ModDate (D:20250311120000Z)");
    assert_eq!(given, ("Rules of the Harbour".to_owned(), Some("2025-03-11".to_owned())));
    assert_eq!(with("/Title (Microsoft Word - rules.doc)"), ("paper".to_owned(), None));
    assert_eq!(with("/Title (untitled)").0, "paper");
}
