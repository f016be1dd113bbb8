//! Where a bucket lies → the addresses of its listing and of its objects.
//!
//! Invariant: an address is written as it is signed, every byte escaped but letters, digits and `-._~/`, so that no client has
//! anything to change in it. A key that an address would read as another path has none.

use reqwest::Url;

/// The most bytes of a key.
const KEY_BYTES_MAX: usize = 1_024;

/// Whether the bucket's name is the first part of a path, or of the host's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Addressing {
    /// `https://s3.example/bucket/key`: what servers of one's own have.
    #[default]
    Path,
    /// `https://bucket.s3.example/key`: what AWS prefers.
    Host,
}

/// Where a bucket lies.
#[derive(Debug, Clone)]
pub(super) struct BucketAddress {
    base: Url,
}

impl BucketAddress {
    /// Puts an address together; an error says what is wrong, as the settings call it.
    pub(super) fn new(endpoint: &str, bucket: &str, addressing: Addressing) -> Result<Self, &'static str> {
        let url = Url::parse(endpoint)
            .map_err(|_| "endpoint must be an address such as https://s3.eu-west-1.amazonaws.com")?;
        let Some(host) = url.host_str().filter(|_| matches!(url.scheme(), "https" | "http")) else {
            return Err("endpoint must be an address with https");
        };
        if !url.username().is_empty() || url.password().is_some() {
            return Err("endpoint must not have a password in it");
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err("endpoint must not have a query in it");
        }
        if !is_name(bucket) {
            return Err("bucket must be the name of a bucket: 3 to 63 letters, digits, '-', '_' and '.'");
        }
        let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
        let (scheme, path) = (url.scheme(), url.path().trim_end_matches('/'));
        let base = match addressing {
            Addressing::Path => format!("{scheme}://{host}{port}{path}/{bucket}/"),
            Addressing::Host if url.domain().is_some() => format!("{scheme}://{bucket}.{host}{port}{path}/"),
            Addressing::Host => return Err("addressing must be path where the endpoint has no name but a number"),
        };
        let base = Url::parse(&base).map_err(|_| "bucket cannot be a part of the host's name; use addressing: path")?;
        Ok(Self { base })
    }

    /// The host that is asked.
    pub(super) fn base(&self) -> &Url {
        &self.base
    }

    /// The address of a part of the listing.
    pub(super) fn listing(&self, prefix: &str, token: Option<&str>) -> Url {
        let mut query = String::new();
        // In the order of the names, as they are signed.
        if let Some(token) = token {
            query.push_str(&format!("continuation-token={}&", escaped(token, b"")));
        }
        query.push_str("encoding-type=url&list-type=2");
        if !prefix.is_empty() {
            query.push_str(&format!("&prefix={}", escaped(prefix, b"")));
        }
        let mut url = self.base.clone();
        url.set_query(Some(&query));
        url
    }

    /// The address of an object; none if its key has none.
    pub(super) fn object(&self, key: &str) -> Option<Url> {
        let is_step = |part: &str| matches!(part, "." | "..");
        if key.is_empty() || key.len() > KEY_BYTES_MAX || key.split('/').any(is_step) {
            return None;
        }
        let path = format!("{}{}", self.base.path(), escaped(key, b"/"));
        let mut url = self.base.clone();
        url.set_path(&path);
        // Whatever reads an address otherwise than it was written would ask for another object.
        (url.path() == path).then_some(url)
    }
}

fn is_name(bucket: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    (3..=63).contains(&bucket.len())
        && bucket.bytes().all(is_plain)
        && bucket.starts_with(|first: char| first.is_ascii_alphanumeric())
        && !bucket.contains("..")
}

fn escaped(text: &str, kept: &[u8]) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) || kept.contains(&byte);
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        match is_plain(byte) {
            true => escaped.push(char::from(byte)),
            false => escaped.push_str(&format!("%{byte:02X}")),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::{Addressing, BucketAddress};

    fn base(endpoint: &str, bucket: &str, addressing: Addressing) -> Result<String, &'static str> {
        BucketAddress::new(endpoint, bucket, addressing).map(|address| address.base().to_string())
    }

    #[test]
    fn a_bucket_is_a_path_or_a_host() {
        let (path, host) = (Addressing::Path, Addressing::Host);
        for (endpoint, addressing, expected) in [
            ("http://127.0.0.1:9000", path, "http://127.0.0.1:9000/team-docs/"),
            ("https://store.example/s3/", path, "https://store.example/s3/team-docs/"),
            ("https://s3.eu-west-1.amazonaws.com", host, "https://team-docs.s3.eu-west-1.amazonaws.com/"),
        ] {
            assert_eq!(base(endpoint, "team-docs", addressing).as_deref(), Ok(expected), "{endpoint}");
        }
        for (endpoint, bucket, addressing, told) in [
            ("store.example", "docs", path, "endpoint must be an address"),
            ("ftp://store.example", "docs", path, "endpoint must be an address with https"),
            ("https://me:pw@store.example", "docs", path, "endpoint must not have a password"),
            ("https://store.example?x=1", "docs", path, "endpoint must not have a query"),
            ("https://store.example", "../other", path, "bucket must be the name"),
            ("https://store.example", "a..b", path, "bucket must be the name"),
            ("https://store.example", "", path, "bucket must be the name"),
            ("http://127.0.0.1:9000", "docs", host, "addressing must be path"),
        ] {
            let fault = base(endpoint, bucket, addressing).err().unwrap_or_default();
            assert!(fault.starts_with(told), "{endpoint} {bucket}: {fault}");
        }
    }

    #[test]
    fn every_sign_of_a_key_is_escaped_and_a_key_that_leads_elsewhere_has_no_address() {
        let address = BucketAddress::new("http://127.0.0.1:9000", "docs", Addressing::Path).expect("an address");
        let object = |key: &str| address.object(key).map(|url| url.path().to_owned());
        assert_eq!(object("a b/ü+?&#%.md").as_deref(), Some("/docs/a%20b/%C3%BC%2B%3F%26%23%25.md"));
        assert_eq!(object("/a//b.md").as_deref(), Some("/docs//a//b.md"));
        for key in ["", "../other/x.md", "a/./b.md", "a/..", &"x".repeat(2_000)] {
            assert_eq!(object(key), None, "{key}");
        }
        assert_eq!(object("%2e%2e/x.md").as_deref(), Some("/docs/%252e%252e/x.md"), "a key may look escaped");
        let listing = address.listing("a b/", Some("t=/+"));
        let query = "continuation-token=t%3D%2F%2B&encoding-type=url&list-type=2&prefix=a%20b%2F";
        assert_eq!(listing.query(), Some(query));
    }
}
