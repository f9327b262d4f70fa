//! (c) parade's own memory while a subject prints two gigabytes. The subject's is not counted; the keeper's is, apart.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::figure::{Figure, Goal};
use super::workbench::{PARADE, home, root};

const MEGABYTES: u32 = 2048;
const LOOK: Duration = Duration::from_millis(5);

pub fn measure() -> Vec<Figure> {
    let folder = tempfile::tempdir().expect("a scratch folder");
    write_experiment(folder.path());
    eprintln!("printing {MEGABYTES} MB …");
    let mut parade = Command::new(PARADE)
        .args(["run", "experiment.toml", "--json"])
        .current_dir(folder.path())
        .env("PARADE_HOME", home())
        .stdout(Stdio::null())
        .spawn()
        .expect("parade can be started");
    let mut peaks: BTreeMap<u32, f64> = BTreeMap::new();
    let status = loop {
        for pid in std::iter::once(parade.id()).chain(keepers_of(parade.id())) {
            if let Some(peak) = peak_megabytes(pid) {
                peaks.insert(pid, peak);
            }
        }
        if let Some(status) = parade.try_wait().expect("parade was started here") {
            break status;
        }
        std::thread::sleep(LOOK);
    };
    assert!(status.success(), "parade run: {status}");
    let own = peaks.remove(&parade.id()).unwrap_or(f64::NAN);
    let keepers = peaks.values().copied().fold(0.0, f64::max);
    vec![figure("parade", own), figure("its keeper", keepers)]
}

fn figure(whose: &str, megabytes: f64) -> Figure {
    Figure {
        what: format!("peak memory of {whose} while a subject prints 2 GB"),
        goal: Goal::AtMost(150.0),
        unit: " MB",
        value: megabytes,
        detail: "VmHWM, from build and discovery to the report".to_owned(),
    }
}

fn write_experiment(folder: &Path) {
    let text = format!(
        "[experiment]\nname = 'bench'\n[machine]\ntimeout = '30m'\n[[subject]]\nname = 'bench-output'\npath = {:?}\n\
         environment = {{ OUTPUT_MEGABYTES = '{MEGABYTES}' }}\n[[configuration]]\nname = 'sequential'\n",
        root().join("subjects/enormous-output").display()
    );
    std::fs::write(folder.join("experiment.toml"), text).expect("the scratch folder is ours");
}

fn keepers_of(pid: u32) -> Vec<u32> {
    let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    let is_keeper = |pid: &u32| {
        std::fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|line| line.windows(6).any(|part| part == b"keeper"))
    };
    children.split_whitespace().filter_map(|pid| pid.parse().ok()).filter(is_keeper).collect()
}

pub fn peak_megabytes(pid: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<f64>().ok()? * 1024.0 / 1e6)
}
