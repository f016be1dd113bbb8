//! Cited documents that do not hold, or not yet → a notice for each: proposed, rejected, deprecated, or replaced by another.

use vouch_domain::DocumentCard;

use crate::{resolve::said_of_status, verify::VerifiedText};

pub(super) fn notices(text: &VerifiedText) -> Vec<String> {
    let mut notices: Vec<String> = Vec::new();
    for notice in text.citations().iter().filter_map(|cited| notice(cited.document())) {
        if !notices.contains(&notice) {
            notices.push(notice);
        }
    }
    notices
}

fn notice(card: &DocumentCard) -> Option<String> {
    let name = card.address.as_ref().map_or_else(|| format!("\"{}\"", card.title), |own| own.as_str().to_owned());
    if let Some(successor) = &card.superseded_by {
        return Some(format!("{name} is superseded by {}; read that first.", successor.as_str()));
    }
    Some(format!("{name} {}.", said_of_status(card)?))
}
