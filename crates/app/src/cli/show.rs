//! Arguments of `vouch show`.

use clap::Args;
use vouch_service::versions::VersionRange;

use super::ReaderArgs;

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// Its address in any spelling, such as `ADR-0012` or `adr 12`, its title, its file, or its id
    pub(crate) address: String,
    /// List its versions instead, newest first
    #[arg(long, conflicts_with_all = ["version", "changes"])]
    pub(crate) versions: bool,
    /// Show this version instead, by its number
    #[arg(long, value_name = "NUMBER", conflicts_with = "changes")]
    pub(crate) version: Option<u32>,
    /// Show what changed between two versions, such as `1..3`; the last change if none are named
    #[arg(long, value_name = "FROM..TO", num_args = 0..=1, default_missing_value = "..", value_parser = range)]
    pub(crate) changes: Option<VersionRange>,
    #[command(flatten)]
    pub(crate) reader: ReaderArgs,
}

/// `1..3`, `1..` or `..3`.
fn range(text: &str) -> Result<VersionRange, String> {
    let wrong = || format!("'{text}' is not a pair of versions; write it like 1..3");
    let (from, to) = text.split_once("..").ok_or_else(wrong)?;
    let number = |text: &str| if text.is_empty() { Ok(None) } else { text.parse().map(Some).map_err(|_| wrong()) };
    Ok(VersionRange { from: number(from)?, to: number(to)? })
}
