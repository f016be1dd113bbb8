//! A mail → who wrote it to whom and when, what they wrote, and the mails attached to it.

mod body;

use mail_parser::{Address, DateTime, Message, MessageParser, MimeHeaders, PartType};
use vouch_domain::{Document, ports::ParseError};

use crate::{
    fault::whole,
    front_matter::FrontMatter,
    html,
    manuscript::{Manuscript, joined},
    origin::Origin,
};

/// Mails that are attached to attached mails are read up to this depth.
const DEPTH_MAX: usize = 5;
/// How many attachments are told one by one, and how much of a name is shown.
const ATTACHMENTS_MAX: usize = 50;
const NAME_CHARS_SHOWN: usize = 100;
/// How many people a mail may name in its head.
const PEOPLE_MAX: usize = 50;

pub(super) fn parse(bytes: &[u8], origin: &Origin<'_>) -> Result<Document, ParseError> {
    if bytes.is_empty() {
        return Err(whole(vouch_domain::ports::NO_TEXT));
    }
    let mail = MessageParser::default().parse(bytes).ok_or_else(|| whole(NO_MAIL))?;
    if mail.from().is_none() && mail.subject().is_none() && mail.date().is_none() {
        return Err(whole(NO_MAIL));
    }
    if is_encrypted(&mail) {
        return Err(whole("it is encrypted; save it decrypted"));
    }
    let mut manuscript = Manuscript::default();
    write(&mail, &mut manuscript, 0)?;
    let own = FrontMatter { date: mail.date().map(day), ..FrontMatter::default() };
    manuscript.finish(origin, own, mail.subject().map(joined))
}

const NO_MAIL: &str = "it is not a mail: it has no sender, no subject and no date";

/// Whether the whole mail is one encrypted part.
fn is_encrypted(mail: &Message<'_>) -> bool {
    let kind = mail
        .content_type()
        .map(|kind| (kind.ctype().to_lowercase(), kind.subtype().unwrap_or_default().to_lowercase()));
    let Some((kind, subtype)) = kind else { return false };
    (kind == "multipart" && subtype == "encrypted")
        || (kind == "application"
            && subtype.ends_with("pkcs7-mime")
            && !mail.parts.iter().any(|part| matches!(part.body, PartType::Text(_))))
}

fn write(mail: &Message<'_>, manuscript: &mut Manuscript, depth: usize) -> Result<(), ParseError> {
    manuscript.paragraph(&head(mail));
    let parts = || mail.text_body.iter().filter_map(|part| mail.part(*part));
    for part in parts() {
        match &part.body {
            PartType::Text(text) => body::write(text, manuscript),
            PartType::Html(page) => drop(html::write(page, manuscript)?),
            PartType::Binary(_) | PartType::InlineBinary(_) | PartType::Message(_) | PartType::Multipart(_) => {}
        }
    }
    for (at, part) in mail.attachments().enumerate() {
        if let PartType::Message(inner) = &part.body
            && depth < DEPTH_MAX
        {
            manuscript.heading(depth + 2, inner.subject().unwrap_or("Attached mail"));
            write(inner, manuscript, depth + 1)?;
        } else if at < ATTACHMENTS_MAX {
            let name = joined(part.attachment_name().unwrap_or("without a name"));
            let name: String = name.chars().take(NAME_CHARS_SHOWN).collect();
            manuscript.warn(format!("attachment: {name} cannot be read"));
        }
    }
    Ok(())
}

/// Who wrote to whom, and when.
fn head(mail: &Message<'_>) -> String {
    let people = [("From", mail.from()), ("To", mail.to()), ("Cc", mail.cc())];
    let people = people.into_iter().filter_map(|(name, people)| Some((name, shown(people?))));
    let mut lines: Vec<String> =
        people.filter(|(_, people)| !people.is_empty()).map(|(name, people)| format!("{name}: {people}")).collect();
    lines.extend(mail.date().map(|date| format!("Date: {} {:02}:{:02}", day(date), date.hour, date.minute)));
    lines.join("; ")
}

fn shown(people: &Address<'_>) -> String {
    let people = people.iter().take(PEOPLE_MAX).filter_map(|person| match (person.name(), person.address()) {
        (Some(name), Some(address)) if name != address => Some(format!("{name} <{address}>")),
        (_, Some(address)) => Some(address.to_owned()),
        (name, None) => name.map(str::to_owned),
    });
    joined(&people.collect::<Vec<_>>().join(", "))
}

fn day(date: &DateTime) -> String {
    format!("{:04}-{:02}-{:02}", date.year, date.month, date.day)
}
