//! Files and folders of this machine.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
};

use async_trait::async_trait;
use vouch_domain::{
    Fault, PortError,
    ports::{DocumentSource, IsWanted, OpenSource, SourceFault},
};

use super::PORT;
use crate::{
    embedded::blocking::blocking,
    files::{self, FileError, Reading},
};

/// Files and folders that are read where they lie.
#[derive(Debug, Clone)]
pub struct FolderSource {
    paths: Vec<PathBuf>,
    reading: Reading,
}

impl FolderSource {
    /// These paths, read like this.
    #[must_use]
    pub fn new(paths: Vec<PathBuf>, reading: Reading) -> Self {
        Self { paths, reading }
    }
}

#[async_trait]
impl DocumentSource for FolderSource {
    async fn open(&self, _: IsWanted<'_>) -> Result<OpenSource, PortError> {
        let Self { paths, reading } = self.clone();
        blocking(PORT, move || {
            // A path that is not there is a disk that is not mounted far more often than a wish to forget everything below it.
            if let Some(gone) = paths.iter().find(|path| !path.exists()) {
                // Whoever sees the job need not know where on this machine it lies.
                let name = gone.file_name().unwrap_or(gone.as_os_str()).to_string_lossy().into_owned();
                let sentence = format!("{name} does not exist or cannot be read");
                return Err(PortError::new(PORT, Fault::Unavailable, sentence));
            }
            Ok(OpenSource {
                roots: paths.iter().map(|path| files::source_name(path)).collect(),
                total: Some(files::signature(&paths, &reading).len() as u64),
                documents: Box::new(files::read_all(&paths, &reading).map(|read| read.map_err(source_fault))),
                exists: Box::new(|source| Path::new(source).exists()),
            })
        })
        .await
    }

    async fn signature(&self) -> Option<u64> {
        let Self { paths, reading } = self.clone();
        let look = move || {
            let mut hasher = DefaultHasher::new();
            files::signature(&paths, &reading).hash(&mut hasher);
            Ok(hasher.finish())
        };
        blocking(PORT, look).await.ok()
    }
}

fn source_fault(fault: FileError) -> SourceFault {
    SourceFault { source: fault.source, shown: fault.path, sentence: fault.sentence }
}
