//! `GET /v1/sign-in`: how people sign in. `POST /v1/sign-in`: what they bring back becomes a token.
//!
//! Both are open to everyone, since whoever signs in has no key yet.

use axum::{
    body::Bytes,
    extract::{State, rejection::BytesRejection},
    http::{HeaderMap, Uri},
    response::Response,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use vouch_domain::{
    PortError,
    ports::{SignInOutcome, SignInProof, SignInRefusal},
};

use super::body;
use crate::{
    faults::{Faults, NoSignIn},
    problem::{Code, Problem},
    request_id::{request_id, respond},
    service::Service,
};

/// Longest code, in characters.
const CODE_CHARS_MAX: usize = 4_096;
/// Longest address that people are sent back to, in characters.
const REDIRECT_CHARS_MAX: usize = 2_000;
/// Longest nonce, in characters.
const NONCE_CHARS_MAX: usize = 200;
/// How long a verifier is (RFC 7636).
const VERIFIER_CHARS: std::ops::RangeInclusive<usize> = 43..=128;

/// How people sign in.
#[derive(Serialize, ToSchema)]
#[schema(as = SignIn)]
pub(crate) struct SignInReply {
    /// Id of the request.
    request_id: String,
    /// The issuer to sign in with, by OpenID Connect; null if there is none and a key is needed.
    oidc: Option<OidcOffer>,
}

/// An issuer to sign in with.
#[derive(Serialize, ToSchema)]
pub(crate) struct OidcOffer {
    /// Where to send people, with `response_type=code` and a PKCE challenge (S256).
    authorize: String,
    /// The client they sign in to.
    client_id: String,
    /// What to ask for.
    scope: String,
}

/// What somebody brings back from an issuer.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SignInBody {
    /// The code they came back with.
    #[schema(min_length = 1, max_length = 4096)]
    code: String,
    /// The PKCE verifier of the challenge they left with.
    #[schema(min_length = 43, max_length = 128, pattern = r"^[A-Za-z0-9._~-]+$")]
    code_verifier: String,
    /// Where they were sent back to: the address of the page, with the path `/`.
    #[schema(max_length = 2000, example = "https://vouch.example/")]
    redirect_uri: String,
    /// The nonce they left with; an ID token with another one is refused.
    #[schema(min_length = 1, max_length = 200)]
    nonce: Option<String>,
}

/// A token that this server accepts as `Authorization: Bearer`.
#[derive(Serialize, ToSchema)]
pub(crate) struct SignedIn {
    /// Id of the request.
    request_id: String,
    /// The token.
    token: String,
    /// For how many seconds it is good; null if that is not known.
    expires_in: Option<u64>,
}

#[utoipa::path(
    get, path = "/v1/sign-in", operation_id = "offer_sign_in", tag = "service",
    description = "How people sign in. It needs no key.",
    responses((status = 200, description = "Where to sign in.", body = SignInReply), Faults)
)]
pub(crate) async fn offer(State(service): State<Service>, headers: HeaderMap) -> Response {
    let id = request_id(&headers);
    respond(&id, offered(&service, &id).await)
}

async fn offered(service: &Service, id: &str) -> Result<SignInReply, Problem> {
    let oidc = match &service.sign_in {
        None => None,
        Some(sign_in) => {
            let now_ms = service.access_control.clock.now_ms();
            let offer = sign_in.offer(now_ms).await.map_err(|error| unavailable(&error, id))?;
            Some(OidcOffer { authorize: offer.address, client_id: offer.client_id, scope: offer.scope })
        }
    };
    Ok(SignInReply { request_id: id.to_owned(), oidc })
}

#[utoipa::path(
    post, path = "/v1/sign-in", operation_id = "sign_in", tag = "service", request_body = SignInBody,
    description = "Exchanges the code of an OpenID Connect issuer for a token. It needs no key.",
    responses((status = 200, description = "A token to send as `Authorization: Bearer`.", body = SignedIn), NoSignIn, Faults)
)]
pub(crate) async fn exchange(
    State(service): State<Service>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let id = request_id(&headers);
    respond(&id, exchanged(&service, body, &id).await)
}

