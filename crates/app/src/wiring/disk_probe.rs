//! Whether the disk of a data folder can still be written, found out by writing to it.

use std::{
    fs::File,
    io::{self, Write},
    path::PathBuf,
};

use vouch_domain::{Fault, PortError};

/// As much as an answer's entry in the trail may take, and a little more.
const BYTES: usize = 64 << 10;
const FILE: &str = "disk-probe";

/// A probe of the disk that this folder is on.
pub(super) fn disk_probe(folder: PathBuf) -> impl Fn() -> Result<(), PortError> + Send + Sync {
    let path = folder.join(FILE);
    move || {
        let written = File::create(&path).and_then(|file| fill(&file));
        // It is taken away also where only half of it could be written.
        let removed = std::fs::remove_file(&path);
        written.and(removed).map_err(|error| {
            PortError::new("store", Fault::Full, "the disk of the data folder cannot be written").with_source(error)
        })
    }
}

fn fill(mut file: &File) -> io::Result<()> {
    file.write_all(&vec![0; BYTES])?;
    file.sync_all()
}
