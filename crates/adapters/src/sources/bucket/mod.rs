//! A bucket of an S3-compatible server: the objects below a prefix whose endings are those of known formats.
//!
//! Invariant: only the endpoint's own host is asked. An object that cannot be had now keeps its document; one that is not listed any
//! more loses it. Where the listing cannot be read whole nothing is changed at all.

mod address;
mod listing;
mod requests;
mod settings;
mod signature;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use async_trait::async_trait;
use vouch_domain::{
    Fault, PortError, RawDocument, SourceFormat,
    ports::{DocumentSource, IsWanted, OpenSource, SourceFault},
};

use super::{
    PORT,
    kept::{Kept, Validators},
};
use address::BucketAddress;
use listing::Object;
use requests::{Got, Requests};

pub use address::Addressing;
pub use settings::BucketSettings;
pub use signature::BucketKey;

/// A listing has no more parts, however few objects each has.
const PARTS_MAX: usize = 10_000;
/// The list of copies is written after so many objects.
const SAVED_EVERY: usize = 50;

/// Why a bucket cannot be addressed like this, as the settings call it.
#[must_use]
pub fn bucket_fault(endpoint: &str, bucket: &str, addressing: Addressing) -> Option<&'static str> {
    BucketAddress::new(endpoint, bucket, addressing).err()
}

/// A bucket as a source of documents.
#[derive(Debug, Clone)]
pub struct BucketSource {
    settings: BucketSettings,
}

impl BucketSource {
    /// A bucket.
    #[must_use]
    pub fn new(settings: BucketSettings) -> Self {
        Self { settings }
    }

    /// Every object that is listed and has an ending that is read.
    async fn objects(&self, requests: &Requests<'_>, is_wanted: IsWanted<'_>) -> Result<Vec<Found>, PortError> {
        let (mut found, mut listed, mut next) = (BTreeMap::new(), 0, None::<String>);
        for _ in 0..PARTS_MAX {
            still(is_wanted)?;
            let part = requests.list(next.as_deref()).await?;
            listed += part.objects.len();
            if listed > self.settings.objects_max {
                let limit = self.settings.objects_max;
                let sentence = format!("it lists more than {limit} objects (objects_max); choose some with prefix");
                return Err(self.invalid(&sentence));
            }
            for object in part.objects {
                if let Some(format) = self.settings.reading.format_of(Path::new(&object.key)) {
                    found.insert(object.key.clone(), Found { object, format });
                }
            }
            match part.next {
                None => return Ok(found.into_values().collect()),
                again if again == next => return Err(self.invalid("its listing repeats itself")),
                further => next = further,
            }
        }
        Err(self.invalid(&format!("its listing has more than {PARTS_MAX} parts")))
    }

    /// Brings every object here that has changed; what became of each.
    async fn bring(
        &self,
        requests: &Requests<'_>,
        objects: Vec<Found>,
        kept: &mut Kept,
        is_wanted: IsWanted<'_>,
    ) -> Result<Vec<Brought>, PortError> {
        let limit = self.settings.bytes_max;
        let too_large = format!("its objects have more than {limit} bytes together (bytes_max)");
        let wanted = objects.iter().map(|found| found.object.bytes).filter(|bytes| *bytes <= self.object_bytes_max());
        if wanted.fold(0, u64::saturating_add) > limit {
            return Err(self.invalid(&too_large));
        }
        kept.keep_only(
            &objects.iter().filter_map(|found| requests.object(&found.object.key)).map(String::from).collect(),
        );
        let mut brought = Vec::new();
        for (number, Found { object, format }) in (1..).zip(objects) {
            still(is_wanted)?;
            let Some(url) = requests.object(&object.key) else {
                let sentence = "its key has no address: it is too long or has a '.' or '..' between slashes".to_owned();
                brought.push(Brought { key: object.key, url: None, format, outcome: Err(sentence) });
                continue;
            };
            let outcome = match is_same(kept, url.as_str(), &object) {
                true => Ok(()),
                false if object.bytes > self.object_bytes_max() => {
                    Err(format!("it has more than {} bytes", self.object_bytes_max()))
                }
                false => match requests.get(&url, self.object_bytes_max()).await? {
                    Got::Bytes(bytes) => {
                        let put = kept.put(url.as_str(), String::new(), &bytes, object.validators);
                        put.map_err(|error| self.cannot(&error))?;
                        Ok(())
                    }
                    Got::Missing => continue,
                    Got::Refused(sentence) => Err(sentence),
                },
            };
            brought.push(Brought { key: object.key, url: Some(url.into()), format, outcome });
            if kept.bytes() > limit {
                return Err(self.invalid(&too_large));
            }
            if number % SAVED_EVERY == 0 {
                kept.save().map_err(|error| self.cannot(&error))?;
            }
        }
        Ok(brought)
    }

