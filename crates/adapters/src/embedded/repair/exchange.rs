//! Repaired files beside damaged ones → repaired files in their places, and the damaged ones in a folder of their own.
//!
//! Invariant: the folder is marked before the first file moves and until the last one has. While the mark is there every
//! repaired file is whole, so a run after a kill puts the rest of them in their places and starts nothing over.

use std::{
    fs::File,
    path::{Path, PathBuf},
};

use vouch_domain::{Fault, PortError};

use super::{COMMAND, FILES, RepairReport};
use crate::embedded::{
    files::{cannot_use, replace_file, sync_folder},
    unfinished,
    watermark::Watermark,
};

/// What the name of a folder for damaged files begins with; a number follows.
const ASIDE: &str = "damaged-";
/// What could not be kept, a line each, beside the damaged files: whoever finishes an exchange names it too.
const LOST_FILE: &str = "lost.txt";

/// Where the repaired form of a file is made.
pub(super) fn repaired(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("repaired-{name}"))
}

/// Removes what a repair that was killed before its exchange has left.
pub(super) fn clear(new: &Path) -> Result<(), PortError> {
    for leftover in [Watermark::path(new), with_suffix(new, "-wal"), with_suffix(new, "-shm"), new.to_owned()] {
        match std::fs::remove_file(&leftover) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(cannot_use(&leftover, error)),
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}

/// Fails if a closed file is not all there is of its database, or is not on the disk.
pub(super) fn settle(new: &Path) -> Result<(), PortError> {
    let log = with_suffix(new, "-wal");
    if std::fs::metadata(&log).is_ok_and(|log| log.len() > 0) {
        let sentence = "a part of the repaired data is still in its log; run the repair again";
        return Err(PortError::new("store", Fault::Internal, sentence));
    }
    for path in [new.to_owned(), Watermark::path(new)] {
        File::open(&path).and_then(|file| file.sync_all()).map_err(|error| cannot_use(&path, error))?;
    }
    Ok(())
}

/// Puts the repaired forms of these files in their places.
pub(super) fn exchange(folder: &Path, names: &[&str], report: &mut RepairReport) -> Result<(), PortError> {
    let failed = |error| cannot_use(folder, error);
    let aside = new_aside(folder)?;
    replace_file(&aside.join(LOST_FILE), report.lost.join("\n").as_bytes()).map_err(failed)?;
    unfinished::begin(folder, COMMAND)?;
    for name in names {
        put_in_place(folder, name, &aside)?;
    }
    unfinished::end(folder)?;
    report.moved_to = Some(aside);
    Ok(())
}

/// Goes on with an exchange that was broken off.
pub(super) fn finish(folder: &Path, report: &mut RepairReport) -> Result<(), PortError> {
    let aside = match last_number(folder)? {
        0 => new_aside(folder)?,
        number => folder.join(format!("{ASIDE}{number}")),
    };
    for (name, _) in FILES {
        put_in_place(folder, name, &aside)?;
    }
    report.damaged.push("an earlier repair was interrupted; finishing it now".to_owned());
    let lost = std::fs::read_to_string(aside.join(LOST_FILE)).unwrap_or_default();
    report.lost.extend(lost.lines().map(str::to_owned));
    report.moved_to = Some(aside);
    unfinished::end(folder)
}

/// Moves a damaged file aside where it still lies in its place, and the repaired one there.
fn put_in_place(folder: &Path, name: &str, aside: &Path) -> Result<(), PortError> {
    let (old, new) = (folder.join(name), repaired(folder, name));
    let moved = |from: &Path, to: &Path| std::fs::rename(from, to).map_err(|error| cannot_use(from, error));
    if new.exists() {
        // A log that stayed would be played into the repaired file.
        for suffix in ["", "-wal", "-shm"] {
            let from = with_suffix(&old, suffix);
            if from.exists() {
                moved(&from, &aside.join(from.file_name().unwrap_or_default()))?;
            }
        }
        sync_folder(aside).and_then(|()| sync_folder(folder)).map_err(|error| cannot_use(folder, error))?;
        moved(&new, &old)?;
    }
    if Watermark::path(&new).exists() {
        moved(&Watermark::path(&new), &Watermark::path(&old))?;
    }
    Ok(())
}

/// A folder for damaged files, numbered one higher than any there is.
fn new_aside(folder: &Path) -> Result<PathBuf, PortError> {
    let path = folder.join(format!("{ASIDE}{}", last_number(folder)? + 1));
    std::fs::create_dir(&path).map_err(|error| cannot_use(folder, error))?;
    Ok(path)
}

/// The highest number of a folder for damaged files; 0 where there is none.
fn last_number(folder: &Path) -> Result<u32, PortError> {
    let mut last = 0;
    for entry in std::fs::read_dir(folder).map_err(|error| cannot_use(folder, error))? {
        let name = entry.map_err(|error| cannot_use(folder, error))?.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix(ASIDE)?.parse().ok());
        last = last.max(number.unwrap_or(0));
    }
    Ok(last)
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}
