//! A path → what this process finds there, so that it can be compared with what another one finds.
//!
//! Containers, and services with `PrivateTmp` or `ProtectHome`, have files of their own at paths that others use too.

use std::{os::unix::fs::MetadataExt, path::Path};

use super::{plain_paths::places, protocol::PathIdentity};

/// What a path leads to, links followed.
pub(super) fn path_identity(path: &Path) -> PathIdentity {
    if let Ok(there) = std::fs::metadata(path) {
        return PathIdentity::There { device: there.dev(), inode: there.ino() };
    }
    // What is not there yet is made in the folder of whatever the last link names.
    let folder = places(path).pop().and_then(|place| std::fs::metadata(place.parent()?).ok());
    folder.map_or(PathIdentity::Nowhere, |there| PathIdentity::Absent { device: there.dev(), inode: there.ino() })
}

#[cfg(test)]
mod tests {
    use super::{PathIdentity, path_identity};

    #[test]
    fn a_path_is_known_by_its_file_else_by_the_folder_it_could_be_made_in() {
        let (one, other) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        let (file, elsewhere) = (one.path().join("a.json"), other.path().join("a.json"));
        assert!(matches!(path_identity(&file), PathIdentity::Absent { .. }));
        assert_ne!(path_identity(&file), path_identity(&elsewhere));
        std::os::unix::fs::symlink(&elsewhere, one.path().join("link.json")).expect("our own link");
        assert_eq!(path_identity(&one.path().join("link.json")), path_identity(&elsewhere));
        std::fs::write(&file, "").expect("our own file");
        std::fs::write(&elsewhere, "").expect("our own file");
        assert!(matches!(path_identity(&file), PathIdentity::There { .. }));
        assert_ne!(path_identity(&file), path_identity(&elsewhere));
        assert_eq!(path_identity(&file), path_identity(&one.path().join("./a.json")));
        assert_eq!(path_identity(&one.path().join("nowhere/a.json")), PathIdentity::Nowhere);
    }
}
