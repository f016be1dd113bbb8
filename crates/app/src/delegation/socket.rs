//! The socket beside the data, by a path that is short enough for one.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
};

const NAME: &str = "socket";
/// A longer path is not taken by every system.
const PATH_BYTES_MAX: usize = 100;

/// A path to a folder's socket; it leads there for as long as this is kept.
pub(super) struct SocketPath {
    path: PathBuf,
    _folder: Option<File>,
}

impl SocketPath {
    pub(super) fn of(folder: &Path) -> io::Result<Self> {
        let path = folder.join(NAME);
        if path.as_os_str().len() <= PATH_BYTES_MAX {
            return Ok(Self { path, _folder: None });
        }
        // A deep folder is reached by its descriptor, where the system shows those as files.
        use std::os::fd::AsRawFd;
        let folder = File::open(folder)?;
        let path = PathBuf::from(format!("/proc/self/fd/{}/{NAME}", folder.as_raw_fd()));
        Ok(Self { path, _folder: Some(folder) })
    }

    pub(super) fn as_path(&self) -> &Path {
        &self.path
    }
}
