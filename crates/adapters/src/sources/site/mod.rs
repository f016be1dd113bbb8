//! A web site: the pages that its sitemap lists, as far as its robots.txt allows.
//!
//! Invariant: only the sitemap's own host is asked. A page that cannot be had now keeps its document; one that the server says
//! is gone, or that is not listed any more, loses it. Where the sitemap cannot be read whole nothing is changed at all.

mod robots;
mod sitemap;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    time::Duration,
};

use async_trait::async_trait;
use reqwest::Url;
use vouch_domain::{
    Fault, PortError, RawDocument, SourceFormat,
    document::Labels,
    ports::{DocumentSource, IsWanted, OpenSource, SourceFault},
};

use super::{
    PORT,
    host::{Fetched, Host, Manners},
    kept::{Kept, Validators},
};
use robots::Robots;
use sitemap::Sitemap;

const ROBOTS_BYTES_MAX: u64 = 512 * 1024;
const SITEMAP_BYTES_MAX: u64 = 50 << 20;
const SITEMAPS_MAX: usize = 500;
/// The list of copies is written after so many pages.
const SAVED_EVERY: usize = 50;

/// A site, and how it is read.
#[derive(Debug, Clone)]
pub struct SiteSettings {
    /// The address of its sitemap.
    pub sitemap: String,
    /// Hosts that may be asked although they have a private address or no https.
    pub hosts: Vec<String>,
    /// The wait between two pages.
    pub delay: Duration,
    /// How long a page may take.
    pub timeout: Duration,
    /// The most pages.
    pub pages_max: usize,
    /// The largest page, and all of them together.
    pub page_bytes_max: u64,
    /// All copies together.
    pub bytes_max: u64,
    /// The folder that copies are kept in.
    pub folder: PathBuf,
    /// What is said of every document.
    pub labels: Labels,
}

/// A site as a source of documents.
#[derive(Debug, Clone)]
pub struct SiteSource {
    settings: SiteSettings,
}

/// The place that all stable names of a site's pages begin with, or why its sitemap's address cannot be used.
///
/// # Errors
/// Says what is wrong with the address.
pub fn site_root(sitemap: &str) -> Result<String, &'static str> {
    let url = Url::parse(sitemap)
        .map_err(|_| "must be the address of a sitemap, such as https://wiki.example/sitemap.xml")?;
    if !matches!(url.scheme(), "https" | "http") || url.host_str().is_none() {
        return Err("must be an address with https");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("must not have a password in it");
    }
    Ok(format!("site:{}", url.origin().ascii_serialization()))
}

impl SiteSource {
    /// A site.
    #[must_use]
    pub fn new(settings: SiteSettings) -> Self {
        Self { settings }
    }

    /// Every page that is listed and may be read, in order; what else is listed, with the reason.
    async fn pages(&self, host: &mut Host, start: &Url) -> Result<(BTreeSet<Url>, Vec<(String, String)>), PortError> {
        let robots = self.robots(host, start).await?;
        host.slow_down(robots.delay);
        let (mut pages, mut faults) = (BTreeSet::new(), Vec::new());
        let (mut open, mut count) = (vec![(start.clone(), true)], 1);
        while let Some((address, may_be_index)) = open.pop() {
            let listed = match self.sitemap(host, &address).await? {
                Sitemap::Pages(listed) => listed,
                Sitemap::Index(_) if !may_be_index => {
                    return Err(unusable(&address, "it is a list of sitemaps in a list of sitemaps"));
                }
                Sitemap::Index(listed) => {
                    count += listed.len();
                    if count > SITEMAPS_MAX {
                        return Err(unusable(&address, &format!("there are more than {SITEMAPS_MAX} sitemaps")));
                    }
                    for text in listed {
                        match Url::parse(&text).ok().filter(|url| host.is_own(url)) {
                            Some(url) => open.push((url, false)),
                            None => {
                                return Err(unusable(
                                    &address,
                                    &format!("it names the sitemap {text} of another host"),
                                ));
                            }
                        }
                    }
                    continue;
                }
            };
            for text in listed {
                match Url::parse(&text) {
                    Ok(mut url) if host.is_own(&url) => {
                        url.set_fragment(None);
                        let path = url.query().map_or(url.path().to_owned(), |query| format!("{}?{query}", url.path()));
                        if robots.allows(&path) {
                            pages.insert(url);
                        }
                    }
                    Ok(_) => faults.push((text, "another host; not read".to_owned())),
                    Err(_) => faults.push((text, "no address".to_owned())),
                }
                if pages.len() + faults.len() > self.settings.pages_max {
                    let limit = self.settings.pages_max;
                    return Err(unusable(&address, &format!("there are more than {limit} pages (pages_max)")));
                }
            }
        }
        Ok((pages, faults))
    }

