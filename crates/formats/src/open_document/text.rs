//! The body of an `OpenDocument` text → blocks.

use vouch_domain::ports::ParseError;

use super::{
    content,
    inline::{Inline, paragraph},
    lists::Lists,
    styles::Styles,
    tables,
};
use crate::{
    archive::Archive,
    blocks::{Block, PAGE_BREAK},
    xml::{Tag, Token, Xml},
};

/// Styles of code and of quotations; the second ones are those of Word, as they come through a conversion.
const CODE: &[&str] = &["Preformatted_20_Text", "Source_20_Code", "HTML_20_Preformatted"];
const QUOTES: &[&str] = &["Quotations", "Block_20_Text", "Quote", "Intense_20_Quote"];

/// What was read of a text.
#[derive(Default)]
pub(super) struct Read {
    pub(super) blocks: Vec<Block>,
    pub(super) title: Option<String>,
    /// Whether its program marks where pages end.
    pub(super) has_soft_breaks: bool,
}

pub(super) fn read(archive: &Archive) -> Result<Read, ParseError> {
    let mut xml = content(archive)?;
    let mut body = Body {
        xml: &mut xml,
        styles: Styles::read(archive)?,
        archive,
        lists: Lists::default(),
        waiting: None,
        read: Read::default(),
    };
    while let Some(token) = body.xml.token()? {
        if let Token::Open(tag) = token
            && tag.name() == "office:text"
        {
            body.read.has_soft_breaks = tag.value("text:use-soft-page-breaks").is_some_and(|value| value == "true");
            body.inside()?;
        }
    }
    Ok(body.read)
}

struct Body<'a, 'x> {
    xml: &'a mut Xml<'x>,
    styles: Styles,
    archive: &'a Archive,
    lists: Lists,
    /// An item whose number is known and whose words have not come yet.
    waiting: Option<(usize, Option<u32>)>,
    read: Read,
}

impl Body<'_, '_> {
    /// What stands in the element that began last.
    fn inside(&mut self) -> Result<(), ParseError> {
        while let Some(token) = self.xml.token()? {
            match token {
                Token::Close => break,
                Token::Words(_) => {}
                Token::Open(tag) => self.element(&tag)?,
            }
        }
        Ok(())
    }

    fn element(&mut self, tag: &Tag<'_>) -> Result<(), ParseError> {
        match tag.name() {
            "text:h" => self.heading(tag),
            "text:p" => self.paragraph(tag),
            "text:list" => {
                self.lists.begin(tag, &self.styles);
                self.inside()?;
                self.lists.end();
                Ok(())
            }
            "text:list-item" | "text:list-header" => {
                self.waiting = Some(self.lists.item(tag));
                self.inside()?;
                self.waiting = None;
                Ok(())
            }
            "table:table" => {
                let table = tables::read(self.xml, &self.styles, self.archive)?;
                self.read.blocks.push(Block::Table(table.rows));
                self.notes(table.notes);
                Ok(())
            }
            "text:section" if tag.value("text:display").is_some_and(|value| value == "none") => self.xml.skip(),
            "text:soft-page-break" => {
                self.read.blocks.push(Block::Paragraph(PAGE_BREAK.to_string()));
                self.xml.skip()
            }
            // What lists headings, pictures or terms repeats them.
            "text:table-of-content"
            | "text:illustration-index"
            | "text:table-index"
            | "text:object-index"
            | "text:alphabetical-index"
            | "text:user-index"
            | "text:tracked-changes"
            | "text:sequence-decls"
            | "text:variable-decls"
            | "text:user-field-decls"
            | "text:dde-connection-decls"
            | "office:forms"
            | "office:annotation"
            | "office:scripts"
            | "svg:title"
            | "svg:desc"
            | "office:binary-data" => self.xml.skip(),
            _ => self.inside(),
        }
    }

    fn heading(&mut self, tag: &Tag<'_>) -> Result<(), ParseError> {
        let level = tag.number("text:outline-level").and_then(|level| usize::try_from(level).ok()).unwrap_or(1);
        let style = tag.value("text:style-name");
        let inline = paragraph(self.xml, &self.styles, Some(self.archive))?;
        if self.styles.is_hidden(style.as_deref()) || tag.value("text:is-list-header").is_some_and(|v| v == "hidden") {
            return Ok(());
        }
        self.page_break(style.as_deref());
        self.waiting = None;
        self.read.blocks.push(Block::Heading { level, words: inline.words });
        self.rest(inline.notes, inline.boxes);
        Ok(())
    }

    fn paragraph(&mut self, tag: &Tag<'_>) -> Result<(), ParseError> {
        let style = tag.value("text:style-name");
        let Inline { words, notes, boxes } = paragraph(self.xml, &self.styles, Some(self.archive))?;
        let style = style.as_deref();
        if self.styles.is_hidden(style) {
            return Ok(());
        }
        self.page_break(style);
        let is_empty = words.trim_matches(|c: char| c.is_whitespace() || c == PAGE_BREAK).is_empty();
        let block = match self.waiting.take_if(|_| !is_empty) {
            Some((depth, number)) => Block::Item { depth, number, words },
            None if is_empty => Block::Paragraph(words),
            None if self.styles.is_based_on(style, &["Title"]) => {
                self.read.title.get_or_insert_with(|| words.clone());
                Block::Heading { level: 1, words }
            }
            None if self.styles.is_based_on(style, CODE) => self.code(&words),
            None if self.styles.is_based_on(style, QUOTES) => Block::Quote(words),
            None => Block::Paragraph(words),
        };
        self.read.blocks.push(block);
        self.rest(notes, boxes);
        Ok(())
    }

    /// Each line of code is a paragraph; those in a row are one block.
    fn code(&mut self, line: &str) -> Block {
        match self.read.blocks.pop() {
            Some(Block::Code(lines)) => Block::Code(format!("{lines}\n{line}")),
            Some(other) => {
                self.read.blocks.push(other);
                Block::Code(line.to_owned())
            }
            None => Block::Code(line.to_owned()),
        }
    }

    fn page_break(&mut self, style: Option<&str>) {
        if self.styles.breaks_page(style) {
            self.read.blocks.push(Block::Paragraph(PAGE_BREAK.to_string()));
        }
    }

    fn rest(&mut self, notes: Vec<String>, boxes: Vec<String>) {
        self.notes(notes);
        self.read.blocks.extend(boxes.into_iter().map(Block::Paragraph));
    }

    fn notes(&mut self, notes: Vec<String>) {
        let notes = notes.into_iter().filter(|note| !note.trim().is_empty());
        self.read.blocks.extend(notes.map(|note| Block::Paragraph(format!("Note: {}", note.trim()))));
    }
}
