//! What an issuer says of itself → where its keys are, and where people sign in.
//!
//! Invariant: every address taken from it is one whose connection cannot be intercepted, and no less safe than the issuer's own.

use reqwest::Url;
use serde::Deserialize;

use super::settings::is_trusted;

/// The addresses that an issuer's configuration names.
pub(super) struct Configuration {
    pub(super) keys: Url,
    /// Where people sign in, or why nobody can: tokens of such an issuer are accepted all the same.
    pub(super) sign_in: Result<SignInAddresses, &'static str>,
}

/// Where people sign in, and where the code they bring back is exchanged.
#[derive(Debug)]
pub(super) struct SignInAddresses {
    pub(super) authorize: Url,
    pub(super) exchange: Url,
    /// Whether a secret must stand in the form, since it is not read from a header.
    pub(super) takes_secret_in_form: bool,
}

#[derive(Deserialize)]
struct Document {
    issuer: String,
    jwks_uri: String,
    authorization_endpoint: Option<String>,
    token_endpoint: Option<String>,
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
}

impl Configuration {
    /// Reads the document of the issuer of this name, which was found at an address.
    pub(super) fn parse(bytes: &[u8], name: &str, found_at: &Url) -> Result<Self, &'static str> {
        let document: Document =
            serde_json::from_slice(bytes).map_err(|_| "did not return a valid OpenID configuration")?;
        if document.issuer != name {
            return Err("returned the configuration of another issuer");
        }
        let is_as_safe = |place: &Url| is_trusted(place) && (place.scheme() == "https" || found_at.scheme() == "http");
        let keys = Url::parse(&document.jwks_uri).map_err(|_| "has no valid jwks_uri in its configuration")?;
        if !is_as_safe(&keys) {
            return Err("has a jwks_uri that is neither https nor on this machine");
        }
        Ok(Self { keys, sign_in: sign_in(&document, is_as_safe) })
    }
}

fn sign_in(document: &Document, is_as_safe: impl Fn(&Url) -> bool) -> Result<SignInAddresses, &'static str> {
    let read = |address: &Option<String>| {
        let address = Url::parse(address.as_deref()?).ok()?;
        let is_plain = address.fragment().is_none() && address.password().is_none() && address.username().is_empty();
        (is_plain && is_as_safe(&address)).then_some(address)
    };
    let authorize = read(&document.authorization_endpoint)
        .ok_or("has no authorization_endpoint in its configuration that is https or on this machine")?;
    let exchange = read(&document.token_endpoint)
        .ok_or("has no token_endpoint in its configuration that is https or on this machine")?;
    let methods = document.token_endpoint_auth_methods_supported.as_deref().unwrap_or_default();
    let takes = |method: &str| methods.iter().any(|one| one == method);
    // Where nothing is said, a header is what every issuer must understand.
    let takes_secret_in_form = takes("client_secret_post") && !takes("client_secret_basic");
    Ok(SignInAddresses { authorize, exchange, takes_secret_in_form })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Configuration, Url};

    fn parse(document: &Value, found_at: &str) -> Result<Configuration, &'static str> {
        let found_at = Url::parse(found_at).expect("an address");
        Configuration::parse(document.to_string().as_bytes(), "https://login.example", &found_at)
    }

    fn with(authorize: &Value, token: &Value, methods: &Value) -> Value {
        json!({
            "issuer": "https://login.example", "jwks_uri": "https://login.example/keys",
            "authorization_endpoint": authorize, "token_endpoint": token,
            "token_endpoint_auth_methods_supported": methods,
        })
    }

    #[test]
    fn people_are_sent_only_where_nobody_listens_in() {
        let right = json!("https://other.example/x?realm=a");
        let found_at = "https://login.example/.well-known/openid-configuration";
        let read = parse(&with(&right, &right, &Value::Null), found_at).expect("a configuration");
        assert_eq!(read.sign_in.expect("a place").authorize.as_str(), "https://other.example/x?realm=a");
        for wrong in [
            Value::Null,
            json!(""),
            json!("/authorize"),
            json!("javascript:alert(1)"),
            json!("http://login.example/x"),
            json!("http://127.0.0.1:9/x"),
            json!("https://user:word@login.example/x"),
            json!("https://login.example/x#part"),
        ] {
            for document in [with(&wrong, &right, &Value::Null), with(&right, &wrong, &Value::Null)] {
                let read = parse(&document, found_at).expect("its keys are of use all the same");
                assert!(read.sign_in.is_err(), "{wrong}");
            }
        }
        let here = json!("http://127.0.0.1:9/x");
        assert!(parse(&with(&here, &here, &Value::Null), "http://127.0.0.1:9/").is_ok_and(|read| read.sign_in.is_ok()));
    }

    #[test]
    fn a_secret_goes_into_a_header_unless_only_forms_are_read() {
        let place = json!("https://login.example/x");
        for (methods, in_form) in [
            (Value::Null, false),
            (json!([]), false),
            (json!(["client_secret_basic", "client_secret_post"]), false),
            (json!(["none", "client_secret_post"]), true),
            (json!(["private_key_jwt"]), false),
        ] {
            let read = parse(&with(&place, &place, &methods), "https://login.example/").expect("a configuration");
            assert_eq!(read.sign_in.expect("a place").takes_secret_in_form, in_form, "{methods}");
        }
    }
}
