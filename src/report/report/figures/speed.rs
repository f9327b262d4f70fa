//! What the speedups and times look like: box plots of both (the study's Figures 3 and 4), and each subject's interval.

use super::boxes::{BoxFigure, Group, MOST_DOTS, Panel};
use super::intervals::{self, Estimate, IntervalFigure, SubjectEstimates};
use super::scale::Kind;
use super::{Drawing, Figure, panel_title};
use crate::report::analysis::{Scope, SpeedupRow};
use crate::report::{Analysis, PageSection};
use crate::shown_text::shown;
use crate::wording::plural;

pub fn all(analysis: &Analysis) -> Vec<Figure> {
    let mut figures = vec![intervals_of(analysis), speedups(analysis, Scope::All), times(analysis, Scope::All)];
    if study_leaves_out(analysis) {
        figures.extend([speedups(analysis, Scope::Study), times(analysis, Scope::Study)]);
    }
    figures.into_iter().flatten().collect()
}

fn section(scope: Scope) -> PageSection {
    match scope {
        Scope::All => PageSection::Speed,
        Scope::Study => PageSection::SpeedAsPublished,
    }
}

fn at(analysis: &Analysis, cores: usize) -> Vec<&SpeedupRow> {
    analysis.speedups.iter().filter(|row| row.cores == cores).collect()
}

/// Does some subject with an answer not belong to the study's selection?
fn study_leaves_out(analysis: &Analysis) -> bool {
    analysis.run.manifest.cores.iter().any(|cores| {
        let here = at(analysis, *cores);
        let members = Scope::Study.members(&here);
        let gained = |row: &&SpeedupRow| members.has(&row.subject);
        here.iter().any(gained) && here.iter().any(|row| row.answer().is_some() && !gained(row))
    })
}

fn scope_words(scope: Scope) -> &'static str {
    match scope {
        Scope::All => "over the subjects with at least five sound pairs and observed concurrency",
        Scope::Study => "over the subjects that gained from some configuration, as in the study",
    }
}

fn dot_words(analysis: &Analysis) -> &'static str {
    match analysis.run.manifest.subjects.len() > MOST_DOTS {
        true => "every subject beyond the whiskers",
        false => "every subject",
    }
}

/// What has no value has no row.
fn with_values(groups: impl Iterator<Item = Group>) -> Vec<Group> {
    groups.filter(|group| !group.values.is_empty()).collect()
}

fn speedups(analysis: &Analysis, scope: Scope) -> Option<Figure> {
    let panel = |cores: &usize| {
        let here = at(analysis, *cores);
        let members = scope.members(&here);
        let values = |name: &str| {
            let of_it = here.iter().filter(|row| row.configuration == name && members.has(&row.subject));
            of_it.filter_map(|row| row.answer()).collect()
        };
        let groups = (1..).zip(analysis.run.candidates()).map(|(colour, c)| Group {
            label: shown(&c.name),
            colour,
            values: values(&c.name),
        });
        Panel { title: panel_title(analysis, *cores), groups: with_values(groups) }
    };
    let figure = BoxFigure {
        axis: format!("speedup over {}", shown(&analysis.run.manifest.baseline)),
        kind: Kind::Linear,
        from_zero: false,
        reference: Some(1.0),
        panels: analysis.run.manifest.cores.iter().map(panel).filter(|panel| !panel.groups.is_empty()).collect(),
    };
    figure.has_data().then(|| Figure {
        name: if scope == Scope::All { "speedups" } else { "speedups-study" }.to_owned(),
        section: section(scope),
        title: "Distribution of speedups".to_owned(),
        caption: format!(
            "Speedup of each configuration, {}: box from the lower to the upper quartile with the median, whiskers to the \
             last value within 1.5 box lengths, and {} as a dot.",
            scope_words(scope),
            dot_words(analysis)
        ),
        drawing: Drawing::Boxes(figure),
    })
}

fn times(analysis: &Analysis, scope: Scope) -> Option<Figure> {
    let panel = |cores: &usize| {
        let members = scope.members(&at(analysis, *cores));
        let values = |name: &str| {
            let of_it = analysis.costs.iter().filter(|cost| cost.cores == *cores && cost.configuration == name);
            of_it.filter(|cost| members.has(&cost.subject)).filter_map(|cost| cost.clean_wall_seconds).collect()
        };
        let all = &analysis.run.manifest.configurations;
        let baseline_first =
            all.iter().filter(|c| c.name == analysis.run.manifest.baseline).chain(analysis.run.candidates());
        let groups = (0..).zip(baseline_first).map(|(colour, c)| Group {
            label: shown(&c.name),
            colour,
            values: values(&c.name),
        });
        Panel { title: panel_title(analysis, *cores), groups: with_values(groups) }
    };
    let panels = analysis.run.manifest.cores.iter().map(panel);
    let panels: Vec<Panel> = panels.filter(|panel| !panel.groups.is_empty()).collect();
    let figure = BoxFigure {
        axis: "running time in seconds".to_owned(),
        kind: Kind::suited_to(panels.iter().flat_map(|panel| &panel.groups).flat_map(|group| &group.values)),
        from_zero: true,
        reference: None,
        panels,
    };
    figure.has_data().then(|| Figure {
        name: if scope == Scope::All { "times" } else { "times-study" }.to_owned(),
        section: section(scope),
        title: "Distribution of running times".to_owned(),
        caption: format!(
            "Mean running time of the clean repetitions of a subject, {}; {} is a dot.",
            if scope == Scope::All { "over all subjects" } else { scope_words(scope) },
            dot_words(analysis)
        ),
        drawing: Drawing::Boxes(figure),
    })
}

fn intervals_of(analysis: &Analysis) -> Option<Figure> {
    let cores = analysis.run.manifest.cores.iter().copied().max()?;
    let here = at(analysis, cores);
    let names: Vec<&str> = analysis.run.candidates().map(|c| c.name.as_str()).collect();
    let estimates = |of_it: &[&SpeedupRow]| -> Vec<Estimate> {
        of_it
            .iter()
            .filter_map(|row| {
                let series = names.iter().position(|name| *name == row.configuration)?;
                let ratio = row.answer()?;
                Some(Estimate { series, ratio, low: row.ci_low.unwrap_or(ratio), high: row.ci_high.unwrap_or(ratio) })
            })
            .collect()
    };
    // The rows of a subject stand together.
    let rows: Vec<SubjectEstimates> = here
        .chunk_by(|a, b| a.subject == b.subject)
        .map(|rows| SubjectEstimates { label: shown(&rows[0].subject), estimates: estimates(rows) })
        .filter(|row| !row.estimates.is_empty())
        .collect();
    (!rows.is_empty()).then(|| Figure {
        name: "intervals".to_owned(),
        section: PageSection::Speed,
        title: format!("Speedup of each subject on {}", plural(cores, "core")),
        caption: intervals::caption(rows.len()),
        drawing: Drawing::Intervals(IntervalFigure {
            axis: format!("speedup over {}, with 95 % interval", shown(&analysis.run.manifest.baseline)),
            series: names.into_iter().map(shown).collect(),
            rows,
        }),
    })
}
