//! Cited documents that another has replaced → a notice for each, with its successor.

use crate::verify::VerifiedText;

pub(super) fn notices(text: &VerifiedText) -> Vec<String> {
    let mut notices: Vec<String> = Vec::new();
    for cited in text.citations() {
        let card = cited.document();
        let name = card.address.as_ref().map_or_else(|| format!("\"{}\"", card.title), |own| own.as_str().to_owned());
        let is_superseded = card.status.as_deref().is_some_and(|status| status.to_lowercase().contains("superseded"));
        let notice = match &card.superseded_by {
            Some(successor) => format!("{name} is superseded by {}; read that first.", successor.as_str()),
            None if is_superseded => format!("{name} is superseded."),
            None => continue,
        };
        if !notices.contains(&notice) {
            notices.push(notice);
        }
    }
    notices
}
