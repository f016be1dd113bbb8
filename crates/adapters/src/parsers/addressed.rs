//! A long work in Markdown whose numbered headings are addresses → one document a numbered section.

use vouch_domain::{Address, Document, DocumentCard, DocumentId, ports::ParseFault};

use super::{checked, markdown, markdown::Heading, whole};

/// Between a work's id and the number of a section in it.
const SECTION_MARK: &str = " § ";

/// The documents of a work; `pattern` is the address of a section, with `{}` for its number.
pub(super) fn parse(body: &str, work: &DocumentCard, pattern: &str) -> Vec<Result<Document, ParseFault>> {
    if !pattern.contains("{}") {
        return vec![Err(whole("its `addresses` must hold {} where the number of a section goes, as in \"CV {}\""))];
    }
    let headings = markdown::headings(body);
    let mut documents = Vec::new();
    let starts: Vec<usize> = (0..headings.len()).filter(|at| numbered(headings.get(*at)).is_some()).collect();
    let first = starts.first().and_then(|at| headings.get(*at)).map_or(body.len(), |heading| heading.start);
    documents.extend(preface(body.get(..first).unwrap_or_default(), work));
    for (place, at) in starts.iter().enumerate() {
        let (Some(heading), Some((number, name))) = (headings.get(*at), numbered(headings.get(*at))) else { continue };
        let end = starts.get(place + 1).and_then(|next| headings.get(*next)).map_or(body.len(), |next| next.start);
        let text = body.get(heading.end..end).unwrap_or_default().trim();
        if text.chars().any(char::is_alphanumeric) {
            documents.push(section(text, (number, name), &above(&headings, *at), work, pattern));
        }
    }
    if documents.is_empty() {
        return vec![Err(whole("none of its headings starts with a number and has text below it"))];
    }
    documents
}

/// A heading's number and the rest of it.
fn numbered(heading: Option<&Heading>) -> Option<(&str, &str)> {
    let title = heading?.title.trim();
    let number = title.split_whitespace().next()?;
    let is_number = number.trim_end_matches('.').split(['.', ':']).all(|part| part.parse::<u32>().is_ok());
    let rest = title.strip_prefix(number).unwrap_or_default().trim();
    is_number.then(|| (number.trim_end_matches('.'), rest))
}

/// The headings a section stands under, outermost first.
fn above(headings: &[Heading], at: usize) -> Vec<String> {
    let Some(own) = headings.get(at) else { return Vec::new() };
    let mut level = own.level;
    let mut path = Vec::new();
    for heading in headings.iter().take(at).rev() {
        if heading.level < level {
            level = heading.level;
            path.push(heading.title.trim().to_owned());
        }
    }
    path.reverse();
    path
}

/// What stands before the first number, as a document under the work's own name.
fn preface(text: &str, work: &DocumentCard) -> Option<Result<Document, ParseFault>> {
    let text = text.trim();
    let headings = markdown::headings(text);
    let sections = markdown::sections(text, &headings, &work.title);
    let says_something = sections.iter().any(|section| {
        text.get(section.start..section.end).is_some_and(|body| body.chars().any(char::is_alphanumeric))
    });
    let document = Document { card: work.clone(), text: text.to_owned(), sections, times: Vec::new() };
    says_something.then(|| checked(document))
}

fn section(
    text: &str,
    (number, name): (&str, &str),
    above: &[String],
    work: &DocumentCard,
    pattern: &str,
) -> Result<Document, ParseFault> {
    let base = work.id.as_str().split(SECTION_MARK).next().unwrap_or_default();
    let id = DocumentId::parse(&format!("{base}{SECTION_MARK}{number}"))
        .ok_or_else(|| whole(&format!("its id is longer than {} bytes", DocumentId::BYTES_MAX)))?;
    let title = if name.is_empty() { format!("{} {number}", work.title) } else { format!("{}: {name}", work.title) };
    let address = Address::parse(&pattern.replace("{}", number));
    let card = DocumentCard { id, title, address, ..work.clone() };
    let headings = markdown::headings(text);
    let mut sections = markdown::sections(text, &headings, &card.title);
    for section in &mut sections {
        section.path.splice(0..0, above.iter().cloned());
    }
    checked(Document { card, text: text.to_owned(), sections, times: Vec::new() })
}
