//! What an EPUB says of itself: its chapters in order, their titles, its title and its date.

use std::collections::BTreeMap;

use vouch_domain::ports::ParseError;

use crate::{
    archive::Archive,
    day::day,
    fault::whole,
    xml::{Tag, Token, Xml},
};

const CONTAINER: &str = "META-INF/container.xml";
const ENCRYPTION: &str = "META-INF/encryption.xml";
/// Ways to make the fonts of a book useless outside of it; its words are not encrypted by them.
const FONTS_ONLY: &[&str] = &["http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"];
const CHAPTERS_MAX: usize = 10_000;

#[derive(Default)]
pub(super) struct Package {
    pub(super) title: Option<String>,
    pub(super) date: Option<String>,
    /// The places of its chapters in the archive.
    pub(super) chapters: Vec<String>,
    /// What the table of contents calls them.
    pub(super) titles: BTreeMap<String, String>,
}

/// An entry of the list of files.
struct Item {
    place: String,
    is_page: bool,
    is_contents: bool,
}

impl Package {
    pub(super) fn read(archive: &Archive) -> Result<Self, ParseError> {
        check_protection(archive)?;
        let container =
            archive.part(CONTAINER).ok_or_else(|| whole("its bytes are an archive, but not of a book in EPUB"))?;
        let root = first_value(container, CONTAINER, "rootfile", "full-path")?;
        let root = root.ok_or_else(|| whole("it is damaged: it does not say where its package is"))?;
        let bytes = archive.part(&root).ok_or_else(|| whole("it is damaged: its package is missing"))?;
        let (mut package, contents) = Self::of(bytes, &root)?;
        for place in contents {
            // Titles are a help: a table of contents that cannot be read gives none.
            let titles = archive.part(&place).and_then(|bytes| titles(bytes, &place).ok()).unwrap_or_default();
            for (chapter, title) in titles {
                package.titles.entry(chapter).or_insert(title);
            }
        }
        Ok(package)
    }

    /// The package, and the places of its tables of contents.
    fn of(bytes: &[u8], root: &str) -> Result<(Self, Vec<String>), ParseError> {
        let mut package = Self::default();
        let mut items: BTreeMap<String, Item> = BTreeMap::new();
        let (mut published, mut spine) = (None, Vec::new());
        let bytes = without_document_type(bytes);
        let mut xml = Xml::new(&bytes, root)?;
        while let Some(token) = xml.token()? {
            let Token::Open(tag) = token else { continue };
            match tag.local_name() {
                "title" if package.title.is_none() => {
                    package.title = Some(xml.words()?).filter(|title| is_title(title))
                }
                "date" => published = published.or(day(&xml.words()?)),
                "meta" if tag.value("property").as_deref() == Some("dcterms:modified") => {
                    package.date = day(&xml.words()?);
                }
                "item" => {
                    let Some((id, href)) = tag.value("id").zip(tag.value("href")) else { continue };
                    items.insert(id, item(&tag, root, &href));
                }
                "itemref" => spine.extend(tag.value("idref")),
                _ => {}
            }
        }
        if spine.len() > CHAPTERS_MAX {
            return Err(whole(&format!("it has {} chapters, the limit is {CHAPTERS_MAX}", spine.len())));
        }
        package.date = package.date.or(published);
        let mut seen = std::collections::BTreeSet::new();
        let chapters = spine.iter().filter_map(|id| items.get(id)).filter(|item| item.is_page && !item.is_contents);
        package.chapters = chapters.map(|item| item.place.clone()).filter(|place| seen.insert(place.clone())).collect();
        let contents = items.into_values().filter(|item| item.is_contents).map(|item| item.place).collect();
        Ok((package, contents))
    }
}

/// Whether a title is more than what a program puts where there is none.
fn is_title(title: &str) -> bool {
    !matches!(title.trim().to_lowercase().as_str(), "" | "unknown" | "unknown title" | "untitled")
}

fn item(tag: &Tag<'_>, root: &str, href: &str) -> Item {
    let kind = tag.value("media-type").unwrap_or_default();
    let properties = tag.value("properties").unwrap_or_default();
    let is_contents = properties.split_whitespace().any(|one| one == "nav") || kind == "application/x-dtbncx+xml";
    Item { place: resolved(root, href), is_page: kind.contains("html"), is_contents }
}

/// Refuses a book whose words are encrypted.
fn check_protection(archive: &Archive) -> Result<(), ParseError> {
    let Some(bytes) = archive.part(ENCRYPTION) else { return Ok(()) };
    let mut xml = Xml::new(bytes, ENCRYPTION)?;
    while let Some(token) = xml.token()? {
        let Token::Open(tag) = token else { continue };
        let method = tag.value("Algorithm").filter(|_| tag.local_name() == "EncryptionMethod");
        if method.is_some_and(|method| !FONTS_ONLY.contains(&method.as_str())) {
            return Err(whole("it is protected against copying (DRM), so its text cannot be read"));
        }
    }
    Ok(())
}

fn first_value(bytes: &[u8], part: &str, element: &str, key: &str) -> Result<Option<String>, ParseError> {
    let mut xml = Xml::new(bytes, part)?;
    while let Some(token) = xml.token()? {
        if let Token::Open(tag) = token
            && tag.local_name() == element
        {
            return Ok(tag.value(key));
        }
    }
    Ok(None)
}

/// The titles in a table of contents, of either kind, by the chapters they lead to.
fn titles(bytes: &[u8], part: &str) -> Result<Vec<(String, String)>, ParseError> {
    let bytes = without_document_type(bytes);
    let mut xml = Xml::new(&bytes, part)?;
    let (mut found, mut label) = (Vec::new(), String::new());
    while let Some(token) = xml.token()? {
        let Token::Open(tag) = token else { continue };
        match tag.local_name() {
            "navLabel" => label = xml.words()?,
            "content" => found.extend(tag.value("src").map(|href| (resolved(part, &href), label.clone()))),
            "a" => {
                if let Some(href) = tag.value("href") {
                    found.push((resolved(part, &href), xml.words()?));
                }
            }
            _ => {}
        }
    }
    Ok(found)
}

/// XML without the line that names its kind; what such a line defines is not known afterwards.
fn without_document_type(bytes: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    let Some((before, rest)) = text.split_once("<!DOCTYPE") else { return bytes.to_vec() };
    let after = rest.split_once('>').map_or("", |(_, after)| after);
    format!("{before}{after}").into_bytes()
}

/// The place in the archive that a reference in one of its files leads to.
fn resolved(from: &str, href: &str) -> String {
    let path = href.split('#').next().unwrap_or_default();
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "." | "" => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    decoded(&parts.join("/"))
}

/// `%20` and the like as what they stand for.
fn decoded(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|code| std::str::from_utf8(code).ok());
        let byte = code.filter(|_| *first == b'%').and_then(|code| u8::from_str_radix(code, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = after.get(if byte.is_some() { 2 } else { 0 }..).unwrap_or_default();
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
