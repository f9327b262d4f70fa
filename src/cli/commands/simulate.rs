//! `parade simulate`: what a suite would take on machines that one does not have, from times that anyone measured.

use std::collections::HashSet;
use std::path::PathBuf;
use std::process::ExitCode;

use parade::simulation::{self, Forecast, Scheduler, Workload};
use parade::suite::DependencyGraph;
use parade::wording::{counted, cut, plural};

use super::BadUsage;
use super::output::{one_line, pretty, print, table, warn};

/// Of a message that may hold names.
const LONGEST: usize = 600;

#[derive(Debug)]
pub struct SimulateOptions {
    /// A CSV file, a JUnit report, or a folder of them.
    pub source: PathBuf,
    pub dependencies: Option<PathBuf>,
    pub machines: Vec<usize>,
    pub algorithms: Vec<Scheduler>,
    pub json: bool,
}

pub fn run(options: &SimulateOptions) -> miette::Result<ExitCode> {
    if !options.source.exists() {
        return Err(BadUsage {
            message: format!("there is no {}", options.source.display()),
            help: "give a CSV file with the columns test and seconds, or a folder of JUnit reports".to_owned(),
        }
        .into());
    }
    let workload = load(options).map_err(|error| BadUsage {
        message: cut(&error.to_string(), LONGEST),
        help: error.help().map(|help| help.to_string()).unwrap_or_default(),
    })?;
    workload.notes.iter().for_each(|note| warn(&format!("Note: {note}")));
    let mut seen = HashSet::new();
    let machines: Vec<usize> = options.machines.iter().copied().filter(|count| seen.insert(*count)).collect();
    let forecasts = simulation::simulate(&workload, &options.algorithms, &machines);
    print(&if options.json { pretty(&forecasts)? } else { page(&workload, &forecasts) })?;
    Ok(ExitCode::SUCCESS)
}

fn load(options: &SimulateOptions) -> miette::Result<Workload> {
    let workload = Workload::load(&options.source)?;
    match &options.dependencies {
        Some(path) => {
            let precedence = DependencyGraph::load_precedence(path, &workload.tests)?;
            Ok(workload.with_dependencies(precedence))
        }
        None => Ok(workload),
    }
}

fn page(workload: &Workload, forecasts: &[Forecast]) -> String {
    let heading = format!(
        "{} in {}, {} s in sequence\n",
        plural(workload.tests.len(), "test"),
        counted(workload.classes(), "class", "classes"),
        seconds(workload.seconds())
    );
    let breaks = forecasts.iter().any(|forecast| forecast.broken_dependencies.is_some());
    let mut rows = vec![head(breaks)];
    rows.extend(forecasts.iter().map(|forecast| row(workload, forecast)));
    one_line(&heading) + "\n" + &table(rows) + &explained(forecasts)
}

/// What each algorithm does; `machines` is its N.
fn explained(forecasts: &[Forecast]) -> String {
    let mut schedulers: Vec<Scheduler> = forecasts.iter().map(|forecast| forecast.algorithm).collect();
    schedulers.sort();
    schedulers.dedup();
    let lines = schedulers.into_iter().map(|scheduler| format!("{scheduler}: {}\n", scheduler.explained()));
    format!(
        "\n{}Computed from the durations alone: without start-up, and as if tests did not slow each other down. `parade \
         assess` measures what a parallel mode gains.\n",
        lines.collect::<String>()
    )
}

fn head(breaks: bool) -> Vec<String> {
    let columns = ["algorithm", "machines", "seconds", "times faster", "lower bound", "tests run"];
    let more = breaks.then_some("dependencies broken");
    columns.into_iter().chain(more).map(str::to_owned).collect()
}

fn row(workload: &Workload, forecast: &Forecast) -> Vec<String> {
    let faster = workload.seconds() / forecast.makespan;
    let mut cells = vec![
        forecast.algorithm.to_string(),
        format!("{:>8}", forecast.machines),
        format!("{:>7}", seconds(forecast.makespan)),
        if faster.is_finite() { format!("{faster:>12.2}") } else { format!("{:>12}", "–") },
        format!("{:>11}", seconds(forecast.lower_bound)),
        format!("{:>9}", forecast.tests_run),
    ];
    cells.extend(forecast.broken_dependencies.map(|broken| format!("{broken:>19}")));
    cells
}

fn seconds(value: f64) -> String {
    format!("{value:.3}")
}
