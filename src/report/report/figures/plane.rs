//! A plot with a scale on both sides: grid, ticks, labels.

use plotters::prelude::DrawingBackend;

use super::axis::TEXT;
use super::canvas::{Anchor, Canvas, Drawn, palette};
use super::scale::Scale;

/// Room left of a plane for its ticks, below it for ticks and label, above it for its title.
pub const LEFT: i32 = 52;
pub const BELOW: i32 = 44;
pub const ABOVE: i32 = 42;

pub struct Plane<'a> {
    pub title: &'a str,
    pub x_label: &'a str,
    pub y_label: &'a str,
    pub x: Scale,
    /// From the bottom to the top.
    pub y: Scale,
    pub x_ticks: Vec<(f64, String)>,
}

impl Plane<'_> {
    pub fn draw<D: DrawingBackend>(&self, canvas: &Canvas<D>) -> Drawn<D> {
        let ((left, right), (bottom, top)) = (self.x.ends(), self.y.ends());
        let mut free_from = i32::MIN;
        for (value, label) in &self.x_ticks {
            let x = self.x.at(*value);
            canvas.line((x, top), (x, bottom), palette::RULE, 1)?;
            // A label that would touch the one before is left out.
            let half = label.chars().count() as i32 * 4;
            if x - half < free_from {
                continue;
            }
            free_from = x + half + 4;
            canvas.text(label, (x, bottom + 12), TEXT - 2.0, palette::FAINT, Anchor::Middle)?;
        }
        for (value, label) in self.y.ticks() {
            let y = self.y.at(value);
            canvas.line((left, y), (right, y), palette::RULE, 1)?;
            canvas.text(&label, (left - 6, y), TEXT - 2.0, palette::FAINT, Anchor::End)?;
        }
        let middle = (left + right) / 2;
        canvas.text(self.x_label, (middle, bottom + 30), TEXT - 1.0, palette::FAINT, Anchor::Middle)?;
        canvas.text(self.title, (left, top - 28), TEXT, palette::INK, Anchor::Start)?;
        canvas.text(self.y_label, (left, top - 10), TEXT - 1.0, palette::FAINT, Anchor::Start)
    }

    pub fn at(&self, (x, y): (f64, f64)) -> (i32, i32) {
        (self.x.at(x), self.y.at(y))
    }
}

/// Where small plots lie that share a figure: two side by side.
pub fn places(count: usize, width: i32, height: i32) -> Vec<(i32, i32)> {
    (0..count as i32).map(|index| (index % 2 * width, index / 2 * height)).collect()
}
