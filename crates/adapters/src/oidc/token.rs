//! A text → the three parts of a signed token, read strictly; nothing in them is believed yet.

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use serde::{Deserialize, de::IgnoredAny};
use serde_json::{Map, Value};

/// Longest token that is read, in bytes.
const BYTES_MAX: usize = 8_192;

/// How a token may be signed: with keys that others can only check, never with a shared secret or not at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Algorithm {
    Rs256,
    Es256,
    EdDsa,
}

impl Algorithm {
    pub(super) fn parse(word: &str) -> Option<Self> {
        match word {
            "RS256" => Some(Self::Rs256),
            "ES256" => Some(Self::Es256),
            "EdDSA" | "Ed25519" => Some(Self::EdDsa),
            _ => None,
        }
    }
}

/// A token that has the form of one.
pub(super) struct Token<'a> {
    pub(super) algorithm: Algorithm,
    pub(super) key: Option<String>,
    /// What was signed.
    pub(super) message: &'a [u8],
    pub(super) signature: Vec<u8>,
    pub(super) claims: Map<String, Value>,
}

#[derive(Deserialize)]
struct Header {
    alg: String,
    kid: Option<String>,
    typ: Option<String>,
    crit: Option<IgnoredAny>,
}

impl<'a> Token<'a> {
    pub(super) fn parse(text: &'a str) -> Result<Self, &'static str> {
        if text.len() > BYTES_MAX {
            return Err("too long");
        }
        let (message, signature) = text.rsplit_once('.').ok_or("not a token")?;
        let (header, payload) = message.split_once('.').ok_or("not a token")?;
        if payload.contains('.') || signature.is_empty() {
            return Err("not a token");
        }
        let header: Header = serde_json::from_slice(&decode(header)?).map_err(|_| "no header")?;
        let algorithm = Algorithm::parse(&header.alg).ok_or("an algorithm that is not accepted")?;
        if header.crit.is_some() {
            return Err("a critical extension that is not known");
        }
        if !header.typ.as_deref().is_none_or(is_token_type) {
            return Err("another kind of token");
        }
        let claims = serde_json::from_slice(&decode(payload)?).map_err(|_| "no claims")?;
        Ok(Self { algorithm, key: header.kid, message: message.as_bytes(), signature: decode(signature)?, claims })
    }
}

/// Tokens of other kinds, such as those that end a session, are signed with the same keys.
fn is_token_type(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    matches!(word.strip_prefix("application/").unwrap_or(&word), "jwt" | "at+jwt")
}

/// What a token says, whoever signed it and however; none if it says nothing that can be read.
pub(super) fn unverified_claims(text: &str) -> Option<Map<String, Value>> {
    let payload = text.split('.').nth(1).filter(|_| text.len() <= BYTES_MAX)?;
    serde_json::from_slice(&decode(payload).ok()?).ok()
}

/// Strictly: no padding, no other alphabet, no bits left over.
pub(super) fn decode(part: &str) -> Result<Vec<u8>, &'static str> {
    BASE64_URL_SAFE_NO_PAD.decode(part).map_err(|_| "not base64url")
}

#[cfg(test)]
mod tests {
    use super::{Algorithm, BASE64_URL_SAFE_NO_PAD, Engine, Token};

    fn token(header: &str, claims: &str) -> String {
        let part = |text: &str| BASE64_URL_SAFE_NO_PAD.encode(text);
        format!("{}.{}.{}", part(header), part(claims), part("signed"))
    }

    #[test]
    fn a_token_is_read_into_its_parts() {
        let text = token(r#"{"alg":"ES256","kid":"a","typ":"at+JWT","x5t":"?"}"#, r#"{"sub":"mira"}"#);
        let read = Token::parse(&text).unwrap_or_else(|reason| panic!("{reason}"));
        assert_eq!((read.algorithm, read.key.as_deref()), (Algorithm::Es256, Some("a")));
        assert_eq!((read.signature.as_slice(), read.claims["sub"].as_str()), (&b"signed"[..], Some("mira")));
        assert_eq!(text.as_bytes().strip_prefix(read.message).map(|rest| rest[0]), Some(b'.'));
    }

    #[test]
    fn what_is_no_token_of_ours_is_refused() {
        let right = token(r#"{"alg":"RS256"}"#, "{}");
        assert!(Token::parse(&right).is_ok());
        for (wrong, reason) in [
            (String::new(), "not a token"),
            ("a.b".to_owned(), "not a token"),
            (format!("{right}.more"), "not a token"),
            (format!("{}.", right.rsplit_once('.').unwrap_or_default().0), "not a token"),
            (format!("{right}="), "not base64url"),
            (format!("+{right}"), "not base64url"),
            (token("[]", "{}"), "no header"),
            (token(r#"{"alg":"RS256","alg":"none"}"#, "{}"), "no header"),
            (token(r#"{"alg":"RS256"}"#, "[]"), "no claims"),
            (token(r#"{"alg":"none"}"#, "{}"), "an algorithm that is not accepted"),
            (token(r#"{"alg":"None"}"#, "{}"), "an algorithm that is not accepted"),
            (token(r#"{"alg":"HS256"}"#, "{}"), "an algorithm that is not accepted"),
            (token(r#"{"alg":"RS256","crit":["exp"]}"#, "{}"), "a critical extension that is not known"),
            (token(r#"{"alg":"RS256","typ":"logout+jwt"}"#, "{}"), "another kind of token"),
            (token(r#"{"alg":"RS256"}"#, &format!("{{\"a\":\"{}\"}}", "x".repeat(9_000))), "too long"),
        ] {
            assert_eq!(Token::parse(&wrong).err(), Some(reason), "{wrong}");
        }
    }
}
