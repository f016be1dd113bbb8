//! Keys made in a data folder, for tests that call as somebody.
#![expect(clippy::expect_used, reason = "a test that cannot set its scene has failed")]

use vouch_adapters::embedded::{EmbeddedKeys, NewKey};
use vouch_domain::Role;

use crate::support::Place;

/// The header of a fresh key: of a tenant, with these tags where it covers a part of it.
pub fn key(place: &Place, tenant: &str, role: Role, tags: Option<&[&str]>) -> String {
    let new = NewKey {
        name: format!("{tenant} {}", role.as_str()),
        tenant: tenant.to_owned(),
        role,
        person: None,
        tags: tags.map(|tags| tags.iter().map(|tag| (*tag).to_owned()).collect()),
        per_minute: None,
        made_ms: 1,
        expires_ms: None,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let keys = EmbeddedKeys::open(&place.path(".vouch"), None).expect("keys");
    let (_, secret) = runtime.block_on(keys.make(new)).expect("a key");
    format!("Authorization: Bearer {secret}\r\n")
}
