//! Copies of what a server has, kept here, and what it said of each: pages of a site, objects of a bucket.
//!
//! Invariant: a copy is in the list only once its bytes are on disk, so that a fetch that was cut off costs fetching again and
//! nothing else. A list that cannot be read is begun anew.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{self, Read},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

const LIST: &str = "pages.json";
const LIST_BYTES_MAX: u64 = 64 << 20;

/// What the server said of a copy, to tell whether it is still the same.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Validators {
    pub(super) etag: Option<String>,
    pub(super) last_modified: Option<String>,
}

/// A copy that lies here.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeptPage {
    media: String,
    etag: Option<String>,
    last_modified: Option<String>,
    bytes: u64,
}

/// The copies of one source.
#[derive(Debug, Default)]
pub(super) struct Kept {
    folder: PathBuf,
    pages: BTreeMap<String, KeptPage>,
}

impl Kept {
    pub(super) fn open(folder: &Path) -> io::Result<Self> {
        std::fs::create_dir_all(folder)?;
        let mut text = String::new();
        let list =
            std::fs::File::open(folder.join(LIST)).and_then(|file| file.take(LIST_BYTES_MAX).read_to_string(&mut text));
        let pages = list.ok().and_then(|_| serde_json::from_str(&text).ok()).unwrap_or_default();
        Ok(Self { folder: folder.to_owned(), pages })
    }

    /// What to ask the server with, where there is a copy.
    pub(super) fn validators(&self, url: &str) -> Validators {
        let is_there = self.file(url).is_file();
        let page = self.pages.get(url).filter(|_| is_there);
        page.map(|page| Validators { etag: page.etag.clone(), last_modified: page.last_modified.clone() })
            .unwrap_or_default()
    }

    pub(super) fn put(&mut self, url: &str, media: String, bytes: &[u8], validators: Validators) -> io::Result<()> {
        let part = self.folder.join("part");
        std::fs::write(&part, bytes)?;
        std::fs::rename(&part, self.file(url))?;
        let Validators { etag, last_modified } = validators;
        self.pages.insert(url.to_owned(), KeptPage { media, etag, last_modified, bytes: bytes.len() as u64 });
        Ok(())
    }

    /// Forgets a page.
    pub(super) fn drop_page(&mut self, url: &str) {
        self.pages.remove(url);
    }

    /// Forgets every page but these.
    pub(super) fn keep_only(&mut self, urls: &BTreeSet<String>) {
        self.pages.retain(|url, _| urls.contains(url));
    }

    pub(super) fn save(&self) -> io::Result<()> {
        let text = serde_json::to_vec(&self.pages).map_err(io::Error::other)?;
        let part = self.folder.join("part");
        std::fs::write(&part, text)?;
        std::fs::rename(&part, self.folder.join(LIST))
    }

    /// Removes every copy that is not in the list.
    pub(super) fn sweep(&self) {
        let known: BTreeSet<PathBuf> = self.pages.keys().map(|url| self.file(url)).collect();
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten().map(|entry| entry.path());
        for path in entries.filter(|path| !path.ends_with(LIST) && !known.contains(path)) {
            if let Err(error) = std::fs::remove_file(&path) {
                tracing::warn!(%error, "the copy of a page could not be removed");
            }
        }
    }

    /// How many bytes the copies have.
    pub(super) fn bytes(&self) -> u64 {
        self.pages.values().map(|page| page.bytes).sum()
    }

    /// The media type of a copy; none if there is no copy.
    pub(super) fn media(&self, url: &str) -> Option<&str> {
        self.pages.get(url).map(|page| page.media.as_str())
    }

    /// How many bytes a copy has; none if there is no copy.
    pub(super) fn bytes_of(&self, url: &str) -> Option<u64> {
        self.pages.get(url).map(|page| page.bytes)
    }

    /// Where a copy lies.
    pub(super) fn file(&self, url: &str) -> PathBuf {
        self.folder.join(format!("{}.page", blake3::hash(url.as_bytes()).to_hex()))
    }
}
