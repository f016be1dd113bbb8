//! Whether a request means this machine: addressed to it by a loopback name, and sent by no page of elsewhere.
//!
//! Invariant: a name that only resolves to this machine is not this machine's name. A page that rebinds its own name to
//! loopback is still told apart by what it calls us and where it comes from.

use std::net::IpAddr;

use axum::http::{HeaderMap, HeaderValue, Uri, header, uri::Authority};

/// Whether the request names this machine as its host and, where a browser sends it, as its origin.
pub(crate) fn is_meant(headers: &HeaderMap) -> bool {
    let host = headers.get(header::HOST).and_then(|value| value.to_str().ok()?.parse::<Authority>().ok());
    let is_addressed = host.is_some_and(|host| is_loopback(host.host()));
    is_addressed && headers.get_all(header::ORIGIN).iter().all(is_own_origin)
}

fn is_own_origin(value: &HeaderValue) -> bool {
    let origin = value.to_str().ok().and_then(|text| text.parse::<Uri>().ok());
    origin.is_some_and(|origin| origin.scheme().is_some() && origin.host().is_some_and(is_loopback))
}

fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost") || address.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, HeaderName, HeaderValue};

    use super::is_meant;

    fn asked(headers: &[(&'static str, &'static str)]) -> bool {
        let named =
            headers.iter().map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
        is_meant(&named.collect::<HeaderMap>())
    }

    #[test]
    fn this_machine_is_meant_by_its_own_names() {
        for host in ["localhost", "LOCALHOST:8080", "127.0.0.1:1", "127.0.0.9", "[::1]:8080"] {
            assert!(asked(&[("host", host)]), "{host}");
        }
        assert!(asked(&[("host", "localhost:8080"), ("origin", "http://127.0.0.1:3000")]));
    }

    #[test]
    fn a_page_that_rebinds_its_name_or_calls_from_elsewhere_is_told_apart() {
        for host in ["rebound.example:8080", "127.0.0.1.example", "10.0.0.1", "localhost.example", "a b"] {
            assert!(!asked(&[("host", host)]), "{host}");
        }
        for origin in ["http://rebound.example", "null", "", "localhost", "https://localhost.example:8080"] {
            assert!(!asked(&[("host", "localhost:8080"), ("origin", origin)]), "{origin}");
        }
        assert!(!asked(&[]));
    }
}
