//! The report folder of a run. Every file is written whole or not at all, the page last: who sees it sees all of it.

use std::path::{Path, PathBuf};

use super::Analysis;
use super::figures::Figure;
use super::render::{csv, html, markdown};
use super::tables::TableName;
use crate::store::write_atomically;

/// Writes `report/` below a run folder: `index.html`, `report.md`, one CSV file per table, and the figures as SVG and PNG.
/// Gives back where the page is.
pub fn write_all(analysis: &Analysis, run_dir: &Path) -> miette::Result<PathBuf> {
    let folder = run_dir.join("report");
    for table in TableName::named() {
        let text = csv::render(analysis, table)?;
        write_atomically(&folder.join(format!("{}.csv", table.name())), text.as_bytes())?;
    }
    for figure in Figure::all(analysis) {
        let file = |extension: &str| folder.join("figures").join(format!("{}.{extension}", figure.name));
        write_atomically(&file("svg"), figure.svg()?.as_bytes())?;
        write_atomically(&file("png"), &figure.png()?)?;
    }
    write_atomically(&folder.join("report.md"), markdown::render(analysis).as_bytes())?;
    let page = folder.join("index.html");
    write_atomically(&page, html::render(analysis)?.as_bytes())?;
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;
    use crate::store;

    #[test]
    fn a_report_folder_has_every_form() {
        let dir = tempfile::tempdir().unwrap();
        let old = dir.path().join("report/index.html");
        std::fs::create_dir(dir.path().join("report")).unwrap();
        std::fs::write(&old, "an older page").unwrap();
        assert_eq!(write_all(sample::studied(), dir.path()).unwrap(), old);
        assert!(std::fs::read_to_string(&old).unwrap().starts_with("<!DOCTYPE html>"));
        let names =
            ["index.html", "report.md", "failures.csv", "speedups.csv", "figures/speedups.svg", "figures/times.png"];
        for name in names {
            assert!(dir.path().join("report").join(name).is_file(), "{name}");
        }
        let left_behind = std::fs::read_dir(dir.path().join("report")).unwrap();
        assert!(
            left_behind.map(|entry| entry.unwrap().file_name()).all(|name| !name.to_string_lossy().starts_with('.'))
        );
    }

    #[test]
    fn a_run_read_back_from_disk_gives_the_same_report() {
        let results = tempfile::tempdir().unwrap();
        let run = sample::study();
        let located = store::locate(results.path(), &run.manifest.experiment).unwrap();
        let folder = located.create(&run.manifest, "", &run.environment).unwrap();
        let (mut journal, _) = folder.journal().unwrap();
        for subject in &run.subjects {
            journal.append(&store::Entry::Subject(subject.clone())).unwrap();
        }
        for trial in &run.trials {
            journal.append(&store::Entry::Trial(trial.clone())).unwrap();
        }
        let read = Analysis::of(&store::open_run(folder.dir()).unwrap());
        assert_eq!(markdown::render(&read), markdown::render(sample::studied()));
    }
}
