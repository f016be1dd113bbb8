//! Text of RDF/XML → whether it may be parsed.
//!
//! Invariant: what passes is balanced and shallow, its tags have few attributes and few namespaces are in force at
//! once, and its entities cannot grow beyond the file's allowance. The parser behind holds none of these bounds, and
//! takes a file that was cut short for a whole one.

use super::{allowance::Allowance, fault::SkosError};

/// How deep elements may lie in one another.
const DEPTH_MAX: usize = 128;
/// Most attributes of one tag; the parser compares each with each.
const ATTRIBUTES_MAX: usize = 256;
/// Most bytes of namespaces in force at once; the parser searches them for every name.
const NAMESPACES_BYTES_MAX: usize = 16 << 10;

/// Refuses what would not stay within bounds.
pub(super) fn check(text: &str) -> Result<(), SkosError> {
    let mut scan = Scan { text, at: 0, open: Vec::new(), entity_bytes_max: 0, grown: 0, has_element: false };
    while scan.next()? {}
    if let Some(element) = scan.open.last() {
        let name = element.tag.split(|sign: char| sign.is_whitespace() || sign == '/').next().unwrap_or_default();
        return Err(SkosError::at(text, element.start, malformed(&format!("<{name}> is never closed"))));
    }
    if !scan.has_element {
        return Err(SkosError::whole(malformed("it holds no element")));
    }
    let references = text.bytes().filter(|byte| *byte == b'&').count() as u64;
    let grown = references.saturating_mul(scan.entity_bytes_max as u64).saturating_add(scan.grown);
    Allowance::new(text.len()).spend(grown)
}

/// An element whose end has not come yet.
struct Element<'a> {
    start: usize,
    tag: &'a str,
    namespaces_bytes: usize,
    may_be_text: bool,
}

struct Scan<'a> {
    text: &'a str,
    at: usize,
    open: Vec<Element<'a>>,
    entity_bytes_max: usize,
    grown: u64,
    has_element: bool,
}

impl<'a> Scan<'a> {
    /// Steps over the next piece of markup; false at the end.
    fn next(&mut self) -> Result<bool, SkosError> {
        let Some(found) = self.rest().find('<') else { return Ok(false) };
        self.at += found;
        let rest = self.rest();
        if rest.starts_with("<!--") {
            self.step("<!--", "-->")?;
        } else if rest.starts_with("<![CDATA[") {
            self.step("<![CDATA[", "]]>")?;
        } else if rest.starts_with("<?") {
            self.step("<?", "?>")?;
        } else if rest.starts_with("<!") {
            self.doctype()?;
        } else if rest.starts_with("</") {
            if self.open.pop().is_none() {
                return Err(self.malformed("a tag is closed but was never opened"));
            }
            self.step("</", ">")?;
        } else {
            self.element()?;
        }
        Ok(true)
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn malformed(&self, reason: &str) -> SkosError {
        SkosError::at(self.text, self.at, malformed(reason))
    }

    fn unread(&self, sentence: &str) -> SkosError {
        SkosError::at(self.text, self.at, sentence)
    }

    fn step(&mut self, opening: &str, closing: &str) -> Result<(), SkosError> {
        let inside = self.rest().get(opening.len()..).unwrap_or_default();
        let end =
            inside.find(closing).ok_or_else(|| self.malformed(&format!("{opening} is never closed by {closing}")))?;
        self.at += opening.len() + end + closing.len();
        Ok(())
    }

    /// Entities are read, but not entities built from entities: a few lines of those can stand for gigabytes.
    fn doctype(&mut self) -> Result<(), SkosError> {
        let mut depth = 0usize;
        let end = self.rest().bytes().position(|byte| {
            depth = match byte {
                b'<' => depth + 1,
                b'>' => depth.saturating_sub(1),
                _ => depth,
            };
            depth == 0
        });
        let inside =
            end.and_then(|end| self.rest().get(..end)).ok_or_else(|| self.malformed("<! is never closed by >"))?;
        for declared in inside.split('<').filter(|piece| piece.starts_with("!ENTITY")) {
            if declared.split('&').skip(1).any(|reference| !reference.starts_with('#')) {
                return Err(self.unread("an entity is built from other entities, which is not supported"));
            }
            self.entity_bytes_max = self.entity_bytes_max.max(declared.len());
        }
        self.at += inside.len() + 1;
        Ok(())
    }

    fn element(&mut self) -> Result<(), SkosError> {
        let (tag, attributes) = tag_of(self.rest()).ok_or_else(|| self.malformed("a tag is never closed by >"))?;
        if attributes > ATTRIBUTES_MAX {
            return Err(self.unread(&format!("a tag has more than {ATTRIBUTES_MAX} attributes")));
        }
        let inherited = self.open.last().map_or(0, |element| element.namespaces_bytes);
        let namespaces_bytes = inherited + namespaces_bytes(tag);
        if namespaces_bytes > NAMESPACES_BYTES_MAX {
            return Err(self.unread("too many XML namespaces are in scope"));
        }
        // The parser writes all namespaces into each piece of markup that is kept as text.
        if self.open.last().is_some_and(|element| element.may_be_text) {
            self.grown = self.grown.saturating_add(namespaces_bytes as u64);
        }
        self.has_element = true;
        if !tag.ends_with('/') {
            let may_be_text = tag.contains("parseType");
            self.open.push(Element { start: self.at, tag, namespaces_bytes, may_be_text });
        }
        if self.open.len() > DEPTH_MAX {
            return Err(self.unread(&format!("elements are nested more than {DEPTH_MAX} levels deep")));
        }
        self.at += 1 + tag.len() + 1;
        Ok(())
    }
}

/// What stands between the signs of a tag, and how many attributes that is.
fn tag_of(rest: &str) -> Option<(&str, usize)> {
    let mut quote = None;
    let mut attributes = 0;
    for (at, byte) in rest.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return Some((rest.get(1..at)?, attributes)),
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'=') => attributes += 1,
            (Some(open), _) if open == byte => quote = None,
            (None | Some(_), _) => {}
        }
    }
    None
}

