//! A drawing area with the few strokes that the figures need, on plotters' SVG and bitmap backends.

use std::sync::LazyLock;

use miette::miette;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::register_font;
use plotters::style::text_anchor::{HPos, Pos, VPos};

const FONT: &[u8] = include_bytes!("../fonts/DejaVuSans-subset.ttf");
const FAMILY: &str = "sans-serif";

/// plotters gives a font's height; this is what it takes for one unit of the size that SVG means.
const HEIGHT_PER_SIZE: f64 = 1.24;

/// PNG files are drawn this much larger, to be sharp on paper.
const PNG_SCALE: u32 = 2;
const BITMAP_DROP: f64 = 0.19;

pub type Ink = RGBColor;

/// The page replaces these colours in its dark scheme, by their exact values.
pub mod palette {
    use super::Ink;

    pub const PAPER: Ink = plotters::style::RGBColor(255, 255, 255);
    pub const INK: Ink = plotters::style::RGBColor(31, 41, 51);
    pub const FAINT: Ink = plotters::style::RGBColor(91, 103, 112);
    pub const RULE: Ink = plotters::style::RGBColor(221, 226, 231);
    /// Told apart by people with any kind of colour vision (after Okabe and Ito), grey for the baseline first.
    pub const SERIES: [Ink; 7] = [
        plotters::style::RGBColor(107, 114, 128),
        plotters::style::RGBColor(0, 114, 178),
        plotters::style::RGBColor(213, 94, 0),
        plotters::style::RGBColor(0, 158, 115),
        plotters::style::RGBColor(204, 121, 167),
        plotters::style::RGBColor(230, 159, 0),
        plotters::style::RGBColor(86, 180, 233),
    ];

    pub fn series(index: usize) -> Ink {
        SERIES[if index < SERIES.len() { index } else { 1 + (index - 1) % (SERIES.len() - 1) }]
    }
}

pub type Drawn<D> = Result<(), DrawingAreaErrorKind<<D as DrawingBackend>::ErrorType>>;

#[derive(Debug, Clone, Copy)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// Coordinates are those of the SVG, whatever the pixels of the backend.
pub struct Canvas<D: DrawingBackend> {
    area: DrawingArea<D, Shift>,
    scale: i32,
    /// Letters sit too high in bitmaps, by this part of their size.
    drop: f64,
}

/// The built-in font is registered once.
static FONT_IS_READY: LazyLock<bool> = LazyLock::new(|| register_font(FAMILY, FontStyle::Normal, FONT).is_ok());

pub fn svg(
    (width, height): (u32, u32),
    draw: impl FnOnce(&Canvas<SVGBackend>) -> Drawn<SVGBackend<'static>>,
) -> miette::Result<String> {
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, (width, height)).into_drawing_area();
        paint(area, 1, 0.0, draw)?;
    }
    Ok(text)
}

pub fn png(
    (width, height): (u32, u32),
    draw: impl FnOnce(&Canvas<BitMapBackend>) -> Drawn<BitMapBackend<'static>>,
) -> miette::Result<Vec<u8>> {
    let folder = tempfile::tempdir().map_err(|error| {
        miette!(
            "no temporary folder for a figure could be created: \
        {error}"
        )
    })?;
    let path = folder.path().join("figure.png");
    let area = BitMapBackend::new(&path, (width * PNG_SCALE, height * PNG_SCALE)).into_drawing_area();
    paint(area, PNG_SCALE as i32, BITMAP_DROP, draw)?;
    std::fs::read(&path).map_err(|error| miette!("{}: {error}", path.display()))
}

fn paint<D: DrawingBackend, E: std::fmt::Display>(
    area: DrawingArea<D, Shift>,
    scale: i32,
    drop: f64,
    draw: impl FnOnce(&Canvas<D>) -> Result<(), E>,
) -> miette::Result<()> {
    if !*FONT_IS_READY {
        return Err(miette!("the built-in font could not be read"));
    }
    let failed = |error: &dyn std::fmt::Display| miette!("a figure could not be drawn: {error}");
    area.fill(&palette::PAPER).map_err(|error| failed(&error))?;
    let canvas = Canvas { area, scale, drop };
    draw(&canvas).map_err(|error| failed(&error))?;
    canvas.area.present().map_err(|error| failed(&error))
}

