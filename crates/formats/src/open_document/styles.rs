//! Styles of an `OpenDocument` file → what they say of words: hidden, on a new page, numbered, a title.

use std::collections::BTreeMap;

use vouch_domain::ports::ParseError;

use crate::{
    archive::Archive,
    xml::{Tag, Token, Xml},
};

/// How far a style is followed to those it is based on.
const PARENTS_MAX: usize = 20;
pub(super) const LEVELS_MAX: usize = 10;

/// What the styles of a document say.
#[derive(Default)]
pub(crate) struct Styles {
    by_name: BTreeMap<String, Style>,
    lists: BTreeMap<String, ListStyle>,
}

#[derive(Default)]
struct Style {
    parent: Option<String>,
    is_hidden: Option<bool>,
    breaks_page: bool,
}

/// The start of each numbered level of a list; nothing for a level that has no numbers.
pub(super) type ListStyle = [Option<u32>; LEVELS_MAX];

impl Styles {
    /// The styles of both parts; those of the content, read later, come first.
    pub(crate) fn read(archive: &Archive) -> Result<Self, ParseError> {
        let mut styles = Self::default();
        for part in ["styles.xml", "content.xml"] {
            if let Some(bytes) = archive.part(part) {
                styles.add(&mut Xml::new(bytes, part)?)?;
            }
        }
        Ok(styles)
    }

    fn add(&mut self, xml: &mut Xml<'_>) -> Result<(), ParseError> {
        let (mut style, mut list) = (None, None);
        while let Some(token) = xml.token()? {
            let Token::Open(tag) = token else { continue };
            match tag.name() {
                "office:body" => xml.skip()?,
                "style:style" => style = self.begin(&tag),
                "text:list-style" => {
                    list = tag.value("style:name");
                    self.lists.extend(list.clone().map(|name| (name, ListStyle::default())));
                }
                "text:list-level-style-number" => {
                    let level = tag.number("text:level").and_then(|level| usize::try_from(level).ok()).unwrap_or(0);
                    let has_number = tag.value("style:num-format").is_some_and(|format| !format.is_empty());
                    let levels = list.as_ref().and_then(|name| self.lists.get_mut(name));
                    let start = levels.and_then(|levels| levels.get_mut(level.wrapping_sub(1)));
                    if let Some(start) = start.filter(|_| has_number) {
                        *start = Some(tag.number("text:start-value").unwrap_or(1));
                    }
                }
                "style:text-properties" | "style:paragraph-properties" | "style:table-properties" => {
                    if let Some(style) = style.as_ref().and_then(|name| self.by_name.get_mut(name)) {
                        style.learn(&tag);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn begin(&mut self, tag: &Tag<'_>) -> Option<String> {
        let name = tag.value("style:name")?;
        // A page with a master of its own is a new page.
        let breaks_page = tag.value("style:master-page-name").is_some_and(|name| !name.is_empty());
        let style = Style { parent: tag.value("style:parent-style-name"), is_hidden: None, breaks_page };
        self.by_name.insert(name.clone(), style);
        Some(name)
    }

    /// Whether nobody sees what has this style.
    pub(crate) fn is_hidden(&self, name: Option<&str>) -> bool {
        self.chain(name).find_map(|(_, style)| style.is_hidden).unwrap_or(false)
    }

    /// Whether a paragraph of this style begins a page.
    pub(super) fn breaks_page(&self, name: Option<&str>) -> bool {
        self.chain(name).next().is_some_and(|(_, style)| style.breaks_page)
    }

    /// Whether a paragraph of this style is based on one of these.
    pub(super) fn is_based_on(&self, name: Option<&str>, names: &[&str]) -> bool {
        let is_one = |name: &str| names.contains(&name);
        name.is_some_and(is_one)
            || self.chain(name).any(|(own, style)| is_one(own) || style.parent.as_deref().is_some_and(is_one))
    }

    pub(super) fn list(&self, name: &str) -> Option<&ListStyle> {
        self.lists.get(name)
    }

    fn chain<'a>(&'a self, name: Option<&'a str>) -> impl Iterator<Item = (&'a str, &'a Style)> {
        let entry = |name: &'a str| self.by_name.get(name).map(|style| (name, style));
        std::iter::successors(name.and_then(entry), move |(_, style)| style.parent.as_deref().and_then(entry))
            .take(PARENTS_MAX)
    }
}

impl Style {
    fn learn(&mut self, tag: &Tag<'_>) {
        if let Some(display) = tag.value("text:display") {
            self.is_hidden = Some(display == "none");
        }
        if let Some(display) = tag.value("table:display") {
            self.is_hidden = Some(display == "false");
        }
        self.breaks_page |= tag.value("fo:break-before").is_some_and(|value| value == "page");
    }
}
