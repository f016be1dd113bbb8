//! Places that documents come from, one file each, behind the `DocumentSource` port.
//!
//! What comes from elsewhere is brought to a folder of its own first and read from there, so that what has not changed is not
//! fetched again and a fetch that was cut off leaves the last whole one.

mod bucket;
mod folder;
mod git;
mod host;
mod kept;
mod program;
mod site;

pub use bucket::{Addressing, BucketKey, BucketSettings, BucketSource, bucket_fault};
pub use folder::FolderSource;
pub use git::{GitSettings, GitSource, git_fault};
pub use site::{SiteSettings, SiteSource, site_root};

/// The port, in errors.
const PORT: &str = "source";
