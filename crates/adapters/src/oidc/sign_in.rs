//! People who signed in with the issuer, behind the `SignIn` port: their code becomes a token that is accepted here.
//!
//! Invariant: a token is handed on only if the authenticator accepts it. All of an exchange happens within one deadline,
//! and no code, verifier, secret or token is kept, logged or part of an error.

use std::time::Duration;

use async_trait::async_trait;
use reqwest::Url;
use serde::Deserialize;
use serde_json::Value;
use vouch_domain::{
    Fault, PortError,
    ports::{SignIn, SignInOffer, SignInOutcome, SignInProof, SignInRefusal},
};

use super::{
    Oidc, audience,
    client::ClientSettings,
    configuration::SignInAddresses,
    issuer::{CodeForm, CodeReply},
    rejection::Rejection,
    token,
};

/// Signs people in with one issuer.
pub struct OidcSignIn {
    oidc: Oidc,
    client: ClientSettings,
}

/// The issuer's reply to a code, as far as it is used.
#[derive(Deserialize)]
struct Tokens {
    access_token: Option<String>,
    id_token: Option<String>,
}

impl OidcSignIn {
    /// Prepares to sign people in whose tokens this authenticator accepts.
    ///
    /// # Errors
    /// Fails if the client's settings make no sense.
    pub fn new(oidc: Oidc, client: ClientSettings) -> Result<Self, PortError> {
        client.check()?;
        Ok(Self { oidc, client })
    }

    async fn exchanged(&self, proof: &SignInProof, now_ms: u64) -> Result<SignInOutcome, PortError> {
        let issuer = &self.oidc.state.issuer;
        let published = self.oidc.published(now_ms).await?;
        let addresses = published.sign_in.as_ref().map_err(|sentence| issuer.fault(Fault::Unavailable, sentence))?;
        let tokens = match issuer.exchange(self.form(proof, addresses)).await? {
            CodeReply::Tokens(body) => body,
            CodeReply::Refused => return Ok(SignInOutcome::Refused(SignInRefusal::Code)),
        };
        let tokens: Tokens = serde_json::from_slice(&tokens)
            .map_err(|_| issuer.fault(Fault::Unavailable, "did not return tokens for a code"))?;
        self.chosen(&tokens, proof, now_ms).await
    }

    fn form(&self, proof: &SignInProof, addresses: &SignInAddresses) -> CodeForm {
        let ClientSettings { id, secret, scope: _ } = &self.client;
        let mut fields = vec![
            ("grant_type", "authorization_code"),
            ("code", &proof.code),
            ("code_verifier", &proof.verifier),
            ("redirect_uri", &proof.return_address),
        ];
        let credentials = match secret {
            Some(secret) if !addresses.takes_secret_in_form => Some((encoded(id), encoded(secret))),
            Some(secret) => {
                fields.extend([("client_id", id.as_str()), ("client_secret", secret)]);
                None
            }
            None => {
                fields.push(("client_id", id));
                None
            }
        };
        let mut form = addresses.exchange.clone();
        form.query_pairs_mut().clear().extend_pairs(fields);
        CodeForm { address: addresses.exchange.clone(), body: form.query().unwrap_or_default().to_owned(), credentials }
    }

    /// The token that is accepted: what was made for access before what says who somebody is.
    async fn chosen(&self, tokens: &Tokens, proof: &SignInProof, now_ms: u64) -> Result<SignInOutcome, PortError> {
        // It comes from the issuer itself over a connection that nobody else writes to, and only refuses.
        let id_claims = tokens.id_token.as_deref().map(|token| token::unverified_claims(token).unwrap_or_default());
        if let (Some(claims), Some(nonce)) = (&id_claims, &proof.nonce)
            && claims.get("nonce").and_then(Value::as_str) != Some(nonce)
        {
            return Ok(SignInOutcome::Refused(SignInRefusal::OtherSignIn));
        }
        let is_ours = id_claims.is_some_and(|claims| audience::names_audience(&claims, &self.client.id));
        let id_token = tokens.id_token.as_ref().filter(|_| is_ours);
        let mut elsewhere: Option<Vec<String>> = None;
        for token in tokens.access_token.iter().chain(id_token) {
            match self.oidc.judge(token, now_ms).await? {
                Ok(_) => return Ok(SignInOutcome::Token { token: token.clone(), lifetime: lifetime(token, now_ms) }),
                Err(Rejection::Audience(named)) => elsewhere.get_or_insert_default().extend(named),
                Err(Rejection::Other(reason)) => {
                    tracing::debug!(reason, component = "oidc", "a token of a sign-in was refused");
                }
            }
        }
        let refusal = elsewhere.map_or(SignInRefusal::NotAccepted, |mut found| {
            found.sort_unstable();
            found.dedup();
            SignInRefusal::OtherAudience { wanted: self.oidc.state.settings.audience.clone(), found }
        });
        Ok(SignInOutcome::Refused(refusal))
    }
}

#[async_trait]
impl SignIn for OidcSignIn {
    async fn offer(&self, now_ms: u64) -> Result<SignInOffer, PortError> {
        let published = self.oidc.published(now_ms).await?;
        let addresses = published.sign_in.as_ref();
        let addresses = addresses.map_err(|sentence| self.oidc.state.issuer.fault(Fault::Unavailable, sentence))?;
        Ok(SignInOffer {
            address: addresses.authorize.to_string(),
            client_id: self.client.id.clone(),
            scope: self.client.scope.clone(),
        })
    }

    async fn exchange(&self, proof: &SignInProof, now_ms: u64) -> Result<SignInOutcome, PortError> {
        let (issuer, timeout) = (&self.oidc.state.issuer, self.oidc.state.settings.timeout);
        let exchanged = tokio::time::timeout(timeout, self.exchanged(proof, now_ms)).await;
        exchanged.unwrap_or_else(|_| {
            let sentence = format!("did not exchange a code within {} ms", timeout.as_millis());
            Err(issuer.fault(Fault::Timeout, &sentence))
        })
    }
}

/// How long a token is still good, by its own word.
fn lifetime(token: &str, now_ms: u64) -> Option<Duration> {
    let ends_s = token::unverified_claims(token)?.get("exp")?.as_f64()?;
    let ends = Duration::try_from_secs_f64(ends_s).ok()?;
    Some(ends.saturating_sub(Duration::from_millis(now_ms)))
}

/// A text as forms write it, which is how a header with a name and a secret holds both (RFC 6749, 2.3.1).
fn encoded(text: &str) -> String {
    let Ok(mut form) = Url::parse("https://form.invalid") else { return String::new() };
    form.query_pairs_mut().append_key_only(text);
    form.query().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::encoded;

    #[test]
    fn names_and_secrets_are_written_as_in_forms() {
        assert_eq!(encoded("vouch-page"), "vouch-page");
        assert_eq!(encoded("a:b c/\u{e9}&=+%"), "a%3Ab+c%2F%C3%A9%26%3D%2B%25");
    }
}
