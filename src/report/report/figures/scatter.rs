//! Every test as a dot: its time in the baseline against its time in a configuration.

use plotters::prelude::DrawingBackend;

use super::axis::WIDTH;
use super::canvas::{Canvas, Drawn, fitted, palette};
use super::plane::{ABOVE, BELOW, LEFT, Plane, places};
use super::scale::{Kind, Scale};
use super::{Drawing, Figure};
use crate::report::details::{Details, TestPairs};
use crate::report::{Analysis, PageSection};
use crate::shown_text::shown;
use crate::wording::plural;

const PANEL_HEIGHT: i32 = 310;
/// Shorter times are drawn as if they were this long: on a logarithmic axis there is no zero.
const SHORTEST: f64 = 0.0001;

pub struct ScatterFigure {
    x_label: String,
    panels: Vec<ScatterPanel>,
}

struct ScatterPanel {
    title: String,
    y_label: String,
    colour: usize,
    points: Vec<(f64, f64)>,
}

pub fn figure(analysis: &Analysis, details: &Details) -> Option<Figure> {
    let baseline = shown(&analysis.run.manifest.baseline);
    let drawn: usize = details.pairs.iter().map(|pairs| pairs.points.len()).sum();
    let left_out: usize = details.pairs.iter().map(|pairs| pairs.left_out).sum();
    let cores = details.pairs.first()?.cores;
    let mut caption = format!(
        "Each dot is a test that ran in both: mean seconds in {baseline} and in the first stage of a configuration, \
         on {}, logarithmic. A test above the diagonal took longer in parallel than alone.",
        plural(cores, "core")
    );
    if left_out > 0 {
        caption += &format!(" {drawn} of {} are drawn, evenly over the times.", plural(drawn + left_out, "dot"));
    }
    if let Some(note) = &details.pairs_note {
        caption = format!("{caption} {note}");
    }
    Some(Figure {
        name: "tests".to_owned(),
        section: PageSection::Runs,
        title: "Each test, alone and in parallel".to_owned(),
        caption,
        drawing: Drawing::Scatter(ScatterFigure {
            x_label: format!("seconds in {baseline}"),
            panels: details.pairs.iter().map(|pairs| panel(analysis, pairs)).collect(),
        }),
    })
}

fn panel(analysis: &Analysis, pairs: &TestPairs) -> ScatterPanel {
    let place = analysis.run.candidates().position(|c| c.name == pairs.configuration).unwrap_or(0);
    let drawn = |(x, y): &(f64, f64)| (x.max(SHORTEST), y.max(SHORTEST));
    ScatterPanel {
        title: shown(&pairs.configuration),
        y_label: format!("seconds in {}", shown(&pairs.configuration)),
        colour: place + 1,
        points: pairs.points.iter().map(drawn).collect(),
    }
}

impl ScatterFigure {
    fn panel_width(&self) -> i32 {
        if self.panels.len() > 1 { WIDTH / 2 } else { WIDTH }
    }

    pub fn size(&self) -> (u32, u32) {
        (WIDTH as u32, PANEL_HEIGHT as u32 * self.panels.len().div_ceil(2) as u32)
    }

    pub fn draw<D: DrawingBackend>(&self, canvas: &Canvas<D>) -> Drawn<D> {
        let all: Vec<f64> = self.panels.iter().flat_map(|panel| &panel.points).flat_map(|(x, y)| [*x, *y]).collect();
        let places = places(self.panels.len(), self.panel_width(), PANEL_HEIGHT);
        for (panel, (left, top)) in self.panels.iter().zip(places) {
            self.draw_panel(canvas, panel, &all, left, top)?;
        }
        Ok(())
    }

    fn draw_panel<D: DrawingBackend>(
        &self,
        canvas: &Canvas<D>,
        panel: &ScatterPanel,
        all: &[f64],
        left: i32,
        top: i32,
    ) -> Drawn<D> {
        let x = Scale::over(all, Kind::Logarithmic, left + LEFT, left + self.panel_width() - 14);
        let y = Scale::over(all, Kind::Logarithmic, top + PANEL_HEIGHT - BELOW, top + ABOVE);
        let plane = Plane {
            title: &fitted(&panel.title, self.panel_width() - LEFT, 13.0),
            x_label: &fitted(&self.x_label, self.panel_width() - LEFT, 12.0),
            y_label: &fitted(&panel.y_label, self.panel_width() - LEFT, 12.0),
            x_ticks: x.ticks(),
            x,
            y,
        };
        plane.draw(canvas)?;
        let (low, high) = all.iter().fold((f64::INFINITY, 0f64), |(low, high), v| (low.min(*v), high.max(*v)));
        canvas.dashes(plane.at((low, low)), plane.at((high, high)), palette::FAINT, 1)?;
        for point in &panel.points {
            canvas.dot(plane.at(*point), 2, palette::series(panel.colour), 0.45)?;
        }
        Ok(())
    }
}
