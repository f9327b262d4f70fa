//! A version of the experiment that takes about ten minutes, chosen from the times that were measured: as many subjects as
//! fit, the cheapest first, each configuration once. It shows that everything works and which way things go, no more.

use toml::{Table, Value};

use miette::miette;

use super::costs::{self, Costs};
use crate::experiment::{Trial, safe_name};
use crate::store::record::{Phase, RunData};

/// What the trials and the preparation of the chosen subjects may take together.
const BUDGET_SECONDS: f64 = 540.0;
/// A reviewer's machine has at least so many cores; more are only asked for where nothing smaller was measured.
const USUAL_CORES: usize = 4;

/// The short version.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Short {
    pub name: String,
    pub text: String,
    pub subjects: Vec<String>,
    /// Of all that there are.
    pub of_subjects: usize,
    pub configurations: Vec<String>,
    pub of_configurations: usize,
    pub cores: usize,
    pub trials: usize,
    /// From the measured means; nothing where all of it is virtual time.
    pub seconds: f64,
    pub fits: bool,
}

impl Short {
    /// With other names, the same ones everywhere.
    pub fn rewritten(self, rewrite: &dyn Fn(&str) -> String) -> miette::Result<Short> {
        let all = |names: &[String]| names.iter().map(|name| rewrite(name)).collect();
        let text = super::bundle::rewritten(&self.text, rewrite)?;
        Ok(Short {
            name: super::setting(&text, "experiment", "name").unwrap_or_default(),
            subjects: all(&self.subjects),
            configurations: all(&self.configurations),
            text,
            ..self
        })
    }
}

/// Nothing if no subject was run with the baseline and another configuration on the same number of cores.
pub(super) fn choose(run: &RunData, costs: &Costs, full: &str) -> miette::Result<Option<Short>> {
    let Some(cores) = cores(run) else { return Ok(None) };
    let mut candidates = candidates(run, costs, cores);
    candidates.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    let Some(cheapest) = candidates.first().cloned() else { return Ok(None) };
    let chosen = if cheapest.seconds <= BUDGET_SECONDS {
        fitting(&candidates)
    } else {
        vec![cheapest.narrowed(&run.manifest.baseline)]
    };
    short(run, cores, &chosen, full).map(Some)
}

fn cores(run: &RunData) -> Option<usize> {
    let ran = |cores: &&usize| run.trials.iter().any(|trial| trial.phase == Phase::Measured && trial.cores == **cores);
    let measured: Vec<usize> = run.manifest.cores.iter().filter(ran).copied().collect();
    let usual = measured.iter().filter(|cores| **cores <= USUAL_CORES).max();
    usual.or(measured.iter().min()).copied()
}

/// A subject with what its cells take.
#[derive(Debug, Clone, PartialEq)]
struct Candidate {
    subject: String,
    /// In the order of the file, the baseline among them.
    cells: Vec<(String, f64)>,
    preparation: f64,
    seconds: f64,
}

impl Candidate {
    fn new(subject: &str, cells: Vec<(String, f64)>, preparation: f64) -> Self {
        let seconds = preparation + cells.iter().map(|(_, seconds)| seconds).sum::<f64>();
        Candidate { subject: subject.to_owned(), cells, preparation, seconds }
    }

    /// The baseline, and the others from the cheapest on as long as they fit; at least one.
    fn narrowed(&self, baseline: &str) -> Candidate {
        let mut others: Vec<&(String, f64)> = self.cells.iter().filter(|(name, _)| name != baseline).collect();
        others.sort_by(|a, b| a.1.total_cmp(&b.1));
        let mut kept: Vec<&str> = vec![baseline];
        let mut seconds =
            self.preparation + self.cells.iter().filter(|(n, _)| n == baseline).map(|(_, s)| s).sum::<f64>();
        for (name, more) in others {
            if kept.len() == 1 || seconds + more <= BUDGET_SECONDS {
                kept.push(name);
                seconds += more;
            }
        }
        let cells = self.cells.iter().filter(|(name, _)| kept.contains(&name.as_str())).cloned().collect();
        Candidate::new(&self.subject, cells, self.preparation)
    }
}

