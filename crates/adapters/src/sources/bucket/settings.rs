//! A bucket, and how it is read.

use std::{path::PathBuf, time::Duration};

use super::{address::Addressing, signature::BucketKey};
use crate::files::Reading;

/// A bucket, and how it is read.
#[derive(Debug, Clone)]
pub struct BucketSettings {
    /// The source's name.
    pub name: String,
    /// The address of the server.
    pub endpoint: String,
    /// The bucket's name.
    pub bucket: String,
    /// What the keys of its objects begin with.
    pub prefix: String,
    /// The region that requests are signed for.
    pub region: String,
    /// Where the bucket's name stands in an address.
    pub addressing: Addressing,
    /// Who asks; nobody in particular if there is none.
    pub key: Option<BucketKey>,
    /// Hosts that may be asked although they have a private address or no https.
    pub hosts: Vec<String>,
    /// How long a request may take.
    pub timeout: Duration,
    /// The most objects that are listed.
    pub objects_max: usize,
    /// All copies together.
    pub bytes_max: u64,
    /// The folder that copies are kept in.
    pub folder: PathBuf,
    /// How files are read.
    pub reading: Reading,
}
