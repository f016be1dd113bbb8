//! A sitemap → the addresses in it (sitemaps.org).

use quick_xml::{
    Reader,
    escape::resolve_predefined_entity,
    events::{BytesRef, Event},
};

/// The longest address.
const URL_CHARS_MAX: usize = 2_048;

/// What a sitemap lists.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Sitemap {
    /// Further sitemaps.
    Index(Vec<String>),
    /// Pages.
    Pages(Vec<String>),
}

/// Reads a sitemap with at most so many addresses; an error says what is wrong with it.
pub(super) fn parse(text: &str, addresses_max: usize) -> Result<Sitemap, String> {
    let mut reader = Reader::from_str(text);
    let (mut is_index, mut addresses) = (None, Vec::new());
    let (mut depth, mut open): (usize, Option<String>) = (0, None);
    loop {
        match reader.read_event().map_err(|error| format!("it is not XML ({error})"))? {
            Event::Start(start) => {
                depth += 1;
                match (depth, start.local_name().as_ref()) {
                    (1, "sitemapindex") => is_index = Some(true),
                    (1, "urlset") => is_index = Some(false),
                    (1, _) => return Err("it is neither a list of pages nor one of sitemaps".to_owned()),
                    (3, "loc") => open = Some(String::new()),
                    (_, _) => {}
                }
            }
            Event::End(_) => {
                depth = depth.saturating_sub(1);
                if let Some(address) = open.take() {
                    if addresses.len() >= addresses_max {
                        return Err(format!("it lists more than {addresses_max} addresses"));
                    }
                    addresses.push(address.trim().to_owned());
                }
            }
            Event::Text(piece) => {
                if let Some(address) = &mut open {
                    add(address, &piece.xml10_content())?;
                }
            }
            Event::CData(piece) => {
                if let Some(address) = &mut open {
                    add(address, &piece.xml10_content())?;
                }
            }
            Event::GeneralRef(name) => {
                if let Some(address) = &mut open {
                    add(address, &sign(&name)?)?;
                }
            }
            Event::Eof => break,
            Event::Empty(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
        }
    }
    match is_index {
        Some(_) if depth > 0 => Err("it ends in the middle".to_owned()),
        Some(true) => Ok(Sitemap::Index(addresses)),
        Some(false) => Ok(Sitemap::Pages(addresses)),
        None => Err("it is empty".to_owned()),
    }
}

/// The sign that a reference stands for: one of the five of XML, or one by its number.
fn sign(name: &BytesRef<'_>) -> Result<String, String> {
    let cannot = || "it contains a character that cannot be read".to_owned();
    match name.resolve_char_ref() {
        Ok(Some(sign)) => Ok(sign.to_string()),
        Ok(None) => resolve_predefined_entity(name).map(str::to_owned).ok_or_else(cannot),
        Err(_) => Err(cannot()),
    }
}

fn add(address: &mut String, piece: &str) -> Result<(), String> {
    address.push_str(piece);
    if address.len() > URL_CHARS_MAX {
        return Err(format!("it contains an address of more than {URL_CHARS_MAX} bytes"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Sitemap, parse};

    #[test]
    fn pages_and_sitemaps_are_told_apart() {
        let pages = "<?xml version='1.0'?><urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\
                     <url><loc> https://a.example/x?a=1&amp;b=2 </loc><lastmod>2026-01-01</lastmod></url>\
                     <url><loc><![CDATA[https://a.example/y]]></loc></url></urlset>";
        let expected = ["https://a.example/x?a=1&b=2", "https://a.example/y"].map(str::to_owned);
        assert_eq!(parse(pages, 9), Ok(Sitemap::Pages(expected.to_vec())));
        let index = "<sitemapindex><sitemap><loc>https://a.example/1.xml</loc></sitemap></sitemapindex>";
        assert_eq!(parse(index, 9), Ok(Sitemap::Index(vec!["https://a.example/1.xml".to_owned()])));
        let image = "<urlset><url><loc>https://a.example/</loc><image><loc>https://a.example/i.png</loc></image></url></urlset>";
        assert_eq!(parse(image, 9), Ok(Sitemap::Pages(vec!["https://a.example/".to_owned()])), "only its own");
    }

    #[test]
    fn whatever_else_is_there_is_a_sentence() {
        let many = format!("<urlset>{}</urlset>", "<url><loc>https://a.example/</loc></url>".repeat(10));
        let long = format!("<urlset><url><loc>{}</loc></url></urlset>", "x".repeat(3_000));
        let bomb = "<!DOCTYPE x [<!ENTITY a 'b'>]><urlset><url><loc>&a;</loc></url></urlset>";
        for (text, told) in [
            ("", "it is empty"),
            ("<html><body>not found</body></html>", "it is neither"),
            ("<urlset><url><loc>https://a.example/</loc>", "it ends in the middle"),
            ("<urlset></url>", "it is not XML"),
            (many.as_str(), "it lists more than 9"),
            (long.as_str(), "it contains an address of more than"),
            (bomb, "it contains a character that cannot be read"),
        ] {
            let fault = parse(text, 9).err().unwrap_or_default();
            assert!(fault.starts_with(told), "{text}: {fault}");
        }
    }
}
