//! The figures of a report. Each is described first and drawn second, as SVG or as PNG; with very many subjects each of
//! them shows a summary or a part, and its caption says so.
//!
//! The font is built in, so that drawing needs nothing of the machine.

mod axis;
mod boxes;
mod canvas;
mod cores;
mod intervals;
mod plane;
mod regression;
mod scale;
mod scatter;
mod speed;
mod stages;
mod timeline;

use crate::report::details::{Details, Timeline};
use crate::report::{Analysis, PageSection};
use crate::wording::plural;

use canvas::Ink;

/// A figure, ready to be drawn.
pub struct Figure {
    /// Also its file name.
    pub name: String,
    pub section: PageSection,
    pub title: String,
    /// What it shows, in a sentence; also for those who cannot see it.
    pub caption: String,
    drawing: Drawing,
}

enum Drawing {
    Boxes(boxes::BoxFigure),
    Intervals(intervals::IntervalFigure),
    Cores(cores::CoresFigure),
    Stages(stages::StagesFigure),
    Scatter(scatter::ScatterFigure),
    Regression(regression::RegressionFigure),
    Timeline(timeline::TimelineFigure),
}

impl Figure {
    /// All figures that there are data for.
    pub fn all(analysis: &Analysis, details: &Details) -> Vec<Figure> {
        let mut figures = speed::all(analysis);
        figures.extend(cores::figure(analysis));
        figures.extend(stages::figure(analysis));
        figures.extend(scatter::figure(analysis, details));
        figures.extend(regression::figure(analysis));
        figures.extend(details.timelines.first().map(|first| timeline::of_the_page(first, details)));
        figures
    }

    /// The timeline of one trial, in a file of its own.
    pub fn timeline(timeline: &Timeline) -> Figure {
        timeline::alone(timeline)
    }

    pub fn is_timeline(&self) -> bool {
        self.section == PageSection::Timeline
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
            Drawing::Cores(cores) => cores.size(),
            Drawing::Stages(stages) => stages.size(),
            Drawing::Scatter(scatter) => scatter.size(),
            Drawing::Regression(regression) => regression.size(),
            Drawing::Timeline(timeline) => timeline.size(),
        }
    }

    fn draw<D: plotters::prelude::DrawingBackend>(&self, canvas: &canvas::Canvas<D>) -> canvas::Drawn<D> {
        match &self.drawing {
            Drawing::Boxes(boxes) => boxes.draw(canvas),
            Drawing::Intervals(intervals) => intervals.draw(canvas),
            Drawing::Cores(cores) => cores.draw(canvas),
            Drawing::Stages(stages) => stages.draw(canvas),
            Drawing::Scatter(scatter) => scatter.draw(canvas),
            Drawing::Regression(regression) => regression.draw(canvas),
            Drawing::Timeline(timeline) => timeline.draw(canvas),
        }
    }
}

fn panel_title(analysis: &Analysis, cores: usize) -> Option<String> {
    (analysis.run.manifest.cores.len() > 1).then(|| plural(cores, "core"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;
    use canvas::palette;

    #[test]
    fn a_study_yields_its_figures() {
        let figures = Figure::all(sample::studied(), &Details::default());
        let names: Vec<&str> = figures.iter().map(|figure| figure.name.as_str()).collect();
        assert_eq!(names, ["intervals", "speedups", "times", "speedups-study", "times-study", "stages", "regression"]);
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
        for figure in Figure::all(sample::attacked(), &Details::default()) {
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
        let enormous = &Figure::all(sample::attacked(), &Details::default())[0];
        assert!(enormous.png().unwrap().starts_with(b"\x89PNG\r\n"));
    }

    #[test]
    fn several_core_counts_become_small_multiples() {
        let figures = Figure::all(&Analysis::of(&sample::two_core_counts()), &Details::default());
        let svg = figures.iter().find(|figure| figure.name == "speedups").unwrap().svg().unwrap();
        assert!(svg.contains("1 core") && svg.contains("2 cores"));
    }

    #[test]
    fn without_data_there_is_no_figure() {
        assert_eq!(Figure::all(&Analysis::of(&sample::empty()), &Details::default()).len(), 0);
    }
}
