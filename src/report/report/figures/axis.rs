//! The horizontal axis that all figures share, and their common measures.

use plotters::prelude::DrawingBackend;

use super::canvas::{Anchor, Canvas, Drawn, palette};
use super::scale::Scale;

pub const WIDTH: i32 = 620;
pub const MARGIN: i32 = 16;
/// The height that ticks and label take below the figure.
pub const AXIS: i32 = 48;
pub const TEXT: f64 = 13.0;

pub struct Axis<'a> {
    pub label: &'a str,
    /// A value to compare with, drawn as a line of its own.
    pub reference: Option<f64>,
    pub scale: &'a Scale,
    pub top: i32,
    pub bottom: i32,
}

impl Axis<'_> {
    pub fn draw<D: DrawingBackend>(&self, canvas: &Canvas<D>) -> Drawn<D> {
        for (value, label) in self.scale.ticks() {
            self.rule(canvas, value, palette::RULE)?;
            let below = (self.scale.at(value), self.bottom + 14);
            canvas.text(&label, below, TEXT - 1.0, palette::FAINT, Anchor::Middle)?;
        }
        if let Some(reference) = self.reference {
            self.rule(canvas, reference, palette::FAINT)?;
        }
        let (left, right) = self.scale.ends();
        let below = ((left + right) / 2, self.bottom + 35);
        canvas.text(self.label, below, TEXT - 1.0, palette::FAINT, Anchor::Middle)
    }

    fn rule<D: DrawingBackend>(&self, canvas: &Canvas<D>, value: f64, ink: super::Ink) -> Drawn<D> {
        let x = self.scale.at(value);
        canvas.line((x, self.top), (x, self.bottom), ink, 1)
    }
}