impl<D: DrawingBackend> Canvas<D> {
    fn point(&self, (x, y): (i32, i32)) -> (i32, i32) {
        (x * self.scale, y * self.scale)
    }

    fn stroke(&self, ink: Ink, width: u32) -> ShapeStyle {
        ink.stroke_width(width * self.scale as u32)
    }

    pub fn line(&self, from: (i32, i32), to: (i32, i32), ink: Ink, width: u32) -> Drawn<D> {
        self.area.draw(&PathElement::new(vec![self.point(from), self.point(to)], self.stroke(ink, width)))
    }

    /// A line through many points.
    pub fn path(&self, points: &[(i32, i32)], ink: Ink, width: u32) -> Drawn<D> {
        let points: Vec<_> = points.iter().map(|point| self.point(*point)).collect();
        self.area.draw(&PathElement::new(points, self.stroke(ink, width)))
    }

    /// A line of dashes.
    pub fn dashes(&self, from: (i32, i32), to: (i32, i32), ink: Ink, width: u32) -> Drawn<D> {
        let (dx, dy) = (f64::from(to.0 - from.0), f64::from(to.1 - from.1));
        let length = dx.hypot(dy);
        let at = |along: f64| {
            let part = (along / length).min(1.0);
            (from.0 + (dx * part).round() as i32, from.1 + (dy * part).round() as i32)
        };
        let mut along = 0.0;
        while along < length {
            self.line(at(along), at(along + 5.0), ink, width)?;
            along += 9.0;
        }
        Ok(())
    }

    /// An area between an upper and a lower line.
    pub fn band(&self, corners: &[(i32, i32)], ink: Ink, opacity: f64) -> Drawn<D> {
        let corners: Vec<_> = corners.iter().map(|corner| self.point(*corner)).collect();
        self.area.draw(&Polygon::new(corners, ink.mix(opacity)))
    }

    pub fn outline(&self, corner: (i32, i32), opposite: (i32, i32), ink: Ink) -> Drawn<D> {
        let ((left, top), (right, bottom)) = (corner, opposite);
        let corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)];
        let points: Vec<_> = corners.into_iter().map(|corner| self.point(corner)).collect();
        self.area.draw(&PathElement::new(points, self.stroke(ink, 1)))
    }

    pub fn fill(&self, corner: (i32, i32), opposite: (i32, i32), ink: Ink, opacity: f64) -> Drawn<D> {
        self.area.draw(&Rectangle::new([self.point(corner), self.point(opposite)], ink.mix(opacity).filled()))
    }

    pub fn dot(&self, center: (i32, i32), radius: i32, ink: Ink, opacity: f64) -> Drawn<D> {
        self.area.draw(&Circle::new(self.point(center), radius * self.scale, ink.mix(opacity).filled()))
    }

    /// `size` is that of the letters in pixels.
    pub fn text(&self, text: &str, at: (i32, i32), size: f64, ink: Ink, anchor: Anchor) -> Drawn<D> {
        let horizontal = match anchor {
            Anchor::Start => HPos::Left,
            Anchor::Middle => HPos::Center,
            Anchor::End => HPos::Right,
        };
        let font = (FAMILY, size * HEIGHT_PER_SIZE * f64::from(self.scale)).into_font();
        let style = font.color(&ink).pos(Pos::new(horizontal, VPos::Center));
        let (x, y) = self.point(at);
        let drop = (self.drop * size * f64::from(self.scale)).round() as i32;
        self.area.draw(&Text::new(text.to_owned(), (x, y + drop), style))
    }
}

/// A label in about so many pixels at this size of letters.
pub fn fitted(label: &str, pixels: i32, size: f64) -> String {
    let room = (f64::from(pixels) / (size * 0.58)).max(1.0) as usize;
    if label.chars().count() <= room {
        return label.to_owned();
    }
    let head: String = label.chars().take(room.saturating_sub(1)).collect();
    format!("{head}…")
}
