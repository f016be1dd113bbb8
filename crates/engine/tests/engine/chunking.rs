//! What holds for the passages of any document: made-up documents in, the promises of `chunk` checked one by one.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::ops::Range;

use vouch_domain::{
    Document, Passage, Section,
    language::{BlockKind, blocks, sentence_ranges},
};
use vouch_engine::{
    ingest::{ChunkError, chunk, tokens},
    policy::IngestPolicy,
};
use vouch_testkit::corpus::card;

const CORPORA: u64 = 120;
const WORDS: &[&str] = &[
    "mast",
    "wind",
    "Überprüfung",
    "naïve",
    "日本語",
    "🌧️",
    "2.5",
    "e.g.",
    "(see",
    "Dr.",
    "gauge)",
    "a",
    "the",
    "“quoted”",
    "counterrevolutionaries",
    "e\u{301}t\u{e9}",
    "x",
    "—",
    "C++",
    "Größe",
    "данные",
    "§4",
];

/// A small generator of its own (xorshift), so that every run sees the same documents.
struct Dice(u64);

impl Dice {
    fn seeded(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).expect("31 bits") % limit.max(1)
    }

    fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words.get(self.below(words.len())).expect("a word")
    }
}

fn sentence(dice: &mut Dice) -> String {
    let mut words: Vec<String> = (0..=dice.below(14)).map(|_| dice.pick(WORDS).to_owned()).collect();
    if dice.below(12) == 0 {
        words.push("long".repeat(1 + dice.below(600)));
    }
    if dice.below(12) == 0 {
        words.push("é".repeat(1 + dice.below(60)));
    }
    format!("It {}{}", words.join(" "), dice.pick(&[".", "!", "?", ":", ""]))
}

fn block(dice: &mut Dice) -> String {
    let lines: Vec<String> = (0..=dice.below(5)).map(|_| sentence(dice)).collect();
    match dice.below(8) {
        0 => lines.iter().map(|line| format!("- {line}\n")).collect(),
        1 => (1..).zip(&lines).map(|(number, line)| format!("{number}. {line}\n")).collect(),
        2 => lines.iter().map(|line| format!("| {line} | 7 |\n")).collect(),
        4 => lines.iter().map(|line| format!("> {line}\n")).collect(),
        5 => lines.iter().map(|line| format!("- {line}\n  and more.\n\n  Besides.\n")).collect(),
        3 => format!("```sh\n{}\n```\n", lines.join("\n")),
        _ => format!("{}\n", lines.join(dice.pick(&[" ", "\n"]))),
    }
}

/// A document of headed sections, some of them empty, with the text between them in no section.
fn document(dice: &mut Dice) -> Document {
    let mut text = String::new();
    let mut sections = Vec::new();
    for number in 0..=dice.below(6) {
        text.push_str(&format!("## Überschrift {number}\n"));
        let start = text.len();
        for _ in 0..dice.below(7) {
            text.push_str(&block(dice));
            text.push_str(dice.pick(&["\n", "\n\n", "   \n\n"]));
        }
        let path = vec!["Titel".to_owned(), format!("Überschrift {number}")];
        sections.push(Section { path: path.into(), start, end: text.len() });
    }
    Document {
        card: card("random", &[]),
        text,
        sections,
        times: Vec::new(),
        pages: Vec::new(),
        states_access: true,
        warnings: Vec::new(),
    }
}

fn policy(passage_tokens: usize) -> IngestPolicy {
    IngestPolicy { addresses: Vec::new(), passage_tokens, batch_passages: 64, passages_max: 20_000 }
}

/// Where a passage lies in bytes, by its span in characters alone.
fn bytes_of(passage: &Passage, text: &str) -> Range<usize> {
    let byte_at = |chars: usize| text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at);
    byte_at(passage.span.start)..byte_at(passage.span.end)
}

/// The sentences of a section, in bytes of the document.
fn sentences_of(section: &Section, text: &str) -> Vec<Range<usize>> {
    let body = text.get(section.start..section.end).expect("a section lies on characters");
    let moved = |range: Range<usize>| section.start + range.start..section.start + range.end;
    sentence_ranges(body).into_iter().map(moved).collect()
}

fn size(text: &str, range: &Range<usize>) -> f32 {
    tokens(text.get(range.clone()).expect("a range on characters"))
}

