//! Pieces of a page as the tokenizer takes them in → how many attributes the tag has that it is in.
//!
//! The tokenizer compares each attribute of a tag with all before it, so a tag of very many takes quadratic time. While
//! it is inside a tag it tells nothing, and only then are attributes counted: what looks like a tag in a script or in a
//! comment is none. The count may be short by what fits into one piece.

/// What stands at a place inside a tag.
#[derive(Clone, Copy)]
enum Place {
    /// Between two attributes.
    Between,
    /// In the name of the tag or of an attribute.
    Name,
    /// After an equals sign.
    Equals,
    /// In a value up to the next blank.
    Bare,
    /// In a value up to this quote.
    Quoted(u8),
}

/// Counts the attributes of the tag the tokenizer is in.
pub(super) struct Attributes {
    is_open: bool,
    is_tag: bool,
    place: Place,
    count: usize,
}

impl Attributes {
    pub(super) fn new() -> Self {
        Self { is_open: false, is_tag: false, place: Place::Name, count: 0 }
    }

    /// Takes note of a piece, which holds `<` at its start alone if at all, and of whether the tokenizer told anything
    /// when it got it; answers how many attributes the open tag has so far.
    pub(super) fn note(&mut self, piece: &str, has_told: bool) -> usize {
        let opens_tag = piece.strip_prefix('<').map(|rest| {
            let name = rest.strip_prefix('/').unwrap_or(rest);
            name.starts_with(|c: char| c.is_ascii_alphabetic())
        });
        if has_told {
            // Whatever was open has ended; what this piece opens is open still unless it ended too.
            self.begin(opens_tag.unwrap_or(false));
            self.is_open = opens_tag.is_some() && !piece.contains('>');
            if !self.is_open {
                return 0;
            }
        } else if !self.is_open {
            if let Some(opens_tag) = opens_tag {
                self.begin(opens_tag);
            }
            self.is_open = true;
        }
        if self.is_tag {
            piece.bytes().for_each(|byte| self.step(byte));
        }
        self.count
    }

    fn begin(&mut self, is_tag: bool) {
        *self = Self { is_open: false, is_tag, place: Place::Name, count: 0 };
    }

    fn step(&mut self, byte: u8) {
        let is_blank = byte.is_ascii_whitespace();
        self.place = match self.place {
            Place::Quoted(quote) if byte == quote => Place::Between,
            Place::Quoted(quote) => Place::Quoted(quote),
            Place::Equals if byte == b'"' || byte == b'\'' => Place::Quoted(byte),
            Place::Equals if is_blank => Place::Equals,
            Place::Equals => Place::Bare,
            Place::Bare if !is_blank => Place::Bare,
            Place::Name if byte == b'=' => Place::Equals,
            Place::Name if !is_blank && byte != b'/' => Place::Name,
            Place::Between if !is_blank && byte != b'/' => {
                self.count += 1;
                Place::Name
            }
            Place::Bare | Place::Name | Place::Between => Place::Between,
        };
    }
}
