//! The words of `vouch metrics`.

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct MetricsArgs {
    /// Write everything down; there is nothing else to do yet
    #[arg(long)]
    pub(crate) dump: bool,
    /// Which server to ask; the one at `serve.listen` of the settings where none is named
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
}