    async fn robots(&self, host: &mut Host, start: &Url) -> Result<Robots, PortError> {
        let mut url = start.clone();
        url.set_path("/robots.txt");
        url.set_query(None);
        url.set_fragment(None);
        match host.fetch(&url, &Validators::default(), ROBOTS_BYTES_MAX).await {
            Fetched::Page { bytes, .. } => Ok(Robots::parse(&String::from_utf8_lossy(&bytes))),
            Fetched::Missing | Fetched::Unchanged => Ok(Robots::default()),
            // A site whose rules cannot be read is not read either.
            Fetched::Refused(reason) => Err(unavailable(&url, &reason)),
        }
    }

    async fn sitemap(&self, host: &mut Host, address: &Url) -> Result<Sitemap, PortError> {
        match host.fetch(address, &Validators::default(), SITEMAP_BYTES_MAX).await {
            Fetched::Page { bytes, .. } => {
                let text = String::from_utf8(bytes)
                    .map_err(|_| unusable(address, "it is not text; compressed sitemaps cannot be read"))?;
                sitemap::parse(&text, self.settings.pages_max).map_err(|fault| unusable(address, &fault))
            }
            Fetched::Missing | Fetched::Unchanged => Err(unavailable(address, "there is no such sitemap")),
            Fetched::Refused(reason) => Err(unavailable(address, &reason)),
        }
    }

    /// Brings every page here that has changed; which could not be had, and why.
    async fn bring(
        &self,
        host: &mut Host,
        pages: &BTreeSet<Url>,
        kept: &mut Kept,
        is_wanted: IsWanted<'_>,
    ) -> Result<BTreeMap<String, String>, PortError> {
        let cannot = |error: std::io::Error| {
            let sentence = format!("{} cannot be written ({error})", self.settings.folder.display());
            PortError::new(PORT, Fault::Unavailable, sentence)
        };
        let mut faults = BTreeMap::new();
        for (number, url) in (1..).zip(pages) {
            if !is_wanted() {
                return Err(PortError::new(
                    PORT,
                    Fault::Unavailable,
                    "it was abandoned because nobody waits for it any more",
                ));
            }
            match host.fetch(url, &kept.validators(url.as_str()), self.settings.page_bytes_max).await {
                Fetched::Unchanged => {}
                Fetched::Missing => kept.drop_page(url.as_str()),
                Fetched::Refused(reason) => drop(faults.insert(url.to_string(), reason)),
                Fetched::Page { media, .. } if format_of(&media).is_none() => {
                    faults.insert(url.to_string(), format!("its media type '{media}' is not supported"));
                }
                Fetched::Page { bytes, media, validators } => {
                    kept.put(url.as_str(), media, &bytes, validators).map_err(cannot)?;
                }
            }
            if kept.bytes() > self.settings.bytes_max {
                let sentence =
                    format!("the pages have more than {} bytes together (bytes_max)", self.settings.bytes_max);
                return Err(PortError::new(PORT, Fault::Invalid, sentence));
            }
            if number % SAVED_EVERY == 0 {
                kept.save().map_err(cannot)?;
            }
        }
        kept.save().map_err(cannot)?;
        Ok(faults)
    }
}

