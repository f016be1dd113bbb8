//! The words of `vouch-bench scale`.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Clone, Args)]
pub(crate) struct ScaleArgs {
    /// Costs in JSON, as --write makes them; what the file leaves out is as in docs/measurements.md [default: all as there]
    #[arg(long, value_name = "FILE")]
    pub(super) measured: Option<PathBuf>,
    /// Measure on this machine what takes less than a few minutes: embedding, judging, scanning
    #[arg(long)]
    pub(super) measure: bool,
    /// With --measure: also how long a round trip to this PostgreSQL takes
    #[arg(long, value_name = "ADDRESS", requires = "measure")]
    pub(super) database: Option<String>,
    /// Write the costs in use here
    #[arg(long, value_name = "FILE")]
    pub(super) write: Option<PathBuf>,
    /// Millions of passages
    #[arg(long, value_delimiter = ',', default_value = "10,100,1000", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(super) millions: Vec<u32>,
    /// Questions per second over all servers together
    #[arg(long, default_value_t = 5.0)]
    pub(super) questions_per_second: f64,
    /// Questions that are simulated for each row
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(100..=10_000_000))]
    pub(super) questions: u32,
}