/// Subjects that have the baseline and something to compare with it, both with data.
fn candidates(run: &RunData, costs: &Costs, cores: usize) -> Vec<Candidate> {
    let manifest = &run.manifest;
    let prepared = run.subjects.iter().filter(|record| record.failure.is_none() && record.jdk.is_some()).count();
    let share = costs.preparation_seconds.unwrap_or(0.0) / prepared.max(1) as f64;
    let mut candidates = Vec::new();
    for subject in &manifest.subjects {
        let seconds = |configuration: &String| {
            let cell = Trial {
                id: String::new(),
                subject: subject.clone(),
                configuration: configuration.clone(),
                cores,
                repetition: 1,
            };
            Some((configuration.clone(), costs::cell_seconds(run, &cell)?))
        };
        let names: Vec<String> = manifest.configurations.iter().map(|each| each.name.clone()).collect();
        let cells: Vec<(String, f64)> = names.iter().filter_map(seconds).collect();
        let baseline = cells.iter().find(|(name, _)| *name == manifest.baseline).map(|(_, seconds)| *seconds);
        let is_real = run.subjects.iter().any(|record| record.subject == *subject && record.jdk.is_some());
        // Discovery runs the suite once, whatever the cache had of the rest.
        if let Some(baseline) = baseline.filter(|_| cells.len() > 1 && completed(run, subject, cores)) {
            let preparation = if is_real { share.max(baseline) } else { 0.0 };
            candidates.push(Candidate::new(subject, cells, preparation));
        }
    }
    candidates
}

fn completed(run: &RunData, subject: &str, cores: usize) -> bool {
    let is_baseline = |configuration: &str| configuration == run.manifest.baseline;
    run.trials.iter().any(|trial| {
        trial.phase == Phase::Measured
            && trial.verdict.is_completed()
            && (trial.subject.as_str(), trial.cores) == (subject, cores)
            && is_baseline(&trial.configuration)
    })
}

fn fitting(candidates: &[Candidate]) -> Vec<Candidate> {
    let mut seconds = 0.0;
    let mut chosen = Vec::new();
    for candidate in candidates {
        seconds += candidate.seconds;
        if seconds > BUDGET_SECONDS {
            break;
        }
        chosen.push(candidate.clone());
    }
    chosen
}

fn short(run: &RunData, cores: usize, chosen: &[Candidate], full: &str) -> miette::Result<Short> {
    let is_chosen = |name: &str| chosen.iter().any(|candidate| candidate.subject == name);
    let runs = |name: &str| chosen.iter().any(|candidate| candidate.cells.iter().any(|(cell, _)| cell == name));
    let subjects: Vec<String> = run.manifest.subjects.iter().filter(|name| is_chosen(name)).cloned().collect();
    let names = run.manifest.configurations.iter().map(|each| each.name.clone());
    let configurations: Vec<String> = names.filter(|name| runs(name)).collect();
    let name = short_name(&run.manifest.experiment);
    let seconds: f64 = chosen.iter().map(|candidate| candidate.seconds).sum();
    Ok(Short {
        text: short_text(full, &name, &subjects, &configurations, cores)?,
        name,
        of_subjects: run.manifest.subjects.len(),
        of_configurations: run.manifest.configurations.len(),
        trials: chosen.iter().map(|candidate| candidate.cells.len()).sum(),
        subjects,
        configurations,
        cores,
        seconds,
        fits: seconds <= BUDGET_SECONDS,
    })
}

/// Names have at most 64 characters.
fn short_name(experiment: &str) -> String {
    if experiment.len() <= 58 { format!("{experiment}-short") } else { format!("{}-short", safe_name(experiment)) }
}