#[async_trait]
impl DocumentSource for SiteSource {
    async fn open(&self, is_wanted: IsWanted<'_>) -> Result<OpenSource, PortError> {
        let root = site_root(&self.settings.sitemap).map_err(|fault| PortError::new(PORT, Fault::Invalid, fault))?;
        let broken = |error| PortError::new(PORT, Fault::Invalid, format!("the sitemap has no address ({error})"));
        let start = Url::parse(&self.settings.sitemap).map_err(broken)?;
        let is_named = start.host_str().is_some_and(|host| self.settings.hosts.iter().any(|own| own == host));
        let manners = Manners { is_named, timeout: self.settings.timeout, delay: self.settings.delay };
        let mut host = Host::look_up(&start, manners).await?;
        let (pages, mut faults) = self.pages(&mut host, &start).await?;
        let cannot = |error| {
            let sentence = format!("{} cannot be read ({error})", self.settings.folder.display());
            PortError::new(PORT, Fault::Unavailable, sentence)
        };
        let mut kept = Kept::open(&self.settings.folder).map_err(cannot)?;
        let refused = self.bring(&mut host, &pages, &mut kept, is_wanted).await?;
        let mut listed = Vec::new();
        for url in pages.iter().map(Url::to_string) {
            match (refused.get(&url), kept.media(&url).and_then(format_of)) {
                (Some(reason), _) => faults.push((url, reason.clone())),
                (None, Some(format)) => listed.push(Page { file: kept.file(&url), url, format }),
                (None, None) => {}
            }
        }
        kept.keep_only(&pages.iter().map(Url::to_string).collect());
        kept.save().map_err(cannot)?;
        kept.sweep();
        Ok(self.opened(root, listed, faults))
    }
}

/// A page that is here.
struct Page {
    url: String,
    file: PathBuf,
    format: SourceFormat,
}

impl SiteSource {
    fn opened(&self, root: String, listed: Vec<Page>, faults: Vec<(String, String)>) -> OpenSource {
        let there: BTreeSet<String> =
            listed.iter().map(|page| &page.url).chain(faults.iter().map(|(url, _)| url)).map(|url| name(url)).collect();
        let total = Some((listed.len() + faults.len()) as u64);
        let labels = self.settings.labels.clone();
        let read = move |page: Page| {
            let fault = |error: std::io::Error| SourceFault {
                source: name(&page.url),
                shown: page.url.clone(),
                sentence: format!("its copy cannot be read: {error}"),
            };
            let bytes = std::fs::read(&page.file).map_err(fault)?;
            let fallback_id = page.url.split_once("://").map_or(page.url.as_str(), |(_, rest)| rest).to_owned();
            let (source, url, labels) = (name(&page.url), Some(page.url), labels.clone());
            Ok(RawDocument { source, fallback_id, url, format: page.format, bytes, labels })
        };
        let faults =
            faults.into_iter().map(|(url, sentence)| Err(SourceFault { source: name(&url), shown: url, sentence }));
        OpenSource {
            roots: vec![root],
            total,
            documents: Box::new(faults.chain(listed.into_iter().map(read))),
            exists: Box::new(move |source| there.contains(source)),
        }
    }
}

/// How pages of a media type are read; none if they are not.
fn format_of(media: &str) -> Option<SourceFormat> {
    match media {
        "text/html" | "application/xhtml+xml" => Some(SourceFormat::Html),
        "text/plain" => Some(SourceFormat::PlainText),
        "text/markdown" => Some(SourceFormat::Markdown),
        _ => None,
    }
}

/// The stable name of a page.
fn name(url: &str) -> String {
    format!("site:{url}")
}

fn unavailable(url: &Url, reason: &str) -> PortError {
    PortError::new(PORT, Fault::Unavailable, format!("{url}: {reason}"))
}

fn unusable(url: &Url, reason: &str) -> PortError {
    PortError::new(PORT, Fault::Invalid, format!("the sitemap {url} cannot be used: {reason}"))
}
