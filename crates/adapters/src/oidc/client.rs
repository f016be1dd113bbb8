//! What this service is to an issuer where people sign in: its name, its secret where it has one, what it asks for.

use std::fmt;

use vouch_domain::{Fault, PortError, person::name_fault};

use super::settings::PORT;

/// Longest scope, in bytes.
const SCOPE_BYTES_MAX: usize = 1_000;

/// A client of an issuer.
#[derive(Clone, PartialEq, Eq)]
pub struct ClientSettings {
    /// The name it was registered by.
    pub id: String,
    /// Its secret, for issuers that ask for one.
    pub secret: Option<String>,
    /// What is asked for, in words with spaces between them.
    pub scope: String,
}

impl fmt::Debug for ClientSettings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ClientSettings")
            .field("id", &self.id)
            .field("scope", &self.scope)
            .finish_non_exhaustive()
    }
}

impl ClientSettings {
    /// Whether everything makes sense.
    ///
    /// # Errors
    /// Says what does not.
    pub fn check(&self) -> Result<(), PortError> {
        let invalid = |sentence: String| Err(PortError::new(PORT, Fault::Invalid, sentence));
        if let Some(fault) = name_fault("client id", &self.id) {
            return invalid(fault);
        }
        if self.secret.as_ref().is_some_and(String::is_empty) {
            return invalid("the client's secret is empty".to_owned());
        }
        // What RFC 6749 allows in a word of a scope.
        let is_word = |byte: u8| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\';
        let is_scope = self.scope.split(' ').all(|word| !word.is_empty() && word.bytes().all(is_word));
        if !is_scope || self.scope.len() > SCOPE_BYTES_MAX {
            return invalid(format!(
                "the scope must be words with one space between them, such as 'openid profile', of at most {SCOPE_BYTES_MAX} bytes"
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::ClientSettings;

    fn client() -> ClientSettings {
        ClientSettings { id: "vouch-page".to_owned(), secret: None, scope: "openid profile".to_owned() }
    }

    #[test]
    fn a_client_has_a_name_and_asks_for_words() {
        assert!(client().check().is_ok());
        assert!(ClientSettings { secret: Some("s".to_owned()), ..client() }.check().is_ok());
        for wrong in [
            ClientSettings { id: String::new(), ..client() },
            ClientSettings { id: "a\nb".to_owned(), ..client() },
            ClientSettings { secret: Some(String::new()), ..client() },
            ClientSettings { scope: String::new(), ..client() },
            ClientSettings { scope: "openid  profile".to_owned(), ..client() },
            ClientSettings { scope: "openid \"profile\"".to_owned(), ..client() },
            ClientSettings { scope: "x".repeat(1_001), ..client() },
        ] {
            assert!(wrong.check().is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_secret_is_never_shown() {
        let client = ClientSettings { secret: Some("very-secret".to_owned()), ..client() };
        assert!(!format!("{client:?}").contains("very-secret"));
    }
}
