//! How each configuration scales with the cores: measured, ideal, and as Amdahl's law would have it.

use plotters::prelude::DrawingBackend;

use super::axis::{MARGIN, TEXT, WIDTH};
use super::canvas::{Anchor, Canvas, Drawn, fitted, palette};
use super::plane::{ABOVE, BELOW, LEFT, Plane};
use super::scale::{Kind, Scale};
use super::{Drawing, Figure};
use crate::report::analysis::ScalingFit;
use crate::report::{Analysis, PageSection};
use crate::shown_text::shown;
use crate::wording::plural;

const HEIGHT: i32 = 380;
const LEGEND: i32 = 210;

pub struct CoresFigure {
    y_label: String,
    cores: Vec<usize>,
    curves: Vec<Curve>,
}

struct Curve {
    label: String,
    colour: usize,
    /// Cores and mean scaling, the lowest count first, where it is 1.
    points: Vec<(f64, f64)>,
    /// What Amdahl's law gives at every count, if it could be fitted.
    law: Vec<(f64, f64)>,
}

pub fn figure(analysis: &Analysis) -> Option<Figure> {
    let manifest = &analysis.run.manifest;
    let lowest = manifest.cores.iter().copied().min()?;
    let mut cores = manifest.cores.clone();
    cores.sort_unstable();
    let baseline = manifest.configurations.iter().filter(|c| c.name == manifest.baseline);
    let names = baseline.chain(analysis.run.candidates()).map(|configuration| configuration.name.as_str());
    let fit = |name: &str| analysis.fits.iter().find(|fit| fit.configuration == name);
    let curves: Vec<Curve> = names.enumerate().filter_map(|(colour, name)| Some(curve(fit(name)?, colour))).collect();
    (!curves.is_empty()).then(|| Figure {
        name: "cores".to_owned(),
        section: PageSection::Speed,
        title: "Speedup over cores".to_owned(),
        caption: format!(
            "Each configuration compared with itself on {}: geometric mean over the subjects with at least five clean runs on \
             every number of cores. The thin line is the ideal. Dashed lines are Amdahl's law fitted to the points, with \
             the serial part of the work. Two points always fit the law, so they give no R².",
            plural(lowest, "core")
        ),
        drawing: Drawing::Cores(CoresFigure {
            y_label: format!("times as fast as on {}", plural(lowest, "core")),
            cores,
            curves,
        }),
    })
}

fn curve(fit: &ScalingFit, colour: usize) -> Curve {
    let serial = fit.serial_fraction.map(|serial| format!(" ({:.0} % serial)", serial * 100.0)).unwrap_or_default();
    Curve {
        label: format!("{}{serial}", shown(&fit.configuration)),
        colour,
        points: fit.points.clone(),
        law: fit.law(),
    }
}

impl CoresFigure {
    pub fn size(&self) -> (u32, u32) {
        (WIDTH as u32, HEIGHT as u32)
    }

    pub fn draw<D: DrawingBackend>(&self, canvas: &Canvas<D>) -> Drawn<D> {
        let counts: Vec<f64> = self.cores.iter().map(|cores| *cores as f64).collect();
        let lowest = counts.first().copied().unwrap_or(1.0);
        let ideal: Vec<(f64, f64)> = counts.iter().map(|cores| (*cores, cores / lowest)).collect();
        let heights: Vec<f64> = self.curves.iter().flat_map(|curve| &curve.points).chain(&ideal).map(|p| p.1).collect();
        let kind =
            if counts.last().is_some_and(|most| *most > 8.0 * lowest) { Kind::Logarithmic } else { Kind::Linear };
        let plane = Plane {
            title: "",
            x_label: "cores",
            y_label: &self.y_label,
            x: Scale::over(&counts, kind, LEFT, WIDTH - MARGIN - LEGEND),
            y: Scale::over(&heights, kind, HEIGHT - BELOW, ABOVE),
            x_ticks: self.cores.iter().map(|cores| (*cores as f64, cores.to_string())).collect(),
        };
        plane.draw(canvas)?;
        self.draw_line(canvas, &plane, &ideal, palette::INK, 1)?;
        let mut row = ABOVE + 10;
        for curve in &self.curves {
            let ink = palette::series(curve.colour);
            for pair in curve.law.windows(2) {
                canvas.dashes(plane.at(pair[0]), plane.at(pair[1]), ink, 1)?;
            }
            self.draw_line(canvas, &plane, &curve.points, ink, 2)?;
            for point in &curve.points {
                canvas.dot(plane.at(*point), 4, ink, 1.0)?;
            }
            self.draw_key(canvas, &curve.label, ink, row)?;
            row += 22;
        }
        self.draw_key(canvas, "ideal", palette::INK, row)
    }

    fn draw_line<D: DrawingBackend>(
        &self,
        canvas: &Canvas<D>,
        plane: &Plane,
        points: &[(f64, f64)],
        ink: super::Ink,
        width: u32,
    ) -> Drawn<D> {
        canvas.path(&points.iter().map(|point| plane.at(*point)).collect::<Vec<_>>(), ink, width)
    }

    fn draw_key<D: DrawingBackend>(&self, canvas: &Canvas<D>, label: &str, ink: super::Ink, y: i32) -> Drawn<D> {
        let x = WIDTH - LEGEND;
        canvas.line((x, y), (x + 18, y), ink, 3)?;
        canvas.text(&fitted(label, LEGEND - 44, TEXT), (x + 26, y), TEXT, palette::INK, Anchor::Start)
    }
}
