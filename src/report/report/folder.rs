//! The report folder of a run. Every file is written whole or not at all, the page last: who sees it sees all of it.

use std::path::{Path, PathBuf};

use super::details::timeline_of;
use super::figures::Figure;
use super::render::{csv, html, latex, markdown, numbers};
use super::{Analysis, Details, RunReport};
use crate::store::write_atomically;

/// Writes `report/` below a run folder: `index.html`, `report.md`, each table as CSV and as LaTeX, `numbers.tex`, and the
/// figures as SVG and PNG. Gives back where the page is.
pub fn write_all(analysis: &Analysis, run_dir: &Path) -> miette::Result<PathBuf> {
    let folder = run_dir.join("report");
    let report = RunReport::new(analysis);
    for table in report.written_tables() {
        let text = csv::render(&report, table)?;
        write_atomically(&folder.join(format!("{}.csv", table.name)), text.as_bytes())?;
        let text = latex::render(analysis, &report.tables(table));
        write_atomically(&folder.join(format!("{}.tex", table.name)), text.as_bytes())?;
    }
    let details = Details::read(analysis, run_dir)?;
    for figure in Figure::all(analysis, &details) {
        write_figure(&figure, &folder)?;
    }
    write_atomically(&folder.join("numbers.tex"), numbers::render(analysis).as_bytes())?;
    write_atomically(&folder.join("report.md"), markdown::render(&report).as_bytes())?;
    let page = folder.join("index.html");
    write_atomically(&page, html::render(&report, &details)?.as_bytes())?;
    Ok(page)
}

/// Writes the timeline of any one trial beside the other figures, and gives back where; nothing if there is no such trial.
pub fn write_timeline(run_dir: &Path, trial: &str) -> miette::Result<Option<PathBuf>> {
    let Some(timeline) = timeline_of(run_dir, trial)? else { return Ok(None) };
    write_figure(&Figure::timeline(&timeline), &run_dir.join("report")).map(Some)
}

fn write_figure(figure: &Figure, folder: &Path) -> miette::Result<PathBuf> {
    let file = |extension: &str| folder.join("figures").join(format!("{}.{extension}", figure.name));
    write_atomically(&file("svg"), figure.svg()?.as_bytes())?;
    write_atomically(&file("png"), &figure.png()?)?;
    Ok(file("svg"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;
    use crate::store;

    /// The sample as a run folder.
    fn kept(results: &Path) -> store::RunFolder {
        let run = sample::study();
        let located = store::locate(results, &run.manifest.experiment).unwrap();
        let folder = located.create(&run.manifest, "", &run.environment).unwrap();
        let mut record = store::OpenRun::open(folder.dir()).unwrap();
        for subject in &run.subjects {
            record.record_subject(subject).unwrap();
        }
        for trial in &run.trials {
            record.record_trial(trial, &[]).unwrap();
        }
        folder
    }

    #[test]
    fn a_report_folder_has_every_form() {
        let results = tempfile::tempdir().unwrap();
        let folder = kept(results.path());
        let report = folder.dir().join("report");
        let old = report.join("index.html");
        std::fs::create_dir(&report).unwrap();
        std::fs::write(&old, "an older page").unwrap();
        assert_eq!(write_all(sample::studied(), folder.dir()).unwrap(), old);
        assert!(std::fs::read_to_string(&old).unwrap().starts_with("<!DOCTYPE html>"));
        for name in [
            "report.md",
            "failures.csv",
            "failures.tex",
            "savings.csv",
            "numbers.tex",
            "figures/speedups.svg",
            "figures/times.png",
            "figures/stages.svg",
        ] {
            assert!(report.join(name).is_file(), "{name}");
        }
        let left_behind = std::fs::read_dir(&report).unwrap();
        assert!(
            left_behind.map(|entry| entry.unwrap().file_name()).all(|name| !name.to_string_lossy().starts_with('.'))
        );
    }

    #[test]
    fn a_run_read_back_from_disk_gives_the_same_report() {
        let results = tempfile::tempdir().unwrap();
        let read = Analysis::of(&store::open_run(kept(results.path()).dir()).unwrap());
        assert_eq!(markdown::render(&RunReport::new(&read)), markdown::render(&RunReport::new(sample::studied())));
    }
}