fn short_text(
    full: &str,
    name: &str,
    subjects: &[String],
    configurations: &[String],
    cores: usize,
) -> miette::Result<String> {
    let mut file: Table = full.parse().map_err(|error| miette!("experiment.toml is damaged: {error}"))?;
    change_table(&mut file, "experiment", |experiment| {
        experiment.insert("name".to_owned(), Value::from(name));
        for (key, value) in [("repetitions", 1), ("warmup", 0), ("screening", 0)] {
            experiment.insert(key.to_owned(), Value::from(value));
        }
    });
    change_table(&mut file, "machine", |machine| {
        machine.insert("cores".to_owned(), Value::from(cores as i64));
    });
    retain(&mut file, "subject", subjects);
    retain(&mut file, "configuration", configurations);
    for subject in file.get_mut("subject").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(subject) = subject.as_table_mut() {
            narrow_subject(subject, configurations);
        }
    }
    let text = toml::to_string(&file).map_err(|error| miette!("the short experiment cannot be written: {error}"))?;
    Ok(format!(
        "# The short version of {}: one repetition of what fits into about ten minutes.\n\n{text}",
        super::bundle::FULL
    ))
}

/// What is no table becomes one.
fn change_table(file: &mut Table, key: &str, change: impl FnOnce(&mut Table)) {
    let mut table = match file.remove(key) {
        Some(Value::Table(table)) => table,
        _ => Table::new(),
    };
    change(&mut table);
    file.insert(key.to_owned(), Value::Table(table));
}

fn retain(file: &mut Table, key: &str, names: &[String]) {
    if let Some(items) = file.get_mut(key).and_then(Value::as_array_mut) {
        items.retain(|item| {
            item.get("name").and_then(Value::as_str).is_some_and(|name| names.iter().any(|n| n == name))
        });
    }
}

fn narrow_subject(subject: &mut Table, configurations: &[String]) {
    let is_kept = |name: &str| configurations.iter().any(|kept| kept == name);
    subject.remove("repetitions");
    if let Some(listed) = subject.get_mut("configurations").and_then(Value::as_array_mut) {
        listed.retain(|name| name.as_str().is_some_and(is_kept));
    }
    if let Some(overrides) = subject.get_mut("override").and_then(Value::as_table_mut) {
        overrides.retain(|name, _| is_kept(name));
        if overrides.is_empty() {
            subject.remove("override");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: &str = "
[experiment]
name = 'e'
repetitions = 30
screening = 10
[[subject]]
name = 'a'
path = 'a'
repetitions = 5
configurations = ['base', 'x', 'y']
[subject.override.y]
threads = 2
[[subject]]
name = 'b'
path = 'b'
[[configuration]]
name = 'base'
[[configuration]]
name = 'x'
[[configuration]]
name = 'y'
";

    #[test]
    fn the_short_file_has_what_was_chosen_and_once() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let text = short_text(FULL, "e-short", &names(&["a"]), &names(&["base", "x"]), 2).unwrap();
        let file: Table = text.parse().unwrap();
        assert_eq!(file["experiment"]["repetitions"].as_integer(), Some(1));
        assert_eq!(file["experiment"]["screening"].as_integer(), Some(0));
        assert_eq!(file["machine"]["cores"].as_integer(), Some(2));
        assert_eq!(file["configuration"].as_array().unwrap().len(), 2);
        let subjects = file["subject"].as_array().unwrap();
        assert_eq!(subjects.len(), 1);
        assert_eq!(subjects[0]["configurations"].as_array().unwrap().len(), 2);
        assert!(subjects[0].get("repetitions").is_none());
        assert!(subjects[0].get("override").is_none());
    }

    #[test]
    fn the_cheapest_subjects_come_first_and_one_always_comes() {
        let candidate = |name: &str, seconds: f64| {
            Candidate::new(
                name,
                vec![("base".to_owned(), seconds), ("x".to_owned(), seconds), ("y".to_owned(), 1.0)],
                10.0,
            )
        };
        let chosen = fitting(&[candidate("a", 100.0), candidate("b", 150.0), candidate("c", 200.0)]);
        assert_eq!(chosen.iter().map(|each| each.subject.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        let narrowed = candidate("slow", 5000.0).narrowed("base");
        assert_eq!(narrowed.cells, [("base".to_owned(), 5000.0), ("y".to_owned(), 1.0)]);
    }

    #[test]
    fn a_long_name_still_has_room() {
        assert!(short_name(&"x".repeat(64)).len() <= 64);
    }
}
