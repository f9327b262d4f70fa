//! The speedup of every subject with its interval, one colour and line per configuration.

use plotters::prelude::DrawingBackend;

use super::axis::{AXIS, Axis, MARGIN, TEXT, WIDTH};
use super::canvas::{Anchor, Canvas, Drawn, fitted, palette};
use super::scale::{Kind, Scale};

const LABELS: i32 = 170;
const LINE: i32 = 14;
const ROW_GAP: i32 = 14;
const LEGEND_LINE: i32 = 22;
const LEGEND_ENTRY: i32 = 190;
/// More subjects than these would make a figure that nobody looks at.
const MOST_SUBJECTS: usize = 60;

pub struct IntervalFigure {
    pub axis: String,
    pub series: Vec<String>,
    pub rows: Vec<SubjectEstimates>,
}

pub struct SubjectEstimates {
    pub label: String,
    pub estimates: Vec<Estimate>,
}

pub struct Estimate {
    /// Index of its configuration.
    pub series: usize,
    pub ratio: f64,
    pub low: f64,
    pub high: f64,
}

pub fn caption(subjects: usize) -> String {
    let all = "Each dot is a speedup, its line the 95 % CI (t interval of the log ratios below 30 pairs, BCa bootstrap from there on). A \
               line that crosses 1 shows no difference. Comparisons with fewer than five sound pairs, or without observed \
               concurrency, are left out.";
    if subjects <= MOST_SUBJECTS {
        all.to_owned()
    } else {
        format!("{all} The first {MOST_SUBJECTS} of {subjects} subjects are drawn.")
    }
}

impl IntervalFigure {
    fn drawn_rows(&self) -> &[SubjectEstimates] {
        &self.rows[..self.rows.len().min(MOST_SUBJECTS)]
    }

    fn row_height(&self) -> i32 {
        LINE * self.series.len() as i32 + ROW_GAP
    }

    fn legend_columns(&self) -> usize {
        ((WIDTH - 2 * MARGIN) / LEGEND_ENTRY).max(1) as usize
    }

    fn legend_height(&self) -> i32 {
        LEGEND_LINE * self.series.len().div_ceil(self.legend_columns()) as i32 + MARGIN / 2
    }

    pub fn size(&self) -> (u32, u32) {
        let height = self.legend_height() + self.row_height() * self.drawn_rows().len() as i32 + AXIS + MARGIN;
        (WIDTH as u32, height as u32)
    }

    pub fn draw<D: DrawingBackend>(&self, canvas: &Canvas<D>) -> Drawn<D> {
        let estimates = self.drawn_rows().iter().flat_map(|row| &row.estimates);
        let covered: Vec<f64> = estimates.flat_map(|e| [e.low, e.ratio, e.high]).chain([1.0]).collect();
        let scale = Scale::over(&covered, Kind::suited_to(covered.iter()), LABELS + 10, WIDTH - MARGIN);
        self.draw_legend(canvas)?;
        let (top, bottom) = (self.legend_height(), self.size().1 as i32 - AXIS);
        Axis { label: &self.axis, reference: Some(1.0), scale: &scale, top, bottom }.draw(canvas)?;
        for (index, row) in self.drawn_rows().iter().enumerate() {
            self.draw_row(canvas, row, &scale, self.legend_height() + self.row_height() * index as i32)?;
        }
        Ok(())
    }

    fn draw_legend<D: DrawingBackend>(&self, canvas: &Canvas<D>) -> Drawn<D> {
        for (index, name) in self.series.iter().enumerate() {
            let (column, line) = (index % self.legend_columns(), index / self.legend_columns());
            let x = MARGIN + LEGEND_ENTRY * column as i32;
            let y = MARGIN / 2 + LEGEND_LINE * line as i32 + LEGEND_LINE / 2;
            canvas.dot((x + 5, y), 5, palette::series(index + 1), 1.0)?;
            let name = fitted(name, LEGEND_ENTRY - 24, TEXT);
            canvas.text(&name, (x + 17, y), TEXT, palette::INK, Anchor::Start)?;
        }
        Ok(())
    }

    fn draw_row<D: DrawingBackend>(
        &self,
        canvas: &Canvas<D>,
        row: &SubjectEstimates,
        scale: &Scale,
        top: i32,
    ) -> Drawn<D> {
        let label = fitted(&row.label, LABELS - MARGIN, TEXT);
        canvas.text(&label, (LABELS, top + self.row_height() / 2), TEXT, palette::INK, Anchor::End)?;
        for estimate in &row.estimates {
            let y = top + ROW_GAP / 2 + LINE * estimate.series as i32 + LINE / 2;
            let ink = palette::series(estimate.series + 1);
            canvas.line((scale.at(estimate.low), y), (scale.at(estimate.high), y), ink, 2)?;
            canvas.dot((scale.at(estimate.ratio), y), 4, ink, 1.0)?;
        }
        Ok(())
    }
}
