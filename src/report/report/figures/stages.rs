//! Failures that remain after each stage, summed over the subjects: a group of bars for each configuration.

use plotters::prelude::DrawingBackend;

use super::axis::{AXIS, Axis, MARGIN, TEXT, WIDTH};
use super::canvas::{Anchor, Canvas, Drawn, fitted, palette};
use super::scale::{Kind, Scale};
use super::{Drawing, Figure, panel_title};
use crate::report::{Analysis, PageSection};
use crate::shown_text::{decimal, shown};

const LABELS: i32 = 150;
const BAR: i32 = 15;
const GAP: i32 = 12;
const HEAD: i32 = 28;
const LEGEND: i32 = 30;
/// Colours of the stages, apart also without colour vision: from alarming to calm.
const COLOURS: [usize; 3] = [2, 5, 1];

pub struct StagesFigure {
    panels: Vec<StagesPanel>,
}

struct StagesPanel {
    title: Option<String>,
    groups: Vec<StagesGroup>,
}

struct StagesGroup {
    label: String,
    /// Σ of the mean failures, by stage from the first on.
    failures: Vec<f64>,
}

pub fn figure(analysis: &Analysis) -> Option<Figure> {
    let panel = |cores: &usize| StagesPanel {
        title: panel_title(analysis, *cores),
        groups: analysis.run.provoking().filter_map(|c| group(analysis, &c.name, *cores)).collect(),
    };
    let mut panels: Vec<StagesPanel> = analysis.run.manifest.cores.iter().map(panel).collect();
    panels.retain(|panel| panel.groups.iter().any(|group| group.failures.iter().any(|failures| *failures > 0.0)));
    (!panels.is_empty()).then(|| Figure {
        name: "stages".to_owned(),
        section: PageSection::Failures,
        title: "Failures after each stage".to_owned(),
        caption: "Failing tests that remain after each stage, mean over the repetitions, summed over the subjects. A bar that \
                  gets shorter was repaired by the stage."
            .to_owned(),
        drawing: Drawing::Stages(StagesFigure { panels }),
    })
}

fn group(analysis: &Analysis, name: &str, cores: usize) -> Option<StagesGroup> {
    let here = || analysis.failures.iter().filter(|row| row.configuration == name && row.cores == cores);
    let last = here().filter(|row| row.failures.is_some()).map(|row| row.stage).max()?;
    let sum = |stage: u32| here().filter(|row| row.stage == stage).filter_map(|row| row.failures).sum();
    Some(StagesGroup { label: shown(name), failures: (1..=last).map(sum).collect() })
}

impl StagesGroup {
    fn height(&self) -> i32 {
        BAR * self.failures.len() as i32 + GAP
    }
}

impl StagesPanel {
    fn head(&self) -> i32 {
        if self.title.is_some() { HEAD } else { 0 }
    }

    fn height(&self) -> i32 {
        self.head() + self.groups.iter().map(StagesGroup::height).sum::<i32>()
    }
}

impl StagesFigure {
    pub fn size(&self) -> (u32, u32) {
        let height = self.panels.iter().map(StagesPanel::height).sum::<i32>() + LEGEND + AXIS + MARGIN;
        (WIDTH as u32, height as u32)
    }

    pub fn draw<D: DrawingBackend>(&self, canvas: &Canvas<D>) -> Drawn<D> {
        let groups = || self.panels.iter().flat_map(|panel| &panel.groups);
        let covered: Vec<f64> = groups().flat_map(|group| group.failures.iter().copied()).chain([0.0]).collect();
        let scale = Scale::over(&covered, Kind::Linear, LABELS + 10, WIDTH - MARGIN - 40);
        let bottom = self.size().1 as i32 - AXIS;
        Axis { label: "failing tests", reference: None, scale: &scale, top: LEGEND, bottom }.draw(canvas)?;
        let stages = groups().map(|group| group.failures.len()).max().unwrap_or(0);
        self.draw_legend(canvas, stages)?;
        let mut top = LEGEND;
        for panel in &self.panels {
            if let Some(title) = &panel.title {
                canvas.text(title, (MARGIN, top + HEAD / 2), TEXT, palette::FAINT, Anchor::Start)?;
            }
            let mut below = top + panel.head();
            for group in &panel.groups {
                self.draw_group(canvas, group, &scale, below)?;
                below += group.height();
            }
            top += panel.height();
        }
        Ok(())
    }

    fn draw_legend<D: DrawingBackend>(&self, canvas: &Canvas<D>, stages: usize) -> Drawn<D> {
        for stage in 0..stages {
            let x = LABELS + 10 + 130 * stage as i32;
            canvas.fill((x, 10), (x + 14, 20), colour(stage), 0.9)?;
            let label = format!("after stage {}", stage + 1);
            canvas.text(&label, (x + 20, 15), TEXT - 1.0, palette::INK, Anchor::Start)?;
        }
        Ok(())
    }

    fn draw_group<D: DrawingBackend>(
        &self,
        canvas: &Canvas<D>,
        group: &StagesGroup,
        scale: &Scale,
        top: i32,
    ) -> Drawn<D> {
        let label = fitted(&group.label, LABELS - MARGIN, TEXT);
        let middle = top + group.height() / 2;
        canvas.text(&label, (LABELS, middle), TEXT, palette::INK, Anchor::End)?;
        for (stage, failures) in group.failures.iter().enumerate() {
            let y = top + GAP / 2 + BAR * stage as i32;
            let end = scale.at(*failures);
            canvas.fill((scale.at(0.0), y + 1), (end.max(scale.at(0.0) + 1), y + BAR - 2), colour(stage), 0.9)?;
            canvas.text(&decimal(*failures), (end + 5, y + BAR / 2), TEXT - 2.0, palette::INK, Anchor::Start)?;
        }
        Ok(())
    }
}

fn colour(stage: usize) -> super::Ink {
    palette::series(COLOURS[stage.min(COLOURS.len() - 1)])
}
