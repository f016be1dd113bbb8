//! A question's words → the addresses it names, by the schemes of the profile.

use regex::Captures;
use vouch_domain::{Address, AddressKey};

use crate::policy::AddressScheme;

/// Addresses of one mention, more than one where a range is named.
#[derive(Debug, Clone, PartialEq)]
pub struct Mention {
    /// The words as the asker wrote them.
    pub written: String,
    /// The addresses, in order.
    pub addresses: Vec<Address>,
    /// Which scheme knows them.
    pub scheme: AddressScheme,
    /// Where the words stand in the question, in bytes.
    pub at: std::ops::Range<usize>,
}

/// The longest range that is spelt out.
const RANGE_MAX: u64 = 200;
const MENTIONS_MAX: usize = 20;

/// Every address a text names, in the order it names them, each once.
#[must_use]
pub fn mentions(text: &str, schemes: &[AddressScheme]) -> Vec<Mention> {
    let mut found: Vec<Mention> = Vec::new();
    for scheme in schemes {
        for captures in scheme.pattern.captures_iter(text).take(MENTIONS_MAX) {
            let Some(whole) = captures.get(0) else { continue };
            let is_taken = found.iter().any(|known| known.at.start < whole.end() && whole.start() < known.at.end);
            if is_taken {
                continue;
            }
            let addresses = spelt_out(&captures, scheme);
            if !addresses.is_empty() {
                let (written, at) = (whole.as_str().trim().to_owned(), whole.range());
                found.push(Mention { written, addresses, scheme: scheme.clone(), at });
            }
        }
    }
    found.sort_by_key(|mention| mention.at.start);
    let mut told: Vec<AddressKey> = Vec::new();
    found.retain(|mention| {
        let key = mention.addresses.first().map(Address::key);
        let is_new = key.as_ref().is_some_and(|key| !told.contains(key));
        told.extend(key);
        is_new
    });
    found.truncate(MENTIONS_MAX);
    found
}

/// The address a document's name tells, by the first scheme of its kind.
#[must_use]
pub fn address_of_name(name: &str, kind: &str, schemes: &[AddressScheme]) -> Option<Address> {
    let of_kind = schemes.iter().filter(|scheme| {
        scheme.kind.as_ref().is_some_and(|own| own.eq_ignore_ascii_case(kind)) && scheme.from_name.is_some()
    });
    of_kind.into_iter().find_map(|scheme| {
        let captures = scheme.from_name.as_ref()?.captures(name)?;
        Address::parse(&filled(&scheme.normal, &captures, None))
    })
}

fn spelt_out(captures: &Captures<'_>, scheme: &AddressScheme) -> Vec<Address> {
    let first = filled(&scheme.normal, captures, None);
    let Some(first) = Address::parse(&first) else { return Vec::new() };
    let end = captures.name("to").and_then(|to| to.as_str().parse::<u64>().ok());
    // A range from one part into another is no address that is known; its first would not be what was asked for.
    if has_other_part(captures) {
        return captures.get(0).and_then(|whole| Address::parse(whole.as_str())).into_iter().collect();
    }
    let key = first.key();
    let (Some(end), Some((_, start))) = (end, key.family()) else { return vec![first] };
    if end <= start || end - start > RANGE_MAX {
        return vec![first];
    }
    let next = (start + 1..=end).filter_map(|number| Address::parse(&filled(&scheme.normal, captures, Some(number))));
    std::iter::once(first).chain(next).collect()
}

/// Whether the end of a range names its part again ("2.4 to 3.1": group `to_chapter` beside `chapter`), and another one.
fn has_other_part(captures: &Captures<'_>) -> bool {
    let number = |name: &str| captures.name(name).and_then(|part| part.as_str().parse::<u64>().ok());
    number("to_chapter").is_some_and(|end| number("chapter") != Some(end))
}

/// A normal form with its groups put in; `last` takes the place of its last group.
fn filled(normal: &str, captures: &Captures<'_>, last: Option<u64>) -> String {
    let mut out = String::new();
    let mut rest = normal;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((group, after)) = after.split_once('}') else { return out };
        let (name, width) = group.split_once(':').unwrap_or((group, "0"));
        let width: usize = width.parse().unwrap_or(0);
        let is_last = !after.contains('{');
        let own = captures.name(name).map_or("", |part| part.as_str()).to_owned();
        let value = last.filter(|_| is_last).map_or(own, |number| number.to_string());
        match value.parse::<u64>() {
            Ok(number) => out.push_str(&format!("{number:0width$}")),
            Err(_) => out.push_str(&value),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}
