//! A paragraph of an `OpenDocument` file → its words, and what hangs on them: notes, text boxes.

use vouch_domain::ports::ParseError;

use super::styles::Styles;
use crate::{
    archive::Archive,
    blocks::PAGE_BREAK,
    xml::{Tag, Token, Xml},
};

/// How many blanks in a row are written out.
const BLANKS_MAX: u32 = 16;

/// What a paragraph holds.
#[derive(Default)]
pub(crate) struct Inline {
    pub(crate) words: String,
    /// Foot- and endnotes, in the order of their marks.
    pub(crate) notes: Vec<String>,
    /// Paragraphs of frames and shapes that hang on it.
    pub(crate) boxes: Vec<String>,
}

/// The words of the element that began last, up to its end. Without an archive, formulas are left out.
pub(crate) fn paragraph(xml: &mut Xml<'_>, styles: &Styles, archive: Option<&Archive>) -> Result<Inline, ParseError> {
    let mut inline = Inline::default();
    Walk { xml, styles, archive }.inside(&mut inline)?;
    Ok(inline)
}

struct Walk<'a, 'x> {
    xml: &'a mut Xml<'x>,
    styles: &'a Styles,
    archive: Option<&'a Archive>,
}

impl Walk<'_, '_> {
    fn inside(&mut self, to: &mut Inline) -> Result<(), ParseError> {
        while let Some(token) = self.xml.token()? {
            match token {
                Token::Close => break,
                // A line of the file is no line of the text.
                Token::Words(words) => to.words.push_str(&words.replace(['\n', '\r', '\t'], " ")),
                Token::Open(tag) => self.element(&tag, to)?,
            }
        }
        Ok(())
    }

    fn element(&mut self, tag: &Tag<'_>, to: &mut Inline) -> Result<(), ParseError> {
        match tag.name() {
            "text:s" => {
                let blanks = tag.number("text:c").unwrap_or(1).clamp(1, BLANKS_MAX);
                to.words.extend((0..blanks).map(|_| ' '));
                self.xml.skip()
            }
            "text:tab" => {
                to.words.push(' ');
                self.xml.skip()
            }
            "text:line-break" => {
                to.words.push('\n');
                self.xml.skip()
            }
            "text:soft-page-break" => {
                to.words.push(PAGE_BREAK);
                self.xml.skip()
            }
            "text:span" if self.styles.is_hidden(tag.value("text:style-name").as_deref()) => self.xml.skip(),
            "text:note" => self.note(to),
            "draw:object" => self.formula(tag, to),
            "text:p" | "text:h" => {
                // Paragraphs inside a paragraph stand in a frame.
                let mut framed = Inline::default();
                self.inside(&mut framed)?;
                to.boxes.push(framed.words);
                to.notes.append(&mut framed.notes);
                to.boxes.append(&mut framed.boxes);
                Ok(())
            }
            "office:annotation"
            | "office:annotation-end"
            | "text:hidden-text"
            | "text:hidden-paragraph"
            | "text:ruby-text"
            | "text:note-citation"
            | "svg:title"
            | "svg:desc"
            | "office:binary-data"
            | "text:tracked-changes"
            | "office:event-listeners" => self.xml.skip(),
            _ => self.inside(to),
        }
    }

    fn note(&mut self, to: &mut Inline) -> Result<(), ParseError> {
        let mut note = Inline::default();
        self.inside(&mut note)?;
        let paragraphs = note.boxes.into_iter().filter(|words| !words.trim().is_empty());
        to.notes.push(paragraphs.collect::<Vec<_>>().join(" "));
        to.notes.append(&mut note.notes);
        Ok(())
    }

    /// The signs of a formula, which lies in a part of its own.
    fn formula(&mut self, tag: &Tag<'_>, to: &mut Inline) -> Result<(), ParseError> {
        let folder = tag.value("xlink:href").unwrap_or_default();
        let name = format!("{}/content.xml", folder.trim_start_matches("./").trim_end_matches('/'));
        if let Some(bytes) = self.archive.and_then(|archive| archive.part(&name)) {
            let mut xml = Xml::new(bytes, "content.xml of a formula")?;
            let mut is_formula = false;
            while let Some(token) = xml.token()? {
                match token {
                    Token::Open(tag) if tag.local_name() == "annotation" => xml.skip()?,
                    Token::Open(tag) => is_formula |= tag.local_name() == "math",
                    Token::Words(signs) if is_formula && !signs.trim().is_empty() => {
                        to.words.push_str(signs.trim());
                        to.words.push(' ');
                    }
                    Token::Words(_) | Token::Close => {}
                }
            }
        }
        self.xml.skip()
    }
}
