//! A request → the headers that prove who asks (AWS Signature Version 4), which every S3-compatible server reads.
//!
//! The signature stands in headers and not in the address, so that no log of addresses holds one.

use reqwest::{
    Url,
    header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue},
};
use ring::{digest, hmac};
use vouch_domain::moment;

const CONTENT: HeaderName = HeaderName::from_static("x-amz-content-sha256");
const DATE: HeaderName = HeaderName::from_static("x-amz-date");
/// The headers that are signed, in order.
const SIGNED: &str = "host;x-amz-content-sha256;x-amz-date";

/// An access key and its secret.
#[derive(Clone)]
pub struct BucketKey {
    /// The key's public part.
    pub id: String,
    /// The secret; it never leaves this machine.
    pub secret: String,
}

impl std::fmt::Debug for BucketKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BucketKey").finish_non_exhaustive()
    }
}

impl BucketKey {
    /// The headers of a `GET` without a body; none if the key cannot stand in a header.
    pub(super) fn sign(&self, url: &Url, region: &str, at_ms: u64) -> Option<HeaderMap> {
        // `2013-05-24T00:00:00.000Z` → `20130524T000000Z`
        let moment = moment::timestamp(at_ms);
        let date: String =
            moment.split('.').next()?.chars().filter(|sign| !"-:".contains(*sign)).chain(['Z']).collect();
        let (day, _) = date.split_once('T')?;
        let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
        let empty = hex(digest::digest(&digest::SHA256, b"").as_ref());
        let request = format!(
            "GET\n{}\n{}\nhost:{}{port}\nx-amz-content-sha256:{empty}\nx-amz-date:{date}\n\n{SIGNED}\n{empty}",
            url.path(),
            url.query().unwrap_or_default(),
            url.host_str()?,
        );
        let scope = format!("{day}/{region}/s3/aws4_request");
        let request = hex(digest::digest(&digest::SHA256, request.as_bytes()).as_ref());
        let told = format!("AWS4-HMAC-SHA256\n{date}\n{scope}\n{request}");
        let first = format!("AWS4{}", self.secret).into_bytes();
        let key = [day, region, "s3", "aws4_request"].iter().fold(first, |key, part| keyed(&key, part));
        let signature = hex(&keyed(&key, &told));
        let proof =
            format!("AWS4-HMAC-SHA256 Credential={}/{scope},SignedHeaders={SIGNED},Signature={signature}", self.id);
        let mut proof = HeaderValue::from_str(&proof).ok()?;
        proof.set_sensitive(true);
        Some(HeaderMap::from_iter([
            (AUTHORIZATION, proof),
            (CONTENT, HeaderValue::from_str(&empty).ok()?),
            (DATE, HeaderValue::from_str(&date).ok()?),
        ]))
    }
}

fn keyed(key: &[u8], text: &str) -> Vec<u8> {
    hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), text.as_bytes()).as_ref().to_vec()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use reqwest::Url;

    use super::BucketKey;

    /// The requests that the documentation of AWS signs, "Examples: Signature Calculations in AWS Signature Version 4" of the
    /// API reference of Amazon S3, with its key.
    #[test]
    fn requests_are_signed_as_in_the_published_examples() {
        let key = BucketKey {
            id: "AKIAIOSFODNN7EXAMPLE".to_owned(),
            secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY".to_owned(),
        };
        for (query, signature) in [
            ("lifecycle=", "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
            ("max-keys=2&prefix=J", "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
        ] {
            let url = Url::parse(&format!("https://examplebucket.s3.amazonaws.com/?{query}")).expect("an address");
            let headers = key.sign(&url, "us-east-1", 1_369_353_600_000).expect("headers");
            let proof = headers.get("authorization").and_then(|proof| proof.to_str().ok());
            let expected = format!(
                "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,\
                 SignedHeaders=host;x-amz-content-sha256;x-amz-date,Signature={signature}"
            );
            assert_eq!(proof, Some(expected.as_str()), "{query}");
        }
        assert!(!format!("{key:?}").contains("EXAMPLE"), "a key is never printed");
    }
}
