//! XML → its tags and words, one after the other.
//!
//! Invariant: no document type is read and no entity but XML's own five is known, so nothing in a part grows by being read.

use quick_xml::{
    Reader, XmlVersion,
    escape::resolve_xml_entity,
    events::{BytesStart, Event},
};
use vouch_domain::ports::ParseError;

use crate::fault::whole;

/// Deeper than any document that a person wrote; readers may call themselves once per level.
const DEPTH_MAX: usize = 200;

/// What comes next in a part.
pub(crate) enum Token<'a> {
    /// An element begins; one without content ends right after it.
    Open(Tag<'a>),
    /// The element that began last and has not ended ends.
    Close,
    /// Words, with references resolved.
    Words(String),
}

/// The beginning of an element.
pub(crate) struct Tag<'a>(BytesStart<'a>);

impl Tag<'_> {
    /// Its name with its prefix, such as `text:p`.
    pub(crate) fn name(&self) -> &str {
        self.0.name().0
    }

    /// Its name without its prefix.
    pub(crate) fn local_name(&self) -> &str {
        let name = self.name();
        name.rsplit_once(':').map_or(name, |(_, local)| local)
    }

    /// The value of an attribute by its name with its prefix.
    pub(crate) fn value(&self, key: &str) -> Option<String> {
        self.values(key).next()
    }

    /// All values of an attribute, which XML allows once; readers differ in which one they take.
    pub(crate) fn values(&self, key: &str) -> impl Iterator<Item = String> {
        let mut attributes = self.0.attributes();
        attributes.with_checks(false);
        let named = attributes.flatten().filter(move |attribute| attribute.key.0 == key);
        // One that cannot be resolved is given as it stands, so that nobody takes it for missing.
        named.map(|found| found.normalized_value(XmlVersion::Implicit1_0).unwrap_or(found.value).into_owned())
    }

    /// The value of an attribute that is a number.
    pub(crate) fn number(&self, key: &str) -> Option<u32> {
        self.value(key)?.trim().parse().ok()
    }
}

/// A part of a document while it is read.
pub(crate) struct Xml<'a> {
    reader: Reader<&'a [u8]>,
    part: &'a str,
    depth: usize,
}

impl<'a> Xml<'a> {
    /// The tags and words of a part, which is named in what is said of its faults.
    pub(crate) fn new(bytes: &'a [u8], part: &'a str) -> Result<Self, ParseError> {
        let text = std::str::from_utf8(bytes)
            .map_err(|_| whole(&format!("its part {part} is damaged: it is not valid UTF-8")))?;
        let mut reader = Reader::from_str(text.trim_start_matches('\u{feff}'));
        reader.config_mut().expand_empty_elements = true;
        Ok(Self { reader, part, depth: 0 })
    }

    /// Reads a part to its end: whether it is whole, of a depth that readers can follow, and without a document type.
    pub(crate) fn check(bytes: &'a [u8], part: &'a str) -> Result<(), ParseError> {
        let mut xml = Self::new(bytes, part)?;
        while xml.token()?.is_some() {}
        Ok(())
    }

    /// What comes next; nothing at the end.
    pub(crate) fn token(&mut self) -> Result<Option<Token<'a>>, ParseError> {
        loop {
            let event = self.reader.read_event().map_err(|error| self.damaged(&error.to_string()))?;
            return Ok(Some(match event {
                Event::Start(tag) => {
                    self.depth += 1;
                    if self.depth > DEPTH_MAX {
                        return Err(whole(&format!(
                            "its part {} has more than {DEPTH_MAX} elements inside each other",
                            self.part
                        )));
                    }
                    Token::Open(Tag(tag))
                }
                Event::End(_) => {
                    self.depth = self.depth.saturating_sub(1);
                    Token::Close
                }
                Event::Text(words) => Token::Words(words.xml10_content().into_owned()),
                Event::CData(words) => Token::Words(words.xml10_content().into_owned()),
                Event::GeneralRef(name) => {
                    let character = name.resolve_char_ref().map_err(|error| self.damaged(&error.to_string()))?;
                    match (character, resolve_xml_entity(&name)) {
                        (Some(character), _) => Token::Words(character.to_string()),
                        (None, Some(words)) => Token::Words(words.to_owned()),
                        (None, None) => return Err(self.damaged("it refers to an entity that XML does not have")),
                    }
                }
                Event::DocType(_) => return Err(self.damaged("it has a document type of its own")),
                Event::Empty(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_) => continue,
                Event::Eof if self.depth > 0 => return Err(self.damaged("it ends too early")),
                Event::Eof => return Ok(None),
            }));
        }
    }

    /// Reads on to the end of the element that began last.
    pub(crate) fn skip(&mut self) -> Result<(), ParseError> {
        self.words().map(drop)
    }

    /// The words of the element that began last, up to its end, those inside its elements too.
    pub(crate) fn words(&mut self) -> Result<String, ParseError> {
        let (mut words, mut inside) = (String::new(), 1);
        while inside > 0 {
            match self.token()? {
                Some(Token::Open(_)) => inside += 1,
                Some(Token::Close) => inside -= 1,
                Some(Token::Words(more)) => words.push_str(&more),
                None => break,
            }
        }
        Ok(words)
    }

    fn damaged(&self, what: &str) -> ParseError {
        whole(&format!("its part {} is damaged: {what}", self.part))
    }
}