fn for_every_document(check: impl Fn(&Document, &[Passage], f32, &str)) {
    for seed in 1..=CORPORA {
        let mut dice = Dice::seeded(seed);
        let document = document(&mut dice);
        for (target, figure) in [(20, 20.0), (60, 60.0), (200, 200.0)] {
            let passages = chunk(&document, &policy(target)).expect("it is in proportion");
            check(&document, &passages, figure, &format!("seed {seed}, target {target}"));
        }
    }
}

#[test]
fn a_passage_is_the_documents_text_at_its_span() {
    for_every_document(|document, passages, _, case| {
        for passage in passages {
            let (start, end) = (passage.span.start, passage.span.end);
            let cut: String = document.text.chars().skip(start).take(end - start).collect();
            assert_eq!(passage.text, cut, "{case}");
            assert!(!passage.text.trim().is_empty(), "{case}: an empty passage");
        }
    });
}

#[test]
fn passages_stand_in_order_and_do_not_overlap() {
    for_every_document(|_, passages, _, case| {
        for (place, passage) in passages.iter().enumerate() {
            assert_eq!(passage.ordinal as usize, place, "{case}");
        }
        for (one, next) in passages.iter().zip(passages.iter().skip(1)) {
            assert!(one.span.end <= next.span.start, "{case}: {:?} and {:?}", one.span, next.span);
        }
    });
}

#[test]
fn a_passage_never_crosses_a_section() {
    for_every_document(|document, passages, _, case| {
        for passage in passages {
            let bytes = bytes_of(passage, &document.text);
            let home = document.sections.iter().find(|one| one.start <= bytes.start && bytes.end <= one.end);
            assert_eq!(home.map(|section| &section.path), Some(&passage.section), "{case}: {:?}", passage.span);
        }
    });
}

#[test]
fn every_sentence_is_whole_in_one_passage() {
    for_every_document(|document, passages, _, case| {
        let places: Vec<Range<usize>> = passages.iter().map(|passage| bytes_of(passage, &document.text)).collect();
        for sentence in document.sections.iter().flat_map(|section| sentences_of(section, &document.text)) {
            let is_covered = places.iter().any(|place| place.start <= sentence.start && sentence.end <= place.end);
            assert!(is_covered, "{case}: {:?}", document.text.get(sentence));
        }
    });
}

/// Whether a passage begins or ends inside a row, an item or code, or inside a line of a quote, since that is too long for it.
fn cuts_a_block(place: &Range<usize>, section: &Section, text: &str) -> bool {
    let body = text.get(section.start..section.end).expect("a section lies on characters");
    let is_line = |edge: usize| text.get(..edge).is_some_and(|before| before.ends_with('\n'));
    blocks(body).into_iter().any(|block| {
        let range = section.start + block.whole.start..section.start + block.whole.end;
        let is_inside = |edge: usize| range.start < edge && edge < range.end;
        match block.kind {
            BlockKind::Code | BlockKind::TableRow { .. } => is_inside(place.start) || is_inside(place.end),
            BlockKind::ListItem { .. } => is_inside(place.start),
            BlockKind::Quote => is_inside(place.start) && !is_line(place.start),
            BlockKind::Paragraph | BlockKind::Heading => false,
        }
    })
}

#[test]
fn a_passage_is_read_as_the_same_sentences_as_its_document() {
    for_every_document(|document, passages, _, case| {
        for section in &document.sections {
            let all = sentences_of(section, &document.text);
            for passage in passages.iter().filter(|passage| passage.section == section.path) {
                let place = bytes_of(passage, &document.text);
                if cuts_a_block(&place, section, &document.text) {
                    continue;
                }
                let own = all.iter().filter(|one| place.start <= one.start && one.end <= place.end);
                let expected: Vec<&str> = own.filter_map(|one| document.text.get(one.clone())).collect();
                let read = sentence_ranges(&passage.text).into_iter().filter_map(|one| passage.text.get(one));
                assert_eq!(read.collect::<Vec<_>>(), expected, "{case}");
            }
        }
    });
}

