//! An issuer's published keys → which of them may have signed a token, and whether one did.

use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};
use serde::Deserialize;
use serde_json::Value;

use super::token::{Algorithm, Token, decode};

/// Most keys one issuer publishes.
const KEYS_MAX: usize = 100;
/// The uncompressed form of a point begins with this.
const UNCOMPRESSED: u8 = 4;

/// The keys of an issuer that sign tokens as we take them.
#[derive(Debug)]
pub(super) struct PublicKeys {
    keys: Vec<PublicKey>,
}

#[derive(Debug)]
struct PublicKey {
    id: Option<String>,
    numbers: Numbers,
}

#[derive(Debug)]
enum Numbers {
    Rsa { modulus: Vec<u8>, exponent: Vec<u8> },
    P256 { point: Vec<u8> },
    Ed25519 { point: Vec<u8> },
}

#[derive(Deserialize)]
struct KeySet {
    keys: Vec<Value>,
}

#[derive(Deserialize)]
struct PublishedKey {
    kty: String,
    kid: Option<String>,
    #[serde(rename = "use")]
    purpose: Option<String>,
    key_ops: Option<Vec<String>>,
    alg: Option<String>,
    crv: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

impl PublicKeys {
    /// Reads what an issuer published; keys for other purposes or of other kinds are passed over.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let set: KeySet = serde_json::from_slice(bytes).map_err(|_| "did not return a set of keys".to_owned())?;
        let count = set.keys.len();
        if count > KEYS_MAX {
            return Err(format!("returned {count} keys, the limit is {KEYS_MAX}"));
        }
        let keys = set.keys.into_iter().filter_map(|key| serde_json::from_value(key).ok().and_then(PublicKey::new));
        Ok(Self { keys: keys.collect() })
    }

    /// Whether there is a key that may have signed this.
    pub(super) fn may_know(&self, token: &Token<'_>) -> bool {
        self.fitting(token).next().is_some()
    }

    /// Whether one of these keys signed this.
    pub(super) fn signed(&self, token: &Token<'_>) -> bool {
        self.fitting(token).any(|key| key.numbers.signed(token.message, &token.signature))
    }

    /// The keys of the token's name and algorithm; a token without a name is of the only key there is.
    fn fitting<'a>(&'a self, token: &'a Token<'_>) -> impl Iterator<Item = &'a PublicKey> {
        let is_alone = self.keys.len() == 1;
        self.keys.iter().filter(move |key| {
            let is_named = match &token.key {
                Some(name) => key.id.as_ref() == Some(name),
                None => is_alone,
            };
            is_named && key.numbers.algorithm() == token.algorithm
        })
    }
}

impl PublicKey {
    fn new(published: PublishedKey) -> Option<Self> {
        let PublishedKey { kty, kid, purpose, key_ops, alg, crv, n, e, x, y } = published;
        let bytes = |text: Option<String>| decode(&text?).ok();
        let numbers = match (kty.as_str(), crv.as_deref()) {
            ("RSA", _) => Numbers::Rsa { modulus: unsigned(bytes(n)?), exponent: unsigned(bytes(e)?) },
            ("EC", Some("P-256")) => {
                let (x, y) = (bytes(x)?, bytes(y)?);
                if (x.len(), y.len()) != (32, 32) {
                    return None;
                }
                Numbers::P256 { point: [&[UNCOMPRESSED], x.as_slice(), &y].concat() }
            }
            ("OKP", Some("Ed25519")) => Numbers::Ed25519 { point: bytes(x)? },
            _ => return None,
        };
        let is_for_signing = purpose.is_none_or(|purpose| purpose == "sig")
            && key_ops.is_none_or(|uses| uses.iter().any(|word| word == "verify"))
            && alg.is_none_or(|word| Algorithm::parse(&word) == Some(numbers.algorithm()));
        is_for_signing.then_some(Self { id: kid, numbers })
    }
}

impl Numbers {
    /// The one algorithm a key of this kind is good for: a token never chooses how its key is used.
    fn algorithm(&self) -> Algorithm {
        match self {
            Self::Rsa { .. } => Algorithm::Rs256,
            Self::P256 { .. } => Algorithm::Es256,
            Self::Ed25519 { .. } => Algorithm::EdDsa,
        }
    }

    fn signed(&self, message: &[u8], signature: &[u8]) -> bool {
        match self {
            Self::Rsa { modulus, exponent } => RsaPublicKeyComponents { n: modulus, e: exponent }
                .verify(&RSA_PKCS1_2048_8192_SHA256, message, signature)
                .is_ok(),
            Self::P256 { point } => {
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(message, signature).is_ok()
            }
            Self::Ed25519 { point } => UnparsedPublicKey::new(&ED25519, point).verify(message, signature).is_ok(),
        }
    }
}

/// Without the zeros that some write before a number.
fn unsigned(number: Vec<u8>) -> Vec<u8> {
    number.into_iter().skip_while(|byte| *byte == 0).collect()
}

#[cfg(test)]
mod tests {
    use super::PublicKeys;

    fn count(keys: &str) -> usize {
        PublicKeys::parse(format!("{{\"keys\":[{keys}]}}").as_bytes()).expect("a set").keys.len()
    }

    #[test]
    fn keys_for_other_purposes_and_of_other_kinds_are_passed_over() {
        let x = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
        let right = format!(r#"{{"kty":"EC","crv":"P-256","x":"{x}","y":"{x}"#);
        assert_eq!(count(&format!(r#"{right}"}}"#)), 1);
        assert_eq!(count(&format!(r#"{right}","use":"sig","alg":"ES256","key_ops":["verify"]}}"#)), 1);
        for wrong in [
            format!(r#"{right}","use":"enc"}}"#),
            format!(r#"{right}","alg":"ECDH-ES"}}"#),
            format!(r#"{right}","alg":"RS256"}}"#),
            format!(r#"{right}","key_ops":["deriveKey"]}}"#),
            format!(r#"{right}AA"}}"#),
            r#"{"kty":"oct","k":"c2VjcmV0"}"#.to_owned(),
            r#"{"kty":"RSA","n":"AQAB"}"#.to_owned(),
            format!(r#"{{"kty":"EC","crv":"P-384","x":"{x}","y":"{x}"}}"#),
            "7".to_owned(),
        ] {
            assert_eq!(count(&wrong), 0, "{wrong}");
        }
    }

    #[test]
    fn a_set_has_a_hundred_keys_and_no_more() {
        let set = |count: usize| format!("{{\"keys\":[{}]}}", vec!["{}"; count].join(","));
        assert!(PublicKeys::parse(set(100).as_bytes()).is_ok());
        assert!(PublicKeys::parse(set(101).as_bytes()).is_err_and(|sentence| sentence.contains("101 keys")));
        assert!(PublicKeys::parse(b"<html>").is_err());
    }
}
