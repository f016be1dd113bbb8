//! A seed → a book: chapters three deep with paragraphs, lists, tables, code, quotes and notes, and how it is to look.

use super::prose::{Language, Writer, plain};

/// What a book looks like where a program prints it.
#[derive(Debug, Clone)]
pub(crate) struct Style {
    pub(crate) font: &'static str,
    /// The same in groff's words.
    pub(crate) family: &'static str,
    pub(crate) points: usize,
    /// Width and height of the paper, in millimetres.
    pub(crate) paper: (usize, usize),
    pub(crate) columns: usize,
    pub(crate) is_justified: bool,
    pub(crate) has_running_heads: bool,
    pub(crate) has_numbers: bool,
}

/// A part of a book.
#[derive(Debug, Clone)]
pub(crate) enum Block {
    Heading { level: usize, title: String },
    Paragraph { sentences: Vec<String>, note: Option<String> },
    Items { is_numbered: bool, items: Vec<(usize, String)> },
    Table { rows: Vec<Vec<String>> },
    Code { lines: Vec<String> },
    Quote { words: String },
}

/// A text with a structure that is known.
#[derive(Debug, Clone)]
pub(crate) struct Book {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) language: Language,
    pub(crate) style: Style,
    pub(crate) blocks: Vec<Block>,
    /// The made words that passages are known by, each with the titles above it.
    pub(crate) places: Vec<(String, Vec<String>)>,
    /// The made words in notes.
    pub(crate) noted: Vec<String>,
}

impl Book {
    pub(crate) fn of(seed: u64) -> Self {
        let languages = [Language::English, Language::German, Language::English, Language::French];
        let turn = usize::try_from(seed).unwrap_or(0);
        let language = languages.get(turn % 4).copied().unwrap_or(Language::English);
        let mut writer = Writer::new(seed, language);
        let style = style(&mut writer, turn);
        let title = writer.title();
        let name = format!("book{seed}");
        let mut making = Making {
            book: Self { name, title, language, style, blocks: Vec::new(), places: Vec::new(), noted: Vec::new() },
            path: Vec::new(),
            writer,
        };
        making.write();
        making.book
    }

    /// Every word in order, title and notes left out.
    pub(crate) fn text(&self) -> String {
        let mut lines = Vec::new();
        for block in &self.blocks {
            match block {
                Block::Heading { title, .. } => lines.push(title.clone()),
                Block::Paragraph { sentences, .. } => lines.push(sentences.join(" ")),
                Block::Items { items, .. } => lines.extend(items.iter().map(|(_, words)| words.clone())),
                Block::Table { rows } => lines.extend(rows.iter().map(|row| row.join(" "))),
                Block::Code { lines: code } => lines.extend(code.iter().cloned()),
                Block::Quote { words } => lines.push(words.clone()),
            }
        }
        plain(&lines.join("\n"))
    }

    /// The words of every note.
    pub(crate) fn notes(&self) -> Vec<String> {
        let note = |block: &Block| match block {
            Block::Paragraph { note, .. } => note.clone(),
            Block::Heading { .. } | Block::Items { .. } | Block::Table { .. } => None,
            Block::Code { .. } | Block::Quote { .. } => None,
        };
        self.blocks.iter().filter_map(note).collect()
    }

    /// The same book without its notes.
    pub(crate) fn without_notes(&self) -> Self {
        let mut book = self.clone();
        for block in &mut book.blocks {
            if let Block::Paragraph { note, .. } = block {
                *note = None;
            }
        }
        book.noted.clear();
        book
    }
}

