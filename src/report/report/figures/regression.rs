//! Each subject's time in a configuration against its time in the baseline, with the line through them and its interval.

use plotters::prelude::DrawingBackend;

use super::axis::WIDTH;
use super::canvas::{Canvas, Drawn, fitted, palette};
use super::plane::{ABOVE, BELOW, LEFT, Plane, places};
use super::scale::{Kind, Scale};
use super::{Drawing, Figure};
use crate::report::analysis::RegressionRow;
use crate::report::{Analysis, PageSection};
use crate::shown_text::shown;
use crate::wording::plural;

const PANEL_HEIGHT: i32 = 310;
const MOST_PANELS: usize = 4;
/// Subjects that are drawn as dots at most; the line is through all.
const MOST_DOTS: usize = 600;

pub struct RegressionFigure {
    x_label: String,
    panels: Vec<RegressionPanel>,
}

struct RegressionPanel {
    row: RegressionRow,
    colour: usize,
}

/// On the most cores that were used.
pub fn figure(analysis: &Analysis) -> Option<Figure> {
    let cores = analysis.run.manifest.cores.iter().copied().max()?;
    let place = |name: &str| analysis.run.candidates().position(|c| c.name == name).unwrap_or(0);
    let here = analysis.regressions.iter().filter(|row| row.cores == cores).take(MOST_PANELS);
    let panels: Vec<RegressionPanel> =
        here.map(|row| RegressionPanel { colour: place(&row.configuration) + 1, row: row.clone() }).collect();
    let most = panels.iter().map(|panel| panel.row.subjects).max()?;
    let part = if most > MOST_DOTS { format!(" {MOST_DOTS} of {most} subjects are drawn.") } else { String::new() };
    Some(Figure {
        name: "regression".to_owned(),
        section: PageSection::Runs,
        title: "Time of each subject, with regression line".to_owned(),
        caption: format!(
            "Mean clean seconds of each subject on {}, with the regression line and the 95 % interval of its mean; below the \
             dashed diagonal the configuration is faster. If times span more than a factor of 30, logarithms are used.{part}",
            plural(cores, "core")
        ),
        drawing: Drawing::Regression(RegressionFigure {
            x_label: format!("seconds in {}", shown(&analysis.run.manifest.baseline)),
            panels,
        }),
    })
}

impl RegressionPanel {
    fn title(&self) -> String {
        let row = &self.row;
        format!("{}: slope {:.2}, R² {:.2}", shown(&row.configuration), row.slope, row.r_squared)
    }

    fn kind(&self) -> Kind {
        if self.row.form == "logarithmic" { Kind::Logarithmic } else { Kind::Linear }
    }
}

impl RegressionFigure {
    fn panel_width(&self) -> i32 {
        if self.panels.len() > 1 { WIDTH / 2 } else { WIDTH }
    }

    pub fn size(&self) -> (u32, u32) {
        (WIDTH as u32, PANEL_HEIGHT as u32 * self.panels.len().div_ceil(2) as u32)
    }

    pub fn draw<D: DrawingBackend>(&self, canvas: &Canvas<D>) -> Drawn<D> {
        let places = places(self.panels.len(), self.panel_width(), PANEL_HEIGHT);
        for (panel, (left, top)) in self.panels.iter().zip(places) {
            self.draw_panel(canvas, panel, left, top)?;
        }
        Ok(())
    }

    fn draw_panel<D: DrawingBackend>(
        &self,
        canvas: &Canvas<D>,
        panel: &RegressionPanel,
        left: i32,
        top: i32,
    ) -> Drawn<D> {
        let room = self.panel_width() - LEFT;
        let (xs, ys): (Vec<f64>, Vec<f64>) = panel.row.points.iter().copied().unzip();
        let x = Scale::over(&xs, panel.kind(), left + LEFT, left + self.panel_width() - 14);
        let plane = Plane {
            title: &fitted(&panel.title(), room, 13.0),
            x_label: &fitted(&self.x_label, room, 12.0),
            y_label: &fitted(&format!("seconds in {}", shown(&panel.row.configuration)), room, 12.0),
            x_ticks: x.ticks(),
            x,
            y: Scale::over(&ys, panel.kind(), top + PANEL_HEIGHT - BELOW, top + ABOVE),
        };
        plane.draw(canvas)?;
        self.draw_diagonal(canvas, &plane, &xs, &ys)?;
        let ink = palette::series(panel.colour);
        let band = panel.row.band();
        let lower = band.iter().map(|point| plane.at((point.x, point.low)));
        let upper = band.iter().rev().map(|point| plane.at((point.x, point.high)));
        canvas.band(&lower.chain(upper).collect::<Vec<_>>(), ink, 0.15)?;
        canvas.path(&band.iter().map(|point| plane.at((point.x, point.y))).collect::<Vec<_>>(), ink, 2)?;
        for point in panel.row.points.iter().take(MOST_DOTS) {
            canvas.dot(plane.at(*point), 3, ink, 0.75)?;
        }
        Ok(())
    }

    /// Where both times are equal, as far as it lies within both scales.
    fn draw_diagonal<D: DrawingBackend>(&self, canvas: &Canvas<D>, plane: &Plane, xs: &[f64], ys: &[f64]) -> Drawn<D> {
        let ends = |values: &[f64]| values.iter().fold((f64::INFINITY, 0f64), |(l, h), v| (l.min(*v), h.max(*v)));
        let ((x_low, x_high), (y_low, y_high)) = (ends(xs), ends(ys));
        let (low, high) = (x_low.max(y_low), x_high.min(y_high));
        if low < high {
            canvas.dashes(plane.at((low, low)), plane.at((high, high)), palette::FAINT, 1)?;
        }
        Ok(())
    }
}
