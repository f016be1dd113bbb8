//! One host, asked politely: its own addresses alone, one page at a time, nothing beyond its limit.
//!
//! Invariant: the host's name is looked up once, every address must be a public one unless the settings name the host, and no
//! connection goes anywhere else; a redirect is followed only to the same scheme, host and port.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    time::Duration,
};

use reqwest::{Response, StatusCode, Url, header, redirect};
use tokio::time::{Instant, sleep_until};
use vouch_domain::{Fault, PortError};

use super::{PORT, kept::Validators};

const REDIRECTS_MAX: usize = 3;

/// How a host is asked.
#[derive(Debug, Clone)]
pub(super) struct Manners {
    /// Whether it may have a private address, or no https.
    pub(super) is_named: bool,
    /// How long a page may take.
    pub(super) timeout: Duration,
    /// The wait between two pages.
    pub(super) delay: Duration,
}

/// What came back.
#[derive(Debug)]
pub(super) enum Fetched {
    /// The page.
    Page {
        /// Its bytes.
        bytes: Vec<u8>,
        /// Its media type, in small letters and without parameters.
        media: String,
        /// To ask again with.
        validators: Validators,
    },
    /// The copy is still the same.
    Unchanged,
    /// There is no such page.
    Missing,
    /// It cannot be had now, for this reason.
    Refused(String),
}

/// A host.
pub(super) struct Host {
    http: reqwest::Client,
    origin: Url,
    manners: Manners,
    free_at: Instant,
}