    fn object_bytes_max(&self) -> u64 {
        self.settings.reading.bytes_max
    }

    fn invalid(&self, sentence: &str) -> PortError {
        PortError::new(PORT, Fault::Invalid, format!("bucket {}: {sentence}", self.settings.bucket))
    }

    fn cannot(&self, error: &std::io::Error) -> PortError {
        let sentence = format!("{} cannot be used ({error})", self.settings.folder.display());
        PortError::new(PORT, Fault::Unavailable, sentence)
    }
}

#[async_trait]
impl DocumentSource for BucketSource {
    async fn open(&self, is_wanted: IsWanted<'_>) -> Result<OpenSource, PortError> {
        let requests = Requests::prepare(&self.settings).await?;
        let objects = self.objects(&requests, is_wanted).await?;
        let mut kept = Kept::open(&self.settings.folder).map_err(|error| self.cannot(&error))?;
        let brought = self.bring(&requests, objects, &mut kept, is_wanted).await;
        // What was brought before it was cut off need not be brought again.
        kept.save().map_err(|error| self.cannot(&error))?;
        let brought = brought?;
        kept.sweep();
        Ok(self.opened(brought, &kept))
    }
}

/// An object of the listing that is read.
struct Found {
    object: Object,
    format: SourceFormat,
}

/// An object, and whether there is a copy of it here.
struct Brought {
    key: String,
    url: Option<String>,
    format: SourceFormat,
    outcome: Result<(), String>,
}

impl BucketSource {
    fn opened(&self, brought: Vec<Brought>, kept: &Kept) -> OpenSource {
        let root = format!("bucket:{}", self.settings.name);
        let there: BTreeSet<String> = brought.iter().map(|one| format!("{root}/{}", one.key)).collect();
        let (total, labels) = (Some(brought.len() as u64), self.settings.reading.labels.clone());
        let (prefix, name) = (root.clone(), self.settings.name.clone());
        let files: Vec<(Brought, PathBuf)> = brought
            .into_iter()
            .map(|one| {
                let file = one.url.as_deref().map(|url| kept.file(url)).unwrap_or_default();
                (one, file)
            })
            .collect();
        let read = move |(Brought { key, url, format, outcome }, file): (Brought, PathBuf)| {
            let source = format!("{prefix}/{key}");
            let bytes = outcome
                .and_then(|()| std::fs::read(&file).map_err(|error| format!("its copy cannot be read: {error}")));
            match bytes {
                Ok(bytes) => {
                    let fallback_id = format!("{name}/{key}");
                    Ok(RawDocument { source, fallback_id, url, format, bytes, labels: labels.clone() })
                }
                Err(sentence) => Err(SourceFault { source, shown: key, sentence }),
            }
        };
        OpenSource {
            roots: vec![root],
            total,
            documents: Box::new(files.into_iter().map(read)),
            exists: Box::new(move |source| there.contains(source)),
        }
    }
}

/// Whether the copy is of what is listed, as far as the server says anything that can tell.
fn is_same(kept: &Kept, url: &str, object: &Object) -> bool {
    let validators = kept.validators(url);
    validators != Validators::default() && validators == object.validators && kept.bytes_of(url) == Some(object.bytes)
}

fn still(is_wanted: IsWanted<'_>) -> Result<(), PortError> {
    match is_wanted() {
        true => Ok(()),
        false => Err(PortError::new(PORT, Fault::Unavailable, "it was abandoned because nobody waits for it any more")),
    }
}
