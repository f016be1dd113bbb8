//! JSON Lines → one document a line; the given id is kept as it is.

use serde::Deserialize;
use vouch_domain::{Document, ports::ParseFault};

use super::{FrontMatter, Origin, checked, markdown};

#[derive(Deserialize)]
struct Line {
    text: String,
    #[serde(flatten)]
    own: FrontMatter,
}

pub(super) fn parse(text: &str, origin: &Origin<'_>) -> Vec<Result<Document, ParseFault>> {
    let lines = (1usize..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    lines.map(|(number, line)| parse_line(line, origin).map_err(|fault| at_line(number, fault))).collect()
}

fn parse_line(line: &str, origin: &Origin<'_>) -> Result<Document, ParseFault> {
    let line: Line =
        serde_json::from_str(line).map_err(|error| super::whole(&format!("it is not a JSON document: {error}")))?;
    if line.own.id.is_none() {
        return Err(super::whole("it has no id"));
    }
    let title = line.own.id.clone();
    let card = origin.card(line.own, title)?;
    let headings = markdown::headings(&line.text);
    let sections = markdown::sections(&line.text, &headings, &card.title);
    checked(Document { card, text: line.text, sections })
}

fn at_line(number: usize, fault: ParseFault) -> ParseFault {
    ParseFault { place: format!("line {number}"), sentence: fault.sentence }
}