fn style(writer: &mut Writer, turn: usize) -> Style {
    let fonts = [
        ("Liberation Serif", "T"),
        ("Liberation Sans", "H"),
        ("DejaVu Serif", "N"),
        ("P052", "P"),
        ("URW Bookman", "B"),
        ("Latin Modern Roman", "T"),
    ];
    let (font, family) = fonts.get(turn % fonts.len()).copied().unwrap_or(("Liberation Serif", "T"));
    let papers = [(210, 297), (216, 279), (148, 210), (176, 250)];
    let columns = if turn % 3 == 2 { 2 } else { 1 };
    let paper = papers.get(writer.below(if columns == 2 { 2 } else { 4 })).copied().unwrap_or((210, 297));
    Style {
        font,
        family,
        points: 9 + writer.below(4),
        paper,
        columns,
        is_justified: turn.is_multiple_of(2),
        has_running_heads: turn % 4 != 1,
        has_numbers: turn % 4 > 1,
    }
}

struct Making {
    book: Book,
    path: Vec<String>,
    writer: Writer,
}

impl Making {
    fn write(&mut self) {
        self.paragraph(3);
        for chapter in 0..3 + self.writer.below(2) {
            self.heading(1);
            self.body(chapter);
            for section in 0..1 + self.writer.below(3) {
                self.heading(2);
                self.body(chapter + section + 1);
                for part in 0..self.writer.below(3) {
                    self.heading(3);
                    self.body(part + section);
                }
            }
        }
    }

    fn heading(&mut self, level: usize) {
        let title = self.writer.title();
        self.path.truncate(level - 1);
        self.path.push(title.clone());
        self.book.blocks.push(Block::Heading { level, title });
    }

    fn body(&mut self, turn: usize) {
        let length = 2 + self.writer.below(4);
        self.paragraph(length);
        match turn % 5 {
            0 => self.items(),
            1 => self.table(),
            2 => self.paragraph(22),
            3 => self.quote(),
            _ => self.code(),
        }
        let length = 1 + self.writer.below(6);
        self.paragraph(length);
    }

    /// A sentence that is a passage, known by its made word.
    fn passage(&mut self) -> String {
        let (sentence, made) = self.writer.sentence();
        self.book.places.push((made, self.path.clone()));
        sentence
    }

    fn paragraph(&mut self, length: usize) {
        let sentences = (0..length).map(|_| self.passage()).collect();
        let note = self.writer.once_in(5).then(|| {
            let words: Vec<String> = (0..3 + self.writer.below(12)).map(|_| self.writer.made_word()).collect();
            self.book.noted.extend(words.iter().cloned());
            format!("{}.", words.join(" "))
        });
        self.book.blocks.push(Block::Paragraph { sentences, note });
    }

    fn items(&mut self) {
        let is_numbered = self.writer.once_in(2);
        let mut items = Vec::new();
        for _ in 0..2 + self.writer.below(4) {
            items.push((0, self.passage()));
            if self.writer.once_in(3) {
                items.extend((0..2).map(|_| (1, self.passage())));
            }
        }
        self.book.blocks.push(Block::Items { is_numbered, items });
    }

    fn table(&mut self) {
        let (first, second, third) = (self.writer.made_word(), self.writer.made_word(), self.writer.made_word());
        let mut rows = vec![vec![first, second, third]];
        for _ in 0..2 + self.writer.below(5) {
            let made = self.writer.made_word();
            self.book.places.push((made.clone(), self.path.clone()));
            let amount = format!("{} €", 10 + self.writer.below(900));
            rows.push(vec![made, amount, self.writer.phrase()]);
        }
        self.book.blocks.push(Block::Table { rows });
    }

    fn quote(&mut self) {
        let words = [self.passage(), self.passage()].join(" ");
        self.book.blocks.push(Block::Quote { words: plain(&words) });
    }

    fn code(&mut self) {
        let mut lines = Vec::new();
        for at in 0..2 + self.writer.below(4) {
            let made = self.writer.made_word();
            self.book.places.push((made.clone(), self.path.clone()));
            let indent = if at == 0 { "" } else { "    " };
            lines.push(format!("{indent}let fee{at} = tariff({made}, {});", self.writer.below(900)));
        }
        self.book.blocks.push(Block::Code { lines });
    }
}
