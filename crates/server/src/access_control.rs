//! Authentication: a caller is the bearer of a secret that an authenticator knows, or the local user while there are no
//! keys.

use std::{sync::Arc, time::Duration};

use axum::http::{HeaderMap, header};
use vouch_domain::{
    Caller, PortError, Role,
    ports::{Authenticator, Clock, KeyRing, RateCounter, RateOutcome},
};

use crate::{
    loopback,
    problem::{Code, Problem},
    rate::RateLimit,
};

/// How long the count of all servers is waited for.
const SHARED_RATE_TIMEOUT: Duration = Duration::from_millis(500);
/// Longest secret that is checked, in bytes.
const SECRET_BYTES_MAX: usize = 8_192;

tokio::task_local! {
    /// The caller the current request was authenticated as.
    static ADMITTED: Caller;
}

/// Authenticates the callers of a service.
#[derive(Clone)]
pub struct AccessControl {
    /// Checked in order; the first that knows the secret decides.
    pub authenticators: Vec<Arc<dyn Authenticator>>,
    /// The keys there are, where callers have keys.
    pub key_ring: Option<Arc<dyn KeyRing>>,
    /// The caller of every request while there are no keys and none is required.
    pub local: Caller,
    /// Whether a key is required even while there are none.
    pub is_key_required: bool,
    /// The rate limit per caller.
    pub rate: Arc<RateLimit>,
    /// Where several servers count together; without it, and while it fails, this one counts alone.
    pub shared_rate: Option<Arc<dyn RateCounter>>,
    /// Time.
    pub clock: Arc<dyn Clock>,
}

impl AccessControl {
    /// The caller, if they may ask questions; a monitor may not.
    pub(crate) async fn require_reader(&self, headers: &HeaderMap, id: &str) -> Result<Caller, Problem> {
        let caller = self.authenticate(headers, id).await?;
        match caller.role {
            Role::Reader | Role::Admin => Ok(caller),
            Role::Monitor => Err(Problem::new(Code::Forbidden, "This key may only read metrics.", id)),
        }
    }

    /// The caller, if they may change documents and memory.
    pub(crate) async fn require_admin(&self, headers: &HeaderMap, id: &str) -> Result<Caller, Problem> {
        let caller = self.authenticate(headers, id).await?;
        match caller.role {
            Role::Admin => Ok(caller),
            Role::Reader | Role::Monitor => Err(Problem::new(Code::Forbidden, "This needs an admin key.", id)),
        }
    }

    /// The caller, whatever they may do, and whether they may read figures of the whole service.
    pub(crate) async fn caller_and_monitor(&self, headers: &HeaderMap, id: &str) -> Result<(Caller, bool), Problem> {
        let caller = self.authenticate(headers, id).await?;
        let is_monitor = match caller.role {
            Role::Monitor => true,
            Role::Admin => caller == self.local,
            Role::Reader => false,
        };
        Ok((caller, is_monitor))
    }

    /// The caller, if they may read metrics of the whole service.
    pub(crate) async fn require_monitor(&self, headers: &HeaderMap, id: &str) -> Result<Caller, Problem> {
        match self.caller_and_monitor(headers, id).await? {
            (caller, true) => Ok(caller),
            (_, false) => Err(Problem::new(Code::Forbidden, "This needs a monitor key.", id)),
        }
    }

    /// Fails if callers cannot be authenticated at the moment.
    pub(crate) async fn check(&self) -> Result<(), PortError> {
        for authenticator in &self.authenticators {
            authenticator.is_required().await?;
        }
        Ok(())
    }

    /// Authenticates once per request; within it every later check gets the same answer.
    pub(crate) async fn admit<T>(
        &self,
        headers: &HeaderMap,
        id: &str,
        request: impl Future<Output = T>,
    ) -> Result<T, Problem> {
        let caller = self.authenticate(headers, id).await?;
        Ok(ADMITTED.scope(caller, request).await)
    }

    /// The caller, whatever they may do.
    pub(crate) async fn authenticate(&self, headers: &HeaderMap, id: &str) -> Result<Caller, Problem> {
        if let Ok(admitted) = ADMITTED.try_with(Clone::clone) {
            return Ok(admitted);
        }
        let mut is_required = self.is_key_required;
        let secret = secret(headers);
        for authenticator in &self.authenticators {
            let asked = async {
                let caller = match secret {
                    Some(secret) => authenticator.authenticate(secret, self.clock.now_ms()).await?,
                    None => None,
                };
                let needed = caller.is_some() || authenticator.is_required().await?;
                Ok::<_, PortError>((needed, caller))
            };
            let (needed, caller) = asked.await.map_err(|error| {
                tracing::error!(%error, component = "door", "cannot authenticate callers");
                Problem::new(Code::Context, "Authentication is temporarily unavailable; try again later.", id)
            })?;
            is_required |= needed;
            if let Some(caller) = caller {
                return self.within_rate(caller, id).await;
            }
        }
        if !is_required {
            let local = loopback::check(headers).map(|()| self.local.clone());
            return local.map_err(|elsewhere| Problem::new(Code::Forbidden, elsewhere.sentence(), id));
        }
        let detail = match secret {
            Some(_) => "This key or token is unknown, expired or revoked.",
            None => "A key is required: send it as `Authorization: Bearer KEY`.",
        };
        Err(Problem::new(Code::Unauthorized, detail, id))
    }

    async fn within_rate(&self, caller: Caller, id: &str) -> Result<Caller, Problem> {
        let Some(per_minute) = caller.requests_per_minute else { return Ok(caller) };
        // Ids are unique only within a tenant, and each key of a person may have its own limit.
        let bucket = format!("{}\n{}\n{per_minute}", caller.reader.tenant, caller.id);
        // This server's own count goes first: it needs nobody, and is there where the shared one is not.
        let own = self.rate.take(&bucket, per_minute, self.clock.since_start());
        let outcome = match (own, &self.shared_rate) {
            (Ok(()), Some(shared)) => self.take_shared(shared.as_ref(), (&bucket, per_minute)).await,
            (own, _) => own,
        };
        match outcome {
            Ok(()) => Ok(caller),
            Err(wait) => {
                let detail = format!("This caller is limited to {per_minute} requests per minute; try again later.");
                Err(Problem::new(Code::TooOften, detail, id).with_retry_after(wait))
            }
        }
    }

    /// Counts a request together with other servers; where that fails it counts here alone.
    async fn take_shared(&self, shared: &dyn RateCounter, (bucket, per_minute): (&str, u32)) -> Result<(), Duration> {
        match tokio::time::timeout(SHARED_RATE_TIMEOUT, shared.take(bucket, per_minute)).await {
            Ok(Ok(RateOutcome::Exceeded(wait))) => Err(wait),
            Ok(Ok(RateOutcome::Granted)) => Ok(()),
            Ok(Err(error)) => {
                tracing::debug!(%error, component = "door", "requests are counted by this server alone");
                Ok(())
            }
            Err(_) => Ok(()),
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
