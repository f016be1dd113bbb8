//! An authenticator in memory.

use std::collections::BTreeMap;

use async_trait::async_trait;
use vouch_domain::{Caller, Fault, PortError, ports::Authenticator};

/// Knows whom it was told of.
#[derive(Default)]
pub struct FakeAuthenticator {
    known: BTreeMap<String, (Caller, u64)>,
    is_down: bool,
}

impl FakeAuthenticator {
    /// One that cannot be asked.
    #[must_use]
    pub fn down() -> Self {
        Self { is_down: true, ..Self::default() }
    }

    /// The same, knowing one more caller by a secret until a moment.
    #[must_use]
    pub fn knowing(mut self, secret: &str, caller: Caller, ends_ms: u64) -> Self {
        self.known.insert(secret.to_owned(), (caller, ends_ms));
        self
    }

    fn up(&self) -> Result<(), PortError> {
        match self.is_down {
            true => Err(PortError::new("authenticator", Fault::Unavailable, "the authenticator is down")),
            false => Ok(()),
        }
    }
}

#[async_trait]
impl Authenticator for FakeAuthenticator {
    async fn is_required(&self) -> Result<bool, PortError> {
        self.up()?;
        Ok(!self.known.is_empty())
    }

    async fn authenticate(&self, secret: &str, now_ms: u64) -> Result<Option<Caller>, PortError> {
        self.up()?;
        let known = self.known.get(secret).filter(|(_, ends_ms)| now_ms < *ends_ms);
        Ok(known.map(|(caller, _)| caller.clone()))
    }
}
