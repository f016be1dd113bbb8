//! What a person wrote down as a server's address → the addresses that are asked.

use reqwest::Url;
use vouch_domain::{Fault, PortError};

/// Where a server is: the part its paths are added to.
#[derive(Debug, Clone)]
pub(crate) struct ServerAddress {
    base: Url,
}

impl ServerAddress {
    /// Parses an address; `example` is shown in the error.
    pub(crate) fn parse(port: &'static str, text: &str, example: &str) -> Result<Self, PortError> {
        let invalid = |sentence: String| PortError::new(port, Fault::Invalid, sentence);
        // The address may hold a password and is not repeated.
        let base = Url::parse(text).map_err(|error| {
            invalid(format!("a model server's address must look like `{example}`")).with_source(error)
        })?;
        let is_web = matches!(base.scheme(), "http" | "https") && base.host_str().is_some();
        if !is_web || base.query().is_some() || base.fragment().is_some() {
            let sentence = format!(
                "a model server's address must start with http:// or https:// and end with the path, like `{example}`"
            );
            return Err(invalid(sentence));
        }
        Ok(Self { base })
    }

    /// The address of one of the server's paths.
    pub(crate) fn endpoint(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path.split('/'));
        }
        url
    }

    /// The address of parts of a path, each of which stays one part, with a query.
    pub(crate) fn place_of(&self, segments: &[String], query: &[(String, String)]) -> Url {
        let mut url = self.base.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(segments);
        }
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        url
    }

    /// The address as it may be shown: without name and password.
    pub(crate) fn place(&self) -> String {
        format!("{}{}", self.base.origin().ascii_serialization(), self.base.path().trim_end_matches('/'))
    }

    pub(crate) fn has_password(&self) -> bool {
        !self.base.username().is_empty() || self.base.password().is_some()
    }

    pub(crate) fn is_encrypted(&self) -> bool {
        self.base.scheme() == "https"
    }
}

#[cfg(test)]
mod tests {
    use super::ServerAddress;

    fn endpoint(base: &str) -> Option<String> {
        let address = ServerAddress::parse("test", base, "http://localhost:8080/v1").ok()?;
        Some(address.endpoint("chat/completions").to_string())
    }

    #[test]
    fn paths_are_added_to_the_address_as_given() {
        assert_eq!(endpoint("http://h:1/v1").as_deref(), Some("http://h:1/v1/chat/completions"));
        assert_eq!(endpoint("http://h:1/v1/").as_deref(), Some("http://h:1/v1/chat/completions"));
        assert_eq!(endpoint("http://h:1").as_deref(), Some("http://h:1/chat/completions"));
    }

    #[test]
    fn what_is_no_address_is_refused_and_not_repeated() {
        for text in ["", "h:1/v1", "ftp://h/", "http://u:secret@", "http://u:secret@h/?key=1", "http://h/#x"] {
            let error = ServerAddress::parse("test", text, "http://h").err().map(|error| error.to_string());
            assert!(error.as_ref().is_some_and(|error| !error.contains("secret")), "{text}: {error:?}");
        }
    }

    #[test]
    fn a_password_is_not_shown() {
        let address = ServerAddress::parse("test", "http://u:secret@h:1/v1/", "http://h").ok();
        assert_eq!(address.map(|address| address.place()).as_deref(), Some("http://h:1/v1"));
    }
}
