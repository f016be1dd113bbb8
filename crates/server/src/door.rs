//! Who calls: the bearer of a secret a gatekeeper knows, or whoever sits at this machine where there are no keys.

use std::sync::Arc;

use axum::http::{HeaderMap, header};
use vouch_domain::{
    Caller, PortError, Role,
    ports::{Clock, Gatekeeper},
};

use crate::{
    loopback,
    problem::{Code, Problem},
    rate::RateLimit,
};

/// Longest secret that is looked at, in bytes.
const SECRET_BYTES_MAX: usize = 8_192;

tokio::task_local! {
    /// Who the request under way was let in as.
    static ADMITTED: Caller;
}

/// The door of a service.
#[derive(Clone)]
pub struct Door {
    /// Who knows callers; the first that does decides.
    pub gatekeepers: Vec<Arc<dyn Gatekeeper>>,
    /// Who everybody is where no gatekeeper knows anybody and no key is required.
    pub local: Caller,
    /// Whether nobody comes in without a key, also where no gatekeeper knows anybody.
    pub is_key_required: bool,
    /// How often each may call.
    pub rate: Arc<RateLimit>,
    /// Time.
    pub clock: Arc<dyn Clock>,
}

impl Door {
    /// Who calls, if they may ask; a monitor may not.
    pub(crate) async fn reader(&self, headers: &HeaderMap, id: &str) -> Result<Caller, Problem> {
        let caller = self.caller(headers, id).await?;
        match caller.role {
            Role::Reader | Role::Admin => Ok(caller),
            Role::Monitor => Err(Problem::of(Code::Forbidden, "This key may only read metrics.", id)),
        }
    }

    /// Who calls, if they may keep documents and memory.
    pub(crate) async fn admin(&self, headers: &HeaderMap, id: &str) -> Result<Caller, Problem> {
        let caller = self.caller(headers, id).await?;
        match caller.role {
            Role::Admin => Ok(caller),
            Role::Reader | Role::Monitor => Err(Problem::of(Code::Forbidden, "This needs an admin key.", id)),
        }
    }

    /// Who calls, if they may read figures of the whole service.
    pub(crate) async fn monitor(&self, headers: &HeaderMap, id: &str) -> Result<Caller, Problem> {
        let caller = self.caller(headers, id).await?;
        let is_local = caller == self.local;
        match caller.role {
            Role::Monitor => Ok(caller),
            Role::Admin if is_local => Ok(caller),
            Role::Reader | Role::Admin => Err(Problem::of(Code::Forbidden, "This needs a monitor key.", id)),
        }
    }

    /// Fails where callers cannot be told apart at the moment.
    pub(crate) async fn check(&self) -> Result<(), PortError> {
        for gatekeeper in &self.gatekeepers {
            gatekeeper.is_needed().await?;
        }
        Ok(())
    }

    /// Looks at who calls once for a whole request; within it the answer holds wherever it is asked for again.
    pub(crate) async fn admit<T>(
        &self,
        headers: &HeaderMap,
        id: &str,
        request: impl Future<Output = T>,
    ) -> Result<T, Problem> {
        let caller = self.caller(headers, id).await?;
        Ok(ADMITTED.scope(caller, request).await)
    }

    /// Who calls, whatever they may do.
    pub(crate) async fn caller(&self, headers: &HeaderMap, id: &str) -> Result<Caller, Problem> {
        if let Ok(admitted) = ADMITTED.try_with(Clone::clone) {
            return Ok(admitted);
        }
        let mut is_needed = self.is_key_required;
        let secret = secret(headers);
        for gatekeeper in &self.gatekeepers {
            let asked = async {
                let caller = match secret {
                    Some(secret) => gatekeeper.caller(secret, self.clock.now_ms()).await?,
                    None => None,
                };
                let needed = caller.is_some() || gatekeeper.is_needed().await?;
                Ok::<_, PortError>((needed, caller))
            };
            let (needed, caller) = asked.await.map_err(|error| {
                tracing::error!(%error, component = "door", "cannot authenticate callers");
                Problem::of(Code::Context, "Authentication is temporarily unavailable; try again later.", id)
            })?;
            is_needed |= needed;
            if let Some(caller) = caller {
                return self.within_rate(caller, id);
            }
        }
        if !is_needed {
            let local = loopback::check(headers).map(|()| self.local.clone());
            return local.map_err(|elsewhere| Problem::of(Code::Forbidden, elsewhere.sentence(), id));
        }
        let detail = match secret {
            Some(_) => "This key or token is unknown, expired or revoked.",
            None => "A key is required: send it as `Authorization: Bearer KEY`.",
        };
        Err(Problem::of(Code::Unauthorized, detail, id))
    }

    fn within_rate(&self, caller: Caller, id: &str) -> Result<Caller, Problem> {
        let Some(per_minute) = caller.requests_per_minute else { return Ok(caller) };
        // Ids are unique in a tenant alone, and keys of one person may have limits of their own.
        let bucket = format!("{}\n{}\n{per_minute}", caller.reader.tenant, caller.id);
        match self.rate.take(&bucket, per_minute, self.clock.since_start()) {
            Ok(()) => Ok(caller),
            Err(wait) => {
                let detail = format!("This caller is limited to {per_minute} requests per minute.");
                Err(Problem::of(Code::TooOften, detail, id).after(wait))
            }
        }
    }
}

/// What stands after `Bearer`.
fn secret(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, secret) = value.split_once(' ')?;
    let secret = secret.trim();
    let is_secret = scheme.eq_ignore_ascii_case("bearer") && (1..=SECRET_BYTES_MAX).contains(&secret.len());
    is_secret.then_some(secret)
}
