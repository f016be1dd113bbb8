//! Cited documents that do not hold, or not yet → a notice for each: proposed, rejected, deprecated, or replaced by another.

use vouch_domain::DocumentCard;

use crate::verify::VerifiedText;

/// What a status begins with, and what is said of a document that has it.
const NOT_IN_FORCE: &[(&str, &str)] = &[
    ("superseded", "is superseded"),
    ("replaced", "is replaced"),
    ("proposed", "is proposed, not decided"),
    ("draft", "is a draft, not decided"),
    ("rejected", "was rejected"),
    ("deprecated", "is deprecated"),
    ("obsolete", "is obsolete"),
    ("retired", "is retired"),
    ("withdrawn", "was withdrawn"),
];

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
    let status = card.status.as_deref()?.trim().to_lowercase();
    let (_, said) = NOT_IN_FORCE.iter().find(|(own, _)| status.starts_with(own))?;
    Some(format!("{name} {said}."))
}
