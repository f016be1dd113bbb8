//! Which server is asked, for what, and how long it may take.

use std::time::Duration;

use reqwest::Url;
use vouch_domain::{Fault, PortError};

use super::addresses::is_vocabulary_id;

/// The port, as its failures name it.
pub(super) const PORT: &str = "vocabulary";

/// A Skosmos server and the bounds within which it is asked.
#[derive(Debug, Clone)]
pub struct SkosmosSettings {
    /// Where its REST interface begins, such as `https://host/rest/v1`.
    pub base_url: String,
    /// The vocabularies asked, by id; none stands for all of them.
    pub vocabularies: Vec<String>,
    /// The language terms are looked up in first, such as `en`; empty for any.
    pub language: String,
    /// How long a look-up may take, with all its requests.
    pub timeout: Duration,
    /// The longest answer that is read, in bytes.
    pub response_bytes_max: usize,
}

impl SkosmosSettings {
    /// The longest answer read where nobody says otherwise.
    pub const RESPONSE_BYTES_MAX: usize = 1024 * 1024;

    /// The server's address, once everything is known to make sense.
    pub(super) fn check(&self) -> Result<Url, PortError> {
        // The address may hold a password and is not repeated.
        let base = Url::parse(&self.base_url)
            .map_err(|error| invalid("the Skosmos server's address cannot be read").with_source(error))?;
        let is_web = matches!(base.scheme(), "http" | "https") && base.host_str().is_some();
        if !is_web || base.query().is_some() || base.fragment().is_some() {
            let sentence = "a Skosmos address must start with http:// or https:// and end with the path, as in `https://host/rest/v1`";
            return Err(invalid(sentence));
        }
        if let Some(id) = self.vocabularies.iter().find(|id| !is_vocabulary_id(id)) {
            return Err(invalid(format!("`{id}` cannot be the id of a vocabulary")));
        }
        if self.timeout.is_zero() || self.response_bytes_max == 0 {
            return Err(invalid("the Skosmos timeout and the limit on its answer must be above zero"));
        }
        Ok(base)
    }
}

fn invalid(sentence: impl Into<String>) -> PortError {
    PortError::new(PORT, Fault::Invalid, sentence)
}
