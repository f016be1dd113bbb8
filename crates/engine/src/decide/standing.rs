//! Documents that do not hold, or not yet → a notice for each: proposed, rejected, deprecated, or replaced by another. Those that
//! are cited, and those that would have been if none that holds had answered as well.

use vouch_domain::DocumentCard;

use crate::{judge::Evidence, resolve::said_of_status, verify::VerifiedText};

pub(super) fn notices(text: &VerifiedText, evidence: &Evidence) -> Vec<String> {
    let cited = text.citations().iter().map(|cited| (cited.document(), notice(cited.document())));
    let pieces = evidence.pieces().iter().filter(|piece| piece.yields).map(|piece| piece.passage.document.as_ref());
    let unquoted = pieces.map(|card| (card, notice_of_unquoted(card)));
    let (mut notices, mut told) = (Vec::new(), Vec::new());
    for (card, notice) in cited.chain(unquoted) {
        if told.contains(&&card.id) {
            continue;
        }
        told.push(&card.id);
        notices.extend(notice.filter(|notice| !notices.contains(notice)));
    }
    notices
}

/// What is said of a document that answers as well and is not quoted.
fn notice_of_unquoted(card: &DocumentCard) -> Option<String> {
    let name = name(card);
    let standing = match &card.superseded_by {
        Some(successor) => format!("is superseded by {}", successor.as_str()),
        None => said_of_status(card)?.to_owned(),
    };
    Some(format!("{name} also covers this, but {standing}; it is not quoted."))
}

fn name(card: &DocumentCard) -> String {
    card.address.as_ref().map_or_else(|| format!("\"{}\"", card.title), |own| own.as_str().to_owned())
}

fn notice(card: &DocumentCard) -> Option<String> {
    let name = name(card);
    if let Some(successor) = &card.superseded_by {
        return Some(format!("{name} is superseded by {}; read that first.", successor.as_str()));
    }
    Some(format!("{name} {}.", said_of_status(card)?))
}
