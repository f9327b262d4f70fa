//! Box plots lying down: one row per configuration, one panel per number of cores, every value as a dot.

use plotters::prelude::DrawingBackend;

use super::axis::{AXIS, Axis, MARGIN, TEXT, WIDTH};
use super::canvas::{Anchor, Canvas, Drawn, fitted, palette};
use super::scale::{Kind, Scale};
use crate::stats;
use crate::wording::plural;

const LABELS: i32 = 150;
const ROW: i32 = 52;
const HEAD: i32 = 30;
/// Of more values only those beyond the whiskers are drawn as dots.
pub const MOST_DOTS: usize = 200;

pub struct BoxFigure {
    pub axis: String,
    pub kind: Kind,
    /// Begin the axis at zero, if it is linear.
    pub from_zero: bool,
    /// A value to compare with, such as a speedup of one.
    pub reference: Option<f64>,
    pub panels: Vec<Panel>,
}

pub struct Panel {
    pub title: Option<String>,
    pub groups: Vec<Group>,
}

/// The values of one configuration, one for each subject.
pub struct Group {
    pub label: String,
    /// The first colour is the baseline's.
    pub colour: usize,
    pub values: Vec<f64>,
}

impl BoxFigure {
    pub fn has_data(&self) -> bool {
        self.values().next().is_some()
    }

    fn values(&self) -> impl Iterator<Item = f64> {
        self.panels.iter().flat_map(|panel| &panel.groups).flat_map(|group| group.values.iter().copied())
    }

    pub fn size(&self) -> (u32, u32) {
        let height: i32 = self.panels.iter().map(Panel::height).sum::<i32>() + AXIS + MARGIN;
        (WIDTH as u32, height as u32)
    }

    pub fn draw<D: DrawingBackend>(&self, canvas: &Canvas<D>) -> Drawn<D> {
        let zero = (self.from_zero && self.kind == Kind::Linear).then_some(0.0);
        let covered: Vec<f64> = self.values().chain(self.reference).chain(zero).collect();
        let scale = Scale::over(&covered, self.kind, LABELS + 10, WIDTH - MARGIN);
        let bottom = self.size().1 as i32 - AXIS;
        Axis { label: &self.axis, reference: self.reference, scale: &scale, top: MARGIN / 2, bottom }.draw(canvas)?;
        let mut top = MARGIN / 2;
        for panel in &self.panels {
            self.draw_panel(canvas, panel, &scale, top)?;
            top += panel.height();
        }
        Ok(())
    }

    fn draw_panel<D: DrawingBackend>(&self, canvas: &Canvas<D>, panel: &Panel, scale: &Scale, top: i32) -> Drawn<D> {
        if let Some(title) = &panel.title {
            canvas.text(title, (MARGIN, top + HEAD / 2), TEXT, palette::FAINT, Anchor::Start)?;
        }
        for (index, group) in panel.groups.iter().enumerate() {
            let middle = top + panel.head() + ROW * index as i32 + ROW / 2;
            self.draw_group(canvas, group, scale, middle, palette::series(group.colour))?;
        }
        Ok(())
    }

    fn draw_group<D: DrawingBackend>(
        &self,
        canvas: &Canvas<D>,
        group: &Group,
        scale: &Scale,
        middle: i32,
        ink: super::Ink,
    ) -> Drawn<D> {
        let label = fitted(&group.label, LABELS - MARGIN, TEXT);
        canvas.text(&label, (LABELS, middle - 8), TEXT, palette::INK, Anchor::End)?;
        canvas.text(
            &plural(group.values.len(), "subject"),
            (LABELS, middle + 9),
            TEXT - 2.0,
            palette::FAINT,
            Anchor::End,
        )?;
        if let Some(plot) = stats::box_plot(&group.values).filter(|_| group.values.len() > 2) {
            draw_box(canvas, &plot, scale, middle, ink)?;
        }
        let dots = dotted(&group.values);
        for (index, value) in dots.iter().enumerate() {
            let jitter = [0, -5, 5, -9, 9][index % 5];
            canvas.dot((scale.at(*value), middle + jitter), 3, ink, 0.8)?;
        }
        Ok(())
    }
}

/// Every value, or of very many those beyond the whiskers.
fn dotted(values: &[f64]) -> Vec<f64> {
    match stats::box_plot(values).filter(|_| values.len() > MOST_DOTS) {
        Some(plot) => {
            let is_far = |value: &f64| *value < plot.lower_whisker || *value > plot.upper_whisker;
            values.iter().copied().filter(is_far).take(MOST_DOTS).collect()
        }
        None => values.to_vec(),
    }
}

fn draw_box<D: DrawingBackend>(
    canvas: &Canvas<D>,
    plot: &stats::BoxPlot,
    scale: &Scale,
    middle: i32,
    ink: super::Ink,
) -> Drawn<D> {
    let half = 14;
    let [lower, left, center, right, upper] =
        [plot.lower_whisker, plot.lower_quartile, plot.median, plot.upper_quartile, plot.upper_whisker]
            .map(|value| scale.at(value));
    for (from, to) in [(lower, left), (right, upper)] {
        canvas.line((from, middle), (to, middle), ink, 1)?;
    }
    for end in [lower, upper] {
        canvas.line((end, middle - half / 2), (end, middle + half / 2), ink, 1)?;
    }
    canvas.fill((left, middle - half), (right, middle + half), ink, 0.16)?;
    canvas.outline((left, middle - half), (right, middle + half), ink)?;
    canvas.line((center, middle - half), (center, middle + half), ink, 3)
}

impl Panel {
    fn head(&self) -> i32 {
        if self.title.is_some() { HEAD } else { 0 }
    }

    fn height(&self) -> i32 {
        self.head() + ROW * self.groups.len() as i32
    }
}
