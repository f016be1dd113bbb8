//! Tokens of an OpenID Connect issuer behind the `Authenticator` port.
//!
//! Invariant: a caller is authenticated only by a token signed with one of the issuer's own keys, for us, and within
//! its lifetime. The issuer is asked for its keys only when they are old, when none is known, and once a minute at the
//! most where a token names a key that is not among them; its configuration is kept with them. No token is kept, logged
//! or part of an error.

mod audience;
mod claims;
mod client;
mod configuration;
mod issuer;
mod keys;
mod rejection;
mod settings;
mod sign_in;
mod token;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use vouch_domain::{Caller, Fault, PortError, ports::Authenticator};

pub use client::ClientSettings;
pub use settings::{OidcSettings, TenantOf};
pub use sign_in::OidcSignIn;

use claims::Claims;
use issuer::{Issuer, Published};
use rejection::Rejection;
use settings::PORT;
use token::Token;

/// How long the issuer is not asked again for a key that it did not have.
const UNKNOWN_KEY_WAIT_MS: u64 = 60_000;
/// How long an issuer that failed is not asked again.
const FAILED_WAIT_MS: u64 = 5_000;

/// Authenticates the bearers of one issuer's tokens.
#[derive(Clone)]
pub struct Oidc {
    state: Arc<IssuerState>,
}

/// Caches what the issuer publishes and fetches it.
struct IssuerState {
    settings: OidcSettings,
    issuer: Issuer,
    kept: Mutex<PublishedCache>,
    /// One fetch at a time; those who wait use its result.
    fetching: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct PublishedCache {
    published: Option<(Arc<Published>, u64)>,
    tried_ms: Option<u64>,
    failed_ms: Option<u64>,
    /// How many fetches have finished, so that a waiting request knows whether one did.
    answers: u64,
}

impl Oidc {
    /// Prepares to authenticate; the issuer is asked when the first token comes.
    ///
    /// # Errors
    /// Fails if the settings make no sense or no connection can be set up.
    pub fn new(settings: OidcSettings) -> Result<Self, PortError> {
        let base = settings.check()?;
        let issuer = Issuer::new(&base, &settings)?;
        let state = IssuerState { settings, issuer, kept: Mutex::default(), fetching: tokio::sync::Mutex::default() };
        Ok(Self { state: Arc::new(state) })
    }

    /// Who the bearer of a token is, or why it is not accepted.
    async fn judge(&self, secret: &str, now_ms: u64) -> Result<Result<Caller, Rejection>, PortError> {
        let token = match Token::parse(secret) {
            Ok(token) => token,
            Err(reason) => return Ok(Err(Rejection::Other(reason))),
        };
        // The claims are cheap to read, and a token that is already wrong needs no issuer.
        let claims = match Claims::read(&token, &self.state.settings, now_ms) {
            Ok(claims) => claims,
            Err(rejection) => return Ok(Err(rejection)),
        };
        let Some(published) = self.keys(&token, now_ms).await? else {
            return Ok(Err(Rejection::Other("unknown key")));
        };
        if !published.keys.signed(&token) {
            return Ok(Err(Rejection::Other("wrong signature")));
        }
        Ok(claims.caller(&self.state.settings).map_err(Rejection::Other))
    }

    /// What the issuer publishes, with its keys, if one of them may have signed this token.
    async fn keys(&self, token: &Token<'_>, now_ms: u64) -> Result<Option<Arc<Published>>, PortError> {
        let fresh = self.state.fresh(now_ms);
        if let Some(published) = &fresh
            && published.keys.may_know(token)
        {
            return Ok(fresh);
        }
        if fresh.is_some() && !self.state.may_ask_again(now_ms) {
            return Ok(None);
        }
        match self.fetched(now_ms).await {
            Ok(published) => Ok(Some(published).filter(|published| published.keys.may_know(token))),
            Err(error) if fresh.is_some() => {
                tracing::warn!(%error, component = "oidc", "a token names an unknown key, and the issuer cannot be reached");
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// What the issuer publishes, kept or fetched.
    async fn published(&self, now_ms: u64) -> Result<Arc<Published>, PortError> {
        match self.state.fresh(now_ms) {
            Some(published) => Ok(published),
            None => self.fetched(now_ms).await,
        }
    }

    /// Fetches in a task of its own, so that a caller who leaves does not cancel it for the others.
    async fn fetched(&self, now_ms: u64) -> Result<Arc<Published>, PortError> {
        let state = Arc::clone(&self.state);
        match tokio::spawn(async move { state.fetched(now_ms).await }).await {
            Ok(fetched) => fetched,
            Err(error) => {
                Err(PortError::new(PORT, Fault::Internal, "the task was stopped by an internal error")
                    .with_source(error))
            }
        }
    }
}

impl IssuerState {
    fn kept(&self) -> MutexGuard<'_, PublishedCache> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was published and is not too old.
    fn fresh(&self, now_ms: u64) -> Option<Arc<Published>> {
        let ttl_ms = u64::try_from(self.settings.keys_ttl.as_millis()).unwrap_or(u64::MAX);
        let kept = self.kept();
        let (published, fetched_ms) = kept.published.as_ref()?;
        is_within(*fetched_ms, now_ms, ttl_ms).then(|| Arc::clone(published))
    }

    fn may_ask_again(&self, now_ms: u64) -> bool {
        !self.kept().tried_ms.is_some_and(|tried| is_within(tried, now_ms, UNKNOWN_KEY_WAIT_MS))
    }

    /// What is published now, or what another request has just fetched.
    async fn fetched(&self, now_ms: u64) -> Result<Arc<Published>, PortError> {
        let before = self.kept().answers;
        let _turn = self.fetching.lock().await;
        let has_been_answered = self.kept().answers != before;
        if let Some(published) = self.fresh(now_ms).filter(|_| has_been_answered) {
            return Ok(published);
        }
        if self.kept().failed_ms.is_some_and(|failed| is_within(failed, now_ms, FAILED_WAIT_MS)) {
            return Err(self.issuer.failed_just_now());
        }
        self.kept().tried_ms = Some(now_ms);
        let outcome = self.issuer.published().await;
        let mut kept = self.kept();
        kept.answers += 1;
        match outcome {
            Ok(published) => {
                let published = Arc::new(published);
                (kept.published, kept.failed_ms) = (Some((Arc::clone(&published), now_ms)), None);
                Ok(published)
            }
            Err(error) => {
                kept.failed_ms = Some(now_ms);
                Err(error)
            }
        }
    }
}

/// Whether less than the limit has passed; false if the clock went back.
fn is_within(since_ms: u64, now_ms: u64, limit_ms: u64) -> bool {
    now_ms.checked_sub(since_ms).is_some_and(|passed| passed < limit_ms)
}

#[async_trait]
impl Authenticator for Oidc {
    async fn is_required(&self) -> Result<bool, PortError> {
        Ok(true)
    }

    async fn authenticate(&self, secret: &str, now_ms: u64) -> Result<Option<Caller>, PortError> {
        match self.judge(secret, now_ms).await? {
            Ok(caller) => Ok(Some(caller)),
            Err(reason) => {
                tracing::debug!(%reason, component = "oidc", "a token was refused");
                Ok(None)
            }
        }
    }
}
