//! A document's own word on whether it holds.

use vouch_domain::DocumentCard;

/// What a status begins with where a document does not hold, or not yet, and what is said of it.
const NOT_IN_FORCE: &[(&str, &str)] = &[
    ("superseded", "is superseded"),
    ("replaced", "is replaced"),
    ("proposed", "is proposed, not decided"),
    ("draft", "is a draft, not decided"),
    ("rejected", "was rejected"),
    ("deprecated", "is deprecated"),
    ("obsolete", "is obsolete"),
    ("retired", "is retired"),
    ("archived", "is archived"),
    ("withdrawn", "was withdrawn"),
];
/// Statuses of what may hold one day.
const PLANNED: &[&str] = &["proposed", "draft"];

/// What is said of a document whose status says that it does not hold; none if it holds as far as it says.
#[must_use]
pub fn said_of_status(card: &DocumentCard) -> Option<&'static str> {
    let status = card.status.as_deref()?.trim().to_lowercase();
    NOT_IN_FORCE.iter().find(|(own, _)| status.starts_with(own)).map(|(_, said)| *said)
}

/// Whether a document holds: neither replaced nor proposed, rejected or withdrawn, as far as it says.
#[must_use]
pub fn is_in_force(card: &DocumentCard) -> bool {
    card.superseded_by.is_none() && said_of_status(card).is_none()
}

/// Whether a document may hold one day.
#[must_use]
pub fn is_planned(card: &DocumentCard) -> bool {
    let status = card.status.as_deref().unwrap_or_default().trim().to_lowercase();
    card.superseded_by.is_none() && PLANNED.iter().any(|own| status.starts_with(own))
}
