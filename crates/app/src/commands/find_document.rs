//! What a person calls a document → its card: by address, by the id that `search` prints, by its file or by its title.

use vouch_domain::{
    AddressKey, DocumentCard, DocumentId, NameWords, PortError, Reader, language::fold_spaces, ports::PageRequest,
};

use crate::wiring::App;

/// How many documents are looked through for a title, and how many at a time.
const LOOKED_THROUGH_MAX: usize = 50_000;
const PAGE: usize = 1_000;
/// How many names are told where none fits.
const NEAR_MAX: usize = 3;

/// What was found.
pub(super) enum Found {
    /// The documents that are called so.
    Cards(Vec<DocumentCard>),
    /// None is; these are called nearly so.
    Near(Vec<DocumentCard>),
}

pub(super) async fn find(app: &App, who: &Reader, called: &str) -> Result<Found, PortError> {
    let register = &app.engine.retrieve.register;
    // A citation prints a document and a section of it.
    let called = called.split(" › ").next().unwrap_or(called).trim();
    let key = AddressKey::new(called);
    let by_address = register.by_address(who, std::slice::from_ref(&key)).await?;
    if !by_address.is_empty() {
        return Ok(Found::Cards(by_address));
    }
    for id in ids(called) {
        if let Some(card) = register.by_id(who, &id).await? {
            return Ok(Found::Cards(vec![card]));
        }
    }
    let (same, like) = by_name(app, who, called).await?;
    if !same.is_empty() {
        return Ok(Found::Cards(same));
    }
    let near = register.near_address(who, &key, NEAR_MAX).await?;
    Ok(Found::Near(if near.is_empty() { like } else { near }))
}

/// The ids that are meant: as it stands, and without the number of a passage at its end.
fn ids(called: &str) -> impl Iterator<Item = DocumentId> {
    let document = called.rsplit_once(':').filter(|(_, passage)| passage.bytes().all(|byte| byte.is_ascii_digit()));
    [Some(called), document.map(|(id, _)| id)].into_iter().flatten().filter_map(DocumentId::parse)
}

/// Documents with this title or file, and a few whose names hold it.
async fn by_name(app: &App, who: &Reader, called: &str) -> Result<(Vec<DocumentCard>, Vec<DocumentCard>), PortError> {
    let wanted = fold_spaces(called);
    let (mut same, mut like) = (Vec::new(), Vec::new());
    let mut after = None;
    for _ in 0..LOOKED_THROUGH_MAX / PAGE {
        let page = PageRequest {
            kind: None,
            collection: None,
            topic: None,
            words: NameWords::default(),
            after: after.take(),
            limit: PAGE,
        };
        let cards = app.engine.retrieve.register.page(who, &page).await?;
        let is_last = cards.len() < PAGE;
        after = cards.last().map(|card| card.id.clone());
        for card in cards {
            let (title, id) = (fold_spaces(&card.title), fold_spaces(card.id.as_str()));
            let is_file = id.strip_suffix(wanted.as_str()).is_some_and(|folder| folder.ends_with('/'));
            if title == wanted || is_file {
                same.push(card);
            } else if like.len() < NEAR_MAX && !wanted.is_empty() && (title.contains(&wanted) || id.contains(&wanted)) {
                like.push(card);
            }
        }
        if is_last {
            break;
        }
    }
    Ok((same, like))
}
