//! Arguments of `vouch metrics`.

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct MetricsArgs {
    /// Print every metric (the only thing this command does so far)
    #[arg(long)]
    pub(crate) dump: bool,
    /// Server to ask [default: the one at `serve.listen` of the settings]
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
}
