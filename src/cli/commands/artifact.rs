//! `parade artifact`: a run as a folder for an artifact committee.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use parade::artifact::{self, Artifact, ArtifactRequest};
use parade::home::Home;
use parade::store::RunFolder;
use parade::wording::plural;
use serde_json::json;

use super::output::{one_line, pretty, print};

pub struct ArtifactOptions {
    pub run_dir: PathBuf,
    /// Without it, `<experiment>-artifact` in the current folder.
    pub out: Option<PathBuf>,
    pub experiment: Option<PathBuf>,
    pub anonymous: bool,
    pub json: bool,
}

pub fn run(options: &ArtifactOptions) -> miette::Result<ExitCode> {
    let out = match &options.out {
        Some(out) => out.clone(),
        None => default_out(&options.run_dir)?,
    };
    let made = artifact::make(&ArtifactRequest {
        run: options.run_dir.clone(),
        out,
        experiment: options.experiment.clone(),
        anonymous: options.anonymous,
        home: Home::find().ok(),
    })?;
    if options.json {
        print(&pretty(&document(&made, options.anonymous))?)?;
    } else {
        show(&made)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn default_out(run_dir: &Path) -> miette::Result<PathBuf> {
    let name = RunFolder::open(run_dir)?.manifest()?.experiment;
    Ok(PathBuf::from(format!("{}-artifact", parade::experiment::safe_name(&name))))
}

fn show(made: &Artifact) -> miette::Result<()> {
    print(&format!(
        "{}: {} files, {:.1} MiB\n",
        made.dir.display(),
        made.files,
        made.bytes as f64 / f64::from(1 << 20)
    ))?;
    match &made.short {
        Some(short) => print(&format!(
            "short version: {} on {}, {}, {}\n",
            short.subjects.join(", "),
            plural(short.cores, "core"),
            plural(short.trials, "trial"),
            if short.seconds < 1.0 { "a moment".to_owned() } else { format!("about {:.0} seconds", short.seconds) }
        ))?,
        None => print("short version: none, because no subject has both the baseline and another configuration\n")?,
    }
    if let Some(why) = &made.without_program {
        print(&format!("the program is not included: {}\n", one_line(why)))?;
    }
    for note in &made.notes {
        print(&format!("note: {}\n", one_line(note)))?;
    }
    print("Read its README.md first. ./check, ./rebuild-report and ./run-short test the artifact.\n")
}

fn document(made: &Artifact, anonymous: bool) -> serde_json::Value {
    json!({
        "artifact": made.dir,
        "files": made.files,
        "bytes": made.bytes,
        "anonymous": anonymous,
        "short": made.short,
        "program": made.without_program.is_none(),
        "without_program": made.without_program,
        "notes": made.notes,
    })
}
