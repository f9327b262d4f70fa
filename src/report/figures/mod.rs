//! The figures of a report: box plots of speedups (the study's Figure 3) and of running times (Figure 4), and the speedup of
//! each subject with its interval. Each is described first and drawn second, as SVG or as PNG.
//!
//! The font is built in, so that drawing needs nothing of the machine.

mod axis;
mod boxes;
mod canvas;
mod intervals;
mod scale;

use crate::report::Analysis;
use crate::report::analysis::{Scope, SpeedupRow};
use crate::report::text::shown;
use crate::wording::plural;

use boxes::{BoxFigure, Group, Panel};
use intervals::{Estimate, IntervalFigure, SubjectEstimates};
use scale::Kind;

use canvas::Ink;

/// A figure, ready to be drawn.
pub struct Figure {
    /// Also its file name.
    pub name: &'static str,
    pub title: String,
    /// What it shows, in a sentence; also for those who cannot see it.
    pub caption: String,
    drawing: Drawing,
}

enum Drawing {
    Boxes(BoxFigure),
    Intervals(IntervalFigure),
}

impl Figure {
    /// All figures that there are data for.
    pub fn all(analysis: &Analysis) -> Vec<Figure> {
        let study_differs = study_leaves_out(analysis);
        let mut figures = vec![intervals_of(analysis), speedups(analysis, Scope::All), times(analysis, Scope::All)];
        if study_differs {
            figures.extend([speedups(analysis, Scope::Study), times(analysis, Scope::Study)]);
        }
        figures.into_iter().flatten().collect()
    }

    /// Of the figures that the study draws over fewer subjects only.
    pub fn is_of_the_study(&self) -> bool {
        self.name.ends_with("-study")
    }

    pub fn svg(&self) -> miette::Result<String> {
        canvas::svg(self.size(), |root| self.draw(root))
    }

    pub fn png(&self) -> miette::Result<Vec<u8>> {
        canvas::png(self.size(), |root| self.draw(root))
    }

    fn size(&self) -> (u32, u32) {
        match &self.drawing {
            Drawing::Boxes(boxes) => boxes.size(),
            Drawing::Intervals(intervals) => intervals.size(),
        }
    }

    fn draw<D: plotters::prelude::DrawingBackend>(&self, canvas: &canvas::Canvas<D>) -> canvas::Drawn<D> {
        match &self.drawing {
            Drawing::Boxes(boxes) => boxes.draw(canvas),
            Drawing::Intervals(intervals) => intervals.draw(canvas),
        }
    }
}

fn at(analysis: &Analysis, cores: usize) -> Vec<&SpeedupRow> {
    analysis.speedups.iter().filter(|row| row.cores == cores).collect()
}

/// Does some subject with a sound speedup not belong to the study's selection?
fn study_leaves_out(analysis: &Analysis) -> bool {
    analysis.run.manifest.cores.iter().any(|cores| {
        let here = at(analysis, *cores);
        let gained = |row: &&SpeedupRow| Scope::Study.includes(&row.subject, &here);
        here.iter().any(gained) && here.iter().any(|row| row.speedup.is_some() && !gained(row))
    })
}

fn panel_title(analysis: &Analysis, cores: usize) -> Option<String> {
    (analysis.run.manifest.cores.len() > 1).then(|| plural(cores, "core"))
}

fn scope_words(scope: Scope) -> &'static str {
    match scope {
        Scope::All => "over all subjects with a sound speedup",
        Scope::Study => "over the subjects that some configuration made faster, as in the study",
    }
}

fn speedups(analysis: &Analysis, scope: Scope) -> Option<Figure> {
    let panel = |cores: &usize| {
        let here = at(analysis, *cores);
        let values = |name: &str| {
            let of_it = here.iter().filter(|row| row.configuration == name && scope.includes(&row.subject, &here));
            of_it.filter_map(|row| row.speedup).collect()
        };
        let groups = analysis.run.candidates().map(|c| Group { label: shown(&c.name), values: values(&c.name) });
        Panel { title: panel_title(analysis, *cores), groups: groups.collect() }
    };
    let figure = BoxFigure {
        axis: format!("speedup over {}", shown(&analysis.run.manifest.baseline)),
        kind: Kind::Linear,
        from_zero: false,
        reference: Some(1.0),
        first_colour: 1,
        panels: analysis.run.manifest.cores.iter().map(panel).collect(),
    };
    figure.has_data().then(|| Figure {
        name: if scope == Scope::All { "speedups" } else { "speedups-study" },
        title: "Distribution of speedups".to_owned(),
        caption: format!(
            "Speedup of each configuration, {}: box from the lower to the upper quartile with the median, whiskers to the \
             last value within 1.5 box lengths, and every subject as a dot.",
            scope_words(scope)
        ),
        drawing: Drawing::Boxes(figure),
    })
}

