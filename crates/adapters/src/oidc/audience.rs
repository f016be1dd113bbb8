//! Whom a token is for → whether it is for this service.
//!
//! Invariant: a token that names somebody else as its audience, and not us, is never ours, whichever client it was made for:
//! whoever it is for could bring it here in its bearer's name.

use serde_json::{Map, Value};
use vouch_domain::person::name_fault;

use super::{rejection::Rejection, settings::OidcSettings};

/// The audience of Keycloak's own account pages. Unless somebody sets another, the tokens of every client of a realm name it,
/// so it says nothing of whom a token was made for.
const ACCOUNT: &str = "account";
/// Most audiences that are shown.
const SHOWN_MAX: usize = 8;

/// A token is for us by its audience, or, where that is the issuer's own alone, by the client it was made for.
pub(super) fn check(claims: &Map<String, Value>, settings: &OidcSettings) -> Result<(), Rejection> {
    let named = names(claims);
    let is_of_our_client = settings.client_id.as_deref().is_some_and(|client| client_of(claims) == Some(client));
    if names_audience(claims, &settings.audience) {
        let is_shared = settings.audience == ACCOUNT && settings.client_id.is_some();
        return if is_shared && !is_of_our_client { Err("made for another client".into()) } else { Ok(()) };
    }
    let names_issuer_alone = !named.is_empty() && named.iter().all(|name| *name == Some(ACCOUNT));
    if is_of_our_client && names_issuer_alone { Ok(()) } else { Err(Rejection::Audience(shown(&named))) }
}

/// Audiences as far as they can be shown.
fn shown(named: &[Option<&str>]) -> Vec<String> {
    let named = named.iter().flatten().filter(|name| name_fault("audience", name).is_none());
    named.take(SHOWN_MAX).map(|name| (*name).to_owned()).collect()
}

/// Every audience; nothing in the place of one that is no text.
fn names(claims: &Map<String, Value>) -> Vec<Option<&str>> {
    match claims.get("aud") {
        Some(Value::Array(all)) => all.iter().map(Value::as_str).collect(),
        Some(one) => vec![one.as_str()],
        None => Vec::new(),
    }
}

/// The client a token was made for.
fn client_of(claims: &Map<String, Value>) -> Option<&str> {
    claims.get("azp").and_then(Value::as_str)
}

/// Whether a token names this audience.
pub(super) fn names_audience(claims: &Map<String, Value>, audience: &str) -> bool {
    names(claims).contains(&Some(audience))
}
