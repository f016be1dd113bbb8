//! What an admin sets of a document: its title, its status, who may see it. Its text stays, and so do its pages and times.

use std::collections::BTreeSet;

use serde::{Deserialize, Deserializer};
use utoipa::ToSchema;
use vouch_domain::{Caller, CardField, DocumentCard, DocumentId};
use vouch_engine::ingest::{CardChange, CardOutcome, IngestReport};

use super::{AdminError, AdminService, NOT_THEIRS};
use crate::{
    tenant_locks::TenantLock,
    wire::{TAGS_MAX, kept_tags},
};

/// Longest line of a card, and longest name on it, in characters.
const LINE_CHARS_MAX: usize = 2_000;
const NAME_CHARS_MAX: usize = 200;

/// What is to be set of a document; what is absent stays, and null takes away what was set.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(as = CardChange, example = json!({"status": "withdrawn", "superseded_by": "POL-12"}))]
pub struct CardBody {
    /// Title, at most 2000 characters.
    pub title: Option<String>,
    /// Kind, at most 200 characters.
    pub kind: Option<String>,
    /// Status, such as `withdrawn`.
    #[serde(deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    pub status: Option<Option<String>>,
    /// Version.
    #[serde(deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    pub version: Option<Option<String>>,
    /// Address of the document that replaces it.
    #[serde(deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    pub superseded_by: Option<Option<String>>,
    /// What it is about; at most 100.
    #[schema(value_type = Option<Vec<String>>)]
    pub topics: Option<BTreeSet<String>>,
    /// Who may see it; at most 100. Fewer people than before, unless `open` says otherwise.
    #[schema(value_type = Option<Vec<String>>)]
    pub tags: Option<BTreeSet<String>>,
    /// Whether more people may see it than before.
    pub open: bool,
}

/// A field that is there, null or not.
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

impl CardBody {
    /// The fields that are given with their values, or what is wrong with one.
    fn fields(self) -> Result<Vec<(CardField, Option<String>)>, String> {
        let mut fields = Vec::new();
        let lines = [
            (CardField::Title, self.title.map(Some), LINE_CHARS_MAX),
            (CardField::Kind, self.kind.map(Some), NAME_CHARS_MAX),
            (CardField::Status, self.status, LINE_CHARS_MAX),
            (CardField::Version, self.version, LINE_CHARS_MAX),
            (CardField::SupersededBy, self.superseded_by, LINE_CHARS_MAX),
        ];
        for (field, line, chars_max) in lines {
            let Some(line) = line else { continue };
            let line = line.map(|line| line.trim().to_owned()).filter(|line| !line.is_empty());
            check(field, line.as_deref(), chars_max)?;
            if line.is_none() && matches!(field, CardField::Title | CardField::Kind) {
                return Err(format!("its {} is empty", field.as_str()));
            }
            fields.push((field, line));
        }
        for (field, names) in [(CardField::Topics, self.topics), (CardField::Tags, self.tags)] {
            let Some(names) = names.map(kept_tags) else { continue };
            if names.len() > TAGS_MAX {
                return Err(format!("it has more than {TAGS_MAX} {}", field.as_str()));
            }
            names.iter().try_for_each(|name| check(field, Some(name), NAME_CHARS_MAX))?;
            fields.push((field, CardField::list_value(&names)));
        }
        Ok(fields)
    }
}

fn check(field: CardField, text: Option<&str>, chars_max: usize) -> Result<(), String> {
    let text = text.unwrap_or_default();
    if text.chars().count() > chars_max {
        return Err(format!("its {} is longer than {chars_max} characters", field.as_str()));
    }
    if text.contains(char::is_control) {
        return Err(format!("its {} has a line break or another control character", field.as_str()));
    }
    Ok(())
}

impl AdminService {
    /// Sets what a document's card says, whatever its source says; answers the card as it is now.
    pub async fn edit_card(
        &self,
        turn: TenantLock,
        caller: &Caller,
        id: &DocumentId,
        body: CardBody,
    ) -> Result<(DocumentCard, IngestReport), AdminError> {
        let (caller, id) = (caller.clone(), id.clone());
        self.finish(turn, move |admin_service| async move { admin_service.edit_now(&caller, &id, body).await }).await
    }

    async fn edit_now(
        &self,
        caller: &Caller,
        id: &DocumentId,
        body: CardBody,
    ) -> Result<(DocumentCard, IngestReport), AdminError> {
        let reader = &caller.reader;
        let card = self.register.by_id(reader, id).await?.ok_or(AdminError::Missing)?;
        let opens = body.open;
        let tags = body.tags.clone().map_or_else(|| card.tags.clone(), kept_tags);
        if !reader.may_keep(&card.tenant, &card.tags) || !reader.may_keep(&card.tenant, &tags) {
            return Err(AdminError::NotTheirs(NOT_THEIRS));
        }
        let fields = body.fields().map_err(AdminError::Bad)?;
        let passages = self.register.passages_of(reader, id).await?;
        let by = caller.person.clone().unwrap_or_else(|| caller.id.clone());
        let (outcome, report) = self.ingest.edit(card, &passages, &CardChange { fields, opens, by }).await?;
        match outcome {
            CardOutcome::Changed | CardOutcome::Unchanged => {}
            CardOutcome::Missing => return Err(AdminError::Missing),
            CardOutcome::StaysClosed => {
                let sentence = "more people could see it than now; if that is intended, send it again with `open`: \
                                true";
                return Err(AdminError::Bad(sentence.to_owned()));
            }
        }
        let now = self.register.by_id(reader, id).await?.ok_or(AdminError::Missing)?;
        Ok((now, report))
    }
}
