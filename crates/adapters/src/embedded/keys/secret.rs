//! A key as its owner holds it: `vouch_ID_SECRET`. The id is no secret; the rest is, and never printed but once.

use std::fmt;

use vouch_domain::{Fault, PortError};

const PREFIX: &str = "vouch_";
const ID_BYTES: usize = 6;
/// As many bits as the hash, so that a fast hash is enough: guessing takes as long as breaking the hash.
const SECRET_BYTES: usize = 32;

/// A secret that a caller sent or that was just made.
pub(crate) struct Secret {
    pub(crate) id: String,
    words: String,
}

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Secret({}, …)", self.id)
    }
}

impl Secret {
    /// A new random secret.
    pub(crate) fn fresh() -> Result<Self, PortError> {
        let (mut id, mut words) = ([0u8; ID_BYTES], [0u8; SECRET_BYTES]);
        let random = |bytes: &mut [u8]| {
            getrandom::fill(bytes)
                .map_err(|_| PortError::new("keys", Fault::Unavailable, "this machine provides no random numbers"))
        };
        random(&mut id)?;
        random(&mut words)?;
        Ok(Self { id: hex(&id), words: hex(&words) })
    }

    /// Parses what a caller sent; none if it does not have the form of a secret.
    pub(crate) fn parse(shown: &str) -> Option<Self> {
        let (id, words) = shown.strip_prefix(PREFIX)?.split_once('_')?;
        let is_hex = |text: &str, bytes: usize| {
            text.len() == bytes * 2 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        };
        (is_hex(id, ID_BYTES) && is_hex(words, SECRET_BYTES))
            .then(|| Self { id: id.to_owned(), words: words.to_owned() })
    }

    /// What its owner keeps.
    pub(crate) fn shown(&self) -> String {
        format!("{PREFIX}{}_{}", self.id, self.words)
    }

    /// What is stored.
    pub(crate) fn hash(&self) -> Vec<u8> {
        self.digest().as_bytes().to_vec()
    }

    /// Whether a stored hash is of this secret, in the same time whether it is or not.
    pub(crate) fn is_of(&self, stored: &[u8]) -> bool {
        // Comparing two of these hashes takes constant time.
        blake3::Hash::from_slice(stored).is_ok_and(|stored| stored == self.digest())
    }

    fn digest(&self) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new_derive_key("vouch api key 1");
        hasher.update(self.id.as_bytes()).update(self.words.as_bytes());
        hasher.finalize()
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::Secret;

    #[test]
    fn a_secret_is_read_back_and_no_other_fits_its_hash() {
        let secret = Secret::fresh().expect("random numbers");
        let again = Secret::parse(&secret.shown()).expect("a secret");
        assert!(again.is_of(&secret.hash()));
        let other = Secret::fresh().expect("random numbers");
        assert!(!other.is_of(&secret.hash()));
        assert!(!secret.is_of(b"short"));
    }

    #[test]
    fn what_has_not_the_form_of_a_secret_is_none() {
        let secret = Secret::fresh().expect("random numbers").shown();
        for wrong in
            ["", "vouch_", "vouch_a_b", &secret.to_uppercase(), secret.trim_start_matches('v'), &format!("{secret}0")]
        {
            assert!(Secret::parse(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn a_secret_is_not_printed() {
        let secret = Secret::fresh().expect("random numbers");
        assert!(!format!("{secret:?}").contains(&secret.words));
    }
}
