//! What is known of a document before it is read, and what every document is held to.

use vouch_domain::{Document, DocumentCard, DocumentId, document::Labels, ports::ParseError};

use crate::{fault::whole, front_matter::FrontMatter};

/// The longest line a document may say of itself, the longest name in it and how many tags, in characters.
pub(crate) const LINE_CHARS_MAX: usize = 2_000;
const NAME_CHARS_MAX: usize = 200;
const TAGS_MAX: usize = 100;

/// What is known of a document before it is read.
pub(crate) struct Origin<'a> {
    pub(crate) source: &'a str,
    pub(crate) fallback_id: &'a str,
    /// Where people can open it, unless it says so itself.
    pub(crate) url: Option<&'a str>,
    pub(crate) labels: &'a Labels,
    /// Keys of front matter, besides `access`, that say who may see it.
    pub(crate) access_from: &'a [String],
}

impl Origin<'_> {
    /// The name of its file.
    pub(crate) fn file_name(&self) -> &str {
        self.fallback_id.rsplit('/').next().unwrap_or(self.fallback_id)
    }

    /// The name of its file, without its ending.
    pub(crate) fn file_stem(&self) -> &str {
        let file_name = self.file_name();
        file_name.rsplit_once('.').map_or(file_name, |(stem, _)| stem)
    }

    /// What the document says of itself, completed by what is known of its source; and whether that says who may see it.
    pub(crate) fn card(&self, mut own: FrontMatter, title: Option<String>) -> Result<(DocumentCard, bool), ParseError> {
        check_lengths(&own)?;
        let (access, topics) = own.take_access(self.access_from);
        check_names("topic", &topics)?;
        check_names("tag", access.iter().flatten())?;
        let states_access = access.is_some() || !self.labels.tags.is_empty() || self.labels.opens;
        let id = own.id.as_deref().unwrap_or(self.fallback_id);
        let id = DocumentId::parse(id)
            .ok_or_else(|| whole(&format!("its id is empty or longer than {} bytes", DocumentId::BYTES_MAX)))?;
        let stem = self.file_stem();
        let title = own.title.or(title).filter(|title| !title.trim().is_empty()).unwrap_or_else(|| stem.to_owned());
        check_length("title", &title, LINE_CHARS_MAX)?;
        let card = DocumentCard {
            id,
            tenant: self.labels.tenant.clone(),
            source: self.source.to_owned(),
            title: title.trim().to_owned(),
            kind: own.kind.or_else(|| self.labels.kind.clone()).unwrap_or_else(|| "document".to_owned()),
            collection: own
                .collection
                .or_else(|| self.labels.collection.clone())
                .unwrap_or_else(|| "default".to_owned()),
            status: own.status,
            date: own.updated.or(own.date),
            version: own.version,
            tags: access.into_iter().flatten().chain(self.labels.tags.iter().cloned()).collect(),
            topics,
            owner: own.owner,
            address: own.address.as_deref().and_then(vouch_domain::Address::parse),
            url: own.url.or_else(|| self.url.map(str::to_owned)),
            superseded_by: own.superseded_by.as_deref().and_then(vouch_domain::Address::parse),
        };
        Ok((card, states_access))
    }
}

/// Every section and passage carries what a document says of itself, so none of it may be long.
fn check_lengths(own: &FrontMatter) -> Result<(), ParseError> {
    let lines = [
        ("status", &own.status),
        ("date", &own.date),
        ("updated", &own.updated),
        ("version", &own.version),
        ("owner", &own.owner),
        ("url", &own.url),
    ];
    for (name, line) in lines {
        check_length(name, line.as_deref().unwrap_or_default(), LINE_CHARS_MAX)?;
    }
    for (name, line) in [("kind", &own.kind), ("collection", &own.collection)] {
        check_length(name, line.as_deref().unwrap_or_default(), NAME_CHARS_MAX)?;
    }
    Ok(())
}

fn check_names<'a>(what: &str, names: impl IntoIterator<Item = &'a String>) -> Result<(), ParseError> {
    let mut count = 0;
    for name in names {
        count += 1;
        check_length(what, name, NAME_CHARS_MAX)?;
    }
    if count > TAGS_MAX {
        return Err(whole(&format!("it has {count} {what}s, the limit is {TAGS_MAX}")));
    }
    Ok(())
}

fn check_length(name: &str, line: &str, chars_max: usize) -> Result<(), ParseError> {
    if line.chars().nth(chars_max).is_some() {
        return Err(whole(&format!("its {name} is longer than {chars_max} characters")));
    }
    Ok(())
}

/// A document must say something.
pub(crate) fn checked(document: Document) -> Result<Document, ParseError> {
    if document.text.chars().any(char::is_alphanumeric) {
        Ok(document)
    } else {
        Err(whole(vouch_domain::ports::NO_TEXT))
    }
}
