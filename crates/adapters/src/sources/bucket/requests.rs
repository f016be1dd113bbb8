//! The two requests that a bucket is read with, signed where there is a key, and what their answers mean.

use reqwest::{Response, StatusCode, Url, header};
use vouch_domain::{Fault, PortError, ports::Clock};

use super::{
    super::{
        PORT,
        host::{self, Host, Manners},
    },
    address::BucketAddress,
    listing::{self, Part},
    settings::BucketSettings,
};
use crate::system_clock::SystemClock;

/// A part of a listing has at most a thousand keys of a kilobyte, each escaped.
const LISTING_BYTES_MAX: u64 = 8 << 20;
const ERROR_BYTES_MAX: u64 = 64 * 1024;

/// What became of an object.
pub(super) enum Got {
    /// It is here.
    Bytes(Vec<u8>),
    /// It is gone.
    Missing,
    /// It cannot be had, for this reason.
    Refused(String),
}

/// A bucket that can be asked.
pub(super) struct Requests<'a> {
    settings: &'a BucketSettings,
    address: BucketAddress,
    host: Host,
    clock: SystemClock,
}

/// What a server said instead of what it was asked for.
struct Refusal {
    status: StatusCode,
    code: String,
    place: Option<String>,
}

impl<'a> Requests<'a> {
    /// Looks the host up.
    pub(super) async fn prepare(settings: &'a BucketSettings) -> Result<Self, PortError> {
        let address = BucketAddress::new(&settings.endpoint, &settings.bucket, settings.addressing)
            .map_err(|fault| PortError::new(PORT, Fault::Invalid, fault.to_owned()))?;
        // A bucket's own name in front makes another host of the one that is named.
        let endpoint = Url::parse(&settings.endpoint).ok();
        let names = [Some(address.base()), endpoint.as_ref()].map(|url| url.and_then(Url::host_str));
        let is_named = names.into_iter().flatten().any(|name| settings.hosts.iter().any(|own| own == name));
        let manners = Manners { is_named, timeout: settings.timeout, delay: std::time::Duration::ZERO };
        let host = Host::look_up(address.base(), manners).await?;
        Ok(Self { settings, address, host, clock: SystemClock::start() })
    }

    /// The address of an object; none if its key has none.
    pub(super) fn object(&self, key: &str) -> Option<Url> {
        self.address.object(key)
    }

    /// A part of the listing.
    pub(super) async fn list(&self, token: Option<&str>) -> Result<Part, PortError> {
        let url = self.address.listing(&self.settings.prefix, token);
        let broken = |reason: String| self.fault(Fault::Unavailable, &format!("cannot be listed: {reason}"));
        let mut response = self.ask(&url).await?.map_err(broken)?;
        if !response.status().is_success() {
            return Err(self.meaning(&refusal(response).await));
        }
        let bytes = host::body(&mut response, LISTING_BYTES_MAX).await.map_err(broken)?;
        let text = String::from_utf8(bytes).map_err(|_| broken("the listing is not text".to_owned()))?;
        listing::parse(&text).map_err(|fault| broken(format!("the listing cannot be used: {fault}")))
    }

    /// An object; an error is one of the whole bucket.
    pub(super) async fn get(&self, url: &Url, bytes_max: u64) -> Result<Got, PortError> {
        let mut response = match self.ask(url).await? {
            Ok(response) => response,
            Err(reason) => return Ok(Got::Refused(reason)),
        };
        if response.status().is_success() {
            let bytes = host::body(&mut response, bytes_max).await;
            return Ok(bytes.map_or_else(Got::Refused, Got::Bytes));
        }
        let refusal = refusal(response).await;
        match (refusal.code.as_str(), refusal.status) {
            ("NoSuchKey", _) => Ok(Got::Missing),
            ("NoSuchBucket" | "InvalidAccessKeyId" | "SignatureDoesNotMatch", _) => Err(self.meaning(&refusal)),
            ("AccessDenied", _) | ("", StatusCode::FORBIDDEN) => {
                let who = if self.settings.key.is_some() { "the key may not read it" } else { "it is not public" };
                Ok(Got::Refused(format!("{who} ({})", refusal.shown())))
            }
            _ => Ok(Got::Refused(format!("the server answered {}", refusal.shown()))),
        }
    }

    async fn ask(&self, url: &Url) -> Result<Result<Response, String>, PortError> {
        let headers = match &self.settings.key {
            Some(key) => key.sign(url, &self.settings.region, self.clock.now_ms()).ok_or_else(|| {
                self.fault(Fault::Invalid, "the access key contains characters that are not allowed in one")
            })?,
            None => header::HeaderMap::new(),
        };
        Ok(self.host.ask(url, headers).await)
    }

    /// What a refusal means for the whole bucket.
    fn meaning(&self, refusal: &Refusal) -> PortError {
        let shown = refusal.shown();
        let invalid = |sentence: String| self.fault(Fault::Invalid, &sentence);
        match (refusal.code.as_str(), refusal.status) {
            ("NoSuchBucket", _) => invalid(format!("there is no such bucket ({shown})")),
            ("InvalidAccessKeyId", _) => invalid(format!("the server does not know the access key ({shown})")),
            ("SignatureDoesNotMatch", _) => {
                invalid(format!("the secret does not match the access key, or the region is wrong ({shown})"))
            }
            ("RequestTimeTooSkewed", _) => self
                .fault(Fault::Unavailable, &format!("the clock of this machine differs from the server's ({shown})")),
            (_, status) if status.is_redirection() => {
                let place = refusal.place.as_deref().unwrap_or("elsewhere");
                invalid(format!(
                    "the server redirects to {place}, which is not followed; set the bucket's own endpoint and region"
                ))
            }
            (_, StatusCode::FORBIDDEN | StatusCode::UNAUTHORIZED) => {
                invalid(format!("the key may not list it ({shown})"))
            }
            (_, StatusCode::NOT_FOUND) => invalid(format!("there is no such bucket ({shown})")),
            _ => self.fault(Fault::Unavailable, &format!("cannot be listed: the server answered {shown}")),
        }
    }

    fn fault(&self, fault: Fault, sentence: &str) -> PortError {
        let host = self.address.base().host_str().unwrap_or_default();
        PortError::new(PORT, fault, format!("bucket {} at {host}: {sentence}", self.settings.bucket))
    }
}

impl Refusal {
    fn shown(&self) -> String {
        match self.code.is_empty() {
            true => self.status.as_u16().to_string(),
            false => format!("{} {}", self.status.as_u16(), self.code),
        }
    }
}

async fn refusal(mut response: Response) -> Refusal {
    let place = host::text_of(&response, header::LOCATION);
    let place = place.and_then(|place| Url::parse(&place).ok()?.host_str().map(str::to_owned));
    let status = response.status();
    let bytes = host::body(&mut response, ERROR_BYTES_MAX).await.unwrap_or_default();
    let code = listing::error_code(&String::from_utf8_lossy(&bytes)).unwrap_or_default();
    Refusal { status, code, place }
}