impl Host {
    /// Looks the host up.
    pub(super) async fn look_up(origin: &Url, manners: Manners) -> Result<Self, PortError> {
        let invalid = |sentence: String| PortError::new(PORT, Fault::Invalid, sentence);
        let Some(name) = origin.host_str() else { return Err(invalid(format!("{origin} names no host"))) };
        if origin.scheme() != "https" && !manners.is_named {
            return Err(invalid(format!("{name} does not use https; list it under `hosts` to allow that")));
        }
        let port = origin.port_or_known_default().unwrap_or(443);
        let bare = name.trim_start_matches('[').trim_end_matches(']');
        let absent = |error| PortError::new(PORT, Fault::Unavailable, format!("{name} cannot be found ({error})"));
        let found: Vec<SocketAddr> = tokio::net::lookup_host((bare, port)).await.map_err(absent)?.collect();
        if !manners.is_named && found.iter().any(|address| !is_public(address.ip())) {
            let sentence = format!("{name} has a private address; list it under `hosts` to allow that");
            return Err(invalid(sentence));
        }
        // The first to install a provider chooses the cryptography for the whole process, and any will do.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = reqwest::Client::builder()
            .user_agent(concat!("vouch/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(manners.timeout)
            .timeout(manners.timeout)
            .redirect(redirect::Policy::none())
            .resolve_to_addrs(bare, &found)
            .no_proxy();
        if origin.scheme() == "http" {
            // Without this the system's certificates are read at start, and a system without any is an error.
            builder = builder.tls_certs_only([]);
        }
        let broken = |error| PortError::new(PORT, Fault::Internal, format!("{name} cannot be asked ({error})"));
        let http = builder.build().map_err(broken)?;
        Ok(Self { http, origin: origin.clone(), manners, free_at: Instant::now() })
    }

    /// Waits at least so long between two pages from now on.
    pub(super) fn slow_down(&mut self, delay: Duration) {
        self.manners.delay = self.manners.delay.max(delay);
    }

    pub(super) fn is_own(&self, url: &Url) -> bool {
        url.origin() == self.origin.origin() && url.username().is_empty() && url.password().is_none()
    }

    /// What the host says to one request, wherever that leads; an error is a sentence.
    pub(super) async fn ask(&self, url: &Url, headers: header::HeaderMap) -> Result<Response, String> {
        self.http.get(url.clone()).headers(headers).send().await.map_err(|error| reason(&error))
    }

    /// A page, or what became of it; an error where the host cannot be reached at all.
    pub(super) async fn fetch(&mut self, url: &Url, known: &Validators, bytes_max: u64) -> Fetched {
        let mut url = url.clone();
        for _ in 0..=REDIRECTS_MAX {
            sleep_until(self.free_at).await;
            self.free_at = Instant::now() + self.manners.delay;
            let mut request =
                self.http.get(url.clone()).header(header::ACCEPT, "text/html, text/plain, text/markdown, */*;q=0.1");
            for (name, value) in
                [(header::IF_NONE_MATCH, &known.etag), (header::IF_MODIFIED_SINCE, &known.last_modified)]
            {
                if let Some(value) = value {
                    request = request.header(name, value);
                }
            }
            let response = match request.send().await {
                Ok(response) => response,
                Err(error) => return Fetched::Refused(reason(&error)),
            };
            let status = response.status();
            if status == StatusCode::NOT_MODIFIED {
                return Fetched::Unchanged;
            }
            if !status.is_redirection() {
                return read(response, bytes_max).await;
            }
            let next = text_of(&response, header::LOCATION).and_then(|place| url.join(&place).ok());
            match next {
                Some(next) if self.is_own(&next) => url = next,
                Some(next) => {
                    let host = next.host_str().unwrap_or_default();
                    return Fetched::Refused(format!("it redirects to another host ({host}), which is not followed"));
                }
                None => return Fetched::Refused("it redirects without a valid address".to_owned()),
            }
        }
        Fetched::Refused(format!("it redirects more than {REDIRECTS_MAX} times"))
    }
}

async fn read(mut response: Response, bytes_max: u64) -> Fetched {
    let status = response.status();
    match status {
        StatusCode::NOT_FOUND | StatusCode::GONE => return Fetched::Missing,
        _ if !status.is_success() => return Fetched::Refused(format!("the server answered {}", status.as_u16())),
        _ => {}
    }
    let media = text_of(&response, header::CONTENT_TYPE).unwrap_or_default();
    let media = media.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let validators =
        Validators { etag: text_of(&response, header::ETAG), last_modified: text_of(&response, header::LAST_MODIFIED) };
    match body(&mut response, bytes_max).await {
        Ok(bytes) => Fetched::Page { bytes, media, validators },
        Err(sentence) => Fetched::Refused(sentence),
    }
}

/// What a response brings, as far as it has no more than so many bytes; an error is a sentence.
pub(super) async fn body(response: &mut Response, bytes_max: u64) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| reason(&error))? {
        if (bytes.len() as u64).saturating_add(chunk.len() as u64) > bytes_max {
            return Err(format!("it has more than {bytes_max} bytes"));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

pub(super) fn text_of(response: &Response, name: header::HeaderName) -> Option<String> {
    response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
}

fn reason(error: &reqwest::Error) -> String {
    match error.is_timeout() {
        true => "the server took too long".to_owned(),
        false if error.is_connect() => "no connection could be made".to_owned(),
        false => "the connection broke".to_owned(),
    }
}

/// Whether an address is one of the open net.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [first, second, ..] = address.octets();
    let is_shared = first == 100 && (64..128).contains(&second);
    let is_for_tests = first == 198 && matches!(second, 18 | 19);
    !(address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_broadcast()
        || address.is_documentation()
        || address.is_multicast()
        || is_shared
        || is_for_tests
        || first == 0
        || first >= 240
        || address.octets().starts_with(&[192, 0, 0]))
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    // Only this part of the net is given out; what carries another net's addresses in it counts as that.
    let inner = match segments {
        [0x2002, high, low, ..] => Some((high, low)),
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some((high, low)),
        _ => None,
    };
    if let Some((high, low)) = inner {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        return is_public_v4(Ipv4Addr::new(a, b, c, d));
    }
    let is_for_tests = matches!(segments, [0x2001, 0xdb8 | 0, ..]);
    segments.first().is_some_and(|first| first & 0xe000 == 0x2000) && !is_for_tests
}

#[cfg(test)]
mod tests {
    use super::is_public;

    #[test]
    fn private_addresses_are_told_from_public_ones() {
        for public in ["93.184.216.34", "1.1.1.1", "2606:4700::1111", "2002:0101:0101::1"] {
            assert!(is_public(public.parse().expect("an address")), "{public}");
        }
        for private in [
            "127.0.0.1",
            "10.0.0.1",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "255.255.255.255",
            "224.0.0.1",
            "192.0.0.8",
            "198.18.0.1",
            "240.0.0.1",
            "::1",
            "::",
            "fe80::1",
            "fc00::1",
            "fd00::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:8.8.8.8",
            "2001:db8::1",
            "2002:7f00:0001::1",
            "64:ff9b::7f00:1",
        ] {
            assert!(!is_public(private.parse().expect("an address")), "{private}");
        }
    }
}
