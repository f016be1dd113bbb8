//! A long work in Markdown whose numbered headings are addresses → one document per numbered section.

use vouch_domain::{Address, Document, DocumentCard, DocumentId, ports::ParseError};

use crate::{
    fault::whole,
    headings::headings,
    origin::checked,
    outline::{self, Allowance, Heading, card_bytes},
};

/// Between a work's id and the number of a section in it.
const SECTION_MARK: &str = " § ";
/// What a document takes beside its texts, counted so that a work of nothing but numbers stays in proportion too.
const DOCUMENT_BYTES: usize = 256;

/// What all sections of a work have in common.
struct Work<'a> {
    card: &'a DocumentCard,
    /// Whether it says who may see it.
    states_access: bool,
    /// The address of a section, with `{}` for its number.
    pattern: &'a str,
}

/// The documents of a work; `pattern` is the address of a section, with `{}` for its number.
pub(super) fn parse(
    body: &str,
    (card, states_access): &(DocumentCard, bool),
    pattern: &str,
    allowance: &mut Allowance,
) -> Vec<Result<Document, ParseError>> {
    if !pattern.contains("{}") {
        return vec![Err(whole("its `addresses` must hold {} where the number of a section goes, as in \"CV {}\""))];
    }
    if pattern.chars().count() > Address::CHARS_MAX {
        return vec![Err(whole(&format!("its `addresses` is longer than {} characters", Address::CHARS_MAX)))];
    }
    let documents = documents(body, &Work { card, states_access: *states_access, pattern }, allowance);
    match documents {
        Err(fault) => vec![Err(fault)],
        Ok(documents) if documents.is_empty() => {
            vec![Err(whole("none of its headings starts with a number and has text below it"))]
        }
        Ok(documents) => documents,
    }
}

/// The preface and the sections; a fault where together they would be out of proportion to the work.
fn documents(
    body: &str,
    work: &Work<'_>,
    allowance: &mut Allowance,
) -> Result<Vec<Result<Document, ParseError>>, ParseError> {
    let headings = headings(body)?;
    let starts: Vec<usize> = (0..headings.len()).filter(|at| numbered(headings.get(*at)).is_some()).collect();
    let first = starts.first().and_then(|at| headings.get(*at)).map_or(body.len(), |heading| heading.start);
    let mut documents = Vec::new();
    documents.extend(preface(body.get(..first).unwrap_or_default(), work, allowance));
    let mut starts = starts.into_iter().peekable();
    let mut above: Vec<&Heading> = Vec::new();
    for (at, heading) in headings.iter().enumerate() {
        while above.last().is_some_and(|outer| outer.level >= heading.level) {
            above.pop();
        }
        if starts.next_if_eq(&at).is_some() {
            let end = starts.peek().and_then(|next| headings.get(*next)).map_or(body.len(), |next| next.start);
            let text = body.get(heading.end..end).unwrap_or_default().trim();
            if let Some(numbered) = numbered(Some(heading)).filter(|_| text.chars().any(char::is_alphanumeric)) {
                let path: usize = above.iter().map(|outer| outer.title.len()).sum();
                allowance.take(card_bytes(work.card) + path + DOCUMENT_BYTES)?;
                let path: Vec<String> = above.iter().map(|outer| outer.title.trim().to_owned()).collect();
                documents.push(section(text, numbered, &path, work, allowance));
            }
        }
        above.push(heading);
    }
    Ok(documents)
}

/// A heading's number and the rest of it.
fn numbered(heading: Option<&Heading>) -> Option<(&str, &str)> {
    let title = heading?.title.trim();
    let number = title.split_whitespace().next()?;
    let is_number = number.trim_end_matches('.').split(['.', ':']).all(|part| part.parse::<u32>().is_ok());
    let rest = title.strip_prefix(number).unwrap_or_default().trim();
    is_number.then(|| (number.trim_end_matches('.'), rest))
}

/// What stands before the first number, as a document under the work's own name.
fn preface(text: &str, work: &Work<'_>, allowance: &mut Allowance) -> Option<Result<Document, ParseError>> {
    let (text, card) = (text.trim(), work.card);
    let sections = headings(text).and_then(|headings| outline::sections(text, &headings, &card.title, &[], allowance));
    let sections = match sections {
        Ok(sections) => sections,
        Err(fault) => return Some(Err(fault)),
    };
    let says_something = sections.iter().any(|section| {
        text.get(section.start..section.end).is_some_and(|body| body.chars().any(char::is_alphanumeric))
    });
    let document = Document {
        card: card.clone(),
        text: text.to_owned(),
        sections,
        times: Vec::new(),
        pages: Vec::new(),
        states_access: work.states_access,
        warnings: Vec::new(),
    };
    says_something.then(|| checked(document))
}

fn section(
    text: &str,
    (number, name): (&str, &str),
    above: &[String],
    work: &Work<'_>,
    allowance: &mut Allowance,
) -> Result<Document, ParseError> {
    let base = work.card.id.as_str().split(SECTION_MARK).next().unwrap_or_default();
    let id = DocumentId::parse(&format!("{base}{SECTION_MARK}{number}"))
        .ok_or_else(|| whole(&format!("its id is longer than {} bytes", DocumentId::BYTES_MAX)))?;
    let own = &work.card.title;
    let title = if name.is_empty() { format!("{own} {number}") } else { format!("{own}: {name}") };
    let address = Address::parse(&work.pattern.replace("{}", number));
    let card = DocumentCard { id, title, address, ..work.card.clone() };
    let headings = headings(text)?;
    let sections = outline::sections(text, &headings, &card.title, above, allowance)?;
    checked(Document {
        card,
        text: text.to_owned(),
        sections,
        times: Vec::new(),
        pages: Vec::new(),
        states_access: work.states_access,
        warnings: Vec::new(),
    })
}
