//! A key to be made.

use std::collections::BTreeSet;

use vouch_domain::{
    Role,
    person::{name_fault, tags_fault},
};

/// A key to be made.
#[derive(Debug, Clone)]
pub struct NewKey {
    /// What people call it.
    pub name: String,
    /// The tenant whose documents it gives access to.
    pub tenant: String,
    /// What it is good for.
    pub role: Role,
    /// The user whose tags count, if it belongs to one.
    pub person: Option<String>,
    /// Its tags if it belongs to no user; the whole tenant if none.
    pub tags: Option<BTreeSet<String>>,
    /// Requests per minute.
    pub per_minute: Option<u32>,
    /// When it is made, in milliseconds since 1970.
    pub made_ms: u64,
    /// When it ends.
    pub expires_ms: Option<u64>,
}

impl NewKey {
    /// Why it cannot be made; nothing if it can.
    #[must_use]
    pub fn fault(&self) -> Option<String> {
        let reads_nothing = self.role == Role::Monitor && (self.person.is_some() || self.tags.is_some());
        let ends_before = self.expires_ms.is_some_and(|end| end <= self.made_ms);
        name_fault("name", &self.name)
            .or_else(|| name_fault("tenant", &self.tenant))
            .or_else(|| name_fault("user", self.person.as_ref()?))
            .or_else(|| tags_fault(self.tags.as_ref()?))
            .or_else(|| {
                reads_nothing
                    .then(|| "a monitor key reads no documents, so it can have neither user nor tags".to_owned())
            })
            .or_else(|| ends_before.then(|| "it would expire before it is made".to_owned()))
            .or_else(|| (self.per_minute == Some(0)).then(|| "it would allow no request at all".to_owned()))
            .map(|fault| format!("this key cannot be made: {fault}"))
    }
}