async fn exchanged(service: &Service, body: Result<Bytes, BytesRejection>, id: &str) -> Result<SignedIn, Problem> {
    let body: SignInBody = body::read(body, id)?;
    let proof = body.proof().map_err(|detail| Problem::new(Code::InvalidRequest, detail, id))?;
    let sign_in = service
        .sign_in
        .clone()
        .ok_or_else(|| Problem::new(Code::NotFound, "Nobody can sign in here: serve.oidc.client_id is not set.", id))?;
    let full = || Problem::new(Code::Overloaded, "Too many people are signing in; try again shortly.", id);
    let _place = service.admission.acquire_sign_in().ok_or_else(full)?;
    let now_ms = service.access_control.clock.now_ms();
    let outcome = sign_in.exchange(&proof, now_ms).await.map_err(|error| unavailable(&error, id))?;
    match outcome {
        SignInOutcome::Token { token, lifetime } => {
            Ok(SignedIn { request_id: id.to_owned(), token, expires_in: lifetime.map(|time| time.as_secs()) })
        }
        SignInOutcome::Refused(refusal) => {
            tracing::info!(component = "door", ?refusal, "sign-in refused");
            let (code, detail) = told(refusal);
            Err(Problem::new(code, detail, id))
        }
    }
}

impl SignInBody {
    /// What was brought, or what is wrong with it.
    fn proof(self) -> Result<SignInProof, String> {
        let Self { code, code_verifier, redirect_uri, nonce } = self;
        let is_within = |text: &str, chars_max: usize| !text.is_empty() && text.chars().count() <= chars_max;
        if !is_within(&code, CODE_CHARS_MAX) {
            return Err(format!("code must have 1 to {CODE_CHARS_MAX} characters"));
        }
        let is_unreserved = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        if !VERIFIER_CHARS.contains(&code_verifier.len()) || !code_verifier.bytes().all(is_unreserved) {
            return Err("code_verifier must have 43 to 128 letters, digits or -._~".to_owned());
        }
        if !is_within(&redirect_uri, REDIRECT_CHARS_MAX) || !is_page(&redirect_uri) {
            return Err("redirect_uri must be the address of this page, such as https://vouch.example/".to_owned());
        }
        if nonce.as_deref().is_some_and(|nonce| !is_within(nonce, NONCE_CHARS_MAX)) {
            return Err(format!("nonce must have 1 to {NONCE_CHARS_MAX} characters"));
        }
        Ok(SignInProof { code, verifier: code_verifier, return_address: redirect_uri, nonce })
    }
}

/// Whether an address can be that of the page. Which host it has only the issuer can check: behind a proxy this server
/// does not know by which name it is called, and the issuer knows where it sent the code.
fn is_page(address: &str) -> bool {
    let Ok(uri) = address.parse::<Uri>() else { return false };
    let is_web = matches!(uri.scheme_str(), Some("http" | "https"));
    let has_plain_host = uri.authority().is_some_and(|authority| !authority.as_str().contains('@'));
    is_web && has_plain_host && uri.path() == "/" && address.ends_with('/') && !address.contains(['?', '#'])
}

fn told(refusal: SignInRefusal) -> (Code, String) {
    let (code, sentence) = match refusal {
        SignInRefusal::Code => (
            Code::Unauthorized,
            "The issuer rejected this code: it was already used, has expired or is not yours. Sign in again.",
        ),
        SignInRefusal::OtherSignIn => {
            (Code::Unauthorized, "The issuer answered a different sign-in than the one started here. Sign in again.")
        }
        SignInRefusal::OtherAudience { wanted, found } => return (Code::Forbidden, other_audience(&wanted, &found)),
        SignInRefusal::NotAccepted => (
            Code::Forbidden,
            "You are signed in with the issuer, but its tokens cannot be read or do not say whose documents you may \
             read. The operator of this server must compare serve.oidc with the client's settings at the issuer.",
        ),
    };
    (code, sentence.to_owned())
}