fn times(analysis: &Analysis, scope: Scope) -> Option<Figure> {
    let panel = |cores: &usize| {
        let here = at(analysis, *cores);
        let values = |name: &str| {
            let of_it = analysis.costs.iter().filter(|cost| cost.cores == *cores && cost.configuration == name);
            of_it
                .filter(|cost| scope.includes(&cost.subject, &here))
                .filter_map(|cost| cost.clean_wall_seconds)
                .collect()
        };
        let all = &analysis.run.manifest.configurations;
        let baseline_first =
            all.iter().filter(|c| c.name == analysis.run.manifest.baseline).chain(analysis.run.candidates());
        let groups = baseline_first.map(|c| Group { label: shown(&c.name), values: values(&c.name) });
        Panel { title: panel_title(analysis, *cores), groups: groups.collect() }
    };
    let panels: Vec<Panel> = analysis.run.manifest.cores.iter().map(panel).collect();
    let figure = BoxFigure {
        axis: "running time in seconds".to_owned(),
        kind: Kind::suited_to(panels.iter().flat_map(|panel| &panel.groups).flat_map(|group| &group.values)),
        from_zero: true,
        reference: None,
        first_colour: 0,
        panels,
    };
    figure.has_data().then(|| Figure {
        name: if scope == Scope::All { "times" } else { "times-study" },
        title: "Distribution of running times".to_owned(),
        caption: format!(
            "Mean running time of the clean repetitions, {}; each dot is a subject.",
            if scope == Scope::All { "over all subjects" } else { scope_words(scope) }
        ),
        drawing: Drawing::Boxes(figure),
    })
}

fn intervals_of(analysis: &Analysis) -> Option<Figure> {
    let cores = analysis.run.manifest.cores.iter().copied().max()?;
    let here = at(analysis, cores);
    let names: Vec<&str> = analysis.run.candidates().map(|c| c.name.as_str()).collect();
    let mut subjects: Vec<&str> = here.iter().map(|row| row.subject.as_str()).collect();
    subjects.dedup();
    let estimates = |subject: &str| -> Vec<Estimate> {
        let of_it = here.iter().filter(|row| row.subject == subject);
        of_it
            .filter_map(|row| {
                let series = names.iter().position(|name| *name == row.configuration)?;
                let ratio = row.speedup?;
                Some(Estimate { series, ratio, low: row.ci_low.unwrap_or(ratio), high: row.ci_high.unwrap_or(ratio) })
            })
            .collect()
    };
    let rows: Vec<SubjectEstimates> = subjects
        .iter()
        .map(|subject| SubjectEstimates { label: shown(subject), estimates: estimates(subject) })
        .filter(|row| !row.estimates.is_empty())
        .collect();
    (!rows.is_empty()).then(|| Figure {
        name: "intervals",
        title: format!("Speedup of each subject on {}", plural(cores, "core")),
        caption: intervals::caption(rows.len()),
        drawing: Drawing::Intervals(IntervalFigure {
            axis: format!("speedup over {}, with 95 % interval", shown(&analysis.run.manifest.baseline)),
            series: names.into_iter().map(shown).collect(),
            rows,
        }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;
    use canvas::palette;

    #[test]
    fn a_study_yields_its_figures() {
        let figures = Figure::all(sample::studied());
        let names: Vec<&str> = figures.iter().map(|figure| figure.name).collect();
        assert_eq!(names, ["intervals", "speedups", "times", "speedups-study", "times-study"]);
        for figure in &figures {
            let svg = figure.svg().unwrap();
            assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
            assert!(svg.contains("classes"), "{} names no configuration", figure.name);
        }
    }

    #[test]
    fn letters_reach_the_picture_without_a_font_on_the_machine() {
        let drawn =
            canvas::png((60, 30), |root| root.text("Ag", (5, 15), 20.0, palette::INK, canvas::Anchor::Start)).unwrap();
        let blank = canvas::png((60, 30), |_| Ok(())).unwrap();
        assert_ne!(drawn, blank);
    }

    #[test]
    fn names_are_text_in_a_figure_and_never_markup() {
        for figure in Figure::all(sample::attacked()) {
            let svg = figure.svg().unwrap();
            assert!(!svg.contains("<script") && !svg.contains("<img"), "{}", figure.name);
            assert!(svg.chars().all(|c| c == '\n' || !c.is_control()));
            let mut reader = quick_xml::Reader::from_str(&svg);
            loop {
                match reader.read_event().unwrap() {
                    quick_xml::events::Event::Eof => break,
                    _ => continue,
                }
            }
        }
        let enormous = &Figure::all(sample::attacked())[0];
        assert!(enormous.png().unwrap().starts_with(b"\x89PNG\r\n"));
    }

    #[test]
    fn several_core_counts_become_small_multiples() {
        let figures = Figure::all(&Analysis::of(&sample::two_core_counts()));
        let svg = figures.iter().find(|figure| figure.name == "speedups").unwrap().svg().unwrap();
        assert!(svg.contains("1 core") && svg.contains("2 cores"));
    }

    #[test]
    fn without_data_there_is_no_figure() {
        assert_eq!(Figure::all(&Analysis::of(&sample::empty())).len(), 0);
    }
}
