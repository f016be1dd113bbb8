//! Whether a request comes from this machine: addressed to a loopback name, not sent by another site's page, and not
//! passed on by a proxy.
//!
//! Invariant: a name that only resolves to this machine is not this machine's name. A page that rebinds its own name to
//! loopback is still recognised by its Host and Origin headers.

use std::net::IpAddr;

use axum::http::{HeaderMap, HeaderValue, Uri, header, uri::Authority};

/// The port of plain HTTP.
const PORT: u16 = 80;
/// Headers that proxies add, besides everything that begins with `x-forwarded`.
const FORWARDED: [&str; 7] =
    ["forwarded", "via", "x-real-ip", "x-client-ip", "x-original-host", "true-client-ip", "cf-connecting-ip"];

/// Why a request without a key is not from the local user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotLocal {
    /// It came through a proxy, so it can come from anywhere.
    Forwarded,
    /// It calls this machine by another name.
    OtherHost,
    /// A page of another site sent it.
    OtherSite,
}

impl NotLocal {
    pub(crate) fn sentence(self) -> &'static str {
        match self {
            Self::Forwarded => {
                "There are no keys, and this request came through a proxy: make a key with `vouch key add` first."
            }
            Self::OtherHost => "Without keys, only this machine may send requests, to localhost or a loopback address.",
            Self::OtherSite => "Without keys, pages of other sites may not send requests.",
        }
    }
}

/// Checks a request without a key against what only this machine itself would send.
pub(crate) fn check(headers: &HeaderMap) -> Result<(), NotLocal> {
    if headers.keys().any(|name| FORWARDED.contains(&name.as_str()) || name.as_str().starts_with("x-forwarded")) {
        return Err(NotLocal::Forwarded);
    }
    let host = only(headers, &header::HOST).and_then(|value| value.to_str().ok()?.parse::<Authority>().ok());
    let host = host.filter(|host| is_loopback(host.host())).ok_or(NotLocal::OtherHost)?;
    let is_own_page = headers.get_all(header::ORIGIN).iter().all(|origin| is_same(origin, &host))
        && headers.get_all("sec-fetch-site").iter().all(|site| matches!(site.as_bytes(), b"same-origin" | b"none"));
    if is_own_page { Ok(()) } else { Err(NotLocal::OtherSite) }
}

/// The value of a header that occurs exactly once.
fn only<'a>(headers: &'a HeaderMap, name: &header::HeaderName) -> Option<&'a HeaderValue> {
    let mut values = headers.get_all(name).iter();
    values.next().filter(|_| values.next().is_none())
}

/// Whether an origin is the very one a page of this host has: scheme, name and port.
fn is_same(origin: &HeaderValue, host: &Authority) -> bool {
    let origin = origin.to_str().ok().and_then(|text| text.parse::<Uri>().ok());
    origin.is_some_and(|origin| {
        origin.scheme_str() == Some("http")
            && origin.host().is_some_and(|name| name.eq_ignore_ascii_case(host.host()))
            && origin.port_u16().unwrap_or(PORT) == host.port_u16().unwrap_or(PORT)
    })
}

fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost") || address.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, HeaderName, HeaderValue};

    use super::{NotLocal, check};

    fn asked(headers: &[(&'static str, &'static str)]) -> Result<(), NotLocal> {
        let named =
            headers.iter().map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
        let mut map = HeaderMap::new();
        for (name, value) in named {
            map.append(name, value);
        }
        check(&map)
    }

    #[test]
    fn this_machine_is_meant_by_its_own_names() {
        for host in ["localhost", "LOCALHOST:8080", "127.0.0.1:1", "127.0.0.9", "[::1]:8080"] {
            assert_eq!(asked(&[("host", host)]), Ok(()), "{host}");
        }
        for (host, origin) in [
            ("localhost:8080", "http://localhost:8080"),
            ("localhost:8080", "http://LOCALHOST:8080"),
            ("localhost", "http://localhost"),
            ("localhost:80", "http://localhost"),
            ("[::1]:8080", "http://[::1]:8080"),
        ] {
            assert_eq!(asked(&[("host", host), ("origin", origin)]), Ok(()), "{host} {origin}");
        }
        for site in ["same-origin", "none"] {
            assert_eq!(asked(&[("host", "localhost:8080"), ("sec-fetch-site", site)]), Ok(()), "{site}");
        }
    }

    #[test]
    fn a_page_that_rebinds_its_name_or_calls_from_elsewhere_is_told_apart() {
        for host in ["rebound.example:8080", "127.0.0.1.example", "10.0.0.1", "localhost.example", "a b"] {
            assert_eq!(asked(&[("host", host)]), Err(NotLocal::OtherHost), "{host}");
        }
        assert_eq!(asked(&[]), Err(NotLocal::OtherHost));
        assert_eq!(asked(&[("host", "localhost"), ("host", "localhost")]), Err(NotLocal::OtherHost));
        for origin in [
            "http://rebound.example",
            "null",
            "",
            "localhost",
            "https://localhost.example:8080",
            "http://localhost:3000",
            "http://localhost",
            "https://localhost:8080",
            "http://127.0.0.1:8080",
        ] {
            assert_eq!(asked(&[("host", "localhost:8080"), ("origin", origin)]), Err(NotLocal::OtherSite), "{origin}");
        }
        for site in ["cross-site", "same-site", "", "Same-Origin"] {
            let told = asked(&[("host", "localhost:8080"), ("sec-fetch-site", site)]);
            assert_eq!(told, Err(NotLocal::OtherSite), "{site}");
        }
    }

    #[test]
    fn what_a_proxy_passed_on_can_come_from_anywhere() {
        for header in ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "via", "x-real-ip"] {
            assert_eq!(asked(&[("host", "localhost:8080"), (header, "")]), Err(NotLocal::Forwarded), "{header}");
        }
    }
}