/// Names both audiences, so that whoever runs the server sees which of the two settings to change.
fn other_audience(wanted: &str, found: &[String]) -> String {
    let quoted: Vec<String> = found.iter().map(|one| format!("\"{one}\"")).collect();
    let found = match quoted.split_last() {
        None => "name no audience".to_owned(),
        Some((last, [])) => format!("are for the audience {last}"),
        Some((last, others)) => format!("are for the audiences {} and {last}", others.join(", ")),
    };
    format!(
        "You are signed in with the issuer, but its tokens {found}, and this server takes tokens for the audience \
         \"{wanted}\". The operator of this server must add \"{wanted}\" to the audiences of the client at the \
         issuer, or change serve.oidc.audience."
    )
}

fn unavailable(error: &PortError, id: &str) -> Problem {
    tracing::warn!(%error, component = "door", fault = error.fault.as_str(), "nobody can sign in");
    Problem::new(Code::Context, "Signing in is temporarily unavailable; try again later.", id)
}

#[cfg(test)]
mod tests {
    use super::{SignInBody, is_page, other_audience};

    fn body() -> SignInBody {
        SignInBody {
            code: "a".to_owned(),
            code_verifier: "v".repeat(43),
            redirect_uri: "https://vouch.example/".to_owned(),
            nonce: None,
        }
    }

    #[test]
    fn people_come_back_to_the_page_and_nowhere_else() {
        for right in ["https://vouch.example/", "http://127.0.0.1:8080/", "http://localhost/", "https://[::1]:8443/"] {
            assert!(is_page(right), "{right}");
        }
        for wrong in [
            "",
            "/",
            "vouch.example/",
            "https://vouch.example",
            "https://vouch.example/other",
            "https://vouch.example/?a=/",
            "https://vouch.example/#/",
            "https://user@vouch.example/",
            "ftp://vouch.example/",
            "javascript:alert(1)//",
            "https:///",
        ] {
            assert!(!is_page(wrong), "{wrong}");
        }
    }

    #[test]
    fn a_wrong_audience_is_told_beside_the_right_one() {
        for (found, said) in [
            (vec![], "its tokens name no audience, and this server takes tokens for the audience \"vouch\""),
            (vec!["account"], "are for the audience \"account\", and"),
            (vec!["account", "page"], "are for the audiences \"account\" and \"page\", and"),
        ] {
            let found: Vec<String> = found.into_iter().map(str::to_owned).collect();
            let sentence = other_audience("vouch", &found);
            assert!(sentence.contains(said), "{sentence}");
        }
    }

    #[test]
    fn what_was_brought_is_within_bounds() {
        assert!(body().proof().is_ok());
        assert!(SignInBody { nonce: Some("n".repeat(200)), code: "c".repeat(4_096), ..body() }.proof().is_ok());
        for (wrong, said) in [
            (SignInBody { code: String::new(), ..body() }, "code must"),
            (SignInBody { code: "c".repeat(4_097), ..body() }, "code must"),
            (SignInBody { code_verifier: "v".repeat(42), ..body() }, "code_verifier"),
            (SignInBody { code_verifier: "v".repeat(129), ..body() }, "code_verifier"),
            (SignInBody { code_verifier: "v v".repeat(20), ..body() }, "code_verifier"),
            (SignInBody { redirect_uri: "https://a/b".to_owned(), ..body() }, "redirect_uri"),
            (SignInBody { nonce: Some(String::new()), ..body() }, "nonce"),
            (SignInBody { nonce: Some("n".repeat(201)), ..body() }, "nonce"),
        ] {
            let sentence = wrong.proof().err().unwrap_or_default();
            assert!(sentence.contains(said), "{said}: {sentence}");
        }
    }
}
