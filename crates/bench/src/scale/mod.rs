//! `vouch-bench scale`: what 10, 100 and 1,000 million passages ask of machines, by a simulation of queues with measured costs.

mod args;
mod figures;
mod layout;
mod measure;
mod page;
mod service_time;
mod simulation;
mod unit_costs;

use std::process::ExitCode;

use vouch_app::{
    console::{print, print_json},
    exit::Usage,
};

pub(crate) use args::ScaleArgs;
use figures::{LoadOfQuestions, Row};
use unit_costs::UnitCosts;

pub(crate) async fn run(args: &ScaleArgs, as_json: bool) -> anyhow::Result<ExitCode> {
    let per_second = args.questions_per_second;
    if !per_second.is_finite() || per_second <= 0.0 {
        return Err(Usage(format!("--questions-per-second is {per_second}, it must be more than 0")).into());
    }
    let mut costs = args.measured.as_deref().map_or_else(|| Ok(UnitCosts::default()), UnitCosts::read)?;
    if args.measure {
        costs = measure::measured(costs, args.database.as_deref()).await?;
    }
    if let Some(path) = &args.write {
        costs.write(path)?;
    }
    let load = LoadOfQuestions { per_second, counted: usize::try_from(args.questions)? };
    let sizes = args.millions.iter().map(|millions| f64::from(*millions) * 1e6);
    let rows: Vec<Row> = sizes.flat_map(|passages| figures::rows(&costs, passages, load)).collect();
    if as_json {
        print_json(&rows)?;
    } else {
        print(&page::page(&rows, &costs, per_second))?;
    }
    Ok(ExitCode::SUCCESS)
}
