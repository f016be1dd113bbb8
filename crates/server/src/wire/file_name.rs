//! Sources for whoever does not sit at this machine: files by their names, without the folders they lie in.

use std::path::Path;

use super::Reply;

impl Reply {
    /// The same without paths of the machine it was made on.
    #[must_use]
    pub(crate) fn without_paths(mut self) -> Self {
        for source in &mut self.sources {
            let path = Path::new(&source.file);
            if path.is_absolute() {
                source.file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            }
        }
        self
    }
}
