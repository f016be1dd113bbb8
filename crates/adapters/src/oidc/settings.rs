//! Which issuer is believed, for whom its tokens must be, and what they say about their bearer.

use std::{net::IpAddr, time::Duration};

use reqwest::Url;
use vouch_domain::{Fault, PortError, person::name_fault};

pub(super) const PORT: &str = "oidc";

/// One issuer, and how its claims are read.
#[derive(Debug, Clone)]
pub struct OidcSettings {
    /// The issuer's name, exactly as its tokens write it; its configuration lies under it.
    pub issuer: String,
    /// The audience that tokens must name.
    pub audience: String,
    /// The client that people sign in to; its tokens are for us where they name nobody else.
    pub client_id: Option<String>,
    /// The tenant whose documents a bearer reads.
    pub tenant: TenantOf,
    /// The claim that holds a bearer's tags; with a slash before it, a path into the claims.
    pub tags_claim: String,
    /// The tag that makes its bearer an admin of the whole tenant.
    pub admin_tag: Option<String>,
    /// Requests per minute and bearer.
    pub per_minute: Option<u32>,
    /// How long the issuer may take to return its keys.
    pub timeout: Duration,
    /// How long its keys are used before they are fetched again.
    pub keys_ttl: Duration,
}

/// The tenant whose documents a bearer reads.
#[derive(Debug, Clone)]
pub enum TenantOf {
    /// This tenant for everybody.
    Everybody(String),
    /// The tenant that a claim of the token names.
    Claim(String),
}

impl OidcSettings {
    /// The issuer's address, once everything is known to make sense.
    ///
    /// # Errors
    /// Says what does not.
    pub fn check(&self) -> Result<Url, PortError> {
        let invalid = |sentence: &str| PortError::new(PORT, Fault::Invalid, sentence);
        let base = Url::parse(&self.issuer)
            .map_err(|error| invalid("the issuer's address cannot be read").with_source(error))?;
        let is_plain = base.query().is_none() && base.fragment().is_none() && base.password().is_none();
        if !is_plain || !base.username().is_empty() {
            return Err(invalid("the issuer must be an address without a user, a query or a fragment"));
        }
        if !is_trusted(&base) {
            return Err(invalid(
                "the issuer must use https, or http on this machine: otherwise its keys could be changed on the way",
            ));
        }
        let (tenant, tenant_word) = match &self.tenant {
            TenantOf::Everybody(tenant) => (tenant, "tenant"),
            TenantOf::Claim(claim) => (claim, "tenant claim"),
        };
        let fault = name_fault("audience", &self.audience)
            .or_else(|| name_fault(tenant_word, tenant))
            .or_else(|| name_fault("tags claim", &self.tags_claim))
            .or_else(|| name_fault("admin tag", self.admin_tag.as_ref()?));
        if let Some(fault) = fault {
            return Err(invalid(&fault));
        }
        if self.timeout.is_zero() || self.keys_ttl.is_zero() || self.per_minute == Some(0) {
            return Err(invalid(
                "the issuer's timeout, the lifetime of its keys and the requests per minute must be above zero",
            ));
        }
        Ok(base)
    }
}

/// Whether the connection cannot be intercepted: https, or http that does not leave the machine.
pub(super) fn is_trusted(address: &Url) -> bool {
    address.scheme() == "https" && address.host_str().is_some() || address.scheme() == "http" && is_loopback(address)
}

fn is_loopback(address: &Url) -> bool {
    let host = address.host_str().unwrap_or_default();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || bare.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::{Duration, OidcSettings, TenantOf};

    fn of(issuer: &str) -> OidcSettings {
        OidcSettings {
            issuer: issuer.to_owned(),
            audience: "vouch".to_owned(),
            client_id: None,
            tenant: TenantOf::Everybody("default".to_owned()),
            tags_claim: "groups".to_owned(),
            admin_tag: None,
            per_minute: None,
            timeout: Duration::from_secs(1),
            keys_ttl: Duration::from_secs(60),
        }
    }

    #[test]
    fn an_issuer_is_https_or_does_not_leave_the_machine() {
        for right in
            ["https://login.example/realms/tarn", "http://127.0.0.1:9", "http://localhost:9/x", "http://[::1]:9"]
        {
            assert!(of(right).check().is_ok(), "{right}");
        }
        for wrong in [
            "http://login.example",
            "http://127.0.0.1.login.example",
            "http://localhost.login.example",
            "http://10.0.0.1",
            "ftp://127.0.0.1",
            "https://user:secret@login.example",
            "https://user@login.example",
            "https://login.example?realm=1",
            "https://login.example#x",
            "login.example",
            "",
        ] {
            let error = of(wrong).check().expect_err(wrong);
            assert!(!error.to_string().contains("secret"), "{error}");
        }
    }

    #[test]
    fn names_that_cannot_be_are_refused() {
        assert!(OidcSettings { audience: String::new(), ..of("https://a") }.check().is_err());
        assert!(OidcSettings { tags_claim: " groups".to_owned(), ..of("https://a") }.check().is_err());
        assert!(OidcSettings { tenant: TenantOf::Claim(String::new()), ..of("https://a") }.check().is_err());
        assert!(OidcSettings { admin_tag: Some(String::new()), ..of("https://a") }.check().is_err());
        assert!(OidcSettings { per_minute: Some(0), ..of("https://a") }.check().is_err());
    }
}