#[test]
fn no_passage_is_over_twice_the_target_unless_one_sentence_is() {
    for_every_document(|document, passages, target, case| {
        for passage in passages {
            let place = bytes_of(passage, &document.text);
            let sentences = document.sections.iter().flat_map(|section| sentences_of(section, &document.text));
            let own = sentences.filter(|sentence| place.start <= sentence.start && sentence.end <= place.end);
            let sizes: Vec<f32> = own.map(|sentence| size(&document.text, &sentence)).collect();
            let is_bounded = tokens(&passage.text) <= 2.0 * target;
            let has_giant = sizes.iter().any(|size| *size > 2.0 * target);
            assert!(is_bounded || has_giant, "{case}: {} tokens of {sizes:?}", tokens(&passage.text));
        }
    });
}

#[test]
fn a_list_of_short_items_is_no_passage_over_twice_the_target() {
    let text = "- a\n".repeat(400);
    let sections = vec![Section { path: [].into(), start: 0, end: text.len() }];
    let document = Document {
        card: card("list", &[]),
        text,
        sections,
        times: Vec::new(),
        pages: Vec::new(),
        states_access: true,
        warnings: Vec::new(),
    };
    let largest = chunk(&document, &policy(20))
        .expect("it is in proportion")
        .iter()
        .map(|one| tokens(&one.text))
        .fold(0.0, f32::max);
    assert!(largest <= 40.0, "{largest} tokens");
}

#[test]
fn a_section_under_the_target_is_one_passage() {
    for_every_document(|document, passages, target, case| {
        for section in &document.sections {
            let sentences = sentences_of(section, &document.text);
            let total = size(&document.text, &(section.start..section.end));
            let count = passages.iter().filter(|passage| passage.section == section.path).count();
            match sentences.len() {
                0 => assert_eq!(count, 0, "{case}: {:?}", section.path),
                _ if total <= target => assert_eq!(count, 1, "{case}: {:?} has {total} tokens", section.path),
                _ => assert!(count >= 1, "{case}: {:?}", section.path),
            }
        }
    });
}

#[test]
fn a_document_without_words_has_no_passage() {
    for text in ["", "\n\n", "---\n***\n"] {
        let sections = vec![Section { path: [].into(), start: 0, end: text.len() }];
        let document = Document {
            card: card("blank", &[]),
            text: text.to_owned(),
            sections,
            times: Vec::new(),
            pages: Vec::new(),
            states_access: true,
            warnings: Vec::new(),
        };
        assert_eq!(chunk(&document, &policy(200)), Ok(Vec::new()), "{text:?}");
    }
}

/// A document of so many sections of one short sentence each, under one heading.
fn sectioned(sections: usize, heading: &str) -> Document {
    let mut text = String::new();
    let path: std::sync::Arc<[String]> = [heading.to_owned()].into();
    let mut found = Vec::new();
    for _ in 0..sections {
        let start = text.len();
        text.push_str("It rains.\n");
        found.push(Section { path: path.clone(), start, end: text.len() });
    }
    Document {
        card: card("sectioned", &[]),
        text,
        sections: found,
        times: Vec::new(),
        pages: Vec::new(),
        states_access: true,
        warnings: Vec::new(),
    }
}

#[test]
fn a_document_of_too_many_passages_is_refused_and_one_fewer_is_not() {
    let policy = IngestPolicy { passages_max: 100, ..policy(200) };
    assert_eq!(chunk(&sectioned(100, "a"), &policy).map(|passages| passages.len()), Ok(100));
    assert_eq!(chunk(&sectioned(101, "a"), &policy), Err(ChunkError::Passages(100)));
    let sentence = ChunkError::Passages(100).to_string();
    assert!(sentence.contains("ingest.passages_max"), "{sentence}");
}

#[test]
fn passages_share_their_headings_and_do_not_repeat_them_out_of_proportion() {
    let passages = chunk(&sectioned(10, "a"), &policy(200)).expect("it is in proportion");
    let first = passages.first().expect("a passage");
    assert!(passages.iter().all(|one| std::sync::Arc::ptr_eq(&one.section, &first.section)), "one copy for all");
    let long = "h".repeat(4_000);
    assert!(chunk(&sectioned(10, &long), &policy(200)).is_ok());
    assert!(matches!(chunk(&sectioned(1_000, &long), &policy(200)), Err(ChunkError::Headings(_))));
}