/// How many bytes of this tag declare namespaces, roughly.
fn namespaces_bytes(tag: &str) -> usize {
    let declared = tag.split("xmlns").skip(1);
    declared.map(|piece| piece.split(['"', '\'']).take(2).map(|part| part.len() + 1).sum::<usize>()).sum()
}

fn malformed(reason: &str) -> String {
    format!("it is not valid RDF/XML: {reason}")
}

#[cfg(test)]
mod tests {
    use super::check;

    fn told(text: &str) -> String {
        check(text).map_or_else(|fault| fault.sentence, |()| "read".to_owned())
    }

    fn attributes(count: usize, name: &str) -> String {
        (0..count).map(|at| format!(" {name}{at}=\"http://x/=>\"")).collect()
    }

    #[test]
    fn a_tag_has_few_attributes() {
        assert_eq!(told(&format!("<a{}/>", attributes(256, "b"))), "read");
        let too_many = "a tag has more than 256 attributes";
        assert_eq!(told(&format!("<a{}/>", attributes(257, "b"))), too_many);
    }

    #[test]
    fn few_namespaces_are_in_force_at_once() {
        let level = format!("<a{}>", attributes(100, "xmlns:n"));
        assert_eq!(told(&format!("{}{}", level.repeat(4), "</a>".repeat(4))), "read");
        assert_eq!(told(&format!("<r>{}</r>", format!("{level}</a>").repeat(40))), "read");
        let too_many = "too many XML namespaces are in scope";
        assert_eq!(told(&format!("{}{}", level.repeat(12), "</a>".repeat(12))), too_many);
    }

    #[test]
    fn markup_kept_as_text_cannot_repeat_the_namespaces_without_end() {
        let kept = |count: usize| {
            let namespaces = attributes(200, "xmlns:n");
            format!("<a{namespaces} rdf:parseType=\"Literal\">{}</a>", "<b/>".repeat(count))
        };
        assert_eq!(told(&kept(100)), "read");
        assert_eq!(told(&kept(20_000)), "what it repeats and nests would grow beyond the size limit");
    }

    #[test]
    fn an_entity_may_name_characters_but_no_entities() {
        let file = |value: &str| format!("<!DOCTYPE a [<!ENTITY e \"{value}\">]><a>&e;</a>");
        assert_eq!(told(&file("http://x/&#233;")), "read");
        assert_eq!(told(&file("&f;")), "an entity is built from other entities, which is not supported");
    }

    #[test]
    fn signs_of_markup_mean_nothing_in_comments_and_quotations() {
        assert_eq!(told("<?xml version=\"1.0\"?><a b='<c>'><!-- <d> --><![CDATA[<e>]]><f/></a><!-- end -->"), "read");
        assert_eq!(told("<a><!-- -- </a>"), "it is not valid RDF/XML: <!-- is never closed by -->");
    }
}
